"""The baseline: what a person does with grep. Files by how many distinct words of the question they hold, rare words weighing more.

Case does not matter, and a word may stand inside another, as grep finds it. Of files that hold the same words, the one that holds
them more often comes first. Knows no index.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from scova.evaluation.question import Question
from scova.tokens import words

Read = Callable[[str], str | None]


def grepped(questions: Sequence[Question], files: Iterable[str], read: Read) -> list[list[str]]:
    """For each question the files that hold any of its words, best first. Every file is read once."""
    asked = [frozenset(word.lower() for word in words(question.text)) for question in questions]
    held, count = _held(frozenset().union(*asked), files, read)
    weights = {word: math.log((count + 1) / len(places)) for word, places in held.items()}
    return [_ranked(wanted, held, weights) for wanted in asked]


def _held(wanted: frozenset[str], files: Iterable[str], read: Read) -> tuple[dict[str, Counter[str]], int]:
    """By word, how often each file holds it; and how many files there are."""
    sizes = sorted({len(word) for word in wanted})
    inside: dict[str, tuple[str, ...]] = {}  # which wanted words a word of the files holds
    held: defaultdict[str, Counter[str]] = defaultdict(Counter)
    count = 0
    for path in files:
        count += 1
        for word, times in Counter(words((read(path) or "").lower())).items():
            if word not in inside:
                inside[word] = tuple({part for part in _parts(word, sizes) if part in wanted})
            for part in inside[word]:
                held[part][path] += times
    return held, count


def _parts(word: str, sizes: Sequence[int]) -> Iterable[str]:
    return (word[start : start + size] for size in sizes for start in range(len(word) - size + 1))


def _ranked(wanted: Iterable[str], held: dict[str, Counter[str]], weights: dict[str, float]) -> list[str]:
    scores: defaultdict[str, float] = defaultdict(float)
    times: Counter[str] = Counter()
    for word in sorted(wanted):  # in one order, so that sums never differ in their last bit
        for path, often in held.get(word, Counter()).items():
            scores[path] += weights[word]
            times[path] += often
    return sorted(scores, key=lambda path: (-scores[path], -times[path], path))
