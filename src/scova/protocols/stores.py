"""What is kept, and pinned views of it.

Store and StoreReader are what every store does. WholeStore and WholeReader are what a build and a search need beyond: whole files,
settings, and following what others write.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, Self, runtime_checkable

from scova.types import (
    EVERYWHERE,
    WHOLE,
    Binding,
    Call,
    Census,
    Chunk,
    Filters,
    Finding,
    IndexedFile,
    Light,
    Mark,
    Move,
    OutlinedFile,
    ParsedFile,
    Region,
    Row,
    Seen,
    Share,
    Skip,
    StoredFile,
    Symbol,
    Tally,
    Ties,
)


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

    def ties(self, paths: Collection[str]) -> dict[str, Ties]:
        """Which names these files define and use, by path; for some dozens of files."""
        ...

    def names(self) -> list[str]:
        """Every name that is defined, once, in order."""
        ...

    def files(self) -> dict[str, str]:
        """The language of every file by path, in order."""
        ...


class Holdable(Protocol):
    """A moment that stays for as long as somebody holds it."""

    def hold(self) -> bool:
        """Keep the moment until as many calls of `release`; False when it is gone, and the next reader is of a newer one. A reader that
        was opened is held until the first release, and one that nobody holds may raise Overtaken when it is asked."""
        ...

    def release(self) -> None:
        """Let the moment go, unless others hold it: a store cannot tidy up what somebody may still see."""
        ...


class StoreReader(OutlineReader, Holdable, Protocol):
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


class FileReader(Protocol):
    """Whole files at one moment, without their chunks: which there are, which are newer, and what they say."""

    def count_files(self, since: int = 0) -> int:
        """How many files there are that were put after `since`."""
        ...

    def seen(self, share: Share = WHOLE) -> Iterator[Seen]:
        """What every file of this part looked like when it was read."""
        ...

    def stored_files(self, ids: Iterable[int] | None = None, *, since: int = 0) -> list[StoredFile]:
        """These files, or all, that were put after `since`; ordered by path."""
        ...

    def stored_texts(self, files: Iterable[StoredFile]) -> Iterator[tuple[StoredFile, str]]:
        """These files with their texts, put together from their chunks."""
        ...

    def tally(self) -> Tally:
        """Counts, for people."""
        ...

    def census(self) -> Census:
        """More counts, for people: kinds of definitions, tags, and when what is there came. Reads every chunk and definition."""
        ...


@runtime_checkable
class WholeReader(StoreReader, FileReader, Protocol):
    """One moment of a WholeStore."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


class Upkeep(Protocol):
    """What is kept beside files and chunks, and how others are followed. Any number of processes may have the same store open."""

    @property
    def project(self) -> str:
        """The name of the project it holds."""
        ...

    @property
    def store_id(self) -> str:
        """Identity of the store, as its readers tell it."""
        ...

    def setting(self, key: str) -> str | None:
        """A value that a caller left here, or None."""
        ...

    def put_settings(self, values: Mapping[str, str]) -> None:
        """Keep these values, together or not at all."""
        ...

    def count_skips(self) -> int:
        """How many files are left out."""
        ...

    def change_seq(self) -> int:
        """The number of the newest change."""
        ...

    def pulse(self) -> int:
        """A number that differs from the one before when anything was committed since, by whomever. Waits for no writer."""
        ...

    def sync(self) -> None:
        """Make everything committed survive a power cut; to be called before a derived file is named after a change."""
        ...

    def prune_removed(self, before_seq: int) -> None:
        """Removals up to and including this change may be forgotten: whoever says so has derived files that reflect them."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Everything this thread writes in the block becomes visible in one step at its end, or none of it does."""
        ...


class WholeStore(Store, Upkeep, Protocol):
    """A Store that can be built into and searched."""

    def files(self, region: Region = EVERYWHERE) -> dict[str, IndexedFile]:
        """Every indexed file of the region by path; more than that when the region is in many pieces."""
        ...

    def reader(self) -> WholeReader:
        """Pin the present moment."""
        ...
