"""The files behind one answer, compared with what is there now.

A file whose mark is as it was indexed costs a stat. Any other is read and hashed; if its content differs, its indexed text
is put together from its chunks, and spans are looked for in the new one. Knows no kind of answer.
"""

from collections.abc import Iterable

from scova.chunks.chunkset import ChunkSet
from scova.core.deadline import in_force
from scova.counted import counted
from scova.protocols import Tree
from scova.search.verify.anchors import Anchors
from scova.types import Chunk, ChunkType, Freshness

MOST_LINES = 1_000_000  # of a file whose chunks were imported; one that says it stands further down is not looked for
ALWAYS = 50  # files that are compared however late it is: that takes no time
_GAP = "\n"  # no line is like it

Span = tuple[int, int]


class Verifier:
    """Checks the spans of one answer, given at one moment, and counts what it finds."""

    def __init__(self, chunk_set: ChunkSet, tree: Tree) -> None:
        self._chunk_set = chunk_set
        self._tree = tree
        self._deadline = in_force()
        self._files: dict[str, Anchors | bool] = {}  # True: as indexed; False: gone
        self._moved = 0
        self._dropped = 0

    def span(self, path: str, start: int, end: int) -> Span | None:
        """Where the lines `start` to `end` of a file are now; None when they are gone."""
        if len(self._files) >= ALWAYS and path not in self._files and self._deadline.is_over():
            self._deadline.cut(
                f"{counted(len(self._files), 'file')} of the answer were compared with what is there now"
            )
            return start, end
        file = self._files.get(path)
        if file is None:
            file = self._files[path] = self._looked_at(path)
        if file is True:
            return start, end
        found = file.moved(start, end) if isinstance(file, Anchors) else None
        if found is None:
            self._dropped += 1
        elif found != (start, end):
            self._moved += 1
        return found

    def told(self, freshness: Freshness) -> Freshness:
        """The freshness of the answer, with what was found out here."""
        changed = sum(file is not True for file in self._files.values())
        return freshness._replace(
            pending_files=max(freshness.pending_files, changed),
            verified=len(self._files),
            moved=self._moved,
            dropped=self._dropped,
        )

    def _looked_at(self, path: str) -> Anchors | bool:
        known = self._chunk_set.reader.file(path)
        if known is None:
            return True  # not of this tree: nothing to compare with
        if self._tree.mark(path) == known.mark and not known.is_racy:
            return True
        present = self._tree.document(path)
        if present is None:
            return False
        if present.digest == known.digest:
            return True
        chunks = [chunk for chunk in self._chunk_set.by_file(path) if chunk.chunk_type is not ChunkType.SYMBOLS]
        before = "".join(chunk.text for chunk in chunks).split("\n") if known.digest else _laid_out(chunks)
        return Anchors(before, present.text.split("\n"))


def _laid_out(chunks: Iterable[Chunk]) -> list[str]:
    """The lines of chunks that came without their file, and may leave gaps, where they say they stand."""
    lines: list[str] = []
    for chunk in chunks:
        if chunk.end_line <= MOST_LINES:
            said = chunk.text.removesuffix("\n").split("\n")
            start = chunk.start_line - 1
            lines += [_GAP] * (start + len(said) - len(lines))
            lines[start : start + len(said)] = said
    return lines
