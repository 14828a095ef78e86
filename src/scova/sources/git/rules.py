"""The patterns of one ignore file, compiled: which of them decides about a name.

Reads the lines as git does (comments, escapes, trailing spaces, `!`, anchoring, folders only) and answers with the last
one that matches. Plain names, `*.suffix` and plain paths are looked up; only the rest is matched, in one regular
expression whose first alternative is the last line. Knows one file; how files override each other is `ignore`'s.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from scova.core.path_text import stored
from scova.sources.git.controls import Controls
from scova.sources.git.wildmatch import literal_length, translate

MOST_PATTERNS = 20_000  # of one file
MOST_WORK = 4_000  # that wildcards may cost: they are tried one after the other for every file
_COSTS = ((b"**", 4), (b"*", 4), (b"[", 2), (b"?", 1))


class Kind(Enum):
    """Whose rule it is: git's exempts what git tracks, a plain `.ignore` does not, ours may also overrule our defaults."""

    GIT = "git"
    PLAIN = "plain"
    SCOVA = "scova"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    pattern: str  # as it is written
    origin: str  # the file, as shown to a user
    line: int
    kind: Kind
    negated: bool  # it brings back instead of leaving out


@dataclass(frozen=True, slots=True)
class _Pattern:
    text: bytes  # without `!` and the trailing slash
    folders_only: bool
    by_name: bool  # it has no slash, so it is about the last component


class _Table:
    """Patterns for one type of entry, each found by what is cheapest; an answer is the highest number that matches."""

    __slots__ = ("_name_order", "_name_regex", "_names", "_path_order", "_path_regex", "_paths", "_suffixes")

    def __init__(self, patterns: Iterable[tuple[int, _Pattern]]) -> None:
        self._names: dict[bytes, int] = {}
        self._suffixes: dict[bytes, int] = {}
        self._paths: dict[bytes, int] = {}
        names: list[tuple[int, bytes]] = []
        paths: list[tuple[int, bytes]] = []
        for number, pattern in patterns:
            text = pattern.text
            literal = literal_length(text)
            if literal == len(text):
                (self._names if pattern.by_name else self._paths)[text.removeprefix(b"/")] = number
            elif pattern.by_name and _is_suffix(text):
                self._suffixes[text[1:]] = number
            elif pattern.by_name:
                names.append((number, translate(text, deep=False) or b""))
            else:
                # Git compares the plain beginning first and matches only the rest, so that `a**/b` crosses folders.
                rest = translate(text[literal:], deep=True)
                head = re.escape(text[:literal].removeprefix(b"/"))
                paths.append((number, b"" if rest is None else head + rest))
        self._name_regex, self._name_order = _alternatives(names)
        self._path_regex, self._path_order = _alternatives(paths)

    def last(self, name: bytes, path: bytes, start: int) -> int:
        """The number of the last pattern that matches; -1 if none does. The rules' own folder ends at path[:start]."""
        best = self._names.get(name, -1)
        if self._suffixes and (number := self._suffixes.get(name[name.rfind(b".") :], -1)) > best:
            best = number
        if self._name_regex is not None and (found := self._name_regex.fullmatch(name)) is not None:
            best = max(best, self._name_order[found.lastindex or 0])
        if self._paths and (number := self._paths.get(path[start:], -1)) > best:
            best = number
        if self._path_regex is not None and (found := self._path_regex.fullmatch(path, start)) is not None:
            best = max(best, self._path_order[found.lastindex or 0])
        return best


def _is_suffix(text: bytes) -> bool:
    """Whether it is `*.suffix`, with no other dot and nothing special in the suffix."""
    return text[:2] == b"*." and b"." not in text[2:] and literal_length(text[1:]) == len(text) - 1


def _alternatives(patterns: list[tuple[int, bytes]]) -> tuple[re.Pattern[bytes] | None, list[int]]:
    """One expression in which the highest number is tried first, and the number of each of its groups."""
    last_first = [(number, regex) for number, regex in reversed(patterns) if regex]
    if not last_first:
        return None, []
    regex = re.compile(b"|".join(b"(" + regex + b")" for _, regex in last_first), re.DOTALL)
    return regex, [-1, *(number for number, _ in last_first)]


class Rules:
    """The compiled lines of one ignore file. Immutable."""

    __slots__ = ("_files", "_folders", "_rules", "kind", "left_aside")

    def __init__(self, content: bytes, origin: str, kind: Kind) -> None:
        self.kind = kind
        rules: list[Rule] = []
        patterns: list[_Pattern] = []
        work = 0
        self.left_aside = 0  # the first line that is too much, with all that follow it; 0 for none
        for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
            work += _cost(line)
            if len(rules) >= MOST_PATTERNS or work > MOST_WORK:
                self.left_aside = number
                break
            if (text := _clean(line)) and (pattern := _parse(text)).text.strip(b"/"):
                patterns.append(pattern)
                rules.append(Rule(text.decode("utf-8", "replace"), origin, number, kind, text.startswith(b"!")))
        self._rules = tuple(rules)
        self._folders = _Table(enumerate(patterns))
        self._files = _Table((number, pattern) for number, pattern in enumerate(patterns) if not pattern.folders_only)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def deciding(self, path: bytes, *, name: bytes, start: int, is_folder: bool) -> Rule | None:
        """The last line that matches, or None. `path` ends with `name`; the folder of this file is path[:start]."""
        number = (self._folders if is_folder else self._files).last(name, path, start)
        return None if number < 0 else self._rules[number]


def rules_of(path: Path, content: bytes | None, kind: Kind, *, shown: str, controls: Controls) -> Rules:
    """The rules of one file, with a word where they are too many."""
    rules = Rules(content or b"", shown, kind)
    if rules.left_aside:
        controls.problems[stored(path)] = (
            f"its patterns are too many: those from line {rules.left_aside} on do not count"
        )
    return rules


def _cost(line: bytes) -> int:
    """What it costs to hold a pattern against a name; nothing for those that are looked up."""
    text = line.removeprefix(b"!").rstrip()
    if text.startswith(b"#") or literal_length(text) == len(text):
        return 0
    return 0 if b"/" not in text and _is_suffix(text) else 1 + sum(text.count(sign) * cost for sign, cost in _COSTS)


def _clean(line: bytes) -> bytes:
    """The pattern of a line as git takes it: empty for comments, without trailing spaces unless they are escaped."""
    if line.startswith(b"#"):
        return b""
    text = line.removesuffix(b"\r").split(b"\0", 1)[0]
    kept = text.rstrip(b" ")
    if kept == text:
        return text
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return kept + b" " if backslashes % 2 else kept


def _parse(text: bytes) -> _Pattern:
    text = text.removeprefix(b"!")
    folders_only = text.endswith(b"/")
    text = text.removesuffix(b"/")
    return _Pattern(text, folders_only, by_name=b"/" not in text)
