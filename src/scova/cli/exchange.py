"""`scova export` and `scova import`: their words, and what is done with them."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from scova.chunks.exchange.names import Format
from scova.cli import render
from scova.cli.exact import show
from scova.cli.opened import Sure, answered
from scova.cli.running.progress import stages
from scova.cli.words import FOUND, Words, add_refresh_word, add_wait_word, data_of
from scova.counted import counted
from scova.errors import IndexBusy
from scova.index import Index

if TYPE_CHECKING:
    from scova.chunks.exchange.outgoing import Exported

_EXPORTED = ("file", "chunk", "symbol", "call", "vector")


def add_export_words(command: ArgumentParser) -> None:
    """The words of `scova export`, but for those that all commands have."""
    command.description = (
        "Write everything that is indexed to a folder, as JSON files that other programs can read and `scova import` takes back."
        " The folder is made if there is none; it may hold an earlier export, which is replaced, and nothing else."
        " A folder inside the indexed one is refused unless it is ignored, since it would be indexed itself."
    )
    command.add_argument("--to", required=True, metavar="DIR", help="the folder to write to")
    command.add_argument(
        "--format",
        choices=[one.value for one in Format],
        default=Format.JSON.value,
        help="json: a file for each chunk type; jsonl: one file, a chunk on each line (default: json)",
    )
    command.add_argument("--vectors", action="store_true", help="with the vectors of the chunks")
    add_refresh_word(command)


def add_import_words(command: ArgumentParser) -> None:
    """The words of `scova import`."""
    command.description = (
        "Make the index of PATH what the files in DIR say, without reading or parsing anything in PATH. Everything is checked first,"
        " and becomes visible in one step: files that differ are replaced by their next generation, files that DIR does not have"
        " are removed, files that are equal stay. The next refresh then compares with what lies in PATH."
    )
    command.add_argument("folder", metavar="DIR", help="a folder that `scova export` or another tool wrote")
    add_wait_word(command)


def export(arguments: Namespace) -> int:
    """`scova export`: everything there is, as files."""

    def write(index: Index, sure: Sure) -> "Exported":
        sure()
        return index.export(arguments.to, form=arguments.format, vectors=arguments.vectors)

    done = answered(arguments, write)
    if arguments.json:
        render.data(show.as_json(done))
    else:
        render.data(
            f"{', '.join(counted(getattr(done, f'{what}s'), what) for what in _EXPORTED)}\n"
            f"{done.bytes / 1e6:.1f} MB written to {render.clean(done.folder)}\n"
        )
    return FOUND


def import_(arguments: Namespace) -> int:
    """`scova import`: files into an index."""
    with Index.open(arguments.path, data=data_of(arguments)) as index, stages() as progress:
        try:
            report = index.import_from(arguments.folder, progress)
        except IndexBusy as busy:
            render.talk(f"{busy.message}; waiting up to {arguments.wait:g} s")
            report = index.import_from(arguments.folder, progress, wait_seconds=arguments.wait)
    render.report(report, as_json=arguments.json)
    return FOUND


WORDS: Words = {
    "export": (add_export_words, export),
    "import": (add_import_words, import_),
}
