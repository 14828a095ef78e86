"""`scova grep`: its words, and what it does with them. The flags are ripgrep's, and mean what they mean there."""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from scova.cli import render
from scova.cli.opened import Sure, answered
from scova.cli.words import FOUND, NOTHING, Words, add_refresh_word
from scova.core.path_text import typed
from scova.counted import counted
from scova.errors import UsageError
from scova.index import Index

if TYPE_CHECKING:
    from scova.answers import FileMatches, Matches
    from scova.cli.exact.matched import Style
    from scova.search.regex.grep import Asked, Tell


def add_words(command: ArgumentParser) -> None:
    """The words of the command, but for those that all commands have."""
    command.epilog = "PATTERN is an expression as Rust's regex crate takes it; it matches within lines."
    command.add_argument("pattern", metavar="PATTERN", nargs="?", help="what to look for (with -e: leave it out)")
    command.add_argument(
        "-e", "--regexp", action="append", default=[], metavar="PATTERN", help="one of several patterns"
    )
    for letter, name, text in _CASES:  # of several, the last one counts
        command.add_argument(
            letter, f"--{name}", dest="case", action="store_const", const=letter, default="-s", help=text
        )
    for letter, name, text in _SWITCHES:
        command.add_argument(letter, f"--{name}", action="store_true", help=text)
    for letter, name, text in _NUMBERS:
        command.add_argument(letter, f"--{name}", type=int, default=None, metavar="N", help=text)
    for letter, name, word, text in _LISTS:
        command.add_argument(letter, f"--{name}", action="append", default=[], metavar=word, help=text)
    command.add_argument(
        "--limit", type=int, default=0, metavar="N", help="show at most N matching lines; counts stay exact"
    )
    command.add_argument("--heading", action="store_true", default=None, help="the path once, above its lines")
    command.add_argument("--no-heading", dest="heading", action="store_false", help="the path before every line")
    command.add_argument(
        "-n", "--line-number", dest="numbers", action="store_true", default=True, help="with line numbers (default)"
    )
    command.add_argument(
        "-N", "--no-line-number", dest="numbers", action="store_false", help="without (the last one counts)"
    )
    add_refresh_word(command)


_CASES = (
    ("-i", "ignore-case", "ignore case"),
    ("-S", "smart-case", "ignore case unless the pattern has a capital letter"),
    ("-s", "case-sensitive", "do not ignore case (default)"),
)
_SWITCHES = (
    ("-w", "word-regexp", "only whole words"),
    ("-x", "line-regexp", "only whole lines"),
    ("-F", "fixed-strings", "the pattern is a text, not an expression"),
    ("-v", "invert-match", "lines that do not match"),
    ("-l", "files-with-matches", "only the paths"),
    ("-c", "count", "only how many lines match, by path"),
)
_NUMBERS = (
    ("-A", "after-context", "also N lines after each"),
    ("-B", "before-context", "also N lines before each"),
    ("-C", "context", "also N lines around each"),
    ("-m", "max-count", "at most N matching lines of each file"),
)
_NO_FILE = ("!*",)  # `-m 0` asks for no line of any file; to Asked, no number and 0 are the same
_LISTS = (
    ("-g", "glob", "GLOB", "only these paths; with ! in front, not these"),
    ("-t", "type", "NAME", "only this language: py, rust, ts …"),
    ("-T", "type-not", "NAME", "not this language"),
)


def run(arguments: Namespace) -> int:
    """Print every match; 0 if there was one."""
    patterns = _patterns(arguments)

    def ask(handle: Index, sure: Sure) -> "Matches":
        tell = None if arguments.json else _teller(arguments, sure)
        return handle.grep(_asked(arguments, patterns), tell=tell)

    found = answered(arguments, ask, dated=arguments.json)
    if arguments.json:
        from scova.cli.exact.matched import as_json

        render.data(as_json(found))
    elif found.count > arguments.limit > 0:
        _say_truncated(found, arguments.limit)
    return FOUND if found.count else NOTHING


def _patterns(arguments: Namespace) -> list[str]:
    """What is looked for. With -e, the first plain word names the folder."""
    patterns = list(arguments.regexp)
    if patterns and arguments.pattern is not None:
        if arguments.path != ".":
            raise UsageError("there is a PATTERN beside -e", "give all patterns with -e, then the folder")
        arguments.path = arguments.pattern
    elif arguments.pattern is None and not patterns:
        raise UsageError("there is no pattern to look for", "give one: `scova grep PATTERN`")
    elif not patterns:
        patterns = [arguments.pattern]
    return patterns


def _asked(arguments: Namespace, patterns: list[str]) -> "Asked":
    from scova.search.regex.grep import Asked

    around = arguments.context or 0
    only_lines = not arguments.json and not _is_coloured()
    return Asked.of(
        patterns,
        fixed=arguments.fixed_strings,
        ignore_case=arguments.case == "-i",
        smart_case=arguments.case == "-S",
        word=arguments.word_regexp,
        whole_line=arguments.line_regexp,
        invert=arguments.invert_match,
        before=around if arguments.before_context is None else arguments.before_context,
        after=around if arguments.after_context is None else arguments.after_context,
        most=arguments.max_count or 0,
        lines=not (arguments.count or arguments.files_with_matches),
        spans=not only_lines,
        globs=[*map(typed, arguments.glob), *(_NO_FILE if arguments.max_count == 0 else ())],
        types=arguments.type,
        not_types=arguments.type_not,
        limit=arguments.limit,
    )


def _is_coloured() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _style(arguments: Namespace) -> "Style":
    from scova.cli.exact.matched import Style

    return Style(
        heading=sys.stdout.isatty() if arguments.heading is None else arguments.heading,
        colour=_is_coloured(),
        terminal=sys.stdout.isatty(),
        numbers=arguments.numbers,
        separated=bool(arguments.context or arguments.before_context or arguments.after_context),
    )


def _teller(arguments: Namespace, sure: Sure) -> "Tell":
    """Prints what is found in each file, once it is sure."""
    from scova.cli.exact.matched import Shown

    shown = Shown(_style(arguments))

    def tell(file: "FileMatches") -> None:
        sure()
        if arguments.files_with_matches:
            render.data(shown.path(file))
        elif arguments.count:
            if not file.binary:  # as ripgrep does: half a count is none
                render.data(shown.count(file))
        elif file.lines:
            render.data(shown.lines(file))
            if file.binary:
                render.talk(f"note: {file.path}: binary from somewhere behind its last match; not searched any further")

    return tell


def _say_truncated(found: "Matches", limit: int) -> None:
    render.talk(
        f"note: {counted(found.count, 'matching line')} in {counted(len(found.files), 'file')}; the first {limit} are shown"
    )


WORDS: Words = {"grep": (add_words, run)}
