"""The words that say which part of an index is asked, and the Filters they stand for. Knows no question."""

from argparse import ArgumentParser, Namespace

from scova.types import ChunkType, Filters


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
    return Filters(chunk_types=tuple(ChunkType(name) for name in arguments.chunk_types), **chosen)


_WORDS = (
    (("-p", "--path"), "paths", "GLOB", "only these paths"),
    (("-x", "--exclude"), "not_paths", "GLOB", "not these paths"),
    (("-l", "--language"), "languages", "NAME", "only this language"),
    (("--kind",), "kinds", "NAME", "only definitions of this kind"),
    (("--tag",), "tags", "NAME", "only what has this tag"),
)
