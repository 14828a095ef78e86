"""A parser of the command line that takes options and other words in any order: `grep PATTERN -i FOLDER`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any


class Intermixed(ArgumentParser):
    """Like its parent, which gives up on a word behind an option once an optional word before it was passed over."""

    _inside = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Namespace, list[str]]:
        """First the options, then the words that are left."""
        if self._inside:
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False
