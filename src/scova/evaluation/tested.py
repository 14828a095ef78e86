"""Questions from tests: the name of a test in words, answered by the files of what it calls for certain.

Responsible for what a test is called and which of its calls lead to its subject. The test's own file says the same words, so no
ranking is judged by it.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping

from scova.answers import CallTree, Certainty, Outlines
from scova.evaluation.question import Kind, Question, lot, real_words
from scova.parse.tags import tags_of
from scova.record import record
from scova.tokens import parts
from scova.types import Symbol

FEWEST_WORDS = 2
MOST_SUBJECTS = 3  # files: a test that calls into more is about how they work together
PER_FILE = 6
PER_SUBJECT = 5  # tests with the same answer: most tests of a library call its one entrance
MOST_FILES = 2000

_KINDS = frozenset(("function", "method"))
_NAMED = re.compile(r"_*(?:tests?(?=[_A-Z0-9])|Tests?(?=[_A-Z0-9])|should_|it_)_*")
_MARKED = re.compile(
    r"\b(?:test|tests|testcase|testmethod|fact|theory|rstest|parameterizedtest|gtest)\b", re.IGNORECASE
)


@record
class Structure:
    """What is asked of an index here."""

    outline: Callable[[str], Outlines]
    callees: Callable[[str], CallTree]


def tested(files: Mapping[str, str], structure: Structure, wanted: int, *, seed: int) -> list[Question]:
    """At most as many as wanted, in an order by chance that the seed decides."""
    paths = [path for path, language in files.items() if language and "test" in tags_of(path)]
    paths.sort(key=lambda path: lot(seed, path))
    found: dict[str, list[Question]] = {}
    answered: Counter[tuple[str, ...]] = Counter()
    for path in paths[:MOST_FILES]:
        for question in _in_file(path, structure, seed=seed):
            answered[question.relevant] += 1
            if answered[question.relevant] <= PER_SUBJECT:
                found.setdefault(question.text, []).append(question)
        if len(found) >= wanted:
            break
    once = [same[0] for same in found.values() if len(same) == 1]  # tests of the same name ask for different things
    once.sort(key=lambda question: lot(seed, *question.ignored, question.text))
    return once[:wanted]


def question_of(symbol: Symbol) -> str:
    """What the name of a test asks for; empty when it is no test, or says too little."""
    named = _NAMED.match(symbol.name)
    if not named and not any(_MARKED.search(one) for one in symbol.decorators):
        return ""
    text = " ".join(
        piece for word in re.findall(r"\w+", symbol.name[named.end() if named else 0 :]) for piece in parts(word)
    )
    return text if len(real_words(text)) >= FEWEST_WORDS else ""


def _in_file(path: str, structure: Structure, *, seed: int) -> list[Question]:
    tests = [
        (question_of(one.symbol), one.symbol)
        for file in structure.outline(path).files
        for one in file.definitions
        if one.symbol.kind in _KINDS
    ]
    tests = sorted((test for test in tests if test[0]), key=lambda test: lot(seed, test[0]))
    found: list[Question] = []
    for text, symbol in tests[: 2 * PER_FILE]:
        subjects = _subjects(structure.callees(f"{path}:{symbol.qualified}"))
        if 1 <= len(subjects) <= MOST_SUBJECTS and len(found) < PER_FILE:
            origin = f"{path}:{symbol.start_line}"
            found.append(Question(Kind.TESTS, text, subjects, origin, frozenset((path,))))
    return found


def _subjects(tree: CallTree) -> tuple[str, ...]:
    """Files of this project that are no tests and are called for certain."""
    nodes = [node for root in tree.roots for node in root.nodes]
    certain = {node.path for node in nodes if node.definition and node.certainty is Certainty.RESOLVED}
    return tuple(sorted(path for path in certain if path and not tags_of(path)))
