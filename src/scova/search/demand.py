"""Which chunks may be found at all: filters, and what the query says must or must not be there. Decided before ranking."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from scova.search.asked import literal
from scova.search.asked.query import ParsedQuery
from scova.search.searchers.text import TextQuery
from scova.search.view import View
from scova.types import Filters, Row


def demanded(view: View, parsed: ParsedQuery) -> AbstractSet[Row] | None:
    """The rows that pass; None when everything does."""
    allowed = view.chunk_set.select(parsed.filters) if parsed.filters else None
    if not parsed.restricts:
        return allowed
    if parsed.must_not:
        allowed = (view.chunk_set.select(Filters()) if allowed is None else allowed) - _mentioning(
            view, parsed.must_not
        )
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
    inside = (*parsed.must, *parsed.substrings, *parsed.prefixes)
    phrases = [term for phrase in parsed.phrases for term in literal.literal_terms(phrase)]
    pieces = (*map(_spelled, inside), *phrases)
    either = tuple(tuple(_spelled(item) for item in group) for group in parsed.either)
    return TextQuery(required=tuple(dict.fromkeys(pieces)), either=either) if pieces or either else None


def _mentioning(view: View, words: Iterable[str]) -> frozenset[Row]:
    """Rows whose text may hold one of these words anywhere; a phrase is left to the texts."""
    single = tuple(f"*{word.lower()}*" for word in words if word.replace("_", "a").isalnum())
    if not single:
        return frozenset()
    return frozenset(view.text.matching(TextQuery(either=(single,))))


def _spelled(item: str) -> str:
    """One alternative as the text index knows it: a word anywhere, or the longest word of a phrase."""
    terms = literal.literal_terms(item)
    return f"*{item.lower()}*" if item.replace("_", "a").isalnum() or not terms else max(terms, key=len)
