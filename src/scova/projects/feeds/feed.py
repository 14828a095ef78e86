"""What a source hands to a build: its documents, a batch at a time, from where it was left.

A batch has been fetched when it is handed over, and lies on disk; so a build that is killed loses at most the batch it was at.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

from scova.projects.spec import SourceSpec
from scova.protocols import Source
from scova.types import Document, Item, Region, Skip


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a source. `names` are those that are settled with it, there or gone; `failed` may be tried again."""

    source: Source
    region: Region
    names: tuple[str, ...]
    failed: dict[str, str] = field(default_factory=dict)
    fetch_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn:
    """What one slice takes of a source: until so many are settled, or it is time to `stop`. `came` hears how many of the next batch are
    fetched so far."""

    most: int
    stop: Callable[[], bool]
    came: Callable[[int], None]


class Feed(Protocol):
    """One source being read."""

    kind: str  # what its names are: "urls" or "files"
    notes: list[str]  # what was left out on purpose, in words

    def names(self) -> list[str]:
        """Everything it has, in the order it is taken. Asked for before anything else; may take its time, and may raise."""
        ...

    def batches(self, left: list[str], turn: Turn) -> Iterator[Batch]:
        """Those that are left, in order, as far as this turn goes. What fails does not count, so that it cannot stand in the way of the
        rest."""
        ...

    def everything(self, skips: Sequence[Skip]) -> Batch:
        """All of it as one batch, none of it fetched again: what the index has of this source beyond that is gone. `skips` are
        those that the index knows of this source."""
        ...


@dataclass(frozen=True, slots=True)
class Fetching:
    """How a build fetches: so many at a time, all of it again with `force`, until it is time to `stop`."""

    concurrency: int
    force: bool
    stop: Callable[[], bool]


class Feeds(Protocol):
    """The feeds of one build."""

    def begin_anew(self) -> None:
        """Forget which pages sitemaps had when an earlier build came to them."""
        ...

    def expect(self, specs: Sequence[SourceSpec]) -> None:
        """These come next, in this order, and nothing of them was fetched yet in this build."""
        ...

    def of(self, spec: SourceSpec) -> Feed:
        """A source, about to be read; ProjectError for one that cannot be read here."""
        ...

    def size(self, spec: SourceSpec) -> int | None:
        """Bytes of a source, as far as that can be told without fetching; None when it cannot."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


class Tagged:
    """A Source whose documents carry tags. Safe to send to another process."""

    def __init__(self, source: Source, tags: tuple[str, ...]) -> None:
        self._source = source
        self._tags = tags

    def items(self) -> Iterator[Item | Skip]:
        """What the source has."""
        return self._source.items()

    def read(self, item: Item) -> Document | Skip:
        """The text of an item, tagged, or why it has none."""
        read = self._source.read(item)
        return replace(read, tags=self._tags) if isinstance(read, Document) else read


class Nothing:
    """A Source that has nothing: what the index has of it is to go."""

    def items(self) -> Iterator[Item | Skip]:
        """None."""
        return iter(())

    def read(self, item: Item) -> Document | Skip:
        """Not there."""
        return Skip(item.path, "vanished")
