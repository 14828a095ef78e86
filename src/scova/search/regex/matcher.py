"""Patterns into one matcher: which lines of a text match, and where in them.

Three ways to the same answer, the quickest that is certain. A text of ASCII characters, or a valid one where no word boundary
is asked for, is left to the engine. Otherwise the engine, asked more loosely, finds every line that could match; of
these, plain ones are asked again, and the rest goes to `exact`. A pattern whose automaton is too large is refused.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from scova.core.deadline import Stop, never
from scova.record import record
from scova.search.regex.pattern.emit import emit, is_exact_in_ascii, is_exact_in_unicode
from scova.search.regex.pattern.engine import Expression, compiled
from scova.search.regex.pattern.parser import literal, parse, refuse_line_feeds
from scova.search.regex.pattern.size import checked
from scova.search.regex.pattern.syntax import (
    ANY,
    Alternate,
    Combined,
    Concat,
    Item,
    Literal,
    Look,
    Node,
    Range,
    Repeat,
    Set,
    Where,
)
from scova.search.regex.pattern.unicode import WORD

if TYPE_CHECKING:
    from scova.search.regex.pattern.exact import Exact

Span = tuple[int, int]
_NO_WORD = rf"[^\n{WORD}]"


@record
class Options:
    """How patterns are meant."""

    fixed: bool = False  # as they are, not as expressions
    ignore_case: bool = False
    smart_case: bool = False  # ignore it unless there is a capital letter
    word: bool = False
    whole_line: bool = False


class Found(NamedTuple):
    """A matching line: where it begins and ends in the text, and its matches, counted from its beginning. All in bytes."""

    start: int
    end: int
    spans: Sequence[Span]


class Matcher:
    """One or several patterns, any of which may match."""

    def __init__(self, patterns: Sequence[str], options: Options) -> None:
        self.patterns, self.options = tuple(patterns), options
        fold = options.ignore_case or (options.smart_case and not _has_capitals(patterns, fixed=options.fixed))
        nodes: list[Node] = []
        for pattern in patterns:
            node = literal(pattern, fold=fold) if options.fixed else parse(pattern, fold=fold)
            refuse_line_feeds(node, pattern)
            nodes.append(node)
        inner = nodes[0] if len(nodes) == 1 else Alternate(tuple(nodes))
        if options.whole_line:
            inner = Concat((Look(Where.LINE_START), inner, Look(Where.LINE_END)))
        self.states = checked(inner)
        self._inner = inner
        self._word = options.word and not options.whole_line
        halves = (Look(Where.WORD_START_HALF), inner, Look(Where.WORD_END_HALF))
        self.node: Node = Concat(halves) if self._word else inner
        self._plain = is_exact_in_ascii(inner)
        self._everywhere = is_exact_in_unicode(inner)
        source = emit(inner, looser=not self._plain)[len("(?m)") :]
        before, behind = f"(?:^|{_NO_WORD})", f"(?:$|{_NO_WORD})"
        self._first = compiled(f"(?m){before}({source}){behind}" if self._word else f"(?m){source}")
        self._further = compiled(f"(?m){_NO_WORD}({source}){behind}") if self._word else self._first

    def found(self, data: bytes, *, every: bool = True, stop: Stop = never) -> Iterator[Found]:
        """Every matching line of a text, in order; with `every` match in it, or else the first only. `stop` is asked for each."""
        if not data:
            return iter(())  # nothing has no line
        if not self._is_certain(data):
            return self._verified(data, every=every, stop=stop)
        return self._by_match(data, stop) if every and not self._word else self._by_line(data, every=every, stop=stop)

    def _by_match(self, data: bytes, stop: Stop) -> Iterator[Found]:
        """From match to match: none reaches over the end of a line."""
        start, end, size, last = 0, -1, len(data), -1
        spans: list[Span] = []
        for match in self._first.finditer(data):
            stop()
            first, behind = match.span()
            if first == behind and (first == last or (first == size and data.endswith(b"\n"))):
                continue  # nothing right behind a match, or behind the last line feed, where no line is
            last = behind
            if first > end:
                if spans:
                    yield Found(start, end, spans)
                start, end = _line_around(data, first, end + 1)
                spans = []
            spans.append((first - start, behind - start))
        if spans:
            yield Found(start, end, spans)

    def _by_line(self, data: bytes, *, every: bool, stop: Stop) -> Iterator[Found]:
        """From line to line. Words must be found so: neighbours share the character between them."""
        at, size = 0, len(data)
        while at < size and (match := self._first.search(data, at)):
            stop()
            first, behind = match.span(1 if self._word else 0)
            if first == size and data.endswith(b"\n"):
                return
            start, end = _line_around(data, first, at)
            yield Found(start, end, self._words(data[start:end], stop) if every else [(first - start, behind - start)])
            at = end + 1

    def _words(self, line: bytes, stop: Stop) -> list[Span]:
        found: list[Span] = []
        at, last = 0, -1
        match = self._first.search(line)
        while match is not None:
            stop()
            first, behind = match.span(1)
            if not first == behind == last:
                found.append((first, behind))
            last = behind
            at = behind + (first == behind)
            if at > len(line):
                break
            match = self._further.search(line, _character_before(line, at))
        return found

    def _verified(self, data: bytes, *, every: bool, stop: Stop) -> Iterator[Found]:
        """Lines that may match, looked at one by one."""
        at, size = 0, len(data)
        while at < size and (match := self._looser.search(data, at)):
            stop()
            if match.start() == size and data.endswith(b"\n"):
                return
            start, end = _line_around(data, match.start(), at)
            line = data[start:end]
            if line and self._is_certain(line):
                yield from (Found(start, end, found.spans) for found in self.found(line, every=every, stop=stop))
            elif spans := self._exact.spans(line, stop):
                yield Found(start, end, spans if every else spans[:1])
            at = end + 1

    def _is_certain(self, data: bytes) -> bool:
        """Whether the engine finds in this text exactly what Rust's would."""
        if data.isascii():
            return self._plain
        return self._everywhere and _is_valid(data)

    @cached_property
    def _looser(self) -> Expression:
        return compiled(emit(self._inner, looser=True))

    @cached_property
    def _exact(self) -> "Exact":
        from scova.search.regex.pattern.exact import Exact

        return Exact(self.node)


def _is_valid(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _line_around(data: bytes, place: int, after: int) -> Span:
    """Start and end of the line at a place, of which is known that it does not begin before `after`."""
    start = data.rfind(b"\n", after, place) + 1 or after
    end = data.find(b"\n", place)
    return start, end if end >= 0 else len(data)


def _character_before(line: bytes, at: int) -> int:
    """Where the character that ends at `at` begins."""
    at -= 1
    while at > 0 and line[at] & 0xC0 == 0x80:
        at -= 1
    return max(at, 0)


def _has_capitals(patterns: Sequence[str], *, fixed: bool) -> bool:
    """Whether a letter is asked for as a capital; and whether there is any letter at all to go by."""
    found = [character for pattern in patterns for character in _letters(literal(pattern) if fixed else parse(pattern))]
    return not found or any(character.isupper() for character in found)


def _letters(node: Node) -> Iterator[str]:
    """Characters that are written out in a pattern."""
    if isinstance(node, Literal):
        yield node.character
    elif isinstance(node, Repeat):
        yield from _letters(node.node)
    elif isinstance(node, Concat | Alternate):
        for inner in node.nodes:
            yield from _letters(inner)
    elif isinstance(node, Set) and node != ANY:
        yield from _members(node)


def _members(item: Item) -> Iterator[str]:
    if isinstance(item, Range):
        yield from (chr(item.low), chr(item.high))
    elif isinstance(item, Set):
        for inner in item.items:
            yield from _members(inner)
    elif isinstance(item, Combined):
        yield from _members(item.left)
        yield from _members(item.right)
