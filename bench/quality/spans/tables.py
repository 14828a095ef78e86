"""The figures of a run as tables in Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from question import Kind

ALL = "all"
_KINDS = (ALL, *(kind.value for kind in Kind if kind is not Kind.NOTHING))
_SAID = ("ndcg", "recall", "reciprocal", "file_ndcg", "in_budget")


def printed(found: Mapping[str, Any], languages: Mapping[str, str]) -> str:
    """All tables, each with a line above it."""
    tables = [
        ("Questions", _questions(found["questions"])),
        ("Mean over repositories, by spans", _systems(found["systems"])),
        *((f"{_NAMES[one]} by kind", _by_kind(found, one)) for one in _SAID),
        ("hybrid less another, NDCG@10 by spans", _differences(found["differences"])),
        ("NDCG@10 by spans, by repository", _by_repository(found["repositories"], languages)),
        ("Characters that are read", _reading(found["reading"])),
        ("Said that nothing is relevant, percent", _nothing(found["nothing"])),
        ("Lost questions", _losses(found["losses"])),
    ]
    return "\n\n".join(f"{title}:\n\n{table}" for title, table in tables)


_NAMES = {
    "ndcg": "NDCG@10 by spans",
    "recall": "recall@10 by spans",
    "reciprocal": "MRR@10 by spans",
    "file_ndcg": "NDCG@10 by files",
    "in_budget": "answered within 8,000 characters",
}


def _table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _interval(one: Sequence[float] | None, sign: str = "") -> str:
    return "–" if one is None else f"{one[0]:{sign}.2f} ({one[1]:{sign}.2f} … {one[2]:{sign}.2f})"


def _first(one: Sequence[float] | None) -> str:
    return "–" if one is None else f"{one[0]:.3f}"


def _questions(found: Mapping[str, Mapping[str, int]]) -> str:
    names = list(found[ALL])
    return _table(
        ("kind", *names, "sum"),
        ((kind, *(some.get(name, 0) for name in names), sum(some.values())) for kind, some in found.items()),
    )


def _systems(found: Mapping[str, Any]) -> str:
    head = ("system", "NDCG@10", "recall@10", "MRR@10", "NDCG@10 of files", "in 8,000 characters")
    return _table(head, ((name, *(_interval(kinds[ALL][one]) for one in _SAID)) for name, kinds in found.items()))


def _by_kind(found: Mapping[str, Any], measure: str) -> str:
    kinds = [kind for kind in _KINDS if kind in next(iter(found["systems"].values()))]
    return _table(
        ("system", *kinds),
        ((name, *(_first(some[kind][measure]) for kind in kinds)) for name, some in found["systems"].items()),
    )


def _differences(found: Mapping[str, Any]) -> str:
    kinds = [kind for kind in _KINDS if kind in next(iter(found.values()))]
    return _table(
        ("hybrid less", *kinds),
        ((name, *(_interval(some[kind]["ndcg"], "+") for kind in kinds)) for name, some in found.items()),
    )


def _by_repository(found: Mapping[str, Any], languages: Mapping[str, str]) -> str:
    systems = list(next(iter(found.values())))
    return _table(
        ("repository", "language", "questions", *systems),
        (
            (
                name,
                languages[name],
                some[systems[0]][ALL]["questions"],
                *(f"{some[one][ALL]['ndcg']:.3f}" for one in systems),
            )
            for name, some in found.items()
        ),
    )


def _reading(found: Mapping[str, Any]) -> str:
    return _table(
        ("system", "answer among ten", "median", "mean"),
        (
            (name, f"{100 * one['found']:.0f} %", f"{one['median']:,.0f}", f"{one['mean']:,}")
            for name, one in found.items()
        ),
    )


def _nothing(found: Mapping[str, Mapping[str, float]]) -> str:
    groups = list(next(iter(found.values())))
    return _table(
        ("questions", *found), ((group, *(f"{100 * some[group]:.1f}" for some in found.values())) for group in groups)
    )


def _losses(found: Mapping[str, Any]) -> str:
    parts = []
    for name, one in found.items():
        ahead = "" if one["ahead"] is None else f", ahead on {one['ahead']}"
        parts.append(f"{name}: {one['questions']}{ahead}; {one['by_kind']}; {one['by_repository']}")
        rows = ((why, one["first_reason"].get(why, 0), count) for why, count in one["reasons"].items())
        parts.append(_table(("reason", "first", "any"), rows))
    return "\n\n".join(parts)
