"""A matcher that can be stopped: a text is looked through in pieces of whole lines, none of which takes long, and the question whether
it is still wanted is asked between them. A single line that may take long is matched in another process, since the engine cannot be
interrupted in this one.
"""

import threading
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from scova.core.deadline import Stop, never
from scova.errors import Cancelled
from scova.search.regex.matcher import Found, Matcher, Span

if TYPE_CHECKING:
    from scova.search.regex.apart import Apart

AT_ONCE = 25_000_000  # states times bytes: a quarter of a second, when the engine has to go through all of them for every byte


class Pieces:
    """One matcher for one search. Several threads may use it; to be closed, after which those that still do are stopped."""

    def __init__(self, matcher: Matcher, stop: Stop = never, *, at_once: int = AT_ONCE) -> None:
        self._matcher = matcher
        self._asked = stop
        self._longest = max(1, at_once // matcher.states)  # bytes
        self._apart: Apart | None = None
        self._lock = threading.Lock()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        with self._lock:
            if self._apart is not None:
                self._apart.close()

    def close(self) -> None:
        """Stop whoever is still at it."""
        self._is_closed = True

    def found(self, data: bytes, *, every: bool = True) -> Iterator[Found]:
        """Every matching line of a text, in order; with `every` match in it, or else the first only."""
        for start, end in pieces(data, self._longest):
            self._stop()
            piece = data[start:end]
            if len(piece) > self._longest:
                found = self._found_apart(piece, every=every)
            else:
                found = self._matcher.found(piece, every=every, stop=self._stop)
            yield from (Found(start + line.start, start + line.end, line.spans) for line in found) if start else found

    def _found_apart(self, line: bytes, *, every: bool) -> Iterator[Found]:
        with self._lock:
            self._stop()
            if self._apart is None:
                from scova.search.regex.apart import Apart  # few searches need one, and it takes long to load

                self._apart = Apart(self._matcher.patterns, self._matcher.options)
            spans = self._apart.spans(line, every=every, stop=self._stop)
        if spans:
            yield Found(0, len(line.removesuffix(b"\n")), spans)

    def _stop(self) -> None:
        if self._is_closed:
            raise Cancelled("another part of this search failed", "see what it said")
        self._asked()


def pieces(data: bytes, longest: int) -> Iterator[Span]:
    """Whole lines of a text, as many as are not longer than that together; a line that is longer by itself."""
    start, size = 0, len(data)
    while start < size:
        end = size
        if size - start > longest:
            end = data.rfind(b"\n", start, start + longest) + 1 or data.find(b"\n", start + longest) + 1 or size
        yield start, end
        start = end
