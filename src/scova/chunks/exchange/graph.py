"""What parsing learned of a file, as an object of an exchange file, and back, checked.

Members that would be empty are left out, calls and bindings being many.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from scova.chunks.exchange.values import Fields, Wrong
from scova.types import Binding, Call, Mark, Outline, ParsedFile, Symbol

VERSION = 1  # of the graph's layout; raised when something in it changes its meaning
UNKNOWN_NS = 0  # no file was changed at this time, so that the next look at it reads it
_DIGEST = re.compile(r"(?:[0-9a-f]{64})?")


@dataclass(frozen=True, slots=True)
class Head:
    """What a graph says of itself."""

    engine: int  # the version of the program that parsed and cut the files
    count: int  # files


class Described(NamedTuple):
    """A file without its chunks, and how many there are of them."""

    file: ParsedFile
    chunks: int


def head_object(head: Head) -> dict[str, object]:
    """What stands before the files."""
    return {"version": VERSION, "engine": head.engine, "count": head.count}


def head_of(fields: Fields) -> Head:
    """What a graph says of itself. Wrong for one of a later version."""
    version = fields.number("version", least=1)
    if version > VERSION:
        raise Wrong(f"it was written by a newer scova (version {version}, this one knows {VERSION})")
    return Head(fields.number("engine"), fields.number("count"))


def file_object(file: ParsedFile) -> dict[str, object]:
    """Everything about a file but its chunks and its mark, which means something on one machine only."""
    outline = file.outline
    fields: dict[str, object] = {
        "path": file.path,
        "digest": file.digest,
        "language": file.language,
        "bytes": max(file.mark.size, 0),
        "lines": max((chunk.end_line for chunk in file.chunks), default=0),
        "chunks": len(file.chunks),
        "generation": file.generation,
    }
    listed: dict[str, object] = {
        "package": outline.package,
        "imports": outline.imports,
        "symbols": [_filled(symbol._asdict()) for symbol in outline.symbols],
        "calls": [_filled(call._asdict()) for call in outline.calls],
        "bindings": [_filled(binding._asdict()) for binding in outline.bindings],
    }
    return fields | _filled(listed)


def file_of(fields: Fields) -> Described:
    """The file an object stands for. Wrong if anything about it cannot be."""
    digest = fields.text("digest", "")
    if not _DIGEST.fullmatch(digest):
        raise Wrong("digest is not a SHA-256 in hexadecimal digits")
    fields.number("lines", default=0)  # for readers who have no chunks
    outline = Outline(
        tuple(_symbol(one) for one in fields.objects("symbols")),
        tuple(_call(one) for one in fields.objects("calls")),
        fields.texts("imports"),
        tuple(_binding(one) for one in fields.objects("bindings")),
        fields.text("package", ""),
    )
    file = ParsedFile(
        path=fields.path("path"),
        digest=digest,
        language=fields.word("language", ""),
        mark=Mark(fields.number("bytes", default=0), UNKNOWN_NS),
        chunks=(),
        outline=outline,
        generation=fields.number("generation", default=0),
    )
    return Described(file, fields.number("chunks"))


def _filled(values: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value not in ("", (), [], 0)}


def _symbol(fields: Fields) -> Symbol:
    start = fields.number("start_line", least=1)
    return Symbol(
        name=fields.text("name", ""),
        qualified=fields.text("qualified", ""),
        kind=fields.word("kind", ""),
        start_line=start,
        end_line=fields.number("end_line", least=start),
        parent=fields.text("parent", ""),
        signature=fields.text("signature", ""),
        bases=fields.texts("bases"),
        decorators=fields.texts("decorators"),
        doc=fields.text("doc", ""),
    )


def _call(fields: Fields) -> Call:
    return Call(
        fields.text("name", ""), fields.number("line", least=1), fields.text("caller", ""), fields.text("receiver", "")
    )


def _binding(fields: Fields) -> Binding:
    return Binding(
        name=fields.text("name", ""),
        target=fields.text("target", ""),
        how=fields.text("how", ""),
        scope=fields.text("scope", ""),
        line=fields.number("line", default=0),
        member=fields.text("member", ""),
    )
