"""The terms of a segment that fit a star, by their numbers: a prefix by bisection, as terms are sorted; a part in one go over the terms
as they lie. Reads no documents but those of the terms it is asked for, and refuses to know which of them are alive.
"""

from array import array
from collections.abc import Sequence
from heapq import nlargest

from scova.core.deadline import in_force
from scova.stores.postings import Segment

_BODY = b"\x03"  # first byte no body term can be below: names are marked by a smaller one
_LOOK_EVERY = 4096  # terms found between two looks at the deadline
_MANY, _COMMON = 4096, 8  # terms that are many, and documents that a common one has at least


def fitting(segment: Segment, prefix: str, part: str = "") -> Sequence[int]:
    """The numbers of terms that begin so and have `part` behind that, ascending. A field's mark is part of the prefix; without
    one, only body terms are meant. Ends at the deadline, with those found."""
    start = prefix.encode("utf-8", "replace")
    first, last = segment.place_of(start or _BODY), segment.place_of(start + b"\xff")
    if not (prefix or part) or "\n" in part or last <= first:
        return range(0)
    if not part:
        return range(first, last)
    terms = bytes(segment.terms[segment.term_offsets[first] : segment.term_offsets[last]])
    return _containing(terms, part.encode("utf-8", "replace"), len(start), first)


def body_terms(segment: Segment) -> range:
    """The numbers of all words."""
    return range(segment.place_of(_BODY), len(segment.term_offsets) - 1)


def frequency_of(segment: Segment, number: int) -> int:
    """How many documents have a term."""
    return segment.posting_offsets[number + 1] - segment.posting_offsets[number]


def most_frequent(segment: Segment, count: int, numbers: Sequence[int]) -> list[int]:
    """Those of these terms that most documents have, most first; among equals the first."""
    offsets = segment.posting_offsets
    if len(numbers) > _MANY:  # then most are rare, and need not be compared one by one
        often = [number for number in numbers if offsets[number + 1] - offsets[number] >= _COMMON]
        numbers = often if len(often) >= count else numbers
    return nlargest(count, numbers, key=lambda number: offsets[number + 1] - offsets[number])


def documents_of(segment: Segment, numbers: Sequence[int]) -> list[memoryview]:
    """The documents of these terms, in as few pieces as they lie in; ascending within those of one term."""
    offsets = segment.posting_offsets
    if isinstance(numbers, range):
        return [segment.docs[offsets[numbers.start] : offsets[numbers.stop]]] if numbers else []
    return [segment.docs[offsets[number] : offsets[number + 1]] for number in numbers]


def terms_of(segment: Segment, numbers: Sequence[int]) -> list[str]:
    """These terms as they are written."""
    return [segment.term_at(number).decode() for number in numbers]


def _containing(terms: bytes, part: bytes, skipped: int, first: int) -> Sequence[int]:
    """The numbers of those of these terms that have `part` behind their first bytes; the first of them has the number `first`."""
    found = array("I")
    deadline = in_force()
    begin, number = 0, first  # of a term, and its number
    while (place := terms.find(part, begin + skipped)) >= 0:
        passed = terms.count(b"\n", begin, place)
        if passed:
            number += passed
            begin = terms.rfind(b"\n", begin, place) + 1
        end = terms.find(b"\n", begin)
        if place >= begin + skipped or terms.find(part, begin + skipped, end) >= 0:
            found.append(number)
            if not len(found) % _LOOK_EVERY and deadline.is_over():
                break
        begin, number = end + 1, number + 1
    return found
