"""What parsing learned of a file, as rows of the store."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scova.stores.columns.encoding import Names, joined, packed, tokens
from scova.stores.columns.ties import packed_ties
from scova.types import ParsedFile


@dataclass(frozen=True, slots=True)
class Next:
    """A file as the store will hold it."""

    file: ParsedFile
    file_id: int
    generation: int
    came_from: int  # file_id under which its content was known before it moved; 0 if it did not


def symbols(following: Iterable[Next], numbers: Mapping[str | None, int]) -> Iterator[tuple[object, ...]]:
    """Rows of `symbols`."""
    for one in following:
        for ordinal, symbol in enumerate(one.file.outline.symbols):
            usual = f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name
            yield (
                one.file_id, one.generation, ordinal, symbol.name,
                None if symbol.qualified == usual else symbol.qualified, numbers[symbol.kind],
                symbol.start_line, symbol.end_line, symbol.parent or None, symbol.signature or None,
                joined(symbol.bases), joined(symbol.decorators), symbol.doc or None,
            )  # fmt: skip


def calls(following: Iterable[Next]) -> Iterator[tuple[object, ...]]:
    """Rows of `calls`."""
    for one in following:
        outline = one.file.outline
        callers: dict[str, int | None] = {"": None}
        for ordinal, symbol in enumerate(outline.symbols):
            callers.setdefault(symbol.qualified, ordinal)
        for ordinal, call in enumerate(outline.calls):
            caller = callers.get(call.caller, call.caller)
            yield one.file_id, one.generation, ordinal, call.name, call.receiver or None, caller, call.line


def bindings(following: Iterable[Next]) -> Iterator[tuple[object, ...]]:
    """Rows of `bindings`."""
    for one in following:
        outline = one.file.outline
        defined, called = (one.name for one in outline.symbols), (one.name for one in outline.calls)
        yield (
            one.file_id, one.generation, outline.package or None, joined(outline.imports), packed(outline.bindings),
            *packed_ties(defined, called, outline.bindings),
        )  # fmt: skip


def tokens_of(file: ParsedFile) -> str:
    """What `lookup` holds for a file."""
    outline = file.outline
    return tokens(
        Names(
            ids=(chunk.id for chunk in file.chunks),
            defined=(name for symbol in outline.symbols for name in (symbol.name, symbol.qualified)),
            called=(call.name for call in outline.calls),
            bases=(base for symbol in outline.symbols for base in symbol.bases),
            bindings=outline.bindings,
        )
    )
