"""A command line that takes options and other words in any order, `grep PATTERN -i FOLDER`, and any word behind `--`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

_SHIELD = "\0"  # no word of a command line has one
_WITH_ANY_VALUE = ("-e", "--regexp", "--at")  # options whose value may begin with a dash


def shielded(words: Sequence[str]) -> list[str]:
    """The words with those made harmless that begin with a dash and are no options: all behind `--`, and some options' values."""
    found: list[str] = []
    behind = False
    for word in words:
        if word == "--" and not behind:
            behind = True
        elif word.startswith("-") and (behind or (found[-1:] and found[-1] in _WITH_ANY_VALUE)):
            found.append(_SHIELD + word)
        else:
            found.append(word)
    return found


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

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Namespace, list[str]]:
        """First the options, then the words that are left."""
        if self._inside or self.has_actions:
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False
