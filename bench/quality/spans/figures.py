"""All figures of a run, from its rows: by kind, by repository, differences with their intervals, what was lost and why."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from typing import Any

from asking import HYBRID, Row
from question import Kind
from scores import Interval, Score, over_repositories
from systems import GREP, NO_VECTORS, SEMBLE_ALL, SEMBLE_CODE

FEWEST = 5  # questions of a kind that a repository needs to count there
ALL = "all"
MEASURES = ("ndcg", "recall", "reciprocal", "file_ndcg", "in_budget")
AGAINST = (GREP, SEMBLE_CODE, SEMBLE_ALL, NO_VECTORS, "text", "vector")
ANSWERABLE = tuple(kind for kind in Kind if kind is not Kind.NOTHING)

Value = Callable[[Row], float]


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Everything that is recorded: numbers and names, no question."""
    answerable = [row for row in rows if row.scores]
    systems = list(answerable[0].scores)
    return {
        "questions": {kind: dict(Counter(row.repository for row in some)) for kind, some in _kinds(rows)},
        "systems": {name: {kind: _scored(name, some) for kind, some in _kinds(answerable)} for name in systems},
        "differences": {
            other: {kind: _difference(other, some) for kind, some in _kinds(answerable)}
            for other in AGAINST
            if other in systems
        },
        "repositories": {
            name: {system: {kind: _plain(system, some) for kind, some in _kinds(mine)} for system in systems}
            for name, mine in _repositories(answerable)
        },
        "reading": reading(answerable),
        "nothing": nothing(rows),
        "losses": losses(answerable),
    }


def mean_of(rows: Sequence[Row], value: Value, kind: str = "") -> Interval | None:
    """The mean over repositories. Of all kinds together, a repository's is the mean of its kinds, so that none outweighs the others."""
    values: dict[str, list[float]] = {}
    for name, mine in _repositories(rows):
        if kind and kind != ALL:
            values[name] = [value(row) for row in mine] if len(mine) >= FEWEST else []
        else:
            values[name] = [
                fmean(map(value, some)) for each, some in _kinds(mine) if each != ALL and len(some) >= FEWEST
            ]
    return over_repositories(values)


def reading(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Characters until the answer, by system; of a question whose answer is not among ten results, those of all ten."""
    found = {name: [row.scores[name].characters for row in rows] for name in rows[0].scores}
    found["grep, whole files"] = [row.whole_files for row in rows]
    share = {name: fmean(row.scores[name].reciprocal > 0 for row in rows) for name in rows[0].scores}
    share["grep, whole files"] = fmean(row.scores[GREP].file_ndcg > 0 for row in rows)
    return {
        name: {"median": median(values), "mean": round(fmean(values)), "found": round(share[name], 3)}
        for name, values in found.items()
    }


def nothing(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """How often scova said that nothing is relevant, by where the question comes from; of the answerable ones, also where an answer
    was among ten."""
    said: dict[str, dict[str, float]] = {}
    for mode in (HYBRID, NO_VECTORS, "text", "vector"):
        groups: dict[str, list[bool]] = {}
        for row in rows:
            kind = row.question.origin if row.question.kind is Kind.NOTHING else row.question.kind.value
            groups.setdefault(kind, []).append(row.nothing[mode])
            side = "unanswerable" if row.question.kind is Kind.NOTHING else "answerable"
            groups.setdefault(side, []).append(row.nothing[mode])
            if row.scores and row.scores[mode].reciprocal > 0:
                groups.setdefault("answerable, and answered", []).append(row.nothing[mode])
        said[mode] = {kind: round(fmean(values), 4) for kind, values in groups.items()}
    return said


def losses(rows: Sequence[Row]) -> dict[str, Any]:
    """How many questions were lost to whom, where, and why; and which were not answered within ten results at all."""
    compared = [other for other in (GREP, SEMBLE_CODE) if other in rows[0].scores]
    found = {f"behind {other}": [row for row in rows if _ahead(row, other, HYBRID)] for other in compared}
    found["not among ten"] = [row for row in rows if not row.scores[HYBRID].reciprocal]
    return {
        name: {
            "questions": len(some),
            "ahead": sum(_ahead(row, HYBRID, name.removeprefix("behind ")) for row in rows)
            if name.startswith("behind")
            else None,
            "by_kind": {kind: len(those) for kind, those in _kinds(some) if kind != ALL},
            "by_repository": {repository: len(those) for repository, those in _repositories(some)},
            "first_reason": dict(Counter(row.reasons[0] for row in some).most_common()),
            "reasons": dict(Counter(one for row in some for one in row.reasons).most_common()),
        }
        for name, some in found.items()
    }


def _ahead(row: Row, one: str, other: str) -> bool:
    return row.scores[one].ndcg > row.scores[other].ndcg


def _scored(system: str, rows: Sequence[Row]) -> dict[str, Any]:
    kind = rows[0].question.kind.value if len({row.question.kind for row in rows}) == 1 else ALL
    return {one: _rounded(mean_of(rows, _value(system, one), kind)) for one in MEASURES}


def _difference(other: str, rows: Sequence[Row]) -> dict[str, Any]:
    kind = rows[0].question.kind.value if len({row.question.kind for row in rows}) == 1 else ALL
    return {
        one: _rounded(mean_of(rows, lambda row, one=one: _of(row, HYBRID, one) - _of(row, other, one), kind))
        for one in MEASURES
    }


def _plain(system: str, rows: Sequence[Row]) -> dict[str, Any]:
    return {one: round(fmean(_of(row, system, one) for row in rows), 4) for one in MEASURES} | {"questions": len(rows)}


def _value(system: str, measure: str) -> Value:
    return lambda row: _of(row, system, measure)


def _of(row: Row, system: str, measure: str) -> float:
    found: Score = row.scores[system]
    value: float = getattr(found, measure)
    return value


def _kinds(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    yield ALL, list(rows)
    for kind in Kind:
        some = [row for row in rows if row.question.kind is kind]
        if some:
            yield kind.value, some


def _repositories(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    for name in dict.fromkeys(row.repository for row in rows):
        yield name, [row for row in rows if row.repository == name]


def _rounded(one: Interval | None) -> list[float] | None:
    return [round(value, 4) for value in one] if one else None
