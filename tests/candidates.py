"""Candidates for the tests of fusing and ranking, made by hand."""

from scova.types import Chunk, ChunkId, ChunkType, Light, Result, Row


def light(
    row=1,
    path="src/app.py",
    *,
    names=(),
    symbol=None,
    tags=(),
    chunk_type=ChunkType.DEFINITIONS,
    kind="function",
    line=None,
):
    own = names[0] if symbol is None and names else symbol or ""
    start = line or 10 * row
    return Light(Row(row), path, chunk_type, "python", own, kind, start, start + 9, tuple(tags), tuple(names), b"")


def chunk(text, path="src/app.py", start=1, *, chunk_type=ChunkType.DEFINITIONS, row=1, names=()):
    return Chunk(
        id=ChunkId(f"{path}:{start}"),
        title="",
        text=text,
        chunk_type=chunk_type,
        file_path=path,
        start_line=start,
        end_line=start + max(text.count("\n") - text.endswith("\n"), 0),
        language="python",
        content_hash="",
        row=Row(row),
        symbol=names[0] if names else "",
        names=tuple(names),
    )


def result(text, path="src/app.py", start=1):
    return Result(chunk(text, path, start), 1.0, {"text": 1.0})
