"""Candidates for a question, by mode, in order."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain

from scova.core.deadline import in_force
from scova.counted import counted
from scova.errors import EmbedderError, ScovaError, VectorsAway
from scova.search.asked.evidence import Wanted, wanted
from scova.search.asked.query import ParsedQuery
from scova.search.ranking.fuse import TEXT_CANDIDATES, VECTOR_CANDIDATES, fuse
from scova.search.ranking.known import Known
from scova.search.ranking.rank import Ranked, rank
from scova.search.ranking.symbols import SymbolSearcher
from scova.search.ranking.weights import Weights
from scova.search.searchers.text import EXACT, NAME, TextQuery
from scova.search.view import View
from scova.types import Hit, Light, Mode, Row, Vector

AT_ONCE = 2000  # chunks put in order between two looks at the deadline
SYMBOL_CANDIDATES = 500  # names looked at in symbol mode
MOST_EQUALS = 200  # candidates beyond a searcher's limit because they are as good as its last
NAME_CANDIDATES = 20  # definitions looked at because they are called exactly so
FITTING = 32  # terms that a word with a star is ranked by, the most frequent ones
LEAST_FITTING, MOST_FITTING = 2, 128  # the same of one among many stars, and of all together
USUAL = 0.5  # how usual a meaning of a shortened word must be, for words of texts


class Finding:
    """One search for candidates. `total` is how many chunks matched at all, known once they were found."""

    def __init__(self, view: View, parsed: ParsedQuery, allowed: AbstractSet[Row] | None, most: int) -> None:
        self.view = view
        self.parsed = parsed
        self.allowed = allowed
        self._most = most  # that may be shown
        self._asked: Vector | None = None
        self.total = 0
        self.nearest: float | None = None  # the similarity of the nearest chunk, where meaning had a say
        self.unembedded = False  # whether vectors had no say, because the embedder or their index failed
        self.spelled: dict[str, dict[str, float]] = {}  # what asked words are called here, where that is looked for too

    def by_mode(self, mode: Mode, weights: Weights | None = None) -> Sequence[Ranked]:
        """The best candidates, best first."""
        if mode is Mode.SYMBOL:
            return self._symbols()
        if mode is not Mode.VECTOR:
            self._spell()
        if mode is Mode.TEXT:
            found = self._by_text(self._most)
            self.total = self._with_words()
            return self._alone(mode, found)
        if mode is Mode.VECTOR:
            self.total = len(self.view.chunk_set) if self.allowed is None else len(self.allowed)
            scores = self._by_vector(self._most)
            self.nearest = max(scores.values(), default=None)
            return self._alone(mode, scores)
        return self._together(weights)

    @cached_property
    def _fitting(self) -> list[list[str]]:
        """The terms that each word with a star is ranked by."""
        stars = self.parsed.stars
        most = max(LEAST_FITTING, min(FITTING, MOST_FITTING // max(len(stars), 1)))
        return [self._fitting_terms(star.pattern, most) for star in stars]

    @cached_property
    def _worded(self) -> TextQuery:
        """The question as the text index is asked."""
        return TextQuery(tuple(dict.fromkeys((*self.parsed.terms, *chain(*self._fitting)))))

    @cached_property
    def wanted(self) -> Wanted:
        """The words of the question, by how much each tells here; for a `part*` stands what most often fits."""
        content = self.parsed.content
        if self._fitting:
            starred = {star.text for star in self.parsed.stars}
            likely = [terms[0] for terms in self._fitting if terms]
            content = tuple(dict.fromkeys((*[word for word in content if word not in starred], *likely))) or content
        return wanted(content, self.view.text.vocabulary.rarity_of)

    def _fitting_terms(self, pattern: str, most: int) -> list[str]:
        """The terms of texts that a word with a star stands for, the most frequent ones first."""
        if in_force().is_over():
            return []
        found = self.view.text.vocabulary.expanded(pattern, 4 * most)  # names are among them, by terms of their own
        return [term for term in found if not term.startswith(NAME)][:most]

    def _spell(self) -> None:
        """Look for words of the question by the spelling that is usual here, too."""
        if found := self.wanted.others:
            usual = [one.term for others in found.values() for one in others if one.weight >= USUAL]
            self._worded = TextQuery(tuple(dict.fromkeys((*self._worded.terms, *usual))))
            self.spelled = {part: {one.word: one.weight for one in others} for part, others in found.items()}

    def _together(self, weights: Weights | None) -> list[Ranked]:
        """Both opinions of every candidate, whoever found it, fused and ranked with names and paths.

        The pool of candidates does not depend on how many are wanted, so that pages fit together; behind it comes whatever
        else has the words, in the order of the text index alone.
        """
        self._embed()
        texts = self._uncrowded(self._by_text(TEXT_CANDIDATES), TEXT_CANDIDATES)
        vectors = self._uncrowded(self._by_vector_if_there(VECTOR_CANDIDATES), VECTOR_CANDIDATES)
        rows = sorted({*texts, *vectors, *self._by_exact_name()})
        pool = texts | self.view.text.score_rows(self._worded, [row for row in rows if row not in texts])
        if self.view.vector is not None:
            vectors |= self.view.vector.score_rows(self._vector(), [row for row in rows if row not in vectors])
        self.nearest = max(vectors.values(), default=None)
        self.total = self._with_words() + len(rows) - len(pool)
        files = fuse(self.view.chunk_set.lights(rows), pool, vectors)
        known = Known(self.wanted, self.view.chunk_set.ties)
        ranked = rank(files, self.parsed, known=known, weights=weights, limit=self._most)
        return ranked if len(ranked) >= self._most else ranked + self._rest(ranked)

    def _rest(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """Chunks with the words of the question that are not among the candidates, below all of them."""
        shown = {one.light.row for one in ranked}
        scores = {row: score for row, score in self._by_text(self._most).items() if row not in shown}
        best = max(scores.values(), default=0.0) or 1.0
        floor = min((one.score for one in ranked), default=0.0) - 1.0
        rest = [
            Ranked(one.light, floor + one.score / best, {"text": one.score / best, "rest": floor})
            for one in self._alone(Mode.TEXT, scores)
        ]
        return rest[: self._most - len(ranked)]

    def _by_text(self, limit: int) -> dict[Row, float]:
        if not self._worded.terms and self.allowed is not None:  # only operators: all that pass them are equal
            return dict.fromkeys(self.allowed, 0.0)
        return self._with_starred(_scores(self.view.text.run(self._worded, limit, self.allowed)), limit)

    def _with_starred(self, scores: dict[Row, float], limit: int) -> dict[Row, float]:
        """With a star, whatever passes matches, and where too few have one of the words that it is ranked by, the others come behind."""
        if not self.parsed.stars or self.allowed is None or len(scores) >= limit:
            return scores
        others = self.allowed - scores.keys()
        return scores | dict.fromkeys(self.view.chunk_set.reader.first([*others], limit - len(scores)), 0.0)

    def _uncrowded(self, scores: dict[Row, float], limit: int) -> dict[Row, float]:
        """The scores; where a crowd of equals stands at the end of them, as generated code brings forth, only its first by path
        and line: to look at all of them would take longer than everything else."""
        if len(scores) <= limit + MOST_EQUALS:
            return scores
        last = min(scores.values())
        equals = [row for row, score in scores.items() if score == last]
        kept = self.view.chunk_set.reader.first(equals, limit + MOST_EQUALS - (len(scores) - len(equals)))
        return {row: score for row, score in scores.items() if score > last} | dict.fromkeys(kept, last)

    def _with_words(self) -> int:
        """How many chunks have a word of the question; or pass its operators when it has nothing else, or a star among them."""
        if self.allowed is not None and (self.parsed.stars or not self._worded.terms):
            return len(self.allowed)
        return self.view.text.total(self._worded, self.allowed)

    def _by_exact_name(self) -> list[Row]:
        """Definitions of what the question may name, however little else they share with it."""
        names = (*self.parsed.names, *self.parsed.compounds)
        return [hit.row for hit in self.view.text.field_search(EXACT, names, NAME_CANDIDATES, self.allowed)]

    def _by_vector(self, limit: int) -> dict[Row, float]:
        vector = self.view.vector
        if vector is None:
            return {}
        return _scores(vector.search_vector(self._vector(), limit, self.allowed, self.parsed.filters))

    def _by_vector_if_there(self, limit: int) -> dict[Row, float]:
        """The same, or nothing while the vectors are out of reach: text and names answer without them."""
        try:
            return self._by_vector(limit)
        except VectorsAway as error:
            self._do_without(error)
            return {}

    def _symbols(self) -> list[Ranked]:
        searcher = SymbolSearcher(self.view.text, self.view.chunk_set.lights, self.view.text.vocabulary.expanded)
        found = searcher.search(self.parsed, max(SYMBOL_CANDIDATES, self._most), self.allowed)
        self.total = len(found)
        return [Ranked(light, score, {"symbol": score}) for light, score in found[: self._most]]

    def _alone(self, mode: Mode, scores: dict[Row, float]) -> list[Ranked]:
        """One searcher's opinion as it is; equals by path and line."""
        lights = list(self._lights(sorted(scores)))
        ordered = sorted(lights, key=lambda light: (-scores[light.row], light.file_path, light.start_line, light.row))
        return [Ranked(light, scores[light.row], {mode.value: scores[light.row]}) for light in ordered[: self._most]]

    def _lights(self, rows: Sequence[Row]) -> Iterator[Light]:
        """What ranks these chunks; up to the deadline."""
        deadline = in_force()
        for start in range(0, len(rows), AT_ONCE):
            if start and deadline.is_over():
                deadline.cut(f"{start:,} of {counted(len(rows), 'chunk')} were put in order")
                return
            yield from self.view.chunk_set.lights(rows[start : start + AT_ONCE])

    def _embed(self) -> None:
        """See whether the question can be embedded: a remote embedder may fail, and text and names answer without it."""
        try:
            self._vector()
        except EmbedderError as error:
            self._do_without(error)

    def _do_without(self, error: ScovaError) -> None:
        """Go on without vectors, and say so."""
        import logging  # only when there is something to say: it costs milliseconds on every search

        logging.getLogger(__name__).warning("answered without vectors: %s", error.message)
        self._asked, self.unembedded = b"", True

    def _vector(self) -> Vector:
        """The question's own vector, made once."""
        if self._asked is None and self.view.vector is not None:
            self._asked = self.view.vector.embedding.of_query(self.parsed.text)
        return self._asked or b""


def _scores(hits: Iterable[Hit]) -> dict[Row, float]:
    return dict(hits)  # a hit is a pair
