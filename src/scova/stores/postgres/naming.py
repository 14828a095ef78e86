"""Which names the files of a database define and use, made from the rows of all its projects: for a database that has none yet."""

from typing import TYPE_CHECKING, Any

from scova.stores.columns.encoding import readable
from scova.stores.columns.ties import packed_ties

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection

NAMES = """ARRAY(SELECT DISTINCT name FROM {} n WHERE n.project_id = b.project_id AND n.file_id = b.file_id
    AND n.generation = b.generation)"""  # of symbols or calls, of a row `b` of bindings
_EVERY = (
    f"SELECT project_id, file_id, generation, bound, {NAMES.format('symbols')}, {NAMES.format('calls')} FROM bindings b"
)
_WRITE = "UPDATE bindings SET defines = %s, uses = %s WHERE project_id = %s AND file_id = %s AND generation = %s"
_AT_ONCE = 2000  # files


def write_ties(connection: "Connection") -> None:
    """Write the names of every file, some thousands at a time."""
    with connection.cursor(name="scova_ties") as cursor, connection.cursor() as writer:
        cursor.itersize = _AT_ONCE
        cursor.execute(_EVERY)
        while some := cursor.fetchmany(_AT_ONCE):
            writer.executemany(_WRITE, map(_made, some))


def _made(values: Any) -> tuple[Any, ...]:
    *which, bound, defined, called = values
    return (*packed_ties(defined, called, readable(bound)), *which)
