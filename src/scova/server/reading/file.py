"""A file as it is kept, some lines at a time: put together from its chunks, which tile it. Opens no file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scova.errors import IndexMissing, QueryError
from scova.protocols import WholeReader
from scova.types import Chunk, ChunkType, Skip, Symbol

MOST_LINES = 2000  # in one answer
MOST_DEFINITIONS = 5000  # and as many chunks; all are counted
MOST_CHARACTERS = 4_000_000  # of one answer, whatever its lines are like


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition of a file, and how deep it lies in others."""

    name: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    depth: int
    signature: str


@dataclass(frozen=True, slots=True)
class Part:
    """A chunk of a file, without its text."""

    chunk_type: str
    symbol: str
    kind: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class FileView:
    """Some lines of a file, and what is in all of it."""

    path: str
    language: str
    total_lines: int
    start_line: int
    end_line: int
    lines: list[str]
    truncated: bool
    outline: list[Defined]
    total_definitions: int
    chunks: list[Part]
    total_chunks: int
    chunk_types: dict[str, int]
    tags: list[str]
    generation: int
    digest: str
    size: int
    change_seq: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines of which file: from `start` to `end`, or as many as fit; with `outline`, what it defines beside them."""

    path: str
    start: int = 1
    end: int | None = None
    outline: bool = True


def file_view(reader: WholeReader, wanted: Wanted, skips: Callable[[], Sequence[Skip]]) -> FileView:
    """The lines that are wanted, as of the reader's moment; IndexMissing, with the reason where one is known, for no such file."""
    file, outlined = reader.file(wanted.path), reader.outline(wanted.path)
    if file is None or outlined is None:
        raise _missing(wanted.path, skips())
    if wanted.end is not None and wanted.end < wanted.start:
        raise QueryError(f"the lines end at {wanted.end}, before they begin at {wanted.start}", "give `start` <= `end`")
    chunks = reader.chunks_of(wanted.path)
    lines = _lines("".join(chunk.text for chunk in chunks if chunk.chunk_type is not ChunkType.SYMBOLS))
    end = min(len(lines), wanted.start + MOST_LINES - 1, wanted.end or len(lines))
    shown = _fitting(lines[wanted.start - 1 : end])
    end = wanted.start + len(shown) - 1
    return FileView(
        path=wanted.path,
        language=outlined.language,
        total_lines=len(lines),
        start_line=wanted.start,
        end_line=end,
        lines=shown,
        truncated=end < len(lines),
        outline=_outline(outlined.outline.symbols) if wanted.outline else [],
        total_definitions=len(outlined.outline.symbols),
        chunks=[_part(chunk) for chunk in chunks[:MOST_DEFINITIONS]] if wanted.outline else [],
        total_chunks=len(chunks),
        chunk_types=_counted(chunks),
        tags=sorted({tag for chunk in chunks for tag in chunk.tags}),
        generation=file.generation,
        digest=file.digest,
        size=file.mark.size,
        change_seq=reader.change_seq,
    )


def _lines(text: str) -> list[str]:
    """Lines as parsers count them: what ends one is not part of it, and the end of the last begins no other."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _fitting(lines: list[str]) -> list[str]:
    """As many as an answer holds, at least one."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line)
        if size > MOST_CHARACTERS and number:
            return lines[:number]
    return lines


def _outline(symbols: Sequence[Symbol]) -> list[Defined]:
    """Definitions in the order of the text; a parent counts where it is one of this file."""
    depths: dict[str, int] = {}
    found = []
    for symbol in symbols[:MOST_DEFINITIONS]:
        depth = depths[symbol.parent] + 1 if symbol.parent in depths else 0
        depths.setdefault(symbol.qualified, depth)
        found.append(
            Defined(
                symbol.name,
                symbol.qualified,
                symbol.kind,
                symbol.start_line,
                symbol.end_line,
                depth,
                symbol.signature,
            )
        )
    return found


def _part(chunk: Chunk) -> Part:
    return Part(chunk.chunk_type.value, chunk.symbol, chunk.kind, chunk.start_line, chunk.end_line)


def _counted(chunks: Sequence[Chunk]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for chunk in chunks:
        counts[chunk.chunk_type.value] = counts.get(chunk.chunk_type.value, 0) + 1
    return counts


def _missing(path: str, skips: Sequence[Skip]) -> IndexMissing:
    skip = next((one for one in skips if one.path == path), None)
    if skip is not None:
        why = f"{skip.reason}: {skip.detail}" if skip.detail else skip.reason
        return IndexMissing(f"`{path}` is left out of the index ({why})", "GET /projects/ID/health lists such files")
    return IndexMissing(f"there is no file `{path}` in this project", "POST /files lists those there are")
