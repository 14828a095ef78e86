"""Questions that have no answer here: those of other repositories, of other domains, and random words.

Each has at least two real words that stand nowhere in the tree, not even inside another word. A question whose every word stands somewhere
may have an answer, and no script can tell, so none of those is asked.
"""

import random
from collections.abc import Iterable, Iterator, Sequence

from question import Kind, Question
from tree import Tree
from unanswerable import FOREIGN, nonsense

from scova.evaluation.question import lot, real_words

UNKNOWN = 2
OTHER_REPOSITORY, OTHER_DOMAIN, RANDOM = "other repository", "other domain", "random words"
SHARES = {OTHER_REPOSITORY: 0.5, OTHER_DOMAIN: 0.3, RANDOM: 0.2}


def unanswered(tree: Tree, others: Sequence[Question], name: str, *, wanted: int) -> list[Question]:
    """So many, by lot, which the name decides; `others` are answerable questions about other repositories."""
    chance = random.Random(name)
    offered: dict[str, Iterable[str]] = {
        OTHER_REPOSITORY: sorted({one.text for one in others}, key=lambda text: lot(0, name, text)),
        OTHER_DOMAIN: sorted(FOREIGN, key=lambda text: lot(0, name, text)),
        RANDOM: (nonsense(chance) for _ in range(1000)),
    }
    return [
        Question(Kind.NOTHING, text, (), origin)
        for origin, texts in offered.items()
        for text in _first(texts, tree, round(SHARES[origin] * wanted))
    ]


def is_foreign(text: str, tree: Tree) -> bool:
    """Whether two of its words or more are unheard of here."""
    return sum(word not in tree.said for word in set(real_words(text))) >= UNKNOWN


def _first(texts: Iterable[str], tree: Tree, wanted: int) -> Iterator[str]:
    for text in texts:
        if wanted == 0:
            return
        if is_foreign(text, tree):
            wanted -= 1
            yield text
