"""Whether a store is one that scova made: its tables and indexes are ours to the letter, and there is nothing else in it.

A file from elsewhere may have a view in place of a table, whose query never ends, or a trigger that writes for as long as there
is room. So this is asked of a connection before anything else is, and the answer comes from the names and texts in
`sqlite_master` alone, within a bound on the work that reading these takes.
"""

import sqlite3
from functools import lru_cache

_PARTS = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_STEPS = 1000  # instructions of SQLite between two looks
_LOOKS = 200

Parts = frozenset[tuple[str | None, ...]]


def strange_part(connection: sqlite3.Connection, tables: str) -> str:
    """What in this database is not as these statements make it, in words; empty when it is ours. Raises what SQLite does."""
    left = _LOOKS

    def is_enough() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(is_enough, _STEPS)
    try:
        found = frozenset(connection.execute(f"{_PARTS} LIMIT 1000").fetchall())
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return "its tables are too many"
    finally:
        connection.set_progress_handler(None, 0)
    wanted = _made_by(tables)
    if found == wanted:
        return ""
    kind, name, *_ = min(found ^ wanted, key=repr)
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in str(name)[:40])
    return f"the {kind} `{shown}` is not as scova makes it"


@lru_cache(maxsize=8)
def _made_by(tables: str) -> Parts:
    """What these statements make, by this very SQLite: it adds tables of its own to some."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.executescript(tables)
        return frozenset(connection.execute(_PARTS).fetchall())
    finally:
        connection.close()
