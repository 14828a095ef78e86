"""The graph over the vectors on disk: an HNSW index, immutable, memory-mapped, for where comparing everything takes too long.

Responsible for the format, and for no byte of a graph being followed before all of them have been checked: the library that
walks it trusts what it reads, and a flipped bit could take the process down. Opening reads the header only and is quick at
any size; `neighbours` reads everything once (0.4 GB at a million vectors), so a long-running process does that behind its
first answers, which come from the exact comparison meanwhile. It refuses to know which rows are alive.

A row's vector never changes and rows are never used again, so a graph goes with every matrix of the same store and model,
older or newer: what it has and the matrix has not is dead, what the matrix has and it has not is compared exactly.

Vectors that are equal byte for byte are in the graph once, under the first of their rows: a thousand copies of one licence
would otherwise have no neighbours but each other. They are int8, as they lie in the matrix, so that distances in the graph are
those of the exact comparison (as float16, the recall is the same, the file half as large again, and a search takes 1.6 times as long).

A graph does not lead to everything in it, least of all when several threads built it: some vectors, few in a thousand, are found
by no question, not even by themselves. Each is therefore asked for once after the building, and those that are not found do not
count among its rows, so that they are compared exactly.

The format, kind `scovahns` in the frame of `sections`, version 2:

    facts     n rows, d distinct vectors in the graph, t twins; vectors and last_row of the matrix it was built over, and that
              one's width, model, applied_seq and store_id; connectivity, expansion_add
    rows      int64[n]       every row it leads to, ascending
    heads     int64[t]       rows of the graph whose vector other rows have too, ascending, once for each of those
    twins     int64[t]       those other rows
    graph     bytes          as usearch writes it: cosine, int8, keys are the rows of the distinct vectors

History: 1 counted rows that cannot be found; 2 (scova 0.2) leaves them out.
"""

import threading
from pathlib import Path

from scova.errors import DerivedDamaged
from scova.stores.ann.neighbours import Neighbours
from scova.stores.sections import Kind, Sections, damaged

KIND = Kind(b"scovahns", 2)


class Graph:
    """An open graph. It stays usable when the file is deleted."""

    def __init__(self, sections: Sections) -> None:
        facts = sections.facts
        self.sections = sections
        self.rows = sections.section("rows", "q")
        self.model: str = facts["model"]
        self.width: int = facts["width"]
        self.applied_seq: int = facts["applied_seq"]
        self.store_id: str = facts["store_id"]
        self.vector_count: int = facts["vectors"]  # of the matrix it was built over
        self.last_row: int = facts["last_row"]  # the newest of that; 0 when it is empty
        self._checking = threading.Lock()
        self._neighbours: Neighbours | None = None
        self._problem = ""

    @classmethod
    def open(cls, path: Path, model: str, store_id: str | None = None) -> "Graph":
        """Map a written graph; raises DerivedDamaged, naming the file, when it is not whole, or of another model or store."""
        sections = Sections.open(path, KIND, store_id)
        facts = sections.facts
        if facts["model"] != model:
            raise damaged(path, f"holds vectors of {facts['model']}, not of {model}")
        lengths = [len(sections.section(name, "q")) for name in ("rows", "heads", "twins")]
        if lengths != [facts["n"], facts["t"], facts["t"]]:
            raise damaged(path, "sections disagree about their length")
        return cls(sections)

    def __len__(self) -> int:
        """How many rows it leads to."""
        return len(self.rows)

    @property
    def path(self) -> Path:
        return self.sections.path

    @property
    def file_size(self) -> int:
        """Bytes on disk."""
        return len(self.sections.data)

    @property
    def is_refused(self) -> bool:
        """Whether it was read and found not to be as it was written."""
        return bool(self._problem)

    def is_same_file(self, other: "Graph") -> bool:
        """Whether the other was opened from a file with the same content, by its checksums."""
        return (self.path, self.sections.facts, self.sections.spots) == (
            other.path,
            other.sections.facts,
            other.sections.spots,
        )

    def neighbours(self) -> Neighbours:
        """The graph, ready to be searched. Reads and checks everything the first time; raises DerivedDamaged."""
        with self._checking:
            if self._problem:
                raise damaged(self.path, self._problem)
            if self._neighbours is None:
                try:
                    self._neighbours = self._checked()
                except DerivedDamaged as error:
                    self._problem = error.message.removeprefix(f"{self.path}: ")
                    raise
            return self._neighbours

    def verify(self) -> None:
        """Read everything again; raise DerivedDamaged when something is not as written."""
        self._checked()

    def _checked(self) -> Neighbours:
        self.sections.verify()
        data = self.sections.section("graph", "B")
        heads, twins = self.sections.section("heads", "q"), self.sections.section("twins", "q")
        try:
            found = Neighbours(data, self.width, heads, twins)
        except (RuntimeError, ValueError) as error:
            raise damaged(self.path, f"cannot be read: {error}") from error
        if len(found) != self.sections.facts["d"]:
            raise damaged(self.path, f"{len(found)} vectors, where {self.sections.facts['d']} were written")
        return found
