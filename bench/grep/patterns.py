"""Patterns as people and agents write them, made from the text of a tree by a seeded generator: words, literals, expressions."""

import random
import re
from pathlib import Path
from typing import NamedTuple


class Pattern(NamedTuple):
    """A pattern and ripgrep's flags for it."""

    text: str
    flags: tuple[str, ...] = ()


_CLASSES = (
    r"\w",
    r"\d",
    r"\s",
    r"\S",
    r"[a-z]",
    r"[A-Z]",
    r"[^a-z]",
    ".",
    r"[0-9a-f]",
    r"\W",
    r"[[:alpha:]]",
    r"[^\s\w]",
    r"\pL",
    r"[\w&&[^_]]",
)
_REPEATS = ("*", "+", "?", "{2}", "{1,3}", "{3,}", "*?", "+?")
_FIXED = (
    Pattern("^$"), Pattern(""), Pattern(r"^\s+$"), Pattern(r"\bTODO\b"), Pattern("é"), Pattern(r"[^\x00-\x7F]"), Pattern(r"\p{Greek}"),
    Pattern("k", ("-i", "-w")), Pattern("ſ", ("-i",)), Pattern("ﬀ"), Pattern(r"\r$"), Pattern(r"(?i)straße"), Pattern(r"\b\W\b"),
    Pattern(r"\B-\B"), Pattern("x", ("-v", "-w")), Pattern(r"^(?:[^a]|a[^b])*$"), Pattern(r"(?:a*)*b"), Pattern(r"(x+x+)+y"),
    Pattern("日本", ("-i",)), Pattern(r"\b\p{L}+é"), Pattern("->", ("-F",)), Pattern("[", ("-F",)), Pattern("İ", ("-i",)),
    Pattern(r"\b{start}un|re\b{end}"), Pattern(r"\w+", ("-w",)), Pattern(r"a|e", ("-w", "-i")), Pattern(r"[^\W\d_]{20,}"),
)  # fmt: skip


class Generator:
    """Patterns from the lines of a tree."""

    def __init__(self, lines: list[str], seed: int) -> None:
        self._random = random.Random(seed)
        self._lines = lines
        self._words = sorted({word for line in lines for word in re.findall(r"\w{2,}", line)})

    def patterns(self, count: int) -> list[Pattern]:
        """So many patterns; some that are known to be awkward are among them."""
        made = [self._made() for _ in range(count - len(_FIXED))]
        return [*_FIXED, *made][:count]

    def _made(self) -> Pattern:
        kinds = (self._word, self._literal, self._escaped, self._holed, self._alternatives, self._anchored, self._mixed)
        text, fixed = self._random.choice(kinds)()
        flags = [
            flag
            for flag, share in (("-i", 0.25), ("-w", 0.15), ("-v", 0.03), ("-S", 0.05), ("-x", 0.03))
            if self._random.random() < share
        ]
        return Pattern(text, (*flags, *(("-F",) if fixed else ())))

    def _word(self) -> tuple[str, bool]:
        return self._random.choice(self._words), False

    def _piece(self, longest: int = 20) -> str:
        line = self._random.choice(self._lines)
        start = self._random.randrange(len(line))
        return line[start : start + self._random.randint(1, longest)]

    def _literal(self) -> tuple[str, bool]:
        return self._piece(), True

    def _escaped(self) -> tuple[str, bool]:
        return _escape(self._piece()), False

    def _holed(self) -> tuple[str, bool]:
        """A piece of text in which some characters are replaced by what matches them."""
        piece = self._piece(30)
        out = ""
        for character in piece:
            if self._random.random() < 0.2:
                out += self._random.choice([item for item in (*_CLASSES, r"\w*", r".*", r".+?", r"\S+", r"\s*")])
            else:
                out += _escape(character)
        return out, False

    def _alternatives(self) -> tuple[str, bool]:
        pieces = [_escape(self._piece(8)) for _ in range(self._random.randint(2, 5))]
        around = _escape(self._piece(3))
        return f"{around}(?:{'|'.join(pieces)})" if self._random.random() < 0.5 else "|".join(pieces), False

    def _anchored(self) -> tuple[str, bool]:
        before = self._random.choice(("^", r"^\s*", r"\b", "", r"\B"))
        behind = self._random.choice(("$", r"\b", "", r"\s*$", r"\W*$", r"\B"))
        return before + _escape(self._random.choice(self._words)) + behind, False

    def _mixed(self) -> tuple[str, bool]:
        """Words, sets and repetitions in any order."""
        out = ""
        for _ in range(self._random.randint(1, 4)):
            kind = self._random.random()
            if kind < 0.45:
                out += _escape(self._random.choice(self._words)[: self._random.randint(1, 6)])
            elif kind < 0.8:
                out += self._random.choice(_CLASSES) + self._random.choice(("", *_REPEATS))
            else:
                out += f"({_escape(self._piece(4))}){self._random.choice(('', *_REPEATS))}"
        return out, False


def lines_of(root: Path, paths: list[str], *, most: int = 40_000, seed: int = 0) -> list[str]:
    """Lines of some files to make patterns from."""
    found: list[str] = []
    for path in random.Random(seed).sample(paths, len(paths)):
        try:
            text = (root / path).read_text()
        except (OSError, UnicodeDecodeError):
            continue
        found += [line for line in text.split("\n") if line.strip() and len(line) < 300]
        if len(found) > most:
            break
    return found


def _escape(text: str) -> str:
    return re.sub(r"[.+*?()|\[\]{}^$\\#&~-]", lambda match: "\\" + match[0], text)
