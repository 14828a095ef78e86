"""What texts come from, what makes vectors of them, and what finds them."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol, Self

from scova.types import Chunk, Document, Hit, Item, Mark, Row, Skip, Spent, Vector


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
