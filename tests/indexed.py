"""A folder read, parsed and kept in memory: the code of a moment without a database, for tests of structure."""

import hashlib
from pathlib import Path

from scova.chunks.chunkset import ChunkSet
from scova.parse.chunk import chunk
from scova.parse.language import language_of
from scova.parse.outline import outline
from scova.search.searchers.text import TextSearcher
from scova.search.structure.code import Code
from scova.search.view import Bases, View
from scova.sources.content import text_of
from scova.stores.memory import MemoryStore
from scova.types import Document, Mark, ParsedFile


def parsed_text(path: str, text: str) -> ParsedFile:
    language = language_of(path, text)
    mark, digest = Mark(len(text), 1), hashlib.sha256(text.encode()).hexdigest()
    found = outline(text, language)
    document = Document(path, text, digest, language, mark)
    return ParsedFile(path, digest, language, mark, chunk(document, found, project="test"), found)


def files_below(folder: Path, *, without: str = "") -> dict[str, str]:
    """The texts of a folder by path, as a build reads them."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != without)
    return {path.relative_to(folder).as_posix(): text_of(path.name, path.read_bytes()) for path in paths}


def with_crlf(folder: Path) -> Path:
    """The folder, every file of which has CRLF ends from here on."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    return folder


def view_of(files: dict[str, str]) -> View:
    """One moment of these texts by path, searchable."""
    store = MemoryStore("test")
    store.put([parsed_text(path, text) for path, text in files.items()])
    chunk_set = ChunkSet(store.reader())
    return View(chunk_set, TextSearcher.open(None, chunk_set.all()), None, Bases(None, None))


def code_of_files(files: dict[str, str]) -> Code:
    """The structure of these texts."""
    return Code(view_of(files).chunk_set.reader)
