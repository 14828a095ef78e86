"""The map of a code file: its package, its imports, and every symbol with its line, nested as written.

One page of text, for a reader who wants to know what a file holds before opening it. Knows only the Outline.
"""

from collections.abc import Sequence

from scova.parse.tiling.piece import DATA, rank
from scova.types import Outline, Symbol

MOST_IMPORTS = 20
LONGEST_MAP = 3000  # characters of symbols; a page
LONGEST_LINE = 160


def symbol_map(outline: Outline) -> str:
    """The map as text. What does not fit is counted: outer definitions are kept first, data and inner ones go first."""
    lines = [f"package {outline.package}"] if outline.package else []
    lines += [_short(line) for line in outline.imports[:MOST_IMPORTS]]
    if len(outline.imports) > MOST_IMPORTS:
        lines.append(f"… and {len(outline.imports) - MOST_IMPORTS} more imports")
    symbols = sorted(outline.symbols, key=lambda symbol: (symbol.start_line, -symbol.end_line))
    rows = _fitting(symbols, _depths(symbols))
    lines += rows
    if len(rows) < len(symbols):
        lines.append(f"… and {len(symbols) - len(rows)} more")
    return "\n".join(lines) + "\n"


def _row(symbol: Symbol, depth: int) -> str:
    said = "" if symbol.signature in ("", symbol.name, symbol.qualified) else f": {symbol.signature}"
    return _short(f"{'  ' * min(depth, 8)}{symbol.kind} {symbol.qualified} {symbol.start_line}{said}")


def _short(line: str) -> str:
    line = " ".join(line.split()) if "\n" in line else line.rstrip()
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


def _depths(symbols: Sequence[Symbol]) -> list[int]:
    """How many of the symbols before it hold each symbol."""
    depths: list[int] = []
    ends: list[int] = []
    for symbol in symbols:
        while ends and ends[-1] < symbol.end_line:
            ends.pop()
        depths.append(len(ends))
        ends.append(symbol.end_line)
    return depths


def _fitting(symbols: Sequence[Symbol], depths: Sequence[int]) -> list[str]:
    """The rows that fit, in the order of the file."""
    room = LONGEST_MAP
    kept: dict[int, str] = {}
    for i in sorted(range(len(symbols)), key=lambda i: (rank(symbols[i]) == DATA, depths[i], i)):
        row = _row(symbols[i], depths[i])
        room -= len(row) + 1
        if room < 0:
            break
        kept[i] = row
    return [row for _, row in sorted(kept.items())]
