"""A pattern into its syntax tree. Strict, as Rust's regex crate is: what is not understood is refused, with its place."""

import re

from scova.search.regex.pattern.brackets import Brackets
from scova.search.regex.pattern.escapes import escape
from scova.search.regex.pattern.syntax import (
    ANY,
    LINE_FEED,
    Alternate,
    Combined,
    Concat,
    Flags,
    Item,
    Literal,
    Look,
    Named,
    Node,
    Range,
    Repeat,
    Set,
    Where,
    no_line_feed,
    refused,
)

LONGEST = 20_000  # characters of a pattern
MOST_REPEATS = 100_000
_DEEPEST = 100  # groups in groups
_COUNTS = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}")
_GROUP_NAME = re.compile(r"\?P?<([A-Za-z_][A-Za-z0-9_.\[\]]*)>")
_FLAG_LETTERS = "imsUux"


def parse(pattern: str, *, fold: bool = False) -> Node:
    """The tree of a pattern; QueryError, with the place marked, when it cannot be read."""
    _refuse_long(pattern)
    if not pattern.isascii() and any("\ud800" <= character <= "\udfff" for character in pattern):
        raise refused(pattern, 0, "it is not valid text")
    reader = _Parser(pattern, Flags(fold=fold))
    node = reader.alternatives(0)
    if reader.at < len(pattern):
        raise refused(pattern, reader.at, "unopened group")
    return node


def _refuse_long(pattern: str) -> None:
    if len(pattern) > LONGEST:
        raise refused(pattern[:40] + "…", 0, f"it is longer than {LONGEST:,} characters")


def literal(text: str, *, fold: bool = False) -> Node:
    """The tree that matches a text as it is."""
    _refuse_long(text)
    if "\n" in text:
        raise no_line_feed(text)
    return Concat(tuple(Literal(character, fold) for character in text))


class _Parser:
    def __init__(self, pattern: str, flags: Flags) -> None:
        self._pattern = pattern
        self._flags = flags
        self._names: set[str] = set()
        self.at = 0

    def alternatives(self, depth: int) -> Node:
        """Everything up to the end of the group."""
        if depth > _DEEPEST:
            raise refused(self._pattern, self.at, "groups are nested too deeply")
        branches = [self._concatenation(depth)]
        while self._peek() == "|":
            self.at += 1
            branches.append(self._concatenation(depth))
        return _either(self._pattern, branches)

    def _concatenation(self, depth: int) -> Node:
        nodes: list[Node] = []
        repeatable = False  # flags in between, `(?i)`, cannot be repeated
        while (character := self._next()) and character not in "|)":
            if character in "*+?{":
                if not repeatable:
                    raise refused(self._pattern, self.at, "there is nothing to repeat")
                nodes[-1] = self._repeated(nodes[-1])
                continue
            node = self._atom(depth)
            repeatable = node is not None
            if node is not None:
                nodes.append(node)
        return nodes[0] if len(nodes) == 1 else Concat(tuple(nodes))

    def _atom(self, depth: int) -> Node | None:
        character = self._pattern[self.at]
        if character == "(":
            return self._group(depth)
        if character == "[":
            start = self.at
            found, self.at = Brackets(self._pattern, self._flags).read(start)
            return self._checked(found, start)
        if character == "\\":
            return self._escaped()
        self.at += 1
        if character == ".":
            if not self._flags.unicode:
                raise refused(self._pattern, self.at - 1, "`.` for any byte is not supported; leave out `(?-u)`")
            return ANY
        if character in "^$":
            return Look(Where(character))
        return self._checked(self._literal(character), self.at - 1)

    def _escaped(self) -> Node:
        found = escape(self._pattern, self.at, unicode=self._flags.unicode)
        start, self.at = self.at, found.end
        if isinstance(found.value, Named):
            return self._checked(Set((found.value,), fold=self._flags.folds_sets), start)
        if isinstance(found.value, Where):
            return Look(found.value)
        return self._checked(self._literal(found.value), start)

    def _literal(self, character: str) -> Literal | Set:
        """A character; without Unicode, ignoring case stays within ASCII."""
        if self._flags.fold and not self._flags.unicode and character.isascii():
            cases = sorted({character.lower(), character.upper()})
            return Set(tuple(Range(ord(case), ord(case)) for case in cases))
        return Literal(character, self._flags.fold)

    def _checked(self, node: Literal | Set, start: int) -> Literal | Set:
        """Without Unicode, bytes that are no characters could be meant: that is not supported."""
        within = node.character.isascii() if isinstance(node, Literal) else _within_ascii(node)
        if not within and not self._flags.unicode:
            problem = "patterns for single bytes are not supported; leave out `(?-u)`"
            raise refused(self._pattern, start, problem, end=self.at)
        return node

    def _group(self, depth: int) -> Node | None:
        opened, before = self.at, self._flags
        self.at += 1
        if self._peek() == "?" and self._opening(opened):
            return None
        node = self.alternatives(depth + 1)
        if self._peek() != ")":
            raise refused(self._pattern, opened, "unclosed group")
        self.at += 1
        self._flags = before
        return node

    def _opening(self, opened: int) -> bool:
        """Read what stands between `(?` and the content; True if there is none, as in `(?i)`."""
        named = _GROUP_NAME.match(self._pattern, self.at)
        if named:
            if named[1] in self._names:
                raise refused(self._pattern, named.start(1), "duplicate group name", end=named.end(1))
            self._names.add(named[1])
            self.at = named.end()
            return False
        if self._pattern.startswith(("?=", "?!", "?<=", "?<!"), self.at):
            hint = "match what stands beside it as well (`ab` for `a(?=b)`), or leave it out and choose among the lines"
            raise refused(self._pattern, opened, "look-around is not supported", end=self.at + 2, hint=hint)
        if self._pattern.startswith(("?<", "?P"), self.at):
            raise refused(self._pattern, self.at, "invalid group name", end=self.at + 2)
        return self._read_flags()

    def _read_flags(self) -> bool:
        value = True
        self.at += 1
        seen = 0
        while (letter := self._peek()) not in (":", ")"):
            if not letter:
                raise refused(self._pattern, self.at - 1, "unclosed flags")
            if letter == "-" and value:
                value = False
            elif letter in _FLAG_LETTERS:
                self._set_flag(letter, value)
            else:
                why = "the flag R is not supported" if letter == "R" else "unrecognized flag"
                raise refused(self._pattern, self.at, why)
            seen += 1
            self.at += 1
        if letter == ")" and not seen:
            raise refused(self._pattern, self.at - 1, "there is nothing to repeat")
        self.at += 1
        return letter == ")"

    def _set_flag(self, letter: str, value: bool) -> None:
        fields = {"i": "fold", "U": "lazy", "x": "spaced", "u": "unicode"}
        if letter in fields:  # `m` and `s` make no difference within a line
            self._flags = self._flags._replace(**{fields[letter]: value})

    def _repeated(self, node: Node) -> Node:
        character, start = self._pattern[self.at], self.at
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1), "{": (0, None)}[character]
        if character == "{":
            least, most = self._counts()
        else:
            self.at += 1
        greedy = not self._flags.lazy
        if self._peek() == "?":
            self.at += 1
            greedy = not greedy
        if max(least, most or 0) > MOST_REPEATS:
            raise refused(self._pattern, start, f"it repeats more than {MOST_REPEATS:,} times", end=self.at)
        return Repeat(node, least, most, greedy)

    def _counts(self) -> tuple[int, int | None]:
        found = _COUNTS.match(self._pattern, self.at)
        if found is None:
            raise refused(self._pattern, self.at, "a repetition needs numbers: {2}, {2,} or {2,5}")
        least = int(found[1])
        most = least if not found[2] else int(found[3]) if found[3] else None
        if most is not None and most < least:
            raise refused(self._pattern, self.at, "the repetition ends before it begins", end=found.end())
        self.at = found.end()
        return least, most

    def _peek(self) -> str:
        return self._pattern[self.at : self.at + 1]

    def _next(self) -> str:
        """The next character that means something."""
        while self._flags.spaced and self._peek() and (self._peek().isspace() or self._peek() == "#"):
            if self._peek() == "#":
                end = self._pattern.find("\n", self.at)
                self.at = end if end >= 0 else len(self._pattern)
            else:
                self.at += 1
        return self._peek()


def _within_ascii(item: Item) -> bool:
    """Whether every character of a set is certainly an ASCII one."""
    if isinstance(item, Range):
        return item.high < 128
    if isinstance(item, Named):
        return item.ascii and not item.negated
    if isinstance(item, Combined):
        return _within_ascii(item.left) and _within_ascii(item.right)
    return not item.negated and all(map(_within_ascii, item.items))


def _either(pattern: str, branches: list[Node]) -> Node:
    """Alternatives; single characters become one set, so that a line feed among them can be left out as from any set."""
    if len(branches) == 1:
        return branches[0]
    items: list[Range | Set] = []
    for branch in branches:
        if isinstance(branch, Literal) and not branch.fold:
            items.append(Range(ord(branch.character), ord(branch.character)))
        elif isinstance(branch, Set) and not branch.fold:
            items.append(branch)
        else:
            return Alternate(tuple(branches))
    return Set(tuple(items))


def refuse_line_feeds(node: Node, pattern: str) -> None:
    """Raise for a line feed that is asked for as such. In a set it is one of several, and simply never found."""
    if isinstance(node, Literal) and node.character == "\n":
        raise no_line_feed(pattern)
    if isinstance(node, Set) and node == Set((Set((Range(LINE_FEED, LINE_FEED),), fold=node.fold),), fold=node.fold):
        raise no_line_feed(pattern)
    if isinstance(node, Repeat):
        refuse_line_feeds(node.node, pattern)
    elif isinstance(node, Concat | Alternate):
        for part in node.nodes:
            refuse_line_feeds(part, pattern)
