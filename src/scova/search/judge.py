"""What speaks for an answer having found something: evidence about the question and the best few results.

Everything here is looked up term by term or known already; the index is not searched again. What the evidence counts is decided in
`ranking.relevance`.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from scova.search.asked.evidence import Wanted, together
from scova.search.asked.query import ParsedQuery, Shape
from scova.search.find import Finding
from scova.search.ranking.paths import path_words
from scova.search.ranking.rank import Ranked
from scova.search.ranking.relevance import CERTAIN, FITTED_MODEL, NOTHING, Evidence, Judgement, judged
from scova.search.ranking.symbols import name_match
from scova.search.view import View
from scova.tokens import parts
from scova.tokens import words as words_of
from scova.types import Light, Row

LOOKED_AT = 3  # of the best results
MOST_WORDS = 12  # of a question that count one by one
_SHORTEST = 2  # letters of each component of a qualified name: `e.g` is none


def judge(finding: Finding, ranked: Sequence[Ranked], *, certain: bool) -> Judgement:
    """How likely it is that what was found, best first, holds something relevant; `certain` where that is known already."""
    if not ranked:
        return NOTHING
    if certain:
        return CERTAIN
    return judged(evidence(finding, ranked))


def evidence(finding: Finding, ranked: Sequence[Ranked]) -> Evidence:
    """What is known of a question that found something."""
    view, parsed = finding.view, finding.parsed
    known = _known_to(view, finding.allowed)
    if _demands(parsed) or _is_one_known_word(parsed, known) or _names_what_is_here(parsed, known):
        return Evidence(literally=True)
    lights = [one.light for one in ranked[:LOOKED_AT]]
    written = view.text.terms_of([light.row for light in lights], finding.wanted.shares)
    held = [_held(light, finding.wanted, parsed.compounds, written[light.row]) for light in lights]
    words = max(one.words for one in held)
    return Evidence(
        words,
        words * min(len(finding.wanted.shares), MOST_WORDS),
        max(one.named for one in held),
        finding.nearest if _comparable(view) else None,
        placed=bool(parsed.filters.paths),
    )


def _known_to(view: View, allowed: AbstractSet[Row] | None) -> Callable[[str], bool]:
    """Whether a term stands anywhere that may be found; without restrictions that is known without a look."""
    if allowed is None:
        return lambda term: view.text.vocabulary.frequency(term) > 0
    return lambda term: view.text.stands_among(term, allowed)


def _demands(parsed: ParsedQuery) -> bool:
    """Whether whatever was found holds something as it was written in the question."""
    return any((parsed.phrases, parsed.must, parsed.either))


def _is_one_known_word(parsed: ParsedQuery, known: Callable[[str], bool]) -> bool:
    return parsed.shape is Shape.IDENTIFIER and len(parsed.words) == 1 and known(_whole(parsed.words[0]))


def _names_what_is_here(parsed: ParsedQuery, known: Callable[[str], bool]) -> bool:
    """Whether an identifier of the question stands somewhere that may be found."""
    return any(all(known(_whole(word)) for word in words_of(name)) for name in parsed.identifiers if _is_code(name))


def _is_code(name: str) -> bool:
    """Whether a name is written as only code writes names: of several words, or qualified."""
    components = words_of(name)
    if any(len(parts(component)) > 1 or "_" in component.strip("_") for component in components):
        return True
    return len(components) > 1 and all(len(component) >= _SHORTEST for component in components)


def _whole(word: str) -> str:
    """The word as the text index spells it."""
    return word.strip("_").lower()


class _Held(NamedTuple):
    """How one result answers; each 0 to 1."""

    words: float  # the question: by its text, its names and its path
    named: float  # by the words of the best of its names, or of its file's


def _held(light: Light, asked: Wanted, compounds: tuple[str, ...], written: Iterable[str]) -> _Held:
    """What a result answers in whose text these terms are written."""
    path, names = path_words(light.file_path), name_match(light.names, asked)
    own, matched = asked.found(path.own)
    above = {} if asked.words.isdisjoint(path.folders) else asked.found(path.folders)[0]
    got = together((above, own, names.found, dict.fromkeys(written, 1.0)))
    precision = 1.0 if path.whole in compounds else matched / max(len(path.own), 1)
    return _Held(asked.share(got), max(names.best, precision))


def _comparable(view: View) -> bool:
    """Whether similarities are those that the judgement was fitted on, and all chunks have been compared."""
    vector = view.vector
    return vector is not None and vector.embedding.model == FITTED_MODEL and not view.pending_embeddings
