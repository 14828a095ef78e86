"""Vectors by (model, SHA-256 of what was embedded), in the database: one cache for all projects and processes of it.

What was embedded for one is known to all, so a remote embedder is paid once. It is only a cache: one that is not there, or was
damaged, is computed again. Chunks of any project may need any vector, so nobody forgets those of one project: `forget_unused`
compares with the chunks of all, and lets a vector go that none has needed for a while; texts come back, with a branch that is
checked out again or a project that is pushed anew. Knows nothing of how vectors are made.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from scova.errors import EmbedderError
from scova.stores.columns.seal import is_sound, sealed
from scova.stores.postgres.connections import Connections
from scova.types import Vector

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection

UNUSED_FOR = timedelta(days=30)
_AT_ONCE = 5000  # vectors in one statement
_MODEL = "(SELECT number FROM embedding_models WHERE name = %s)"
_GET = f"SELECT key, vector, unused_since IS NOT NULL FROM embeddings WHERE model = {_MODEL} AND key = ANY(%b::bytea[])"
# One that is damaged is replaced; whoever writes the same ones meanwhile waits, in the same order.
_PUT = """INSERT INTO embeddings AS e (model, key, vector) SELECT %s, k, v FROM unnest(%b::bytea[], %b::bytea[]) AS n (k, v)
    ON CONFLICT (model, key) DO UPDATE SET vector = excluded.vector WHERE e.vector <> excluded.vector"""
_KNOWN = "SELECT number, width FROM embedding_models WHERE name = %s"
_NEW = "INSERT INTO embedding_models (name, width) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING"
_COUNTS = """SELECT name, (SELECT count(*) FROM embeddings WHERE model = number) FROM embedding_models ORDER BY name"""
_USED = "EXISTS (SELECT 1 FROM chunks c WHERE c.embed_key = e.key)"
# Nobody is waited for, so that no circle of those who wait can come about.
_THESE = "(model, key) IN (SELECT model, key FROM embeddings e WHERE {} FOR UPDATE SKIP LOCKED)"
_WANTED = (
    f"UPDATE embeddings SET unused_since = NULL WHERE {_THESE.format(f'model = {_MODEL} AND key = ANY(%b::bytea[])')}"
)
_MARK = (
    f"UPDATE embeddings SET unused_since = NULL WHERE {_THESE.format(f'unused_since IS NOT NULL AND {_USED}')}",
    f"UPDATE embeddings SET unused_since = current_date WHERE {_THESE.format(f'unused_since IS NULL AND NOT {_USED}')}",
)
_GONE = f"DELETE FROM embeddings WHERE {_THESE.format(f'unused_since <= current_date - %s::interval AND NOT {_USED}')}"


class PostgresEmbeddings:
    """The VectorCache of one database. The tables must be there (`schema.migrate`)."""

    def __init__(self, connections: Connections) -> None:
        """The connections stay the caller's."""
        self._connections = connections

    def get(self, model: str, keys: Collection[bytes]) -> dict[bytes, Vector]:
        """The vectors that are known, by key."""
        wanted = sorted(keys)
        found: dict[bytes, Vector] = {}
        if not wanted:
            return found
        with self._connections.lent() as connection, connection.cursor(binary=True) as cursor:
            for start in range(0, len(wanted), _AT_ONCE):
                rows: Any = cursor.execute(_GET, (model, wanted[start : start + _AT_ONCE])).fetchall()
                found.update((key, kept[:-4]) for key, kept, _ in rows if is_sound(key, kept))
                if unused := [key for key, _, is_unused in rows if is_unused]:
                    cursor.execute(_WANTED, (model, unused))  # or they might go before the chunks are there
        return found

    def put(self, model: str, vectors: Mapping[bytes, Vector]) -> None:
        """Keep these vectors, together or not at all. All vectors of a model have one width: EmbedderError otherwise."""
        if not vectors:
            return
        keys = sorted(vectors)
        with self._connections.lent() as connection, connection.transaction():
            number = _checked(connection, model, {len(vector) for vector in vectors.values()})
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                connection.execute(_PUT, (number, some, [sealed(key, vectors[key]) for key in some]))

    def counts(self) -> dict[str, int]:
        """How many vectors there are of each model."""
        with self._connections.lent() as connection:
            found: Any = connection.execute(_COUNTS)
            return dict(found.fetchall())

    def forget_unused(self, after: timedelta = UNUSED_FOR) -> int:
        """Let vectors go that no chunk of any project has needed for so long; says how many went. A chore, to be done now and then:
        a vector counts as unused from the first time on that this finds it so, and until someone asks for it."""
        with self._connections.lent() as connection:
            for sql in _MARK:
                connection.execute(sql)
            return connection.execute(_GONE, (after,)).rowcount

    def opener(self) -> "Callable[[], PostgresEmbeddings]":
        """How a worker process opens this cache for itself."""
        return Opener(self._connections.url)

    def close(self) -> None:
        """Nothing is open between two calls; the connections are the caller's."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens the cache in a worker process, on a connection that serves all its batches and ends with it."""

    url: str

    def __call__(self) -> PostgresEmbeddings:
        return PostgresEmbeddings(_of_this_process(self.url))

    def __repr__(self) -> str:
        return "Opener(…)"  # the address may hold a password


@cache
def _of_this_process(url: str) -> Connections:
    return Connections(url, most=2)


def _checked(connection: "Connection", model: str, widths: set[int]) -> int:
    """The number of a model whose vectors are so wide, made if it is new."""
    found: Any = connection.execute(_KNOWN, (model,)).fetchone()
    if found is None:
        connection.execute(_NEW, (model, min(widths)))
        found = connection.execute(_KNOWN, (model,)).fetchone()
    number, width = found
    if widths != {width}:
        raise EmbedderError(
            f"vectors of `{model}` are {width} wide, these are {', '.join(map(str, sorted(widths)))}",
            "give another model another name",
        )
    return int(number)
