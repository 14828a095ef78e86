"""What a text must hold for a pattern to match: grams, combined by "and" and "or".

Read off the syntax tree from the inside out. Of every part it keeps what it may match exactly, if that is a small set of
texts; or else with what it may begin and end, and what is needed anyway. What is not understood needs nothing, so that the
answer can be too weak, but never wrong.
"""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple, Protocol

from scova.search.regex.pattern.sets import small
from scova.search.regex.pattern.syntax import Alternate, Concat, Literal, Look, Node, Repeat, Set
from scova.stores.grams.alphabet import WIDTH, folded

_MOST_TEXTS = 48  # exact texts that are kept apart
_MOST_CHARACTERS = 8  # of a set, to be taken one by one
_MOST_GRAMS = 16  # looked up for one text: the rarest
_FEW = 4  # blocks that are quicker read than ruled out

Texts = frozenset[bytes]


class Needs(NamedTuple):
    """All of these grams, and of each group of alternatives at least one. Without any, everything may match."""

    grams: frozenset[bytes] = frozenset()
    either: tuple[tuple["Needs", ...], ...] = ()


NOTHING = Needs()
_BLANK: Texts = frozenset((b"",))


class _Part(NamedTuple):
    """What is known of a part of a pattern."""

    exact: Texts | None  # every text it can match, when these are few
    begins: Texts = _BLANK  # it begins with one of these
    ends: Texts = _BLANK
    needs: Needs = NOTHING


_UNKNOWN = _Part(None)


def required(node: Node) -> Needs:
    """What every line that matches must hold."""
    part = _loose(_part(node))
    return _all(part.needs, _any_text(part.begins), _any_text(part.ends))


def _part(node: Node) -> _Part:
    if isinstance(node, Literal):
        return _characters([node.character], fold=node.fold)
    if isinstance(node, Set):
        some = small(node, _MOST_CHARACTERS)
        return _characters(some, fold=node.fold) if some else _UNKNOWN
    if isinstance(node, Look):
        return _Part(_BLANK)
    if isinstance(node, Concat):
        whole = _Part(_BLANK)
        for inner in node.nodes:
            whole = _joined(whole, _part(inner))
        return whole
    if isinstance(node, Alternate):
        return _alternatives([_part(inner) for inner in node.nodes])
    return _repeated(node)


def _characters(characters: list[str], *, fold: bool) -> _Part:
    """One of these characters. Where case is ignored, what has a case beyond ASCII could be anything; and a carriage return may be at
    the end of a line, where the index has none."""
    if "\r" in characters:
        return _UNKNOWN
    if fold and any(not character.isascii() and _has_cases(character) for character in characters):
        return _UNKNOWN
    return _Part(frozenset(folded(character).lower() for character in characters))


def _has_cases(character: str) -> bool:
    if folded(character).isascii():
        return False  # indexed as the letter it is a case of
    return not character == character.lower() == character.upper() == character.casefold() == character.title()


def _repeated(node: Repeat) -> _Part:
    inner = _part(node.node)
    if node.least == 0:
        if node.most == 1 and inner.exact is not None and len(inner.exact) < _MOST_TEXTS:
            return _Part(inner.exact | _BLANK)
        return _UNKNOWN
    whole = inner
    for _ in range(min(node.least, WIDTH) - 1):
        whole = _joined(whole, inner)
    if node.least == node.most and node.least <= WIDTH:
        return whole
    loose, last = _loose(whole), _loose(inner)
    return _Part(None, loose.begins, last.ends, loose.needs)


def _joined(left: _Part, right: _Part) -> _Part:
    """One after the other. Whatever spans the place where they meet is needed as well."""
    if left.exact is not None and right.exact is not None and len(left.exact) * len(right.exact) <= _MOST_TEXTS:
        return _Part(_crossed(left.exact, right.exact))
    begins, ends = left.begins, right.ends
    if left.exact is not None:
        begins = _crossed(left.exact, _loose(right).begins)
    if right.exact is not None:
        ends = _crossed(_loose(left).ends, right.exact)
    left, right = _loose(left), _loose(right)
    between = _any_text(_crossed(left.ends, right.begins))
    needs = _all(left.needs, right.needs, between, _any_text(begins), _any_text(ends))
    return _Part(None, _cut(begins, first=True), _cut(ends, first=False), needs)


def _alternatives(parts: list[_Part]) -> _Part:
    exact: Texts = frozenset().union(*(part.exact or () for part in parts))
    if all(part.exact is not None for part in parts) and len(exact) <= _MOST_TEXTS:
        return _Part(exact)
    loose = [_loose(part) for part in parts]
    begins: Texts = frozenset().union(*(part.begins for part in loose))
    ends: Texts = frozenset().union(*(part.ends for part in loose))
    needs = _any(part.needs for part in loose)
    return _Part(None, _cut(begins, first=True), _cut(ends, first=False), needs)


def _loose(part: _Part) -> _Part:
    """The same, known by how it begins and ends."""
    if part.exact is None:
        return part
    begins, ends = _cut(part.exact, first=True), _cut(part.exact, first=False)
    return _Part(None, begins, ends, _any_text(part.exact))


def _cut(texts: Texts, *, first: bool) -> Texts:
    """Beginnings or ends: two bytes suffice for grams that reach over, and fewer where there are too many of them."""
    for length in range(WIDTH - 1, 0, -1):
        short = frozenset(text[:length] if first else text[-length:] for text in texts)
        if len(short) <= _MOST_TEXTS:
            return short
    return _BLANK


def _crossed(left: Texts, right: Texts) -> Texts:
    return frozenset(a + b for a, b in product(left, right))


def _any_text(texts: Texts) -> Needs:
    """One of these texts is there."""
    return _any(Needs(frozenset(text[at : at + WIDTH] for at in range(len(text) - WIDTH + 1))) for text in texts)


def _all(*needs: Needs) -> Needs:
    grams = frozenset().union(*(need.grams for need in needs))
    return Needs(grams, tuple(dict.fromkeys(group for need in needs for group in need.either)))


def _any(needs: Iterable[Needs]) -> Needs:
    options = tuple(dict.fromkeys(needs))
    if not options or NOTHING in options:
        return NOTHING
    common = frozenset.intersection(*(option.grams for option in options))
    rest = tuple(Needs(option.grams - common, option.either) for option in options)
    if len(rest) == 1:
        return options[0]
    return Needs(common, () if NOTHING in rest else (rest,))


# --- looking it up


class Index(Protocol):
    """An n-gram index, as far as it is asked here."""

    @property
    def everything(self) -> int: ...

    def size(self, gram: bytes) -> int: ...

    def having(self, gram: bytes) -> int: ...


def candidates(needs: Needs, index: Index) -> int:
    """The blocks that may hold what is needed, as the bits of a number."""
    found = index.everything
    for gram in sorted(needs.grams, key=index.size)[:_MOST_GRAMS]:
        found &= index.having(gram)
        if found.bit_count() <= _FEW:
            return found
    for options in needs.either:
        some = 0
        for option in options:
            some |= candidates(option, index)
        found &= some
        if found.bit_count() <= _FEW:
            break
    return found
