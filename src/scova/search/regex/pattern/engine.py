"""The matching engine, RE2: linear in the text whatever the pattern, on bytes, with UTF-8 read as characters.

The only module that knows it. What a pattern means is settled before it comes here; docs/decisions/regex-engine.md says why
this engine, and what is done about the places where it differs from Rust's.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

import re2

from scova.errors import QueryError

_MEMORY = 64 << 20  # of one expression, with what it remembers of texts
_KEPT = 16  # expressions


class Match(Protocol):
    """Where something was found, in bytes."""

    def start(self) -> int: ...

    def span(self, group: int = 0) -> tuple[int, int]: ...


class Expression(Protocol):
    """A compiled expression. Several threads may use it."""

    def search(self, text: bytes, pos: int = 0) -> Match | None: ...

    def fullmatch(self, text: str) -> Match | None: ...

    def finditer(self, text: bytes) -> Iterator[Match]: ...


@lru_cache(maxsize=_KEPT)
def compiled(source: str) -> Expression:
    """The expression for a source that is written for RE2; QueryError when it is too large for it."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        expression: Expression = re2.compile(source, options)
        re2.purge()  # it would keep more of them than there may be memory for
    except re2.error as error:
        raise QueryError(
            f"the pattern is too large to be matched ({error})", "use smaller repetitions, or fewer alternatives"
        ) from error
    return expression


def accepts(source: str) -> bool:
    """Whether RE2 knows everything in this source."""
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(source, options)
    except re2.error:
        return False
    return True
