"""Where an answer ended, as a word that can be passed back to go on. Pages are of the index as it is when they are asked for."""

import re
from typing import NamedTuple

from scova.errors import QueryError

_FORM = re.compile(r"after-(\d{1,9})((?:\.\d{1,9})*)")


class Place(NamedTuple):
    """So many results were considered; `left` are those among them that did not fit and are still to be shown."""

    offset: int = 0
    left: tuple[int, ...] = ()

    def next(self, count: int) -> list[int]:
        """The next places to show: first what was left out."""
        fresh = range(self.offset, self.offset + count - len(self.left[:count]))
        return [*self.left[:count], *fresh]

    def after(self, places: list[int], shown: set[int]) -> "Place":
        """Where to go on when some of these places were shown."""
        left = [place for place in (*places, *self.left) if place not in shown]
        return Place(max([self.offset, *(place + 1 for place in places)]), tuple(dict.fromkeys(left)))


def handle(place: Place) -> str:
    """The word for a place."""
    return f"after-{place.offset}" + "".join(f".{one}" for one in place.left)


def place_of(text: str) -> Place:
    """The place a word stands for; the beginning for the empty one, QueryError for one that `handle` never gave."""
    match = _FORM.fullmatch(text)
    if text and match is None:
        raise QueryError(f"`{text}` is no handle of an earlier answer", "pass back the `next` of an answer as it is")
    if match is None:
        return Place()
    return Place(int(match[1]), tuple(int(one) for one in match[2].split(".") if one))
