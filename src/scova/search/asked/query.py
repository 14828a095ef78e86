"""What a person typed into what the searchers need.

Responsible for the query language, and for saying where a query cannot be read. It refuses to know the index: no term is
looked up here.

    read config file             words: any of them, best first
    "exact phrase"               the text must hold it as written
    +word  a AND b               must be there
    -word  NOT word              must not be there
    a OR b                       one of them must be there
    pars*   *pars*               a word that begins so; a word with this inside
    path:src/** -path:tests      files in, files out          lang:python   kind:class   type:definitions   tag:test

Operators are upper case, so that "and" and "not" stay words. A quote, a sign or a star counts only where it borders on white
space: pasted code stays text. `foo:` is an operator only when it is one of the five above.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from scova import tokens
from scova.errors import QueryError
from scova.record import field, record, replace
from scova.search.asked.evidence import STOP_WORDS, TEST_WORDS
from scova.search.asked.operators import OPERATORS, apply, checked, joined
from scova.types import Filters

NO_FILTERS = Filters()
LONGEST_QUERY = 10_000  # characters; a query is a question, not a document

_TOKEN = re.compile(r'(?P<sign>[+-]?)(?P<name>[A-Za-z]+:)?"(?P<quoted>[^"]*)(?P<close>"?)|(?P<plain>\S+)')
_OPERATOR = re.compile(r"(?P<sign>-?)(?P<name>[A-Za-z]+):(?P<value>.*)", re.DOTALL)
_STARRED = re.compile(r"(?P<head>\*?)(?P<word>\w+)(?P<tail>\*?)")
_EDGE = "`'\"()[]{}<>,;.!?:"
_IDENTIFIER = re.compile(
    r"""\w+(?:(?:\.|::|\#|->)\w+)+      # Class.method, module::item
      | \w*[a-z0-9][A-Z]\w*             # camelCase, PascalCase of several words
      | [A-Z]{2,}[a-z]\w*               # HTTPServer
      | _*\w+_\w*                       # snake_case, CONSTANT_CASE
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


@record
class ParsedQuery:
    """A query, read. `words` are all bare words as written; `content` those that carry meaning, never empty when `words` is not."""

    text: str  # what was asked without operators: what is embedded
    words: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    either: tuple[tuple[str, ...], ...] = ()  # of each group one must be there
    prefixes: tuple[str, ...] = ()
    substrings: tuple[str, ...] = ()
    filters: Filters = NO_FILTERS
    shape: Shape = Shape.QUESTION

    @property
    def restricts(self) -> bool:
        """Whether a text must be looked at to know that it may be found."""
        return any((self.phrases, self.must, self.must_not, self.either, self.prefixes, self.substrings))

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
        starred = {*self.prefixes, *self.substrings}
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
    for token in _joined_operators(list(_tokens(text))):
        draft.take(token)
    parsed = draft.finish(given)
    if not (parsed.words or parsed.phrases or parsed.prefixes or parsed.substrings):
        raise QueryError("there is no word to find", 'Add one, for example: scova search "where is the config read"')
    return parsed


@record
class _Token:
    """One piece of the query. `how` is "", "+", "-" or "|"; `position` counts characters from 1."""

    value: str
    position: int
    how: str = ""
    operator: str = ""
    quoted: bool = False
    group: int = 0  # of OR, when how is "|"


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        position = match.start() + 1
        if match["plain"] is not None:
            yield _plain(match["plain"], position)
        elif not match["close"]:
            raise QueryError(f"the quote at character {position} is never closed", 'Add the second " or leave it out.')
        elif match["name"] and match["name"][:-1].lower() not in OPERATORS:
            yield _Token(match["name"] + match["quoted"], position, match["sign"])
        else:
            operator = (match["name"] or "")[:-1].lower()
            yield _Token(match["quoted"], position, match["sign"], operator, quoted=True)


def _plain(value: str, position: int) -> _Token:
    operator = _OPERATOR.fullmatch(value) if ":" in value else None
    if operator and operator["name"].lower() in OPERATORS:
        return _Token(operator["value"], position, operator["sign"], operator["name"].lower())
    if len(value) > 1 and value[0] in "+-" and (value[1].isalnum() or value[1] in "_*"):
        return _Token(value[1:], position, value[0])
    return _Token(value, position)


def _joined_operators(found: list[_Token]) -> Iterator[_Token]:
    """AND, OR and NOT are taken away and their neighbours marked instead."""
    result: list[_Token] = []
    pending: _Token | None = None
    for token in found:
        bare = not (token.quoted or token.operator or token.how)
        if bare and token.value in ("AND", "OR", "NOT"):
            _refuse_stray(token, result, pending)
            pending = token
        elif pending is None:
            result.append(token)
        else:
            result.append(_marked(token, pending, result))
            pending = None
    if pending is not None:
        raise _stray(pending, "nothing comes after it")
    yield from result


def _marked(token: _Token, joint: _Token, before: list[_Token]) -> _Token:
    """The token as the operator before it wants it; what stands before the operator is marked too."""
    group = joint.position
    if joint.value == "OR":
        if before[-1].how == "|":
            group = before[-1].group
        else:
            before[-1] = replace(before[-1], how="|", group=group)
    elif joint.value == "AND" and not before[-1].how:
        before[-1] = replace(before[-1], how="+")
    how = {"AND": "+", "OR": "|", "NOT": "-"}[joint.value]
    return token if token.operator else replace(token, how=how, group=group)


def _refuse_stray(token: _Token, before: list[_Token], pending: _Token | None) -> None:
    if pending is not None and not (pending.value == "AND" and token.value == "NOT"):
        raise _stray(token, f"it follows {pending.value}")
    if token.value != "NOT" and (not before or before[-1].operator):
        raise _stray(token, "nothing to join comes before it")


def _stray(token: _Token, why: str) -> QueryError:
    return QueryError(
        f"{token.value} at character {token.position} cannot be read: {why}",
        f'Write the word in lower case or in quotes to search for "{token.value.lower()}" itself.',
    )


@record(frozen=False)
class _Draft:
    """The parts of a query while it is read."""

    said: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    identifiers: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    must: list[str] = field(default_factory=list)
    must_not: list[str] = field(default_factory=list)
    groups: dict[int, list[str]] = field(default_factory=dict)
    prefixes: list[str] = field(default_factory=list)
    substrings: list[str] = field(default_factory=list)
    filters: Filters = NO_FILTERS

    def take(self, token: _Token) -> None:
        """Put one token where it belongs."""
        if token.operator:
            out = token.how == "-"
            self.filters = apply(self.filters, token.operator, token.value, out=out, position=token.position)
        elif token.how == "-":
            self.must_not.append(token.value)
        elif token.quoted:
            self._phrase(token)
        else:
            self._word(token)

    def _phrase(self, token: _Token) -> None:
        if not token.value.strip():
            return
        (self.groups.setdefault(token.group, []) if token.how == "|" else self.phrases).append(token.value)
        self._say(token.value, tokens.words(token.value))

    def _word(self, token: _Token) -> None:
        starred = _STARRED.fullmatch(token.value) if "*" in token.value else None
        if starred:
            (self.substrings if starred["head"] else self.prefixes).append(starred["word"])
            self._say(starred["word"], [starred["word"]])
            return
        bare = token.value.strip(_EDGE)
        found = tokens.words(token.value)
        if not found:
            return
        if token.how == "+":
            self.must.append(bare)
        elif token.how == "|":
            self.groups.setdefault(token.group, []).append(bare)
        self._say(token.value, found)
        is_plain = token.value.isalpha() and token.value.islower()  # as most words are: no need to try patterns
        if not is_plain and (_IDENTIFIER.fullmatch(bare) or _CALL.fullmatch(token.value)):
            self.identifiers.append(bare)

    def _say(self, value: str, words: list[str]) -> None:
        self.said.append(value)
        self.words.extend(words)

    def finish(self, given: Filters) -> ParsedQuery:
        """Everything taken, with its shape; what is restricted already stays so."""
        content = [word for word in self.words if word.lower() not in STOP_WORDS] or self.words
        identifiers = list(self.identifiers)
        alone = len(self.said) == 1 and not (self.prefixes or self.substrings)
        if alone and not identifiers and re.fullmatch(r"\w+", self.said[0].strip(_EDGE)):
            identifiers = [self.said[0].strip(_EDGE)]
        return ParsedQuery(
            text=" ".join(self.said),
            words=tuple(self.words),
            content=tuple(dict.fromkeys(content)),
            identifiers=tuple(dict.fromkeys(identifiers)),
            phrases=tuple(self.phrases),
            must=tuple(self.must),
            must_not=tuple(self.must_not),
            either=tuple(tuple(group) for group in self.groups.values()),
            prefixes=tuple(self.prefixes),
            substrings=tuple(self.substrings),
            filters=joined(given, self.filters),
            shape=_shape(alone, identifiers),
        )


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
