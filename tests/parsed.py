"""Parsed files made up for tests of the store and of what stands on it."""

import hashlib

from scova.types import Call, Chunk, ChunkId, ChunkType, Mark, Outline, ParsedFile, Symbol


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def chunk(path, text, ordinal=0, **fields):
    """A chunk whose id depends on its place, not on what it says."""
    values = {
        "id": ChunkId(sha(f"{path}\0{ordinal}")[:32]),
        "title": f"{path} {ordinal}",
        "chunk_type": list(ChunkType)[ordinal % 4],
        "start_line": ordinal * 10 + 1,
        "end_line": ordinal * 10 + 9,
        "language": "python",
        "symbol": f"symbol_{ordinal}",
        "kind": "function",
        "names": (f"symbol_{ordinal}",),
    }
    return Chunk(text=text, file_path=path, content_hash=sha(text), ordinal=ordinal, **{**values, **fields})


def parsed(path, *texts, symbols=(), calls=(), bindings=(), **fields):
    """A file with one chunk per text. Further fields go to the chunks."""
    chunks = tuple(chunk(path, text, ordinal, **fields) for ordinal, text in enumerate(texts))
    whole = "".join(texts)
    outline = Outline(tuple(symbols), tuple(calls), bindings=tuple(bindings))
    language = fields.get("language", "python")
    return ParsedFile(path, sha(whole), language, Mark(len(whole), 1_000), chunks, outline)


def function(name, parent="", line=1, **fields):
    qualified = fields.pop("qualified", f"{parent}.{name}" if parent else name)
    return Symbol(name, qualified, "method" if parent else "function", line, line + 2, parent, **fields)


def call(name, line=1, caller="", receiver=""):
    return Call(name, line, caller, receiver)


def texts_of(reader):
    """Everything there is, by path."""
    found = {}
    for piece in reader.chunks(reader.rows()):
        found.setdefault(piece.file_path, []).append(piece.text)
    return found
