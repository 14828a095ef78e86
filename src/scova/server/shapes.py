"""Answers as JSON: the same fields as `--json` gives at the command line (docs/reference/json.md)."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from scova.answers import Definition, Matches, Node
from scova.projects.provenance import Provenance
from scova.server.reading.health import Standing
from scova.types import Answer, ChunkId, Job, Result

_JOB = (
    "job_id", "kind", "project_id", "status", "created_at", "started_at", "finished_at", "stage", "files_processed", "files_total",
    "chunks_processed", "vectors_processed", "vectors_total", "rate", "eta_seconds", "attempts", "message",
)  # fmt: skip

_GRAMMAR_FAULT = "definitions and calls are incomplete: `scova doctor` on the server says why"
_BEHIND = "it does not follow for now: what is newest is not in its answers"


def searched(
    found: Answer, origins: Mapping[ChunkId, Provenance], *, query: str, mode: str, explain: bool
) -> dict[str, object]:
    """Ranked results and exact counts. `origins` tells where chunks come from that were not pushed."""
    return {
        "query": query,
        "mode": mode,
        "results": [_result(result, origins.get(result.chunk.id), explain=explain) for result in found.results],
        "total": found.total,
        "truncated": found.truncated,
        "next": found.next,
        "relevance": round(found.relevance, 4),
        "nothing_relevant": found.nothing_relevant,
        **({"judged_by": {name: round(value, 4) for name, value in found.judged_by.items()}} if explain else {}),
        **({"spelled": plain(found.spelled)} if explain else {}),
        "literal": plain(found.literal),
        "skipped_files": found.skipped_files,
        "tokens": found.tokens,
        "cut": list(found.cut),
        "freshness": plain(found.freshness),
        "timings": dict(found.timings),
    }


def matched(found: Matches) -> dict[str, object]:
    """Matching lines by file."""
    files = [
        {
            "path": file.path,
            "count": file.count,
            "matches": file.matches,
            "binary": file.binary,
            "lines": [
                {"line": line.number, "text": line.text, "match": line.matched, "spans": plain(line.spans)}
                for line in file.lines
            ],
        }
        for file in found.files
    ]
    return {**_fields(found), "files": files}


def status(project_id: str, embedder: str, standing: Standing) -> dict[str, object]:
    """How a project stands."""
    return {
        "project_id": project_id,
        "files": standing.tally.files,
        "chunks": standing.tally.chunks,
        "change_seq": standing.freshness.change_seq,
        "indexed_at": standing.tally.indexed_at,
        "embedder": embedder,
        "pending_embeddings": standing.freshness.pending_embeddings,
        "bytes_on_disk": standing.bytes_on_disk,
        "behind": dict.fromkeys(standing.behind, _BEHIND),  # the log has the reason
        "grammar_faults": dict.fromkeys(standing.grammar_faults, _GRAMMAR_FAULT),  # `scova doctor` there has the reason
        "freshness": plain(standing.freshness),
        "ready": standing.is_ready,
    }


def stats(project_id: str, standing: Standing) -> dict[str, object]:
    """What is in a project, counted."""
    from collections import Counter

    tally = standing.tally
    return {
        "project_id": project_id,
        "files": tally.files,
        "chunks": tally.chunks,
        "symbols": tally.symbols,
        "calls": tally.calls,
        "languages": dict(tally.languages),
        "chunk_types": dict(tally.chunk_types),
        "skipped": Counter(skip.reason for skip in standing.skipped),
        "reloads": dict(standing.reloads),
    }


def job(one: Job) -> dict[str, object]:
    """A job, without where it is done."""
    return {name: getattr(one, name) for name in _JOB} | {"result": dict(one.result)}


def plain(value: Any) -> Any:
    """A value as JSON has it; a definition's fields are those of its symbol and its place."""
    if isinstance(value, Definition):
        text = {"text": value.text} if value.text else {}
        return {"path": value.path, "language": value.language, **_fields(value.symbol), **text}
    if isinstance(value, Node):
        return {**_fields(value), "certainty": value.certainty.value if value.sites else ""}
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "_fields") or is_dataclass(value):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value


def _result(result: Result, origin: Provenance | None, *, explain: bool) -> dict[str, object]:
    chunk = result.chunk
    shares = {"shares": {name: round(value, 6) for name, value in result.shares.items()}} if explain else {}
    return {
        "path": chunk.file_path,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "score": round(result.score, 6),
        "chunk_type": chunk.chunk_type.value,
        "symbol": chunk.symbol,
        "kind": chunk.kind,
        "language": chunk.language,
        "title": chunk.title,
        "tags": list(chunk.tags),
        "id": chunk.id,
        "revision_id": chunk.revision_id,
        "text": chunk.text,
        **({"provenance": origin._asdict()} if origin else {}),
        **shares,
    }


def _fields(value: Any) -> dict[str, object]:
    names = getattr(value, "_fields", None) or [one.name for one in fields(value)]
    return {name: plain(getattr(value, name)) for name in names}
