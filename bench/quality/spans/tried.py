"""Questions from tests: the name of a test, in words, answered by the functions that it calls.

A call counts where its name is telling, only one function outside of tests has it, and few files of tests call it: what many call is
there to make ready, not to be tried. The test stands in the index and says the
question's words; no result is judged by it, but every other test may come before the answer.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from question import Kind, Question, Span
from tree import FUNCTIONS, Tree, telling

from scova.evaluation.question import lot, plain, real_words
from scova.evaluation.tested import FEWEST_WORDS
from scova.evaluation.tested import question_of as named
from scova.parse.tags import tags_of

MOST_SUBJECTS = 3
PER_FILE = 6
PER_SUBJECT = 3
MOST_CALLING = 3  # files of tests
_SAID = re.compile(
    r"""^(\s*)(?:it|test|specify|property)(?:\.\w+)*(?:\(\s*|\s+)(["'`])(.+?)\2"""
)  # it("…"), test "…" do


def tried(tree: Tree, *, wanted: int, seed: int = 0) -> list[Question]:
    """At most as many as wanted, by lot; each text once."""
    paths = sorted((path for path in tree.code if "test" in tags_of(path)), key=lambda path: lot(seed, path))
    calling = Counter(name for path in paths for name in {call.name for call in tree.outline(path).calls})
    subjects = {
        name: span
        for name, (symbol, span) in tree.once.items()
        if symbol.kind in FUNCTIONS and telling(name) and calling[name] <= MOST_CALLING
    }
    answered: Counter[tuple[Span, ...]] = Counter()
    found: list[Question] = []
    for path in paths:
        inside = sorted(_in_file(tree, path, subjects), key=lambda one: lot(seed, one.text))
        for one in inside[:PER_FILE]:
            answered[one.spans] += 1
            if answered[one.spans] <= PER_SUBJECT:
                found.append(one)
    times = Counter(one.text.lower() for one in found)
    once = [one for one in found if times[one.text.lower()] == 1]
    return sorted(once, key=lambda one: lot(seed, one.origin, one.text))[:wanted]


def tests_of(tree: Tree, path: str) -> Iterator[tuple[str, Span]]:
    """What the tests of a file are called, and where they stand: functions by name or annotation, and those that are told in a string."""
    for symbol, span in tree.functions(path):
        if text := named(symbol):
            yield text, span
    rows = tree.texts[path].split("\n")
    for number, row in enumerate(rows):
        said = _SAID.match(row)
        if said and len(real_words(plain(said[3]))) > FEWEST_WORDS:
            yield plain(said[3]), Span(path, number + 1, _end(rows, number, len(said[1])))


def _in_file(tree: Tree, path: str, subjects: Mapping[str, Span]) -> Iterator[Question]:
    calls = tree.outline(path).calls
    for text, span in tests_of(tree, path):
        names = {call.name for call in calls if span.first <= call.line <= span.last}
        called = {subjects[name] for name in names if name in subjects}
        if 1 <= len(called) <= MOST_SUBJECTS:
            yield Question(Kind.TESTS, text, tuple(sorted(called)), f"{path}:{span.first}", span)


def _end(rows: list[str], start: int, indent: int) -> int:
    """The line that ends a block: the first below it that is no deeper than its beginning."""
    for number in range(start + 1, len(rows)):
        row = rows[number]
        if row.strip() and len(row) - len(row.lstrip()) <= indent:
            return number + 1
    return len(rows)
