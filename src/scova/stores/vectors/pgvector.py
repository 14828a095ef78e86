"""The vectors of stores in PostgreSQL, by the pgvector extension.

    vector_indexes      one row per store and model: the change that is reflected, and the number of its table
    vectors_NUMBER      the vectors of one of them: row, vector (int8 values as halfvec, which holds them exactly), and what they can
                        be filtered by. A table of its own, so that a graph is as large as one project and goes with it at once

Below some tens of thousands of rows there is no graph: every vector is compared. What is asked is answered by one statement, so what
was found and the change that was reflected are of the same snapshot; what is applied is one transaction. Everything lies in the
schema `scova`; the extension may lie in any.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scova.errors import DerivedDamaged, IndexState, StoreDamaged, UsageError, VectorsAway
from scova.protocols.vectors import NO_FILTERS, Found, Point
from scova.stores.postgres.connections import Connections
from scova.types import Filters, Row, Vector

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection

GRAPH_FROM = 20_000  # rows; comparing fewer takes milliseconds
MOST_IN_GRAPH = 4000  # components, as far as pgvector goes
_OLDEST = (0, 8)  # the first that goes on looking when filters leave too few
_LOCK = 0x53434F57  # an advisory lock: one process makes the tables at a time
_EXPANSION = (
    200,
    1000,
)  # candidates that a search of the graph keeps in view: at least, and as many as pgvector allows

_REGISTRY = """CREATE TABLE IF NOT EXISTS vector_indexes (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, store_id text NOT NULL, model text NOT NULL, width integer NOT NULL,
    applied_seq bigint NOT NULL DEFAULT 0, UNIQUE (store_id, model, width))"""
_TABLE = """CREATE TABLE vectors_{number} (row bigint PRIMARY KEY, vector {schema}.halfvec({width}) NOT NULL, language text NOT NULL,
    chunk_type text NOT NULL, kind text NOT NULL, tags text[] NOT NULL)"""
_GRAPH = "CREATE INDEX IF NOT EXISTS vectors_{number}_graph ON vectors_{number} USING hnsw (vector {schema}.halfvec_cosine_ops)"
_INSTALLED = "SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
_OFFERED = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
_THERE = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'scova' AND tablename = 'vector_indexes'"
_MINE = "store_id = %s AND model = %s AND width = %s"
# The rows and vectors in one value each, and the change that is reflected in the same snapshot; NULL when the index is gone.
_FOUND = """SELECT (SELECT applied_seq FROM vector_indexes WHERE number = {number}), array_agg(row),
    string_agg({schema}.halfvec_send(vector), '') FROM ({which}) f"""
_COPY = "COPY {into} (row, vector, language, chunk_type, kind, tags) FROM STDIN"


class PgVectors:
    """One index."""

    words = None  # PostgreSQL knows sparse vectors, but not how rare a term is

    def __init__(self, connections: Connections, names: tuple[str, str, int], schema: str, *, owns: bool) -> None:
        self.store_id, self.model, self.width = names
        self._names = names
        self._connections = connections
        self._schema = schema
        self._owns = owns
        self._number: int | None = None  # of its table, as last seen
        self.graph_from = GRAPH_FROM if self.width <= MOST_IN_GRAPH else 0

    @classmethod
    def open(
        cls, url: str, store_id: str, model: str, width: int, *, connections: Connections | None = None
    ) -> "PgVectors":
        """The index of this store; IndexState, with what to do, when the database does not have pgvector."""
        if not url and connections is None:
            raise UsageError("`pgvector:` needs a store in PostgreSQL", "serve with --store postgresql://… as well")
        shared = Connections(url) if url else connections
        assert shared is not None
        try:
            return cls(shared, (store_id, model, width), _prepared(shared), owns=bool(url))
        except BaseException:
            if url:
                shared.close()
            raise

    def applied_seq(self) -> int:
        """The change of the store that it reflects; 0 for nothing at all."""
        found = self._all(f"SELECT applied_seq FROM vector_indexes WHERE {_MINE}", self._names)
        return int(found[0][0]) if found else 0

    def apply(self, fresh: Iterable[Point], dead: Collection[Row], *, upto: int) -> None:
        """Hold these points too, reflect the change `upto`, and let go of the dead rows: all of it or nothing."""
        with _away(), self._connections.lent() as connection:
            with connection.transaction():
                number = self._locked(connection, upto)
                self._put(connection, number, fresh)
                connection.execute(f"DELETE FROM vectors_{number} WHERE row = ANY(%s::bigint[])", (list(dead),))
                connection.execute("UPDATE vector_indexes SET applied_seq = %s WHERE number = %s", (upto, number))
            self._number = number
            held: Any = connection.execute(f"SELECT count(*) FROM vectors_{number}").fetchone()
            if self.graph_from and held[0] >= self.graph_from:
                with connection.transaction():  # of its own: readers see the rows meanwhile
                    connection.execute("SET LOCAL maintenance_work_mem TO '256MB'")
                    connection.execute(_GRAPH.format(number=number, schema=self._schema))

    def nearest(
        self, asked: Vector, count: int, *, filters: Filters = NO_FILTERS, among: Collection[Row] | None = None
    ) -> Found:
        """So many vectors nearest to the one that was asked."""
        conditions, values = _conditions(filters)
        if among is not None:
            conditions.append("row = ANY(%s::bigint[])")
            values.append(list(among))
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        distance = f"vector OPERATOR({self._schema}.<=>) %s::{self._schema}.halfvec({self.width})"
        order = distance if among is None else f"({distance}) + 0"  # of few rows all are compared, without the graph
        which = f"SELECT row, vector FROM vectors_{{number}} {where} ORDER BY {order} LIMIT {int(count)}"
        return self._found(which, (*values, _written(asked)), expansion=count)

    def vectors(self, rows: Collection[Row]) -> Found:
        """The vectors of these rows that it has."""
        return self._found("SELECT row, vector FROM vectors_{number} WHERE row = ANY(%s::bigint[])", (list(rows),))

    def rows(self) -> Iterator[Row]:
        """Every row it holds."""
        number = self._placed()
        found = () if number is None else self._all(f"SELECT row FROM vectors_{number}")
        yield from (Row(row) for (row,) in found)

    def count(self) -> int:
        """How many rows it holds."""
        number = self._placed()
        return 0 if number is None else int(self._all(f"SELECT count(*) FROM vectors_{number}")[0][0])

    def drop(self) -> None:
        """Hold nothing any more, and leave no table."""
        self._drop(_MINE, self._names)

    def drop_all(self) -> None:
        """The same, by whichever model."""
        self._drop("store_id = %s", (self.store_id,))

    def close(self) -> None:
        """Let go of connections; those that the caller gave stay his."""
        if self._owns:
            self._connections.close()

    def _drop(self, which: str, values: Sequence[object]) -> None:
        with _away(), self._connections.lent() as connection, connection.transaction():
            found = connection.execute(f"DELETE FROM vector_indexes WHERE {which} RETURNING number", values)
            for (number,) in found.fetchall():
                connection.execute(f"DROP TABLE IF EXISTS vectors_{number}")
        self._number = None

    def _locked(self, connection: "Connection", upto: int) -> int:
        """The number of the table, made if there is none; nobody else applies until the transaction ends."""
        insert = "INSERT INTO vector_indexes (store_id, model, width) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING RETURNING number"
        made: Any = connection.execute(insert, self._names).fetchone()
        if made is not None:
            connection.execute(_TABLE.format(number=made[0], schema=self._schema, width=self.width))
            return int(made[0])
        sql = f"SELECT number, applied_seq FROM vector_indexes WHERE {_MINE} FOR UPDATE"
        found: Any = connection.execute(sql, self._names).fetchone()
        if found is None:
            raise VectorsAway("the vector index was dropped while it was written", "try again")
        number, applied_seq = found
        if upto < applied_seq:
            raise DerivedDamaged(
                "the vector index reflects a newer change than the store has", "drop it and apply anew"
            )
        return int(number)

    def _put(self, connection: "Connection", number: int, fresh: Iterable[Point]) -> None:
        """Copy points in; one that is there already is left as it is, since rows never change."""
        waiting = f"CREATE TEMPORARY TABLE arriving (LIKE vectors_{number}) ON COMMIT DROP"
        connection.execute(waiting)
        with connection.cursor().copy(_COPY.format(into="arriving")) as copy:
            for row, vector, light, _ in fresh:
                if len(vector) != self.width:
                    raise ValueError(f"vectors must have {self.width} components")
                kind = (light.language, light.chunk_type.value, light.kind, list(light.tags))
                copy.write_row((row, _written(vector), *kind))
        connection.execute(f"INSERT INTO vectors_{number} SELECT * FROM arriving ON CONFLICT DO NOTHING")

    def _found(self, which: str, values: Sequence[object], *, expansion: int = 0) -> Found:
        number = self._placed()
        if number is None:
            return Found({}, 0)
        lowest, highest = _EXPANSION
        begin = f"""BEGIN READ ONLY; SET LOCAL hnsw.iterative_scan TO strict_order; SET LOCAL hnsw.max_scan_tuples TO 1000000;
            SET LOCAL hnsw.ef_search TO {min(highest, max(lowest, expansion))}"""
        sql = _FOUND.format(which=which.format(number=number), number=number, schema=self._schema)

        def asked(connection: "Connection") -> Any:
            connection.execute(begin)
            # Planned anew each time: a plan for any number of rows does not use what tells them apart.
            return connection.execute(sql, values, binary=True, prepare=False).fetchone()

        try:
            with _away():
                connection, found = self._connections.begin(asked)
        except StoreDamaged:
            self._number = None
            if self._placed() != number:  # dropped meanwhile, or made anew: this is not the index that was opened
                return Found({}, 0)
            raise
        self._connections.give_back(connection)
        reflects, rows, vectors = found
        return Found(dict(zip(map(Row, rows or ()), _read(vectors or b"", self.width), strict=True)), reflects or 0)

    def _placed(self) -> int | None:
        """The number of the table; None while there is none."""
        if self._number is None:
            found = self._all(f"SELECT number FROM vector_indexes WHERE {_MINE}", self._names)
            self._number = int(found[0][0]) if found else None
        return self._number

    def _all(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        with _away():
            connection, found = self._connections.begin(lambda asked: asked.execute(sql, values).fetchall())
        self._connections.give_back(connection)
        return found


@contextmanager
def _away() -> Iterator[None]:
    """A database that does not answer in this block is an index that does not."""
    try:
        yield
    except (DerivedDamaged, StoreDamaged):
        raise
    except IndexState as error:
        raise VectorsAway(error.message, error.hint) from error


def _prepared(connections: Connections) -> str:
    """Make the registry, and the extension where the role may; the schema of the extension."""
    with connections.lent() as connection:
        schema = _extension(connection, connections.where)
        if connection.execute(_THERE).fetchone():  # making it again would need rights that serving does not
            return schema
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute("CREATE SCHEMA IF NOT EXISTS scova")
            connection.execute(_REGISTRY)
        return schema


def _extension(connection: "Connection", where: str) -> str:
    """The schema that pgvector lies in, as it is written in a statement."""
    from scova.stores.postgres.driver import Error

    found: Any = connection.execute(_INSTALLED).fetchone()
    if found is None:
        hint = "install pgvector on the database server, let its owner run `CREATE EXTENSION vector`, or keep vectors elsewhere"
        if connection.execute(_OFFERED).fetchone() is None:
            raise IndexState(f"database {where} does not have the extension pgvector", hint)
        try:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        except Error as error:
            said = str(error).strip().partition("\n")[0]
            raise IndexState(f"database {where} does not let pgvector be installed: {said}", hint) from error
        found = connection.execute(_INSTALLED).fetchone()
    schema, version = str(found[0]), str(found[1])
    if tuple(int(part) for part in version.split(".")[:2] if part.isdecimal()) < _OLDEST:
        hint = "upgrade it to 0.8 or newer, then run `ALTER EXTENSION vector UPDATE`"
        raise IndexState(f"pgvector {version} in database {where} is too old", hint)
    return '"' + schema.replace('"', '""') + '"'


def _conditions(filters: Filters) -> tuple[list[str], list[object]]:
    """What the filters ask, but for paths."""
    wanted: dict[str, Sequence[str]] = {
        "language = ANY(%s::text[])": filters.languages,
        "chunk_type = ANY(%s::text[])": [chunk_type.value for chunk_type in filters.chunk_types],
        "kind = ANY(%s::text[])": filters.kinds,
        "tags && %s::text[]": filters.tags,
    }
    return [sql for sql, words in wanted.items() if words], [list(words) for words in wanted.values() if words]


def _written(vector: Vector) -> str:
    return str(memoryview(vector).cast("b").tolist())


def _read(vectors: bytes, width: int) -> list[Vector]:
    """Vectors as `halfvec_send` writes them: two numbers of two bytes, then a half float for each component."""
    import numpy as np

    lines = np.frombuffer(vectors, np.dtype(">f2")).reshape(-1, width + 2)[:, 2:]
    return [line.tobytes() for line in lines.astype(np.int8)]
