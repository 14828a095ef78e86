"""Words that several commands have in common, and what a command ends with."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from scova.core.path_text import typed
from scova.types import ChunkType, Filters

FOUND, NOTHING, INCOMPLETE = 0, 1, 3  # exit codes; see main

Words = dict[
    str, tuple[Callable[[ArgumentParser], None], Callable[[Namespace], int]]
]  # of commands, with what runs them


def add_filter_words(command: ArgumentParser) -> None:
    """One option for each field of Filters; all may be repeated."""
    for flags, field, word, text in _WORDS:
        command.add_argument(*flags, dest=field, action="append", default=[], metavar=word, help=text)
    command.add_argument(
        "-t",
        "--type",
        dest="chunk_types",
        action="append",
        default=[],
        choices=[one.value for one in ChunkType],
        help="only this chunk type",
    )


def filters_of(arguments: Namespace) -> Filters:
    """What was typed of them."""
    chosen = {field: tuple(getattr(arguments, field)) for _, field, _, _ in _WORDS}
    chosen |= {field: tuple(map(typed, chosen[field])) for field in ("paths", "not_paths")}
    return Filters(chunk_types=tuple(ChunkType(name) for name in arguments.chunk_types), **chosen)


_WORDS = (
    (("-p", "--path"), "paths", "GLOB", "only these paths"),
    (("-x", "--exclude"), "not_paths", "GLOB", "not these paths"),
    (("-l", "--language"), "languages", "NAME", "only this language"),
    (("--kind",), "kinds", "NAME", "only definitions of this kind"),
    (("--tag",), "tags", "NAME", "only what has this tag"),
)


def add_refresh_word(command: ArgumentParser) -> None:
    """The word that says whether an index is brought up to date before it is asked."""
    command.add_argument("--no-refresh", action="store_true", help="answer from the index as it is")


def add_wait_word(command: ArgumentParser) -> None:
    """The word that says how long to wait for another writer."""
    command.add_argument(
        "--wait", type=_seconds, default=60.0, metavar="S", help="wait this long for another writer (default: 60)"
    )


def data_of(arguments: Namespace) -> str | None:
    """The index folder as a path of its own: on the command line it is relative to the working folder."""
    return str(Path(arguments.data).expanduser().absolute()) if arguments.data else None


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value
