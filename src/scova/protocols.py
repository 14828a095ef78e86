"""The seams: what one room expects of another. Small on purpose; each has a conformance suite in tests/contract.

Source       where documents come from                sources/
Tree         the same documents as they are now       sources/
Embedder     text into vectors                        embed/
Store        what is kept, and pinned views of it     stores/
StoreReader  one moment of a Store                    stores/
OutlineReader    what parsing learned, at that moment
Searcher     one way of finding, over one ChunkSet    search/
JobLedger    jobs, and who works at each              stores/
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Protocol, Self

from scova.types import (
    Advance,
    Binding,
    Call,
    Chunk,
    Document,
    Filters,
    Finding,
    Hit,
    Hold,
    IndexedFile,
    Item,
    Job,
    Light,
    Mark,
    Move,
    OutlinedFile,
    ParsedFile,
    Row,
    Skip,
    Spent,
    Symbol,
    Vector,
)


class Source(Protocol):
    """Lists what can be read, and reads it."""

    def items(self) -> Iterator[Item | Skip]:
        """Everything the source offers now, in a stable order, and what it leaves out, with the reason."""
        ...

    def read(self, item: Item) -> Document | Skip:
        """The item's text, or why it has none. Never raises for one bad item."""
        ...


class Tree(Protocol):
    """Files as they are now, for whoever checks an answer."""

    def mark(self, path: str) -> Mark | None:
        """The mark of a file; None when there is none to be read."""
        ...

    def document(self, path: str) -> Document | None:
        """The text of a file; None when it is gone, or would not be indexed any more."""
        ...


class Embedder(Protocol):
    """Turns text into vectors. Equal text gives equal vectors for as long as `model` is the same."""

    @property
    def model(self) -> str:
        """Identity of the weights; part of the key of every cached vector."""
        ...

    @property
    def width(self) -> int:
        """Components per vector."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether it is asked over the network: then one process alone does, so that limits hold, and it may fail for a while."""
        ...

    @property
    def batch_size(self) -> int:
        """How many texts serve it best at a time."""
        ...

    @property
    def spent(self) -> Spent:
        """What it has used up since it was opened."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order."""
        ...

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        ...


class OutlineReader(Protocol):
    """Definitions, calls and what names stand for, at one moment. Names are compared as they are written."""

    def symbols(self, name: str) -> list[tuple[str, Symbol]]:
        """Definitions of exactly this name (or qualified name, or the end of one at a dot), each with its file's path."""
        ...

    def calls(self, name: str = "", *, path: str = "") -> list[tuple[str, Call]]:
        """Calls of exactly this name, or all those in one file; each with its file's path, in order."""
        ...

    def aliases(self, name: str) -> list[tuple[str, Binding]]:
        """Imports of exactly this name under another one, each with its file's path."""
        ...

    def heirs(self, name: str) -> list[tuple[str, Symbol]]:
        """Classes that inherit from something whose last component is this name, each with its file's path, in order."""
        ...

    def outline(self, path: str) -> OutlinedFile | None:
        """What parsing learned of one file, without its calls; None when there is no such file."""
        ...

    def names(self) -> list[str]:
        """Every name that is defined, once, in order."""
        ...

    def files(self) -> dict[str, str]:
        """The language of every file by path, in order."""
        ...


class StoreReader(OutlineReader, Protocol):
    """One moment of a Store: every answer is as of `change_seq`, whatever is written meanwhile. Safe to share by threads."""

    @property
    def store_id(self) -> str:
        """Identity of the store. One that was built anew has another: its rows and change sequence mean other things."""
        ...

    @property
    def change_seq(self) -> int: ...

    def count(self) -> int:
        """How many chunks there are."""
        ...

    def chunks(self, rows: Sequence[Row]) -> list[Chunk]:
        """The chunks of these rows that exist, in the order asked."""
        ...

    def lights(self, rows: Sequence[Row]) -> list[Light]:
        """The same without text, for ranking many."""
        ...

    def first(self, rows: Sequence[Row], count: int) -> list[Row]:
        """Of these rows the first by path and line, in that order."""
        ...

    def chunk_by_id(self, chunk_id: str) -> Chunk | None: ...

    def chunks_of(self, path: str) -> list[Chunk]:
        """The chunks of one file, in order."""
        ...

    def rows(self, filters: Filters = ..., *, since: int = 0) -> list[Row]:
        """Rows of all chunks that pass the filters and were written after `since`, ascending."""
        ...

    def removed(self, since: int) -> list[tuple[Row, str]]:
        """Rows and ids that were there at `since` and are gone, replaced ones included, ascending.

        DerivedDamaged when the log does not reach back to `since`: then compare rows instead.
        """
        ...

    def file(self, path: str) -> IndexedFile | None:
        """What is remembered of one file; None when there is no such file."""
        ...

    def close(self) -> None: ...


class Store(Protocol):
    """Keeps files, generations, chunks, symbols and calls; each `put` becomes visible in one step or not at all."""

    def files(self) -> dict[str, IndexedFile]:
        """Every indexed file by path."""
        ...

    def put(self, files: Sequence[ParsedFile], *, removed: Iterable[str] = (), moves: Iterable[Move] = ()) -> list[Row]:
        """Replace these files whole by their next generation and remove others, in one transaction.

        Returns the rows given to the chunks, in the order of `files` and their chunks.
        """
        ...

    def touch(self, marks: Mapping[str, Mark], *, read_ns: int = 0) -> None:
        """Remember new marks of files whose content did not change; `read_ns` is when reading them began (0: now)."""
        ...

    def put_skips(self, skips: Iterable[Skip]) -> None:
        """Replace the list of what is left out."""
        ...

    def skips(self) -> list[Skip]: ...

    def reader(self) -> StoreReader:
        """Pin the present moment."""
        ...

    def audit(self) -> list[Finding]:
        """Everything in the store that does not agree with itself."""
        ...

    def repair(self) -> list[Finding]:
        """Mend what `audit` finds; returns what was found."""
        ...

    def close(self) -> None: ...


class Searcher(Protocol):
    """One way of finding. Immutable: an update returns the next searcher, and queries in flight keep the old one."""

    @property
    def name(self) -> str: ...

    def search(self, text: str, limit: int, allowed: AbstractSet[Row] | None = None) -> Sequence[Hit]:
        """The best rows for a question, best first; only rows in `allowed` when given."""
        ...

    def update_incremental(
        self, added: Sequence[Chunk], updated: Sequence[Chunk], deleted: Sequence[tuple[Row, str]]
    ) -> Self:
        """The searcher that knows these changes too. Applying the same changes twice gives the same searcher."""
        ...


class JobLedger(Protocol):
    """Jobs, shared by processes: each call is one short transaction, and safe from any thread.

    Whoever works at a job holds it by a name of its own choosing, used once, and keeps it by beating. A hold that was not beaten
    for some seconds is open to others: its process is taken for dead, and finds the hold lost if it was not.
    """

    @property
    def folder(self) -> Path:
        """Where files about these jobs lie."""
        ...

    def submit(self, job: Job) -> Job:
        """Keep a new job; where one of the same kind, path and options is queued or running, that one is returned instead."""
        ...

    def get(self, job_id: str) -> Job | None: ...

    def list(self, limit: int, *, status: Collection[str] = ()) -> Sequence[Job]:
        """The newest jobs first; only those in one of these states, when given."""
        ...

    def claim(self, owner: str, kinds: Collection[str]) -> Job | None:
        """Hold the oldest job of these kinds that waits or whose hold has lapsed; None when there is none.

        A job that lost its process too often in a row is not given out again, but failed.
        """
        ...

    def beat(self, job_id: str, owner: str, advance: Advance | None = None) -> Hold:
        """Keep the hold for some more seconds, and say how far the job is."""
        ...

    def release(self, job_id: str, owner: str, message: str, *, pause_seconds: float = 0.0) -> None:
        """Give the job back to the queue; with a pause it was not begun, and is not given out again before that has passed."""
        ...

    def finish(self, job: Job, owner: str) -> bool:
        """Keep how a job ended: its status, message and result; False when the hold was lost, and nothing is changed."""
        ...

    def cancel(self, job_id: str) -> Job | None:
        """Cancel a job: one nobody works at is cancelled at once, another when whoever holds it beats next."""
        ...

    def sync(self) -> None:
        """Make what was kept so far survive a power cut. The death of a process it survives at once."""
        ...

    def close(self) -> None:
        """Let go of what is open; the next call opens it again."""
        ...
