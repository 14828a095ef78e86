"""The sparse side of one store's points in Qdrant: several questions in words, and one for a vector, in one request."""

from collections.abc import Callable, Sequence
from typing import Any

from scova.protocols.vectors import Heard, Near, Worded
from scova.stores.vectors.qdrant.points import Points
from scova.stores.vectors.qdrant.wire import Wire


class QdrantWords:
    """Of one index."""

    def __init__(self, wire: Wire, path: str, points: Points, reflected: Callable[[], int]) -> None:
        """`path` is where the points of the collection are; `reflected` says which change they reflect by now."""
        self._wire, self._path, self._points, self._reflected = wire, path, points, reflected

    def ask(self, worded: Sequence[Worded], near: Near | None = None) -> Heard:
        """All of these questions at once."""
        # Nothing is found by no word at all; Qdrant refuses to be asked so.
        asked = [one for one in worded if one.terms and one.limit > 0]
        searches = [self._points.worded(one) for one in asked] + ([self._points.near(near)] if near else [])
        found: list[Any] = []
        if searches:
            answers = self._wire.ask("POST", f"{self._path}/query/batch", {"searches": searches})
            found = [answer["points"] for answer in answers or [{"points": []}] * len(searches)]
        nearest = self._points.vectors(found.pop()) if near else {}
        scores = iter([self._points.scores(points) for points in found])
        by_words = [next(scores) if one.terms and one.limit > 0 else {} for one in worded]
        return Heard(by_words, nearest, self._reflected())
