"""What a person typed into what the searchers need.

Responsible for the query language, and for saying where a query cannot be read. It refuses to know the index: no term is
looked up here.

    read config file             words: any of them, best first
    "exact phrase"               the text must hold it as written
    +word  a AND b               must be there
    -word  NOT word              must not be there
    a OR b                       one of them must be there
    pars*   *pars*               must be there: a word that begins so; a word with this inside
    path:src/** -path:tests      files in, files out          lang:python   kind:class   type:definitions   tag:test

Words with a star and phrases may be negated and joined too: `-pars*`, `"exact phrase" OR pars*`. OR binds before AND.
Operators are upper case, so that "and" and "not" stay words. A quote, a sign or a star counts only where it borders on white
space: pasted code stays text. `foo:` is an operator only when it is one of the five above.
"""

import re
from enum import StrEnum
from functools import lru_cache

from scova import tokens
from scova.errors import QueryError
from scova.record import field, record
from scova.search.asked.evidence import STOP_WORDS, TEST_WORDS
from scova.search.asked.operators import apply, checked, joined
from scova.search.asked.typed import Token, typed
from scova.types import Filters

NO_FILTERS = Filters()
LONGEST_QUERY = 10_000  # characters; a query is a question, not a document
MOST_DEMANDS = 64  # each is looked up among all words of the index

_STARRED = re.compile(r"(?P<head>\*?)(?P<word>\w+)(?P<tail>\*?)")
_WORD = re.compile(r"\w+")
_EDGE = "`'\"()[]{}<>,;.!?:"
_IDENTIFIER = re.compile(
    r"""\w+(?:(?:\.|::|\#|->)\w+)+      # Class.method, module::item
      | (?>\w*?[a-z0-9][A-Z])\w*        # camelCase, PascalCase of several words
      | [A-Z]{2,}[a-z]\w*               # HTTPServer
      | \w[^\W_]*_\w*                   # snake_case, CONSTANT_CASE
    """,
    re.VERBOSE,
)
_CALL = re.compile(r"[\w.:]*\w\(\)\W*")  # call()
_JOINTS = re.compile(r"\.|::|#|->")


class Shape(StrEnum):
    """What a query looks like; it decides how much each way of finding counts."""

    IDENTIFIER = "identifier"  # one name, as code writes it
    QUESTION = "question"  # words of a language
    MIXED = "mixed"  # words with names among them


class Way(StrEnum):
    """How a text holds something."""

    WORD = "word"  # anywhere, inside identifiers too
    PHRASE = "phrase"  # as written, bounded by word borders
    PREFIX = "prefix"  # a word, or a part of an identifier, begins so
    PART = "part"  # as WORD, written with stars: what fits is looked for, too


@record
class Demand:
    """Something that a text may have to hold."""

    text: str
    way: Way = Way.WORD

    @property
    def pattern(self) -> str:
        """A word with a star, as the text index looks it up; empty for any other."""
        if self.way is Way.PREFIX:
            return f"{self.text.lstrip('_').lower()}*"
        return f"*{self.text.strip('_').lower()}*" if self.way is Way.PART else ""


@record
class ParsedQuery:
    """A query, read. `words` are all bare words as written; `content` those that carry meaning, never empty when `words` is not."""

    text: str  # what was asked without operators: what is embedded
    words: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    must_not: tuple[Demand, ...] = ()
    either: tuple[
        tuple[Demand, ...], ...
    ] = ()  # of each group one must be there; a word with a star alone is a group of its own
    filters: Filters = NO_FILTERS
    shape: Shape = Shape.QUESTION

    @property
    def restricts(self) -> bool:
        """Whether a text must be looked at to know that it may be found."""
        return any((self.phrases, self.must, self.must_not, self.either))

    @property
    def demands(self) -> tuple[tuple[Demand, ...], ...]:
        """What must be there: of each group, one."""
        phrases = ((Demand(phrase, Way.PHRASE),) for phrase in self.phrases)
        words = ((Demand(word),) for word in self.must)
        return (*phrases, *words, *self.either)

    @property
    def stars(self) -> tuple[Demand, ...]:
        """The words with a star that are looked for."""
        return tuple(dict.fromkeys(item for group in self.either for item in group if item.pattern))

    @property
    def wants_tests(self) -> bool:
        """Whether tests are asked for, in words or by a filter."""
        asked = {word.lower() for word in self.words} | {tag.lower() for tag in self.filters.tags}
        return bool(asked & TEST_WORDS) or any(_names_tests(path) for path in self.filters.paths)

    @property
    def names(self) -> tuple[str, ...]:
        """Every asked identifier in lower case: as written, and its last component."""
        found = [part.lower() for name in self.identifiers for part in (name, _JOINTS.split(name)[-1])]
        return tuple(dict.fromkeys(found))

    @property
    def terms(self) -> tuple[str, ...]:
        """What the text index is asked for: every whole word that carries meaning, by what it is weighed by, and the compounds."""
        starred = {star.text for star in self.stars}
        found = [term for word in self.content if word not in starred for term in tokens.scored_terms(word)]
        return tuple(dict.fromkeys((*found, *self.compounds)))

    @property
    def compounds(self) -> tuple[str, ...]:
        """Neighbouring words written as one, as code does: "type adapter" also means `typeadapter`."""
        return _compounds(self.words)


def parse(text: str, filters: Filters | None = None) -> ParsedQuery:
    """Read a query; what `filters` restricts is restricted too. Raises QueryError, and nothing else."""
    given = checked(filters or Filters())
    if len(text) > LONGEST_QUERY:
        raise QueryError(f"the query has {len(text)} characters", f"Ask in at most {LONGEST_QUERY}.")
    draft = _Draft()
    for token in typed(text):
        draft.take(token)
    parsed = draft.finish(given)
    if not (parsed.words or parsed.phrases or parsed.either):
        raise QueryError("there is no word to find", 'Add one, for example: scova search "where is the config read"')
    demands = len(parsed.phrases) + len(parsed.must) + len(parsed.must_not) + sum(map(len, parsed.either))
    if demands > MOST_DEMANDS:
        hint = f"Use signs, stars, quotes, AND, OR and NOT for at most {MOST_DEMANDS} of them; plain words may be more."
        raise QueryError(f"the query demands or forbids {demands} words and phrases", hint)
    return parsed


@record(frozen=False)
class _Draft:
    """The parts of a query while it is read."""

    said: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    identifiers: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    must: list[str] = field(default_factory=list)
    must_not: list[Demand] = field(default_factory=list)
    groups: dict[int, list[Demand]] = field(default_factory=dict)
    filters: Filters = NO_FILTERS

    def take(self, token: Token) -> None:
        """Put one token where it belongs."""
        if token.operator:
            out = token.how == "-"
            self.filters = apply(self.filters, token.operator, token.value, out=out, position=token.position)
        elif token.how == "-":
            self.must_not.extend(_demanded(token))
        elif token.quoted:
            self._phrase(token)
        else:
            self._word(token)

    def _phrase(self, token: Token) -> None:
        if not token.value.strip():
            return
        if token.how == "|":
            self._join(token)
        else:
            self.phrases.append(token.value)
        self._say(token.value, tokens.words(token.value))

    def _word(self, token: Token) -> None:
        # As most words are: no need to try patterns.
        if not token.how and token.value.isalpha() and token.value.islower():
            self._say(token.value, [token.value])
            return
        starred = _starred(token)
        if starred:
            self._join(token)
            self._say(starred.text, [starred.text])
            return
        bare = token.value.strip(_EDGE)
        found = tokens.words(token.value)
        if not found:
            return
        if token.how == "+":
            self.must.append(bare)
        elif token.how == "|":
            self._join(token)
        self._say(token.value, found)
        if _IDENTIFIER.fullmatch(bare) or _CALL.fullmatch(token.value):
            self.identifiers.append(bare)

    def _join(self, token: Token) -> None:
        """One of a group must be there; what is joined to nothing is a group of its own."""
        self.groups.setdefault(token.group or token.position, []).extend(_demanded(token))

    def _say(self, value: str, words: list[str]) -> None:
        self.said.append(value)
        self.words.extend(words)

    def finish(self, given: Filters) -> ParsedQuery:
        """Everything taken, with its shape; what is restricted already stays so."""
        content = [word for word in self.words if word.lower() not in STOP_WORDS] or self.words
        identifiers = list(self.identifiers)
        either = tuple(tuple(group) for group in self.groups.values())
        alone = len(self.said) == 1 and not either
        if alone and not identifiers and _WORD.fullmatch(self.said[0].strip(_EDGE)):
            identifiers = [self.said[0].strip(_EDGE)]
        return ParsedQuery(
            text=" ".join(self.said),
            words=tuple(self.words),
            content=tuple(dict.fromkeys(content)),
            identifiers=tuple(dict.fromkeys(identifiers)),
            phrases=tuple(self.phrases),
            must=tuple(self.must),
            must_not=tuple(self.must_not),
            either=either,
            filters=joined(given, self.filters),
            shape=_shape(alone, identifiers),
        )


def _demanded(token: Token) -> list[Demand]:
    """What a text holds that has this token; none where there is nothing to hold."""
    if token.quoted:
        return [Demand(token.value, Way.PHRASE)] if token.value.strip() else []
    if starred := _starred(token):
        return [starred]
    if not tokens.words(token.value):
        return []
    bare = token.value.strip(_EDGE)
    return [Demand(bare, Way.WORD if _WORD.fullmatch(bare) else Way.PHRASE)]


def _starred(token: Token) -> Demand | None:
    """The word with a star that a token is, if it is one."""
    found = _STARRED.fullmatch(token.value) if "*" in token.value else None
    return Demand(found["word"], Way.PART if found["head"] else Way.PREFIX) if found else None


def _shape(alone: bool, identifiers: list[str]) -> Shape:
    if alone and identifiers:
        return Shape.IDENTIFIER
    return Shape.MIXED if identifiers else Shape.QUESTION


def _names_tests(path: str) -> bool:
    return any(part in TEST_WORDS or part == "__tests__" for part in re.split(r"[/._*-]+", path.lower()))


@lru_cache(maxsize=256)
def _compounds(words: tuple[str, ...]) -> tuple[str, ...]:
    lowered = [word.lower() for word in words]
    found: dict[str, None] = {}
    for size in (2, 3):
        for start in range(len(lowered) - size + 1):
            group = lowered[start : start + size]
            if not any(word in STOP_WORDS for word in group):
                found["".join(group)] = None
                if group[-1].endswith("s"):
                    found["".join(group)[:-1]] = None
    return tuple(found)
