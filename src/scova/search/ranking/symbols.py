"""Finding by name: what a chunk defines against what was asked.

Responsible for how well a name answers: written exactly so, in other case, as the end of a qualified name, as its beginning,
with this inside, or by some of its words. It refuses to know texts. The names come from the chunks; which chunks to look at comes from the name
fields of the text index.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Protocol

from scova.core.deadline import in_force
from scova.counted import counted
from scova.record import record
from scova.search.asked.evidence import Wanted, wanted
from scova.search.asked.query import ParsedQuery, Way
from scova.stores.invert import EXACT, NAME
from scova.tokens import parts, remembered, scored_terms, stem, words
from scova.types import ChunkType, Hit, Light, Row

LAZY_CASE = 0.9  # asked in lower case, defined with capitals: that is how people type
OTHER_CASE = 0.5  # asked with capitals, defined without: mostly something else of the same name
_MENTIONS = {"key": 0.4, "section": 0.4, "prototype": 0.6}  # kinds that name a thing without defining it
INSIDE = 0.9  # the chunk defines the name among others: it is not its own symbol
SURE = 0.8  # from here on a chunk counts as defining what was asked
ASIDE = frozenset(("test", "vendored", "generated", "example"))  # tags of files that are not the real thing
NAMESAKE = 0.85  # what a definition in such a file is worth
LAST_ONLY = 0.5  # `Widget.paint` was asked, and something else's `paint` is defined here
_BEGINS = 0.6
_HOLDS = 0.4  # asked for by a `*part*`, which is inside
_JOINTS = re.compile(r"::|#|->")
_MOST_NAMES = 64  # of a question, compared one by one; further ones count by their words
_COMPLETIONS = 32  # names that begin as asked, the most frequent ones
_AT_ONCE = 64  # chunks compared between two looks at the deadline
MOST_STARRED = 256  # the same where a star asks for them


class Fields(Protocol):
    """What the symbol searcher needs of the text index."""

    def field_search(
        self, mark: str, asked: Sequence[str], limit: int, allowed: AbstractSet[Row] | None = None
    ) -> Sequence[Hit]:
        """The chunks with most evidence in a field, best first."""
        ...


class NameMatch(NamedTuple):
    """How the names of a chunk answer: by the best single name (0 to 1), and by all together."""

    best: float
    found: Mapping[str, float]


NO_NAME = NameMatch(0.0, {})


@remembered(1 << 16)
def name_words(name: str) -> tuple[str, ...]:
    """The distinct words of a name's last component, stemmed; a heading has no components."""
    last = name.rpartition(".")[2] if " " not in name else name
    return tuple(dict.fromkeys(stem(part) for word in words(last or name) for part in parts(word)))


class NameIndex(NamedTuple):
    """The names of one chunk by their words: a chunk may define dozens, and few of them are asked about."""

    words: frozenset[str]
    by_word: Mapping[str, tuple[tuple[str, ...], ...]]  # the names that have a word, each as its words
    lowered: frozenset[str]  # in lower case, in full and by their last component


@remembered(1 << 14)
def _indexed(names: tuple[str, ...]) -> NameIndex:
    """Remembered, since the best candidates come up again and again."""
    found: dict[str, dict[tuple[str, ...], None]] = {}
    for name in names:
        own = name_words(name)
        for word in own:
            found.setdefault(word, {})[own] = None
    lowered = frozenset(part for name in names for part in (name.lower(), name.rpartition(".")[2].lower()))
    return NameIndex(frozenset(found), {word: tuple(owners) for word, owners in found.items()}, lowered)


def name_match(names: tuple[str, ...], wanted: Wanted) -> NameMatch:
    """How well these names answer by their words: a name counts by what it covers of the question and the question of it."""
    words, by_word, _ = _indexed(names)
    if words.isdisjoint(wanted.words):
        return NO_NAME
    hits = words & wanted.words
    best = 0.0
    for own in {own for word in hits for own in by_word[word]}:
        found, matched = wanted.found(own)
        best = max(best, wanted.share(found) * matched / len(own))
    return NameMatch(best**0.5, wanted.found(hits)[0])


def exactness(light: Light, asked: Collection[str], lowered: AbstractSet[str]) -> float:
    """Whether the chunk defines an asked identifier: 1 its own symbol, less in other case or for one among others."""
    if not lowered or _indexed(light.names).lowered.isdisjoint(lowered):
        return 0.0
    best = 0.0
    qualified = tuple(name for name in lowered if "." in name)
    for name in light.names:
        last = name.rpartition(".")[2]
        if name.lower() in lowered or last.lower() in lowered:
            worth = 1.0 if name in asked or last in asked else _in_other_case(name, last, asked)
            if qualified and not f".{name.lower()}".endswith(tuple(f".{one}" for one in qualified)):
                worth *= LAST_ONLY
            best = max(best, worth if name == light.symbol else worth * INSIDE)
    return best * _MENTIONS.get(light.kind, 1.0)


def _in_other_case(name: str, last: str, asked: Collection[str]) -> float:
    return LAZY_CASE if name.lower() in asked or last.lower() in asked else OTHER_CASE


def asked_names(query: ParsedQuery) -> tuple[str, ...]:
    """The identifiers asked for as chunks write names: dots between components; each also by its last component."""
    dotted = [_JOINTS.sub(".", name).strip(".") for name in query.identifiers]
    return tuple(dict.fromkeys(name for full in dotted for name in (full, full.rpartition(".")[2]) if name))


@record
class Asked:
    """What a search by name asks for."""

    names: tuple[str, ...]  # as written
    lowered: tuple[str, ...]  # the same in lower case; what begins so counts too
    begun: tuple[str, ...]  # those of them that a star asks for
    parts: tuple[str, ...]  # in lower case, inside a name
    words: Wanted


@record
class SymbolSearcher:
    """Definitions by name. Holds nothing of its own: make one for each moment."""

    fields: Fields
    lights: Callable[[Sequence[Row]], Sequence[Light]]
    complete: Callable[[str, int], Sequence[str]] | None = (
        None  # terms of the text index that fit `pre*` or `pre*part*`; None: exact names only
    )

    @property
    def name(self) -> str:
        return "symbol"

    def search(
        self, query: ParsedQuery, limit: int, allowed: AbstractSet[Row] | None = None
    ) -> list[tuple[Light, float]]:
        """Chunks by how well a name of theirs answers, best first; equals by path and line."""
        begun = [star.text for star in query.stars if star.way is Way.PREFIX]
        typed = (*begun, *(asked_names(query) or query.content))[:_MOST_NAMES]
        asked = Asked(
            typed,
            tuple(dict.fromkeys(name.lower() for name in typed)),
            tuple(dict.fromkeys(name.lower() for name in begun)),
            tuple(star.text.lower() for star in query.stars if star.way is Way.PART),
            wanted(query.content, lambda term: 1.0),
        )
        rows: dict[Row, None] = {}
        split = [term for word in query.content for term in scored_terms(word)]
        for mark, names, most in ((EXACT, self._completed(asked), 2 * limit), (NAME, split, 4 * limit)):
            for hit in self.fields.field_search(mark, names, most, allowed):
                rows[hit.row] = None
        kept = [pair for pair in self._scored(list(rows), asked, query) if pair[1] > 0.0]
        kept.sort(key=lambda pair: (-pair[1], pair[0].file_path, pair[0].start_line))
        return kept[:limit]

    def _scored(self, rows: Sequence[Row], asked: Asked, query: ParsedQuery) -> Iterator[tuple[Light, float]]:
        """These chunks with how well a name of theirs answers; up to the deadline."""
        deadline = in_force()
        for number, one in enumerate(self.lights(rows)):
            if not number % _AT_ONCE and deadline.is_over():
                deadline.cut(f"{number:,} of {counted(len(rows), 'chunk')} were compared by their names")
                return
            yield one, score(one, asked) * _standing(one, query)

    def _completed(self, asked: Asked) -> list[str]:
        """The names asked for in lower case, those that begin so, and those with an asked part inside."""
        if self.complete is None:
            return list(asked.lowered)
        begun = [name for name in asked.lowered if name not in asked.begun]
        longer = [term for name in begun for term in self.complete(f"{EXACT}{name}*", _COMPLETIONS)]
        stars = (*(f"{name}*" for name in asked.begun), *(f"*{part}*" for part in asked.parts))
        deadline = in_force()
        for number, star in enumerate(stars):
            if deadline.is_over():
                deadline.cut(f"{number:,} of {counted(len(stars), 'word')} with a star were looked for among names")
                break
            found = self.complete(f"{EXACT}{star}", MOST_STARRED + 1)
            longer += found[:MOST_STARRED]
            if len(found) > MOST_STARRED:
                deadline.note(
                    f"`{star}` fits more than {MOST_STARRED} names, and the {MOST_STARRED} most frequent of them were looked for."
                    " Write more of the name to have all."
                )
        return list(dict.fromkeys((*asked.lowered, *(term.removeprefix(EXACT) for term in longer))))


def score(light: Light, asked: Asked) -> float:
    """How well a chunk's names answer a symbol query, 0 to 1: exact before prefix before part and words."""
    exact = exactness(light, asked.names, set(asked.lowered))
    if exact:
        return exact
    own = 1.0 if light.chunk_type is not ChunkType.DOCUMENTATION else 0.8
    return max(_in_part(light, asked), INSIDE * name_match(light.names, asked.words).best) * own


def _standing(light: Light, query: ParsedQuery) -> float:
    aside = ASIDE.intersection(light.tags)
    return NAMESAKE if aside and not (query.wants_tests and aside == {"test"}) else 1.0


def _in_part(light: Light, asked: Asked) -> float:
    """The best of its names that begins as asked, or has an asked part inside, by how much of it that is."""
    best = 0.0
    for name in light.names:
        last = name.rpartition(".")[2].lower()
        if last.startswith(asked.lowered):
            best = max(best, *(_BEGINS * len(one) / len(last) for one in asked.lowered if last.startswith(one)))
        for part in asked.parts:
            if part in last:
                best = max(best, _HOLDS * len(part) / len(last))
    return best
