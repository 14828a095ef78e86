"""How much of a question some words answer.

The words asked are weighed by rarity, so that their shares add up to 1; the words of a name or a path are looked up among
them. Responsible for which spellings stand for an asked word. It refuses to know where words come from: `symbols` brings
names, `paths` brings paths.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from scova.record import record
from scova.search.asked.abbreviations import Spelling, spellings_of
from scova.tokens import parts, stem

_STOP = """a all also an and any are as at be been being between but by can do does each for from get gets handle handled
handles has have how if implement implementation implemented implements in into is it its not of on onto or out over per
should so than that the their them then there these they this through to under up use used uses using via was we were what
when where which while who why will with within without work working works you your"""
STOP_WORDS = frozenset(_STOP.split())  # they say how something is asked, not what: dropped when others are left
_TEST = "test tests testing tested spec specs fixture fixtures mock mocks mocking mocked"
TEST_WORDS = frozenset(_TEST.split())  # whoever says one of these wants to see tests

SHORTENED = 0.6  # what "config" is worth where "configuration" was asked
_SHORTEST = 4  # letters of such a shortening: fewer begin too many words
_OFTENER = 1.0986  # the logarithm of 3: how many times as often another spelling must stand in the index


@record
class Wanted:
    """The words asked. `spellings` leads from a word to the term it stands for, and to what it is worth as that term."""

    shares: Mapping[str, float]  # term -> its part of the question; they add up to 1
    spellings: Mapping[str, tuple[str, float]]
    words: frozenset[str]  # all spellings
    others: Mapping[str, tuple[Spelling, ...]]  # word asked -> what it is called here, if that is mostly something else

    def found(self, words: Iterable[str]) -> tuple[dict[str, float], float]:
        """The asked terms among these words, each with what its best spelling is worth; and what all words are worth together."""
        known = self.spellings.get
        got: dict[str, float] = {}
        total = 0.0
        for word in words:
            spelled = known(word)
            if spelled is not None:
                term, worth = spelled
                total += worth
                if worth > got.get(term, 0.0):
                    got[term] = worth
        return got, total

    def share(self, got: Mapping[str, float]) -> float:
        """How much of the question these terms are, 0 to 1."""
        if len(got) == 1:
            ((term, worth),) = got.items()
            return self.shares.get(term, 0.0) * worth
        # In the question's order, so that the sum never depends on that of `got`.
        return sum([part * got[term] for term, part in self.shares.items() if term in got])


def wanted(content: Sequence[str], rarity: Callable[[str], float]) -> Wanted:
    """What these words of a question ask for; `rarity` says how much a term tells.

    Where it mostly calls them otherwise, `configuration` where nearly everything is `cfg` or the other way round, that counts too;
    words that are asked for anyway are no others.
    """
    asked = _asked(content)
    rarities = {term: rarity(term) for term in asked}
    whole = sum(rarities.values()) or 1.0
    spellings = {term: (term, 1.0) for term in asked}
    for term, part in asked.items():
        shortened = (term, SHORTENED)
        for size in range(_SHORTEST, len(part)):
            spellings.setdefault(part[:size], shortened)
    others: dict[str, tuple[Spelling, ...]] = {}
    for term, part in asked.items():
        if oftener := _oftener(term, rarity):
            for other in oftener:
                spellings.setdefault(other.term, (term, SHORTENED * other.weight))
            if unasked := tuple(one for one in oftener if one.term not in asked):
                others[part] = unasked
    return Wanted({term: value / whole for term, value in rarities.items()}, spellings, frozenset(spellings), others)


def together(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """All terms that were found in several places, each with the most it is worth in one of them."""
    most: dict[str, float] = {}
    for place in found:
        for term, worth in place.items():
            if worth > most.get(term, 0.0):
                most[term] = worth
    return most


def compared_spellings(content: Sequence[str]) -> dict[str, Spelling]:
    """Every other spelling that `wanted` may find, by term."""
    asked = _asked(content)
    return {one.term: one for term in asked for one in spellings_of(term) if one.term not in asked}


def _asked(content: Iterable[str]) -> dict[str, str]:
    """The parts of these words by their stems."""
    return {stem(part): part for word in content for part in parts(word) or (word.lower(),)}


def _oftener(term: str, rarity: Callable[[str], float]) -> list[Spelling]:
    """Learned spellings of a term that are much more usual than it. Rarity falls by the logarithm of how often something stands there."""
    others = spellings_of(term)
    if not others:
        return []
    most = rarity(term) - _OFTENER
    return [other for other in others if rarity(other.term) <= most]
