"""Why a question was lost: what stood where the answer should have been. Looks at one ranking beside the labels."""

from collections.abc import Mapping, Sequence

from question import Question
from scores import Found, judged, right

from scova.evaluation.question import real_words
from scova.parse.tags import tags_of
from scova.tokens import scored_terms, words

MANY = 0.5  # of the results before the answer
FEW = 0.34  # of the question's words

NOT_INDEXED = "the file is not in the index"
WRONG_LINES = "right file, wrong lines"
ONLY_MAP = "right file, but only its map of symbols"
TESTS = "tests stand before it"
DOCS = "documentation stands before it"
SAME_FILE = "other lines of the right file stand before it"
NO_WORDS = "few words shared: at most a third of the question's stand in the answer or its path"
OTHER = "other code stands before it"
BY_TEXT = "text alone finds it"
BY_VECTOR = "vectors alone find it"
MAPS = "maps of symbols stand before it"


def reasons(
    told: Mapping[str, Sequence[Found]], question: Question, texts: Mapping[str, str], indexed: set[str]
) -> list[str]:
    """Everything that is so, the most telling first; beside one of the first eight, maybe some of the last three.

    `told` has the rankings of scova by mode."""
    found = judged(told["hybrid"], question)
    first = next((rank for rank, new in enumerate(right(found, question)) if new), None)
    before = found[:first]
    missed = first is None
    wanted = {span.path for span in question.spans}
    there = [one.shown for one in before if one.span.path in wanted]
    tags = [tags_of(one.span.path) for one in before]
    main = {
        NOT_INDEXED: not wanted & indexed,
        WRONG_LINES: missed and any(there),
        ONLY_MAP: missed and bool(there) and not any(there),
        TESTS: _many(["test" in one for one in tags]),
        DOCS: _many(["docs" in one and "test" not in one for one in tags]),
        SAME_FILE: _many([one.span.path in wanted for one in before]),
        NO_WORDS: shared(question, texts) <= FEW,
    }
    beside = {
        BY_TEXT: missed and _hits(told["text"], question),
        BY_VECTOR: missed and _hits(told["vector"], question),
        MAPS: any(not one.shown for one in before),
    }
    return ([why for why, so in main.items() if so] or [OTHER]) + [why for why, so in beside.items() if so]


def shared(question: Question, texts: Mapping[str, str]) -> float:
    """Which part of the question's words stands in the best of its answers, or in the answer's path, by stem."""
    asked = {stem for word in real_words(question.text) for stem in scored_terms(word)}
    best = 0.0
    for span in question.spans:
        rows = texts.get(span.path, "").split("\n")[span.first - 1 : span.last]
        stems = {stem for word in words(span.path + " " + "\n".join(rows)) for stem in scored_terms(word)}
        best = max(best, len(asked & stems) / max(1, len(asked)))
    return best


def _hits(found: Sequence[Found], question: Question) -> bool:
    return any(right(judged(found, question), question))


def _many(values: Sequence[bool]) -> bool:
    return bool(values) and sum(values) >= MANY * len(values)
