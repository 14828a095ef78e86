"""Answers of a server, read back into the values they were made from (docs/reference/json.md has the fields).

What is not as it should be raises KeyError, TypeError or ValueError: whoever asked says whose answer it was. Knows no server.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from scova.answers import (
    CallTree,
    Certainty,
    Context,
    Definition,
    Definitions,
    FileMatches,
    FileOutline,
    Line,
    Matches,
    Node,
    Outlines,
    Part,
    Site,
    Usage,
    Usages,
)
from scova.types import Answer, Chunk, ChunkId, ChunkType, Freshness, Literal, Result, Symbol

Said = Mapping[str, Any]


def freshness(said: Said) -> Freshness:
    """How current an answer is."""
    tiers = {str(name): bool(complete) for name, complete in said["tiers"].items()}
    numbers = {name: int(said[name]) for name in Freshness._fields if name != "tiers"}
    return Freshness(tiers=tiers, **numbers)


def answer(said: Said) -> Answer:
    """Ranked results."""
    literal = said["literal"]
    return Answer(
        results=tuple(_result(one) for one in said["results"]),
        total=int(said["total"]),
        truncated=bool(said["truncated"]),
        next=str(said["next"]),
        literal=Literal(literal["text"], int(literal["count"]), int(literal["files"]), dict(literal["by_file"])),
        skipped_files=int(said["skipped_files"]),
        freshness=freshness(said["freshness"]),
        tokens=int(said["tokens"]),
        timings=dict(said["timings"]),
        relevance=float(said.get("relevance", 1.0)),  # a server of before says nothing of it
        nothing_relevant=bool(said.get("nothing_relevant", False)),
        judged_by=dict(said.get("judged_by") or {}),
        spelled={str(word): dict(others) for word, others in (said.get("spelled") or {}).items()},
        cut=_cut(said),
    )


def matches(said: Said) -> Matches:
    """Matching lines."""
    return Matches(
        pattern=str(said["pattern"]),
        files=tuple(_file_matches(one) for one in said["files"]),
        truncated=bool(said["truncated"]),
        freshness=freshness(said["freshness"]),
        cut=_cut(said),
        **{name: int(said[name]) for name in ("count", "matches", "searched", "scanned")},
    )


def definitions(said: Said) -> Definitions:
    """Definitions, or the nearest names."""
    found = tuple(_definition(one) for one in said["definitions"])
    return Definitions(
        found,
        int(said["total"]),
        bool(said["truncated"]),
        _words(said["suggestions"]),
        freshness(said["freshness"]),
        _cut(said),
    )


def outlines(said: Said) -> Outlines:
    """What files define."""
    files = tuple(
        FileOutline(
            str(one["path"]),
            str(one["language"]),
            int(one["lines"]),
            tuple(_definition(symbol) for symbol in one["definitions"]),
        )
        for one in said["files"]
    )
    caps = {str(name): int(cap) for name, cap in said["caps"].items()}
    return Outlines(files, int(said["total"]), bool(said["truncated"]), caps, freshness(said["freshness"]), _cut(said))


def call_tree(said: Said) -> CallTree:
    """Who calls whom."""
    return CallTree(
        direction=str(said["direction"]),
        roots=tuple(_node(one) for one in said["roots"]),
        depth=int(said["depth"]),
        total=int(said["total"]),
        caps=dict(said["caps"]),
        left_out={str(cap): int(count) for cap, count in said["left_out"].items()},
        suggestions=_words(said["suggestions"]),
        freshness=freshness(said["freshness"]),
        cut=_cut(said),
    )


def usages(said: Said) -> Usages:
    """Every use of a name."""
    return Usages(
        name=str(said["name"]),
        usages=tuple(
            Usage(str(one["how"]), str(one["path"]), int(one["line"]), str(one["text"]), str(one["within"]))
            for one in said["usages"]
        ),
        counts={str(how): int(count) for how, count in said["counts"].items()},
        truncated=bool(said["truncated"]),
        suggestions=_words(said["suggestions"]),
        freshness=freshness(said["freshness"]),
        cut=_cut(said),
    )


def context(said: Said) -> Context:
    """What explains something."""
    return Context(
        subject=str(said["subject"]),
        parts=tuple(_part(one) for one in said["parts"]),
        tokens=int(said["tokens"]),
        budget=int(said["budget"]),
        left_out=int(said["left_out"]),
        suggestions=_words(said["suggestions"]),
        freshness=freshness(said["freshness"]),
        cut=_cut(said),
    )


def files(said: Said) -> dict[str, str]:
    """The language of each file."""
    return {str(one["path"]): str(one["language"]) for one in said["files"]}


def _result(said: Said) -> Result:
    text = str(said["text"])
    chunk = Chunk(
        id=ChunkId(str(said["id"])),
        title=str(said["title"]),
        text=text,
        chunk_type=ChunkType(said["chunk_type"]),
        file_path=str(said["path"]),
        start_line=int(said["start_line"]),
        end_line=int(said["end_line"]),
        language=str(said["language"]),
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        symbol=str(said["symbol"]),
        kind=str(said["kind"]),
        tags=_words(said["tags"]),
    )
    return Result(chunk, float(said["score"]), dict(said.get("shares") or {}))


def _file_matches(said: Said) -> FileMatches:
    lines = tuple(
        Line(
            int(line["line"]),
            str(line["text"]),
            tuple((int(start), int(end)) for start, end in line["spans"]),
            bool(line["match"]),
        )
        for line in said["lines"]
    )
    return FileMatches(str(said["path"]), lines, int(said["count"]), int(said["matches"]), bool(said["binary"]))


def _definition(said: Said) -> Definition:
    symbol = Symbol(
        name=str(said["name"]),
        qualified=str(said["qualified"]),
        kind=str(said["kind"]),
        start_line=int(said["start_line"]),
        end_line=int(said["end_line"]),
        parent=str(said["parent"]),
        signature=str(said["signature"]),
        bases=_words(said["bases"]),
        decorators=_words(said["decorators"]),
        doc=str(said["doc"]),
    )
    return Definition(str(said["path"]), str(said["language"]), symbol, str(said.get("text") or ""))


def _node(said: Said) -> Node:
    sites = tuple(
        Site(
            str(one["path"]),
            int(one["line"]),
            str(one["name"]),
            str(one["receiver"]),
            Certainty(one["certainty"]),
            str(one["reason"]),
        )
        for one in said["sites"]
    )
    below = tuple(_node(one) for one in said["nodes"])
    definition = _definition(said["definition"]) if said["definition"] is not None else None
    return Node(definition, str(said["path"]), str(said["name"]), sites, below, str(said["note"]))


def _part(said: Said) -> Part:
    return Part(
        role=str(said["role"]),
        path=str(said["path"]),
        start_line=int(said["start_line"]),
        end_line=int(said["end_line"]),
        name=str(said["name"]),
        text=str(said["text"]),
        tokens=int(said["tokens"]),
        why=str(said["why"]),
        whole=bool(said["whole"]),
    )


def _cut(said: Said) -> tuple[str, ...]:
    """What an answer lacks; a server of before says nothing of it."""
    return _words(said.get("cut") or ())


def _words(said: Any) -> tuple[str, ...]:
    return tuple(str(one) for one in said)
