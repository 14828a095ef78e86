"""A matcher that follows Rust's regex crate to the letter, for single lines that the engine cannot be trusted with.

These are few: lines with characters beyond ASCII, where a pattern asks for word boundaries (the engine's know ASCII only),
and lines that are not valid UTF-8. It runs all ways through the pattern side by side, so the time it takes is
bounded by the length of the line times that of the pattern. Whether it is still wanted is asked every few characters.
"""

from collections.abc import Callable
from typing import NamedTuple

from scova.core.deadline import Stop, never
from scova.search.regex.pattern.emit import emit
from scova.search.regex.pattern.engine import compiled
from scova.search.regex.pattern.syntax import Alternate, Concat, Literal, Look, Named, Node, Repeat, Set, Where

_ASK_EVERY = 64  # characters, each of which takes as many steps as the pattern has at most
_WORD = Set((Named("w"),))


class _Step(NamedTuple):
    """One step: take a character that passes, or go on where a place is right, or try both ways, the first rather."""

    passes: Callable[[str], bool] | None = None
    where: Where | None = None
    ways: tuple[int, ...] = ()


_DONE = _Step()


class _Memory(dict[str, bool]):
    """Whether a character passes, remembered."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._expression = compiled(emit(node))

    def __missing__(self, character: str) -> bool:
        # A byte that is no part of a character is a lone surrogate here, and passes no test.
        found = not "\ud800" <= character <= "\udfff" and self._expression.fullmatch(character) is not None
        self[character] = found
        return found


class Exact:
    """One pattern, for lines without their ends."""

    def __init__(self, node: Node) -> None:
        self._steps: list[_Step] = []
        self._tests: dict[Node, _Memory] = {}
        self._add(node)
        self._steps.append(_DONE)
        self._is_word = _Memory(_WORD)

    def spans(self, line: bytes, stop: Stop = never) -> list[tuple[int, int]]:
        """Every match in a line, in bytes."""
        text = line.decode("utf-8", "surrogateescape")
        offsets = [0]
        for character in text:
            offsets.append(offsets[-1] + len(character.encode("utf-8", "surrogateescape")))
        found: list[tuple[int, int]] = []
        at, last = 0, -1
        while at <= len(text) and (match := self._find(text, at, stop)):
            start, end = match
            at = end + (start == end)
            if start == end == last:
                continue
            last = end
            found.append((offsets[start], offsets[end]))
        return found

    # --- running

    def _find(self, text: str, start: int, stop: Stop) -> tuple[int, int] | None:
        """The leftmost match, of several there the one that is tried first."""
        found: tuple[int, int] | None = None
        threads: dict[int, int] = {}  # step -> where its match began, in order of preference
        for at in range(start, len(text) + 1):
            if not (at - start) % _ASK_EVERY:
                stop()
            if found is None and 0 not in threads:
                self._follow(0, at, text=text, at=at, threads=threads)
            following: dict[int, int] = {}
            for number, began in threads.items():
                step = self._steps[number]
                if step is _DONE:
                    found = (began, at)
                    break
                if at < len(text) and step.passes is not None and step.passes(text[at]):
                    self._follow(number + 1, began, text=text, at=at + 1, threads=following)
            threads = following
            if found is not None and not threads:
                break
        return found

    def _follow(self, first: int, began: int, *, text: str, at: int, threads: dict[int, int]) -> None:
        """Go on from a step to all that take a character, most preferred first."""
        waiting, seen = [first], set()
        while waiting:
            number = waiting.pop()
            if number in seen or number in threads:
                continue
            seen.add(number)
            step = self._steps[number]
            if step.ways:
                waiting.extend(reversed(step.ways))
            elif step.where is None:
                threads[number] = began
            elif self._is_at(step.where, text, at):
                waiting.append(number + 1)

    def _is_at(self, where: Where, text: str, at: int) -> bool:
        if where in (Where.LINE_START, Where.LINE_END):
            return at == (0 if where is Where.LINE_START else len(text))
        before, behind = text[at - 1 : at] if at else "", text[at : at + 1]
        if where in (Where.ASCII_WORD, Where.ASCII_NOT_WORD):
            differ = _is_ascii_word(before) != _is_ascii_word(behind)
            return differ == (where is Where.ASCII_WORD)
        word_before, word_behind = bool(before) and self._is_word[before], bool(behind) and self._is_word[behind]
        if where is Where.WORD:
            return word_before != word_behind
        if where is Where.WORD_START:
            return not word_before and word_behind
        if where is Where.WORD_END:
            return word_before and not word_behind
        # The others do not hold beside a byte that is no part of a character.
        if where is Where.WORD_START_HALF:
            return not word_before and not _is_broken(before)
        if where is Where.WORD_END_HALF:
            return not word_behind and not _is_broken(behind)
        return word_before == word_behind and not _is_broken(before) and not _is_broken(behind)

    # --- building

    def _add(self, node: Node) -> None:
        if isinstance(node, Literal | Set):
            if node not in self._tests:
                self._tests[node] = _Memory(node)
            self._steps.append(_Step(passes=self._tests[node].__getitem__))
        elif isinstance(node, Look):
            self._steps.append(_Step(where=node.where))
        elif isinstance(node, Concat):
            for part in node.nodes:
                self._add(part)
        elif isinstance(node, Alternate):
            self._add_alternatives(node.nodes)
        else:
            self._add_repeat(node)

    def _add_alternatives(self, nodes: tuple[Node, ...]) -> None:
        split = self._reserve()
        starts, ends = [], []
        for node in nodes:
            starts.append(len(self._steps))
            self._add(node)
            ends.append(self._reserve())
        self._steps[split] = _Step(ways=tuple(starts))
        for end in ends:
            self._steps[end] = _Step(ways=(len(self._steps),))

    def _add_repeat(self, node: Repeat) -> None:
        if node.most is None:
            self._add_endless(node)
            return
        for _ in range(node.least):
            self._add(node.node)
        splits = []
        for _ in range(node.most - node.least):
            splits.append(self._reserve())
            self._add(node.node)
        for split in splits:
            self._split(split, len(self._steps), greedy=node.greedy)

    def _add_endless(self, node: Repeat) -> None:
        """The last time leads back to its own beginning. Also where none is needed: that may be left out as a whole, so that of
        `(0*|a)*` the first way, which may take nothing, is preferred to the second as it is without the star."""
        for _ in range(node.least - 1):
            self._add(node.node)
        split = None if node.least else self._reserve()
        again = len(self._steps)
        self._add(node.node)
        behind = len(self._steps) + 1
        self._steps.append(_Step(ways=(again, behind) if node.greedy else (behind, again)))
        if split is not None:
            self._split(split, behind, greedy=node.greedy)

    def _split(self, at: int, behind: int, *, greedy: bool) -> None:
        self._steps[at] = _Step(ways=(at + 1, behind) if greedy else (behind, at + 1))

    def _reserve(self) -> int:
        self._steps.append(_DONE)
        return len(self._steps) - 1


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _is_broken(character: str) -> bool:
    return "\ud800" <= character <= "\udfff"
