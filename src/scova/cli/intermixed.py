"""A command line that takes options and other words in any order, `grep PATTERN -i FOLDER`, and any word behind `--`."""

import os
import re
import sys
from argparse import ArgumentParser, HelpFormatter, Namespace
from collections.abc import Sequence
from functools import cache
from typing import Any, NoReturn

_SHIELD = "\0"  # no word of a command line has one
_WITH_ANY_VALUE = ("-e", "--regexp", "--at")  # options whose value may begin with a dash
_IN_A_QUERY = re.compile(r"-\S+\s|-(?:path|lang|type|kind|tag):")  # what no option looks like, and a question may
_CHOOSING = {
    "search": "--path GLOB",
    "grep": "-g GLOB",
}  # commands that look for something, and how they keep to some paths
_NOTHING_CHOSEN = re.compile(r"arguments are required: (?:COMMAND|ACTION)$")


def shielded(words: Sequence[str]) -> list[str]:
    """The words with those made harmless that begin with a dash and are no options: all behind `--`, and some options' values."""
    found: list[str] = []
    behind = False
    for word in words:
        if word == "--" and not behind:
            behind = True
        elif word.startswith("-") and (behind or _is_a_word(word, found)):
            found.append(_SHIELD + word)
        else:
            found.append(word)
    return found


def _is_a_word(word: str, before: Sequence[str]) -> bool:
    """Whether this is no option though it begins with a dash."""
    if not before:
        return False
    return before[-1] in _WITH_ANY_VALUE or (before[0] == "search" and bool(_IN_A_QUERY.match(word)))


def unshielded(arguments: Namespace) -> Namespace:
    """The words as they were given."""
    for name, value in vars(arguments).items():
        if isinstance(value, str):
            setattr(arguments, name, value.removeprefix(_SHIELD))
        elif isinstance(value, list):
            setattr(arguments, name, [word.removeprefix(_SHIELD) for word in value])
    return arguments


class Intermixed(ArgumentParser):
    """Like its parent, which gives up on a word behind an option once an optional word before it was passed over."""

    has_actions = False  # then its first word chooses a parser of its own, which takes words in any order
    _inside = False
    _words: Sequence[str] = ()

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": _formatter} | given)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and how to put it right."""
        from scova.cli import render

        if _NOTHING_CHOSEN.search(message):
            self.print_help(sys.stderr)  # the list is what is wanted
            render.error(message, "")
        else:
            self.print_usage(sys.stderr)
            extra = message.partition("unrecognized arguments: ")[2].replace(_SHIELD, "").split()
            render.error(message.replace(_SHIELD, ""), self._too_many(extra) if extra else _hint(message))
        sys.exit(2)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Namespace, list[str]]:
        """First the options, then the words that are left."""
        self._words = args or ()
        if self._inside or self.has_actions:
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False

    def _too_many(self, extra: Sequence[str]) -> str:
        """What to do about words that are none of this command."""
        flags = [word for word in extra if word.startswith("-")]
        if flags:
            from difflib import get_close_matches

            near = get_close_matches(flags[0].partition("=")[0], self._options(), 1)
            meant = f"did you mean `{near[0]}`? " if near else ""
            return f"{meant}`--help` lists the options; a word that begins with a dash and is none goes behind `--`"
        command = self._words[0] if self._words else ""
        if command in _CHOOSING and all(map(os.path.lexists, extra)):
            return f"one folder is taken; `{_CHOOSING[command]}` keeps to some paths in it, and may be repeated"
        if command in _CHOOSING:
            return "put what is looked for in quotes if it is of several words; then at most one folder follows"
        return "it takes fewer words: what belongs together goes in quotes; `--help` lists them"

    def _options(self) -> list[str]:
        """Every option of the command that was chosen."""
        chosen: ArgumentParser = self
        for word in self._words:
            actions = chosen._subparsers._group_actions if chosen._subparsers else ()
            known = [action.choices for action in actions if isinstance(action.choices, dict)]
            if not known or word not in known[0]:
                break
            chosen = known[0][word]
        return [name for name in chosen._option_string_actions if name.startswith("--")]


def _formatter(prog: str) -> HelpFormatter:
    return HelpFormatter(prog, width=_columns() - 2)


@cache
def _columns() -> int:
    """How wide the terminal is. argparse would find out anew for every option there is, and load much for it."""
    try:
        return int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]  # no output: caught
    except (AttributeError, ValueError, OSError):
        return 80


def _hint(message: str) -> str:
    """How to put right what argparse complains about."""
    wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
    if wrong:
        from difflib import get_close_matches  # not for every command: it costs a millisecond

        near = get_close_matches(wrong[1], re.findall(r"[\w-]+", wrong[2]), 1)
        return f"did you mean `{near[0]}`?" if near else "`--help` lists what there is"
    if "required: QUERY" in message:
        return "give the question in quotes, with `--next` the same one again; what begins with a dash goes behind `--`; `--help` lists the options"
    return "`--help` lists the options"
