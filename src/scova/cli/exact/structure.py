"""`scova def`, `outline`, `callers`, `callees`, `usages`, `context`: their words, and what is done with them."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scova.answers import CallTree
from scova.cli import render
from scova.cli.exact import show
from scova.cli.opened import Sure, answered
from scova.cli.words import FOUND, NOTHING, Words, add_filter_words, add_refresh_word, filters_of
from scova.core.path_text import stored, typed
from scova.errors import UsageError
from scova.index import Index

if TYPE_CHECKING:
    from scova.search.cuts import Cuttable

_NAME = "a name (`Session`, `Session.get`), FILE:LINE or FILE:NAME"


def add_define_words(command: ArgumentParser) -> None:
    """The words of `scova def`, but for those that all commands have."""
    command.add_argument("name", metavar="NAME", nargs="?", help=f"{_NAME}, or the beginning of one (`Sess*`)")
    command.add_argument("--at", default="", metavar="FILE:LINE", help="the definition around this line")
    command.add_argument("--body", action="store_true", help="with its source")
    command.add_argument("-k", "--limit", type=int, default=50, metavar="N", help="how many (default: 50)")
    add_filter_words(command)
    add_refresh_word(command)


def add_outline_words(command: ArgumentParser) -> None:
    """The words of `scova outline`."""
    command.add_argument("file", metavar="FILE|DIR", help="relative to the project's folder; `.` for all of it")
    command.add_argument("--depth", type=int, default=0, metavar="N", help="levels of nesting (default: all)")
    command.add_argument("--files", type=int, default=500, metavar="N", help="how many files (default: 500)")
    command.add_argument(
        "-k", "--limit", type=int, default=5000, metavar="N", help="how many definitions (default: 5000)"
    )
    add_filter_words(command)
    add_refresh_word(command)


def add_tree_words(command: ArgumentParser) -> None:
    """The words of `scova callers` and `scova callees`."""
    command.epilog = f"In the tree: {show.LEGEND}. The reason follows each place."
    command.add_argument("name", metavar="NAME", help=_NAME)
    command.add_argument("--depth", type=int, default=3, metavar="N", help="levels, 1 to 10 (default: 3)")
    command.add_argument(
        "--per-level", type=int, default=50, metavar="N", help="at most so many on one level (default: 50)"
    )
    command.add_argument("--total", type=int, default=500, metavar="N", help="at most so many in all (default: 500)")
    add_refresh_word(command)


def add_usages_words(command: ArgumentParser) -> None:
    """The words of `scova usages`."""
    command.add_argument("name", metavar="NAME", help=_NAME)
    command.add_argument("-k", "--limit", type=int, default=200, metavar="N", help="how many (default: 200)")
    add_filter_words(command)
    add_refresh_word(command)


def add_context_words(command: ArgumentParser) -> None:
    """The words of `scova context`."""
    command.add_argument("name", metavar="NAME", help=_NAME)
    command.add_argument("--budget", type=int, default=2000, metavar="N", help="at most N tokens (default: 2000)")
    add_refresh_word(command)


def define(arguments: Namespace) -> int:
    """`scova def`: definitions, or the nearest names."""
    if arguments.at and arguments.name:
        if arguments.path != ".":
            raise UsageError("there is a NAME beside --at", "give one of them")
        arguments.path, arguments.name = arguments.name, None
    if not arguments.at and arguments.name is None:
        raise UsageError("there is no name to look for", "give one: `scova def NAME`, or a place: `--at FILE:LINE`")
    at, name = _from_root(arguments, arguments.at), arguments.name or ""
    found = answered(
        arguments,
        lambda index, _: index.definitions(
            name, at=at, body=arguments.body, limit=arguments.limit, filters=filters_of(arguments)
        ),
    )
    _tell(arguments, lambda: show.definitions(found), found, suggestions=found.suggestions)
    return FOUND if found.definitions else NOTHING


def outline(arguments: Namespace) -> int:
    """`scova outline`: definitions in the order of the text."""
    found = answered(
        arguments,
        lambda index, _: index.outline(
            _from_root(arguments, arguments.file),
            depth=arguments.depth,
            files=arguments.files,
            definitions=arguments.limit,
            filters=filters_of(arguments),
        ),
    )
    _tell(arguments, lambda: show.outlines(found), found)
    return FOUND if found.files else NOTHING


def callers(arguments: Namespace) -> int:
    """`scova callers`: who calls it."""
    return _tree(arguments, "callers")


def callees(arguments: Namespace) -> int:
    """`scova callees`: whom it calls."""
    return _tree(arguments, "callees")


def usages(arguments: Namespace) -> int:
    """`scova usages`: definitions, calls, imports, mentions."""
    found = answered(
        arguments,
        lambda index, _: index.usages(arguments.name, limit=arguments.limit, filters=filters_of(arguments)),
    )
    _tell(arguments, lambda: show.usages(found), found, suggestions=found.suggestions)
    return FOUND if found.usages else NOTHING


def context(arguments: Namespace) -> int:
    """`scova context`: the smallest pack that explains it."""
    found = answered(
        arguments,
        lambda index, _: index.context(_from_root(arguments, arguments.name), budget=arguments.budget),
    )
    _tell(arguments, lambda: show.context(found), found, suggestions=found.suggestions)
    return FOUND if found.parts else NOTHING


def _tree(arguments: Namespace, direction: str) -> int:
    def ask(index: Index, _: Sure) -> CallTree:
        tree = index.callers if direction == "callers" else index.callees
        place = _from_root(arguments, arguments.name)
        return tree(place, depth=arguments.depth, per_level=arguments.per_level, total=arguments.total)

    found = answered(arguments, ask)
    _tell(arguments, lambda: show.tree(found), found, suggestions=found.suggestions)
    if not arguments.json and (legend := show.legend(found)):
        render.talk(legend)
    return FOUND if found.roots else NOTHING


def _tell(
    arguments: Namespace, text: Callable[[], str], found: "Cuttable", *, suggestions: tuple[str, ...] = ()
) -> None:
    if arguments.json:
        render.data(show.as_json(found))
        return
    written = text()
    render.data(written)
    if not written:
        render.nothing(found.cut)
    if suggestions:
        render.talk(f"hint: did you mean {', '.join(f'`{name}`' for name in suggestions)}?")


def _from_root(arguments: Namespace, place: str) -> str:
    """A path that was typed in full, relative to the project's folder."""
    place = typed(place)
    if not place.startswith("/"):
        return place
    root = stored(Path(arguments.path).resolve())
    return place[len(root) :].lstrip("/") or "." if place == root or place.startswith(f"{root}/") else place


WORDS: Words = {
    "def": (add_define_words, define),
    "outline": (add_outline_words, outline),
    "callers": (add_tree_words, callers),
    "callees": (add_tree_words, callees),
    "usages": (add_usages_words, usages),
    "context": (add_context_words, context),
}
