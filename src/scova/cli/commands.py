"""One function per command: words into a method call on Index, its answer into `render`. Returns the exit code."""

from argparse import Namespace
from pathlib import Path

from scova import config as settings
from scova.cli import render
from scova.errors import IndexBusy, UsageError
from scova.index import Index
from scova.types import ChunkType, Filters, Mode, Query, Report

FOUND, NOTHING, INCOMPLETE = 0, 1, 3
FIRST_BUILD_SECONDS = 600.0
DEFAULT_LIMIT, PACKED_LIMIT = 10, 50  # with a budget, the budget decides how many are shown


def index(arguments: Namespace) -> int:
    """`scova index`: build or refresh."""
    with (
        Index.open(arguments.path, workers=arguments.workers, data=_data(arguments)) as handle,
        render.progress() as progress,
    ):
        try:
            report = handle.refresh(progress, force=arguments.force)
        except IndexBusy as busy:
            render.talk(f"{busy.message}; waiting up to {arguments.wait:g} s")
            report = handle.refresh(progress, force=arguments.force, wait_seconds=arguments.wait)
    render.report(report, as_json=arguments.json)
    return _exit_code(report)


def search(arguments: Namespace) -> int:
    """`scova search`: one answer."""
    query = Query(
        arguments.query,
        mode=Mode(arguments.mode),
        limit=arguments.limit if arguments.limit is not None else PACKED_LIMIT if arguments.budget else DEFAULT_LIMIT,
        filters=Filters(
            paths=tuple(arguments.paths),
            not_paths=tuple(arguments.exclude),
            languages=tuple(arguments.language),
            chunk_types=tuple(ChunkType(name) for name in arguments.types),
            tags=tuple(arguments.tag),
            kinds=tuple(arguments.kind),
        ),
        budget=arguments.budget,
        after=arguments.next,
    )
    with Index.open(arguments.path, data=_data(arguments)) as handle:
        if arguments.no_refresh or not handle.config.refresh or not _is_up_to_date(handle):
            handle.pending_files()  # so that the answer says how old it is
        answer = handle.search(query)
    render.answer(query, answer, as_json=arguments.json, explain=arguments.explain)
    return FOUND if answer.results else NOTHING


def status(arguments: Namespace) -> int:
    """`scova status`: what there is."""
    with Index.open(arguments.path, data=_data(arguments)) as handle:
        state = handle.status()
        skips = handle.skips() if arguments.skipped else None
    render.status(state, skips, as_json=arguments.json)
    return FOUND if state.indexed else INCOMPLETE


def audit(arguments: Namespace) -> int:
    """`scova audit`: clean, or what is wrong."""
    with Index.open(arguments.path, data=_data(arguments)) as handle:
        findings = handle.audit()
    render.findings(findings, as_json=arguments.json, mended=False)
    return INCOMPLETE if findings else FOUND


def repair(arguments: Namespace) -> int:
    """`scova repair`: mend, and say what was mended."""
    with render.progress() as progress:
        findings, report = Index.repair(arguments.path, data=_data(arguments), tell=progress)
    render.findings(findings, as_json=arguments.json, mended=True)
    return _exit_code(report)


def config(arguments: Namespace) -> int:
    """`scova config`: every setting and its origin."""
    root = Path(arguments.path)
    if not root.is_dir():
        raise UsageError(f"`{arguments.path}` is not a folder", "give the folder of the project")
    render.config(settings.load(root, {"data": _data(arguments)}), as_json=arguments.json)
    return FOUND


def gc(arguments: Namespace) -> int:
    """`scova gc`: remove what belongs to nothing."""
    from scova.build.collect import collect

    done = collect(settings.cache_folder(), dry_run=arguments.dry_run, embeddings=arguments.embeddings)
    render.collected(done.indexes, done.vectors, as_json=arguments.json)
    return FOUND


def _is_up_to_date(handle: Index) -> bool:
    """Refresh when something changed. When another process is writing, answer from what there is; the first build of a folder
    is waited for, since there is nothing to answer from before its end."""
    if not handle.is_stale():
        return True
    with render.progress() as progress:
        try:
            handle.refresh(progress)
        except IndexBusy as busy:
            if handle.is_complete:
                render.talk(f"{busy.message}; answering from the index as it is")
                return False
            render.talk(f"{busy.message}; waiting up to {FIRST_BUILD_SECONDS:g} s for it")
            handle.refresh(progress, wait_seconds=FIRST_BUILD_SECONDS)
    return True


def _data(arguments: Namespace) -> str | None:
    """The index folder as a path of its own: on the command line it is relative to the working folder."""
    return str(Path(arguments.data).expanduser().absolute()) if arguments.data else None


def _exit_code(report: Report) -> int:
    return INCOMPLETE if report.unreadable else FOUND
