"""Questions from doc comments: the first sentence, answered by the function. The comments in question are taken out of the tree.

Which sentences are questions is what `scova eval` asks too (scova.evaluation.documented); here the answers are spans.
"""

from collections import defaultdict
from typing import NamedTuple

from question import Kind, Question, Span, head
from tree import Tree

from scova.evaluation.documented import Documented, documented, stripped
from scova.parse.outline import outline


class Described(NamedTuple):
    """The questions, placed in the texts without the comments; these texts; and which lines went (from 1), by path."""

    questions: list[Question]
    texts: dict[str, str]
    gone: dict[str, list[int]]


def described(tree: Tree, *, wanted: int, seed: int = 0) -> Described:
    """At most as many as wanted, by lot."""
    by_path: defaultdict[str, list[Documented]] = defaultdict(list)
    for one in documented(tree.code, tree.read, wanted, seed=seed):
        by_path[one.question.relevant[0]].append(one)
    made = Described([], {}, {})
    for path, found in by_path.items():
        text = stripped(tree.texts[path], tree.code[path], found)
        if text is None:
            continue
        made.texts[path] = text
        made.gone[path] = sorted({line + 1 for one in found for line in range(one.lines.first, one.lines.last + 1)})
        symbols = outline(text, tree.code[path]).symbols
        for one in found:
            symbol = symbols[one.number]
            span = head(Span(path, symbol.start_line, symbol.end_line))
            made.questions.append(Question(Kind.DOCS, one.question.text, (span,), one.question.origin))
    return made
