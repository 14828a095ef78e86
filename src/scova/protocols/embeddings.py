"""Vectors of texts that were embedded before, whoever did it."""

from collections.abc import Callable, Collection, Mapping
from typing import Protocol, Self

from scova.types import Vector


class VectorCache(Protocol):
    """Vectors by (model, SHA-256 of what was embedded). Shared by projects and processes, and safe from any thread.

    Only a cache: one that is not known is computed again. But what it gives goes into every index, for good: so whatever was
    damaged counts as unknown.
    """

    def get(self, model: str, keys: Collection[bytes]) -> dict[bytes, Vector]:
        """The vectors that are known, by key."""
        ...

    def put(self, model: str, vectors: Mapping[bytes, Vector]) -> None:
        """Keep these vectors. All vectors of a model have one width: EmbedderError otherwise."""
        ...

    def counts(self) -> dict[str, int]:
        """How many vectors there are of each model."""
        ...

    def opener(self) -> "Callable[[], VectorCache]":
        """How a worker process opens this cache for itself: can be pickled, and carries no open connection over a fork."""
        ...

    def close(self) -> None:
        """Let go of what is open; the next use opens it again."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...
