"""Questions from guides: a sentence that names one symbol of the code, without the name, answered by the symbol's definition.

The section around it stands in the index and says the question's words; no result is judged by it.
"""

import re
from collections import Counter
from collections.abc import Iterator

from question import Kind, Question, Span
from tree import Tree, telling

from scova.evaluation.history import is_log
from scova.evaluation.question import lot, plain, real_words
from scova.parse.language import kind_of
from scova.parse.prose import sections
from scova.parse.tags import tags_of
from scova.parse.tiling.lines import Lines
from scova.tokens import words

FEWEST_WORDS, MOST_WORDS = 5, 40
PER_FILE = 8
_UNWRITTEN = frozenset(("vendored", "generated", "test"))
_QUOTED = re.compile(r"``?([^`\n]+)``?(?:_\b)?")
_NAME = re.compile(r"(?:[\w$]+(?:\.|::|#|->|/))*([A-Za-z_]\w*[?!]?)(?:/\d|\([^()]*\))?")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z(`\[*])|\n\s*\n|\n\s*(?=[-*+#|]\s|\d+\.\s)")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


def guided(tree: Tree, *, wanted: int, seed: int = 0) -> list[Question]:
    """At most as many as wanted, by lot; each definition is asked for once."""
    paths = [path for path in tree.texts if _is_guide(tree, path)]
    paths.sort(key=lambda path: lot(seed, path))
    asked: set[Span] = set()
    found: list[Question] = []
    for path in paths:
        inside = [one for one in _in_file(tree, path) if one.spans[0] not in asked]
        inside.sort(key=lambda one: lot(seed, one.text))
        fresh = list({one.spans[0]: one for one in reversed(inside)}.values())[:PER_FILE]
        asked.update(one.spans[0] for one in fresh)
        found += fresh
    times = Counter(one.text.lower() for one in found)
    once = [one for one in found if times[one.text.lower()] == 1]
    return sorted(once, key=lambda one: lot(seed, one.text))[:wanted]


def _is_guide(tree: Tree, path: str) -> bool:
    tags = set(tags_of(path))
    return kind_of(tree.languages[path]) == "prose" and not is_log(path) and not tags & _UNWRITTEN


def _in_file(tree: Tree, path: str) -> Iterator[Question]:
    text = tree.texts[path]
    rows = text.split("\n")
    for section in sections(Lines.of(text), tree.languages[path]):
        source = Span(path, section.start_line, section.end_line)
        body = "\n".join(_without_code(rows[section.start_line : section.end_line]))
        for sentence in _SENTENCE.split(body):
            name = named_in(sentence, tree)
            asked = question_of(sentence, name, tree) if name else ""
            if asked:
                yield Question(Kind.GUIDES, asked, (tree.once[name][1],), f"{path}:{section.start_line}", source)


def named_in(sentence: str, tree: Tree) -> str:
    """The one symbol that a sentence names; empty if there is none, or several."""
    named = {name for quoted in _QUOTED.findall(sentence) if (name := symbol_of(quoted, tree))}
    return named.pop() if len(named) == 1 else ""


def symbol_of(quoted: str, tree: Tree) -> str:
    """The name of the definition that some quoted code names; empty if it names none, or one of several."""
    found = _NAME.fullmatch(quoted.strip())
    return found[1] if found and telling(found[1]) and found[1] in tree.once else ""


def question_of(sentence: str, name: str, tree: Tree) -> str:
    """A sentence that names this symbol as a question that does not; empty if it says too little, or is said elsewhere too."""
    bare = _QUOTED.sub(lambda quoted: " " if symbol_of(quoted[1], tree) == name else quoted[1], sentence)
    text = plain(re.sub(rf"\b{re.escape(name)}\b", " ", re.sub(r"\]\([^)]*\)|<[^<>]*>", " ", bare)))
    if (
        sentence.lstrip().startswith("|")
        or not text.isascii()
        or len(real_words(text)) < FEWEST_WORDS
        or len(text.split()) > MOST_WORDS
    ):
        return ""
    said = f" {' '.join(words(sentence.lower()))} "
    return text if tree.said.count(said) == 1 else ""


def _without_code(rows: list[str]) -> Iterator[str]:
    fenced = False
    for row in rows:
        if _FENCE.match(row):
            fenced = not fenced
            yield ""
        elif not fenced:
            yield row
