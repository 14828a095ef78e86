"""What `scova eval` shows, as text and as JSON. Prints nothing."""

import json
from collections.abc import Iterator, Sequence

from scova.cli.render import clean
from scova.counted import counted
from scova.evaluation import Evaluation, Kind
from scova.evaluation.measures import Mean
from scova.evaluation.result import Difference, Judged, Score

FEW = 20  # questions: below that, a table says next to nothing
_CELL = 22
_MEASURES = {"ndcg": "NDCG@10", "recall": "recall@10"}


def as_text(found: Evaluation, losses: int) -> str:
    """A table a person understands in a minute, then what has to be known of it."""
    counts = ", ".join(f"{one.kind} {one.asked}" for one in found.drawn if one.asked)
    lines = [
        f"{clean(found.root)}: {counted(found.files, 'file')}, {counted(len(found.judged), 'question')} ({counts}), seed {found.seed}, {found.seconds:.0f} s",
        "",
    ]
    for measure, title in _MEASURES.items():
        lines += [*_table(found, measure, title), ""]
    lines += [*_verdicts(found), *_remarks(found), *_losses(found, losses)]
    return "\n".join(lines)


def as_json(found: Evaluation, losses: int) -> str:
    """Everything, for programs."""
    fields = {
        "root": found.root,
        "files": found.files,
        "seed": found.seed,
        "seconds": round(found.seconds, 3),
        "kinds": [one._asdict() for one in found.drawn],
        "systems": [
            {**one.system._asdict(), "scores": [_score(score) for score in one.scores]} for one in found.systems
        ],
        "differences": [_difference(one) for one in found.differences],
        "questions": [_question(one) for one in found.judged],
        "losses": [_question(one) for one in found.losses()[:losses]],
    }
    return json.dumps(fields)


def _table(found: Evaluation, measure: str, title: str) -> Iterator[str]:
    width = max(len(title), *(len(row) for row in _names(found))) + 2
    head = [f"{score.kind} ({score.questions})" for score in found.systems[0].scores]
    yield _row(title, head, width)
    for one in found.systems:
        cells = [_cell(getattr(score, measure)) for score in one.scores]
        yield _row(one.system.name, cells, width)
    if measure == "ndcg":
        for name, group in _grouped(found.differences).items():
            yield _row(name, [_cell(one.ndcg, "+") for one in group], width)


def _names(found: Evaluation) -> list[str]:
    return [one.system.name for one in found.systems] + list(_grouped(found.differences))


def _grouped(differences: Sequence[Difference]) -> dict[str, list[Difference]]:
    """The differences of each pair, kind by kind."""
    groups: dict[str, list[Difference]] = {}
    for one in differences:
        groups.setdefault(f"{one.system} − {one.against}", []).append(one)
    return groups


def _row(name: str, cells: Sequence[str], width: int) -> str:
    return (f"{clean(name):<{width}}" + "".join(f"{cell:<{_CELL}}" for cell in cells)).rstrip()


def _cell(mean: Mean, sign: str = "") -> str:
    """A mean and the interval around it."""
    return f"{mean.value:{sign}.2f} ({mean.low:{sign}.2f} … {mean.high:{sign}.2f})"


def _verdicts(found: Evaluation) -> Iterator[str]:
    """In words, what the differences over all questions say."""
    for group in _grouped(found.differences).values():
        one = group[0]
        sure = (
            "better than" if one.ndcg.low > 0 else "worse than" if one.ndcg.high < 0 else "not clearly different from"
        )
        yield (
            f"{clean(one.system)} is {sure} {clean(one.against)}: higher on {one.better} questions, lower on {one.worse}, "
            f"equal on {one.equal}."
        )


def _remarks(found: Evaluation) -> Iterator[str]:
    yield "1 is best. Beside each mean, where it lies with 95 % certainty. Compare rows; labels are noisy, so read no value alone."
    if any(one.kind is Kind.DOCS and one.asked for one in found.drawn):
        yield "docs: asked of a temporary copy from which the doc comments in question were taken out."
    if any(one.kind is Kind.TESTS and one.asked for one in found.drawn):
        yield "tests: the file of the test itself counts for nobody."
    if len(found.judged) < FEW:
        yield f"note: {len(found.judged)} questions are few; the intervals are wide for that."
    for one in found.drawn:
        if not one.asked:
            yield f"left out: {one.kind}: {clean(one.note)}"


def _losses(found: Evaluation, count: int) -> Iterator[str]:
    losses = found.losses()
    if not losses or not count:
        return
    system, other = found.differences[0].system, found.differences[0].against
    yield ""
    yield f"{other} was better than {clean(system)} ({min(count, len(losses))} of {len(losses)}):"
    for one in losses[:count]:
        ranks = f"{other} {_rank(one.first[other])}, {clean(system)} {_rank(one.first[system])}"
        yield f"  {one.question.kind:<8} {clean(one.question.text)}"
        yield f"  {'':<8} → {clean(', '.join(one.question.relevant))}  ({ranks}; {clean(one.question.origin)})"


def _rank(rank: int) -> str:
    return f"at {rank}" if rank else "not in ten"


def _score(score: Score) -> dict[str, object]:
    return {
        "kind": score.kind,
        "questions": score.questions,
        **_mean("ndcg", score.ndcg),
        **_mean("recall", score.recall),
    }


def _difference(one: Difference) -> dict[str, object]:
    names = ("system", "against", "kind", "questions", "better", "worse", "equal")
    return {name: getattr(one, name) for name in names} | _mean("ndcg", one.ndcg)


def _question(one: Judged) -> dict[str, object]:
    question = one.question
    return {
        "kind": question.kind,
        "text": question.text,
        "relevant": list(question.relevant),
        "origin": question.origin,
        "ndcg": {name: round(value, 4) for name, value in one.ndcg.items()},
        "recall": {name: round(value, 4) for name, value in one.recall.items()},
        "first": dict(one.first),
    }


def _mean(name: str, mean: Mean) -> dict[str, float]:
    return {name: round(mean.value, 4), f"{name}_low": round(mean.low, 4), f"{name}_high": round(mean.high, 4)}
