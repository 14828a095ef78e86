"""How much of what is found an answer has room for. Counts are nobody's business here: they are exact in any case."""

from typing import Self

from scova.answers import FileMatches, Line
from scova.record import replace

_LINE, _MATCH = (
    100,
    50,
)  # what each weighs beside its text, in characters: as much as it costs whoever keeps it and sends it


class Room:
    """Room for so many matching lines and so many characters, both 0 for any number; each with the lines after it."""

    def __init__(self, lines: int, characters: int, *, after: int) -> None:
        self._lines = lines if lines else None
        self._characters = characters if characters else None
        self._after = after
        self.is_cut = False  # something was left out; nothing follows it

    def copy(self) -> Self:
        """The same room, to be filled on its own."""
        other = type(self)(0, 0, after=self._after)
        other._lines, other._characters, other.is_cut = self._lines, self._characters, self.is_cut
        return other

    @property
    def most(self) -> int | None:
        """How many matching lines of a file can be kept at most; None for any number."""
        if self._characters is None:
            return self._lines
        fitting = max(self._characters, 0) // _LINE + 1  # one more than fits, so that it is seen what does not
        return fitting if self._lines is None else min(self._lines, fitting)

    @property
    def is_full(self) -> bool:
        """Whether no line of any further file fits."""
        return self.is_cut or (self._lines is not None and self._lines <= 0)

    def take(self, found: FileMatches) -> FileMatches:
        """What fits of a file, from its beginning."""
        within = found
        if self.is_full:
            within = replace(found, lines=())
        elif self._lines is not None:
            within = _first(found, self._lines, after=self._after)
        if self._lines is not None:
            self.is_cut |= found.count > self._lines
            self._lines -= found.count
        return within if self._characters is None else self._fitting(within)

    def _fitting(self, found: FileMatches) -> FileMatches:
        assert self._characters is not None
        for number, line in enumerate(found.lines):
            self._characters -= _weight(line)
            if self._characters < 0:
                self.is_cut = True
                return replace(found, lines=found.lines[:number])
        return found


def _weight(line: Line) -> int:
    return len(line.text) + _LINE + _MATCH * len(line.spans)


def _first(found: FileMatches, room: int, *, after: int) -> FileMatches:
    """The first matching lines of a file, as many as there is room for, with what stands around them."""
    if found.count <= room:
        return found
    last = [line.number for line in found.lines if line.matched][:room][-1:]
    end = last[0] + after if last else 0
    following = next((line.number for line in found.lines if line.matched and line.number > (last or [0])[0]), end + 1)
    return replace(found, lines=tuple(line for line in found.lines if line.number <= min(end, following - 1)))
