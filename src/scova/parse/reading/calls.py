"""Calls, from a query's matches: the most frequent matches by far, so this loop is written for speed.

Knows nodes and bytes; not who calls.
"""

from typing import TYPE_CHECKING

from scova.parse.reading.records import Named, Slices

if TYPE_CHECKING:
    from scova.parse.grammar import Match

_LONGEST_RECEIVER = 80
_new = tuple.__new__  # a named tuple's own constructor takes three times as long


def read_calls(found: "list[Match]", slices: Slices, calls: dict[int, Named]) -> None:
    """Add the calls found, by where they stand; of two at one place, the one with a receiver stays."""
    text, named = slices.ascii, slices.name
    for _, captured in found:
        callee = captured["callee"][0]
        start, end = callee.start_byte, callee.end_byte
        if "receiver" in captured:
            receiver = _receiver(captured["receiver"][0].start_byte, captured["receiver"][-1].end_byte, slices)
        elif start in calls:
            continue
        else:
            receiver = ""
        name = text[start:end]  # empty where the text is not ASCII
        if not name.isidentifier() or end - start > _LONGEST_RECEIVER:
            name = named(start, end)
        if name:
            calls[start] = _new(Named, (start, callee.start_point[0], name, receiver))


def _receiver(start: int, end: int, slices: Slices) -> str:
    """What stands before the name, on one line; of a very long one the beginning."""
    if end - start <= _LONGEST_RECEIVER and (receiver := slices.ascii[start:end]).isidentifier():
        return receiver
    return slices.line(start, end, _LONGEST_RECEIVER)
