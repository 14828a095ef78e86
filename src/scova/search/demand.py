"""Which chunks may be found at all: filters, and what the query says must or must not be there. Decided before ranking."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from scova import tokens
from scova.search.asked import literal
from scova.search.asked.query import Demand, ParsedQuery, Way
from scova.search.searchers.text import TextQuery
from scova.search.view import View
from scova.types import Filters, Row


def demanded(view: View, parsed: ParsedQuery) -> AbstractSet[Row] | None:
    """The rows that pass; None when everything does."""
    allowed = view.chunk_set.select(parsed.filters) if parsed.filters else None
    if not parsed.restricts:
        return allowed
    if parsed.must_not:
        kept = view.chunk_set.select(Filters()) if allowed is None else allowed
        allowed = kept - {row for item in parsed.must_not for row in _holding(view, item, allowed)}
    required = _required(parsed)
    if required:
        allowed = frozenset(view.text.matching(required, allowed))
    test = literal.restriction(parsed)
    if test is None:
        return allowed
    if allowed is None:
        allowed = view.chunk_set.select(Filters())  # no word to look up: every text is looked at
    return frozenset(chunk.row for chunk in view.chunk_set.chunks(sorted(allowed)) if test(chunk.text))


def rows_with(view: View, terms: Iterable[str], allowed: AbstractSet[Row] | None) -> list[Row]:
    """Every row that has all of these terms; without terms, every row there is."""
    required = tuple(terms)
    if not required:
        return sorted(view.chunk_set.select(Filters()) if allowed is None else allowed)
    return view.text.matching(TextQuery(required=required), allowed)


def _required(parsed: ParsedQuery) -> TextQuery | None:
    """What the text index can already tell of the demands; texts decide the rest."""
    pieces = [piece for word in parsed.must for piece in _spelled(Demand(word))]
    pieces += [term for phrase in parsed.phrases for term in literal.literal_terms(phrase)]
    groups = [[_spelled(item) for item in group] for group in parsed.either]
    either = tuple(tuple(spelled for (spelled,) in group) for group in groups if all(group))
    return TextQuery(required=tuple(dict.fromkeys(pieces)), either=either) if pieces or either else None


def _holding(view: View, item: Demand, allowed: AbstractSet[Row] | None) -> Iterable[Row]:
    """The rows whose text holds something. Where a word stands anywhere the text index knows it; otherwise those are read that may."""
    rows = rows_with(view, _spelled(item), allowed)
    if item.way in (Way.WORD, Way.PART) and item.text == item.text.strip("_"):
        return rows
    test = literal.holding(item)
    return [chunk.row for chunk in view.chunk_set.chunks(sorted(rows)) if test(chunk.text)]


def _spelled(item: Demand) -> tuple[str, ...]:
    """A piece that the text index finds every text by which may hold this; none where it knows no word of it: every text may."""
    if item.way is Way.PHRASE:
        terms = literal.literal_terms(item.text)
        return (max(terms, key=len),) if terms else ()
    words = [word.strip("_").lower() for word in tokens.words(item.text) if len(word) <= tokens.LONGEST_WORD]
    longest = max(words, key=len, default="")
    return (f"*{longest}*",) if longest else ()
