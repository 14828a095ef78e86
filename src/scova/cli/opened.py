"""The index that a question is asked of: up to date, or an answer from it says how old it is. Knows no question."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scova.cli import render
from scova.errors import IndexBusy, IndexReadOnly
from scova.index import Index

FIRST_BUILD_SECONDS = 600.0


def add_refresh_word(command: ArgumentParser) -> None:
    """The word that `opened` reads, beside those that all commands have."""
    command.add_argument("--no-refresh", action="store_true", help="answer from the index as it is")


def data_of(arguments: Namespace) -> str | None:
    """The index folder as a path of its own: on the command line it is relative to the working folder."""
    return str(Path(arguments.data).expanduser().absolute()) if arguments.data else None


@contextmanager
def opened(arguments: Namespace, *, dated: bool = True) -> Iterator[Index]:
    """The index of the folder that was named, refreshed unless that was not wanted or another process is writing. When it is
    not up to date, and the answer is `dated`, the tree is looked at to say how old it is, which takes a stat per file."""
    with Index.open(arguments.path, data=data_of(arguments)) as index:
        wanted = not arguments.no_refresh and index.config.refresh
        if not (wanted and _is_up_to_date(index)) and (wanted or dated):
            index.pending_files()
        yield index


def _is_up_to_date(index: Index) -> bool:
    """Refresh when something changed. When another process is writing, or nobody can, answer from what there is; the first
    build of a folder is waited for, since there is nothing to answer from before its end."""
    if not index.is_stale():
        return True
    with render.progress() as progress:
        try:
            report = index.refresh(progress)
        except IndexReadOnly as frozen:
            if not index.is_complete:
                raise
            render.talk(f"{frozen.message}; answering from the index as it is")
            return False
        except IndexBusy as busy:
            if index.is_complete:
                render.talk(f"{busy.message}; answering from the index as it is")
                return False
            render.talk(f"{busy.message}; waiting up to {FIRST_BUILD_SECONDS:g} s for it")
            report = index.refresh(progress, wait_seconds=FIRST_BUILD_SECONDS)
    if report.note:
        render.talk(f"note: {report.note}")
    return True
