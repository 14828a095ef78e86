"""Vectors of many stores on a server: opened by address, each library loaded only when its kind is asked for.

pgvector:                           the PostgreSQL database of the store, by the pgvector extension
pgvector:postgresql://…             another one
http://HOST:6333, https://…         Qdrant; `https://:KEY@HOST:6333` where it asks for a key
"""

from typing import TYPE_CHECKING

from scova.errors import UsageError

if TYPE_CHECKING:
    from scova.protocols.vectors import VectorIndex
    from scova.stores.postgres.connections import Connections


def open_vectors(
    url: str, *, store_id: str, model: str, width: int, connections: "Connections | None" = None
) -> "VectorIndex":
    """The index at this address that holds the vectors of one store, of so many components each, made by one model.

    `connections` are those of the store's database, which `pgvector:` alone needs; they stay the caller's. Qdrant is not spoken
    to before it is needed.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "pgvector":
        from scova.stores.vectors.pgvector import PgVectors

        return PgVectors.open(rest, store_id, model, width, connections=connections)
    if scheme in ("http", "https"):
        from scova.stores.vectors.qdrant.index import QdrantVectors

        return QdrantVectors.open(url, store_id, model, width)
    raise UsageError(
        f"vectors cannot be kept at `{scheme}:`",
        "use `pgvector:` with a PostgreSQL store, or the http address of a Qdrant",
    )
