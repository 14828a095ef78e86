"""Results into a budget of tokens: whole chunks, best first, never more than fits.

Responsible for what is left out being said. It refuses to reorder by anything but rank, and to know how results are shown:
each costs its text and one line that says where it stands.
"""

import re
from collections.abc import Sequence
from math import ceil

from scova.record import record, replace
from scova.types import Result

CHARACTERS_PER_TOKEN = 3.5  # code has 3.3 to 4.2 in the usual vocabularies; more than the budget is worse than less
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FEWEST_LINES = 3  # fewer lines of a cut chunk tell nothing


@record
class Packed:
    """What fits. `left_out` counts results that do not; `cut` says whether the last one shows only its first lines."""

    results: tuple[Result, ...]
    tokens: int
    left_out: int
    cut: bool = False

    @property
    def truncated(self) -> bool:
        """Whether there was more to show."""
        return self.cut or self.left_out > 0


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model sees; text outside ASCII costs by its bytes."""
    return ceil(_size(text) / CHARACTERS_PER_TOKEN)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def cost(result: Result) -> int:
    """Tokens of one result as it is shown: where it stands, and its text."""
    chunk = result.chunk
    head = f"{chunk.file_path}:{chunk.start_line}-{chunk.end_line} {chunk.symbol}\n"
    size = _size(head) + _size(chunk.text) + 1  # and a line feed; texts are not copied to be counted
    return ceil(size / CHARACTERS_PER_TOKEN)


def pack(results: Sequence[Result], budget: int) -> Packed:
    """The best results that fit, in their order. One that is too large makes room for the next; when no whole one fits into what is
    left, the best of the others is cut at the end of a line."""
    room = budget
    chosen: dict[int, Result] = {}
    for place, result in enumerate(results):
        price = cost(result)
        if price <= room:
            chosen[place] = result
            room -= price
    missing = [place for place in range(len(results)) if place not in chosen]
    shortened = next(filter(None, (_shortened(results[place], room) for place in missing[:1])), None)
    if shortened is not None:
        chosen[missing[0]] = shortened
    kept = tuple(chosen[place] for place in sorted(chosen))
    return Packed(kept, sum(map(cost, kept)), len(results) - len(kept), cut=shortened is not None)


def _shortened(result: Result, room: int) -> Result | None:
    """The result with as many of its first lines as fit, or None when these would be too few."""
    chunk = result.chunk
    lines = _LINE.findall(chunk.text)  # only a line feed ends a line, as chunks count them
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(_first(result, lines, middle)) <= room else (low, middle - 1)
    return _first(result, lines, low) if low >= _FEWEST_LINES else None


def _first(result: Result, lines: Sequence[str], count: int) -> Result:
    chunk = result.chunk
    text = "".join(lines[:count])
    end = chunk.start_line + max(text.count("\n") - text.endswith("\n"), 0)
    return replace(result, chunk=replace(chunk, text=text, end_line=end))
