"""What an evaluation found: figures for each system and kind of question, differences between systems, and every question.

Responsible for which figures there are. Knows nothing of how they are shown.
"""

from collections.abc import Mapping, Sequence

from scova.evaluation.labels import Drawn
from scova.evaluation.measures import Mean, first_rank, mean, ndcg, recall
from scova.evaluation.question import Kind, Question
from scova.evaluation.systems import System
from scova.record import record
from scova.types import Mode

ALL = "all"


@record
class Score:
    """How well a system does on one kind of question."""

    kind: str
    questions: int
    ndcg: Mean
    recall: Mean


@record
class Scored:
    """One system, on all questions and kind by kind."""

    system: System
    scores: tuple[Score, ...]


@record
class Difference:
    """NDCG@10 of one system less that of another, question by question."""

    system: str
    against: str
    kind: str
    questions: int
    ndcg: Mean
    better: int  # questions
    worse: int
    equal: int


@record
class Judged:
    """One question: what each system made of it, by name."""

    question: Question
    ndcg: Mapping[str, float]
    recall: Mapping[str, float]
    first: Mapping[str, int]  # rank of the first relevant file; 0: not among ten


@record
class Evaluation:
    """Everything that was found."""

    root: str
    files: int
    seed: int
    drawn: tuple[Drawn, ...]
    systems: tuple[Scored, ...]
    differences: tuple[Difference, ...]
    judged: tuple[Judged, ...]
    seconds: float

    def losses(self) -> list[Judged]:
        """Questions where what the first difference is against was better, the greatest loss first."""
        if not self.differences:
            return []
        one, other = self.differences[0].system, self.differences[0].against
        worse = [judged for judged in self.judged if judged.ndcg[one] < judged.ndcg[other]]
        return sorted(worse, key=lambda judged: (judged.ndcg[one] - judged.ndcg[other], judged.question.origin))


def judge(question: Question, found: Mapping[str, Sequence[str]]) -> Judged:
    """One question, by what each system found."""
    wanted = frozenset(question.relevant)
    return Judged(
        question,
        {name: ndcg(ranking, wanted) for name, ranking in found.items()},
        {name: recall(ranking, wanted) for name, ranking in found.items()},
        {name: first_rank(ranking, wanted) for name, ranking in found.items()},
    )


def scored(system: System, judged: Sequence[Judged], seed: int) -> Scored:
    """The figures of one system."""
    return Scored(
        system,
        tuple(
            Score(
                kind,
                len(some),
                mean([one.ndcg[system.name] for one in some], seed=seed),
                mean([one.recall[system.name] for one in some], seed=seed),
            )
            for kind, some in _by_kind(judged).items()
        ),
    )


def differences(systems: Sequence[System], grep: System, judged: Sequence[Judged], seed: int) -> tuple[Difference, ...]:
    """Every hybrid against grep, and those of further embedders against that of the first."""
    hybrids = [system.name for system in systems if system.mode == Mode.HYBRID]
    pairs = [(name, grep.name) for name in hybrids] + [(name, hybrids[0]) for name in hybrids[1:]]
    return tuple(_difference(pair, kind, some, seed) for pair in pairs for kind, some in _by_kind(judged).items())


def _difference(pair: tuple[str, str], kind: str, judged: Sequence[Judged], seed: int) -> Difference:
    one, other = pair
    values = [judge.ndcg[one] - judge.ndcg[other] for judge in judged]
    better, worse = sum(value > 0 for value in values), sum(value < 0 for value in values)
    return Difference(
        one, other, kind, len(values), mean(values, seed=seed), better, worse, len(values) - better - worse
    )


def _by_kind(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    """All questions, then those of each kind that was asked."""
    kinds = {kind.value: [one for one in judged if one.question.kind is kind] for kind in Kind}
    return {ALL: list(judged)} | {kind: some for kind, some in kinds.items() if some}
