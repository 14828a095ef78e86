"""A document into chunks: spans of whole lines that cover it exactly, and a map of its symbols.

    code    along its definitions (tiling/code.py)
    prose   by heading and paragraph (prose.py)
    data    by first-level key, section or indentation (tiling/keys.py)

What a chunk is called: `definitions` where a function, a type or plain statements stand; `data` for constants, variables,
everything in a data file, and statements of which each line that is no comment looks like an assignment; `documentation`
for prose and for stretches of only comments. A language nobody knows is code without symbols. Pure: it reads no file and
parses nothing; it needs the Outline someone else made.
"""

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scova.parse.language import kind_of
from scova.parse.prose import sections, tile_prose
from scova.parse.symbolmap import symbol_map
from scova.parse.tags import tags_of
from scova.parse.tiling.code import tile
from scova.parse.tiling.comments import assigns
from scova.parse.tiling.keys import keys
from scova.parse.tiling.lines import SIZES, Lines, Sizes, cuts, pieces
from scova.parse.tiling.piece import DEFINITION, Piece, Role, rank
from scova.parse.tiling.weight import line_weight
from scova.types import Chunk, ChunkId, ChunkType, Document, Outline, Symbol

MOST_NAMES = 64  # more names in one chunk are a table, not definitions someone looks for here
LONGEST_TITLE = 200  # characters of a signature that still fit a line of output

_TYPES = {
    Role.DEFINITION: ChunkType.DEFINITIONS,
    Role.DATA: ChunkType.DATA,
    Role.COMMENT: ChunkType.DOCUMENTATION,
}


def chunk(document: Document, outline: Outline, *, project: str, sizes: Sizes = SIZES) -> tuple[Chunk, ...]:
    """The chunks of a document in order, its symbol map first. All but the map concatenate to the text; blank text has none."""
    if not document.text or document.text.isspace():
        return ()
    lines = Lines.of(document.text)
    kind = kind_of(document.language)
    if kind == "prose":
        drafts = _prose(document, lines, sizes)
    elif kind == "data":
        drafts = _data(document, lines, sizes)
    else:
        drafts = _code(document, lines, outline, sizes=sizes)
    return _finish(drafts, document, project)


def plain_chunks(document: Document, *, project: str, sizes: Sizes = SIZES) -> tuple[Chunk, ...]:
    """The same of a document nothing is known of, cut by the looks of its lines alone."""
    if not document.text or document.text.isspace():
        return ()
    lines = Lines.of(document.text)
    kind = {"prose": ChunkType.DOCUMENTATION, "data": ChunkType.DATA}.get(
        kind_of(document.language), ChunkType.DEFINITIONS
    )
    found = cuts(lines, 0, len(lines), sizes=sizes, weight=line_weight(lines))
    plain = [Piece(start, end, Role.CODE) for start, end in pieces(0, len(lines), found)]
    return _finish(_Namer(document.path, lines, ()).drafts(plain, lambda piece: kind), document, project)


class _Draft(NamedTuple):
    """A chunk but for what depends on the others of its file. Lines count from 0, half open."""

    start: int
    end: int
    text: str
    chunk_type: ChunkType
    title: str
    main: Symbol | None = None
    names: tuple[str, ...] = ()


def _code(document: Document, lines: Lines, outline: Outline, *, sizes: Sizes) -> Iterator[_Draft]:
    def type_of(piece: Piece) -> ChunkType:
        if piece.role is not Role.CODE:
            return _TYPES[piece.role]
        plain = assigns(lines.rows[piece.start : piece.end], document.language)
        return ChunkType.DATA if plain else ChunkType.DEFINITIONS

    if outline.symbols:
        # The map names nothing of its own: a name must lead to its definition.
        yield _Draft(0, len(lines), symbol_map(outline), ChunkType.SYMBOLS, f"symbols of {document.path}")
    found = tile(lines, outline.symbols, language=document.language, sizes=sizes)
    yield from _Namer(document.path, lines, outline.symbols).drafts(found, type_of)


def _prose(document: Document, lines: Lines, sizes: Sizes) -> Iterator[_Draft]:
    found = sections(lines, document.language)
    pieces = tile_prose(lines, found, sizes=sizes)
    yield from _Namer(document.path, lines, found).drafts(pieces, lambda piece: ChunkType.DOCUMENTATION)


def _data(document: Document, lines: Lines, sizes: Sizes) -> Iterator[_Draft]:
    found = keys(lines, document.language)
    pieces = tile(lines, found, language=document.language, sizes=sizes)
    yield from _Namer(document.path, lines, found).drafts(pieces, lambda piece: ChunkType.DATA)


class _Namer:
    """Gives the pieces of one document their names and titles."""

    def __init__(self, path: str, lines: Lines, symbols: Sequence[Symbol]) -> None:
        self._path = path
        self._lines = lines
        self._symbols = sorted(symbols, key=lambda symbol: symbol.start_line)
        self._starts = [symbol.start_line for symbol in self._symbols]
        self._parts: Counter[int] = Counter()  # pieces so far of one symbol

    def drafts(self, found: Sequence[Piece], type_of: Callable[[Piece], ChunkType]) -> Iterator[_Draft]:
        """One draft for each piece."""
        for piece in found:
            first = bisect_left(self._starts, piece.start + 1)
            inside = self._symbols[first : bisect_left(self._starts, piece.end + 1, first)]
            main = piece.main or next((symbol for symbol in inside if rank(symbol) == DEFINITION), None)
            yield _Draft(
                piece.start,
                piece.end,
                self._lines.slice(piece.start, piece.end),
                type_of(piece),
                self._title(piece, main),
                main,
                _names(inside, main),
            )

    def _title(self, piece: Piece, main: Symbol | None) -> str:
        if main is None:
            return f"lines {piece.start + 1}-{piece.end} of {self._path}"
        self._parts[id(main)] += 1
        part = self._parts[id(main)]
        return _title_of(main) if part == 1 else f"{_title_of(main)} (part {part})"


def _title_of(symbol: Symbol) -> str:
    """The signature, and where a member belongs; the qualified name where there is no signature."""
    if not symbol.signature:
        return symbol.qualified[:LONGEST_TITLE]
    signature = (
        symbol.signature if len(symbol.signature) <= LONGEST_TITLE else symbol.signature[: LONGEST_TITLE - 1] + "…"
    )
    said = not symbol.parent or symbol.parent.rpartition(".")[2] in signature
    return signature if said else f"{signature} in {symbol.parent}"


def _names(inside: Sequence[Symbol], main: Symbol | None) -> tuple[str, ...]:
    """Names of the symbols that start in a piece, its own first. A section is known by its heading, not by the path to it."""
    if not inside:
        return ()
    names = [_name(symbol) for symbol in inside]
    if main is not None and _name(main) in names:
        names.insert(0, _name(main))
    return tuple(dict.fromkeys(names))[:MOST_NAMES]


def _name(symbol: Symbol) -> str:
    return symbol.name if symbol.kind == "section" else symbol.qualified


def _finish(drafts: Iterator[_Draft], document: Document, project: str) -> tuple[Chunk, ...]:
    """The drafts as chunks, with positions and ids."""
    told = ("docs",) if document.language == "man" else ()  # a manual page, which its name alone does not show
    tags = tuple(dict.fromkeys((*tags_of(document.path), *told, *document.tags)))
    seen: Counter[tuple[str, str]] = Counter()
    made: list[Chunk] = []
    for draft in drafts:
        symbol = draft.main.qualified if draft.main else ""
        key = (draft.chunk_type.value, symbol)
        made.append(
            Chunk(
                id=_chunk_id(project, document.path, *key, str(seen[key])),
                title=draft.title,
                text=draft.text,
                chunk_type=draft.chunk_type,
                file_path=document.path,
                start_line=draft.start + 1,
                end_line=draft.end,
                language=document.language,
                content_hash=_sha256(draft.text),
                symbol=symbol,
                kind=draft.main.kind if draft.main else "",
                ordinal=len(made),
                tags=tags,
                names=draft.names,
            )
        )
        seen[key] += 1
    return tuple(made)


def _chunk_id(*parts: str) -> ChunkId:
    """An id that stays while the content changes: it is made of where the chunk belongs, not of what it says."""
    return ChunkId(_sha256("\0".join(parts))[:32])


def _sha256(text: str) -> str:
    # A path or a text may hold surrogates, where its bytes could not be decoded.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
