"""Which chunks may be found at all: filters, and what the query says must or must not be there. Decided before ranking.

The text index decides what it can: that a word stands somewhere, that a word begins so. Only where it cannot (a phrase, the
beginning of a part of a word) texts are read, each once for all demands; those that could not be read before the deadline do not pass.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from scova import tokens
from scova.core.deadline import Deadline, in_force
from scova.counted import counted
from scova.search.asked import literal
from scova.search.asked.query import Demand, ParsedQuery, Way
from scova.search.searchers.text import TextQuery
from scova.search.view import View
from scova.types import Chunk, Filters, Row

AT_ONCE = 500  # texts read at a time


class _Group(NamedTuple):
    """Things of which one must be there, or none may: which chunks the index tells to hold one, and what it leaves to their texts."""

    wanted: bool
    sure: AbstractSet[Row]
    left: Sequence[Demand]

    def doubtful(self, view: View, rest: AbstractSet[Row]) -> AbstractSet[Row]:
        """Of these rows, those that may hold what is left."""
        if not self.left or len(rest) <= AT_ONCE:
            return rest if self.left else frozenset()
        return frozenset().union(*(rows_with(view, _spelled(item), rest) for item in self.left))


class _Doubt(NamedTuple):
    """Chunks whose texts decide whether they hold something, and whether they must."""

    rows: AbstractSet[Row]
    tests: Sequence[literal.Test]
    wanted: bool

    def passes(self, chunk: Chunk) -> bool:
        """Whether a chunk holds what it must, or not what it must not; one that is in no doubt does."""
        return chunk.row not in self.rows or any(test(chunk.text) for test in self.tests) is self.wanted


def demanded(view: View, parsed: ParsedQuery) -> AbstractSet[Row] | None:
    """The rows that pass; None when everything does."""
    allowed = view.chunk_set.select(parsed.filters) if parsed.filters else None
    if not parsed.restricts:
        return allowed
    passing: AbstractSet[Row] = view.chunk_set.select(Filters()) if allowed is None else allowed
    deadline = in_force()
    groups: list[_Group] = []
    # First what the index tells of all of them: of many demands, the first few leave little to look for.
    for items, wanted in (*(((item,), False) for item in parsed.must_not), *((some, True) for some in parsed.demands)):
        if deadline.is_over():
            return _not_looked_up(deadline)
        groups.append(group := _told(view, items, passing, wanted=wanted))
        if not wanted:
            passing -= group.sure
        elif not group.left:
            passing &= group.sure
    doubts: list[_Doubt] = []
    for group in sorted(groups, key=lambda group: (group.wanted, len(group.sure))):
        if deadline.is_over():
            return _not_looked_up(deadline)
        rest = passing - group.sure
        doubtful = group.doubtful(view, rest)
        if group.wanted:
            passing -= rest - doubtful
        doubts.append(_Doubt(doubtful, [literal.holding(item) for item in group.left], group.wanted))
    if passing and deadline.is_over():  # what must not be there may not have been found
        return _not_looked_up(deadline)
    return _decided(view, passing, [doubt for doubt in doubts if doubt.rows])


def _not_looked_up(deadline: Deadline) -> AbstractSet[Row]:
    """Nothing passes of which it is not known that it may."""
    deadline.cut("what the question demands was not looked up")
    return frozenset()


def rows_with(view: View, terms: Iterable[str], allowed: AbstractSet[Row] | None) -> list[Row]:
    """Every row that has all of these terms; without terms, every row there is."""
    required = tuple(terms)
    if not required:
        return sorted(view.chunk_set.select(Filters()) if allowed is None else allowed)
    return view.text.matching(TextQuery(required=required), allowed)


def texts(view: View, rows: Sequence[Row]) -> Iterator[Chunk]:
    """The chunks of these rows in turn, read some at a time; up to the deadline, which the answer then says."""
    deadline = in_force()
    for start in range(0, len(rows), AT_ONCE):
        if deadline.is_over():
            deadline.cut(f"{start:,} of {counted(len(rows), 'text')} were looked at")
            return
        yield from view.chunk_set.chunks(rows[start : start + AT_ONCE])


def _decided(view: View, passing: AbstractSet[Row], doubts: Sequence[_Doubt]) -> AbstractSet[Row]:
    """The rows without those whose texts do not hold what they must, or hold what they must not."""
    doubtful = passing & frozenset().union(*(doubt.rows for doubt in doubts))
    kept = {chunk.row for chunk in texts(view, sorted(doubtful)) if all(doubt.passes(chunk) for doubt in doubts)}
    return (passing - doubtful) | kept


def _told(view: View, items: Sequence[Demand], allowed: AbstractSet[Row], *, wanted: bool) -> _Group:
    """What the text index tells of some things in these rows. Once few are left, their texts tell the rest sooner."""
    sure: set[Row] = set()
    left: list[Demand] = []
    for item in items:
        is_told = len(allowed) - len(sure) > AT_ONCE
        if is_told and item.way is Way.PREFIX and not item.text.startswith("_"):
            # A word, or the stem of a part of one, begins so; parts are kept by their stems, so some are missing.
            sure.update(rows_with(view, (item.pattern,), allowed))
            left.append(item)
        elif is_told and _is_word(item):
            sure.update(rows_with(view, _spelled(item), allowed))
        else:
            left.append(item)
    return _Group(wanted, sure, left)


def _is_word(item: Demand) -> bool:
    """Whether something is a word, and nothing beside it: where one stands anywhere, the text index knows."""
    is_bare = item.way in (Way.WORD, Way.PART) and tokens.words(item.text) == [item.text.strip("_")]
    return is_bare and len(item.text) <= tokens.LONGEST_WORD


def _spelled(item: Demand) -> tuple[str, ...]:
    """A piece that the text index finds every text by which may hold this; none where it knows no word of it: every text may."""
    if item.way is Way.PHRASE:
        terms = literal.literal_terms(item.text)
        return (max(terms, key=len),) if terms else ()
    words = [word.strip("_").lower() for word in tokens.words(item.text) if len(word) <= tokens.LONGEST_WORD]
    longest = max(words, key=len, default="")
    return (f"*{longest}*",) if longest else ()
