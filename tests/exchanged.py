"""Exchange folders made up for tests: written by the real writer, or by hand, and damaged."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from parsed import call, function, parsed
from scova.chunks.exchange.graph import Head
from scova.chunks.exchange.names import CHUNKS_JSON, Format
from scova.chunks.exchange.outgoing import Outgoing, prepare
from scova.types import Binding, ChunkType

ENGINE = 7
TIME = "2026-01-31T12:00:00.123Z"


def stamped(file, generation=3, project="shop"):
    """A parsed file with what a store would have given to it."""
    filled = {"generation": generation, "project": project, "created_at": TIME, "updated_at": TIME}
    return replace(file, chunks=tuple(replace(one, **filled) for one in file.chunks), generation=generation)


def files():
    symbols = [function("f", line=1, doc="says\nmuch"), function("m", "C", bases=("A", "B"), decorators=("@x",))]
    calls = [call("g", 2, caller="f"), call("h", 3, caller="C.m", receiver="self")]
    bindings = [Binding("np", "numpy", "import", line=1), Binding("x", "C", "constructor", "f", 2, "")]
    one = parsed(
        "a.py", "map\n", "def f(): …\n", "X = 1\n", "# words\n", symbols=symbols, calls=calls, bindings=bindings
    )
    one = replace(one, outline=replace(one.outline, imports=("import numpy as np",), package="pkg"))
    return [stamped(one), stamped(parsed("b/c d.md", "zwölf\n", language="")), stamped(parsed("empty.py"))]


def write(folder, given=None, form=Format.JSON, vectors=None):
    """Export these files; `vectors` is a function from a chunk to its Embedded or None."""
    given = files() if given is None else given
    prepare(folder)
    with Outgoing(folder, Head(ENGINE, len(given)), form=form, vectors=vectors is not None) as outgoing:
        for file in given:
            found = [vectors(one) for one in file.chunks] if vectors else []
            outgoing.add(file, [one for one in found if one])
        return outgoing.finish()


def plain(path="a.py", text="text\n", kind="definitions", **fields):
    """A chunk as another program would write it: as little as it can."""
    made = {"id": hashlib.md5(f"{path}{text}{kind}".encode()).hexdigest(), "text": text, "chunk_type": kind}
    return made | {"metadata": {"file_path": path} | fields.pop("metadata", {})} | fields


def write_plain(folder, *chunks):
    """Chunk files by hand; only those that have chunks."""
    folder.mkdir(exist_ok=True)
    for chunk_type in ChunkType:
        mine = [one for one in chunks if one["chunk_type"] == chunk_type.value]
        if mine:
            (folder / CHUNKS_JSON[chunk_type]).write_text(json.dumps({"chunks": mine}))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
