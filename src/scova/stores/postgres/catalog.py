"""Which projects a database holds. Each is a store of its own; nothing of one can be seen in another."""

import os
from typing import NamedTuple

from scova.errors import IndexMissing
from scova.stores.postgres.connections import Connections
from scova.stores.postgres.schema import TABLES, version


class Entry(NamedTuple):
    """A project: its number in this database, and the identity of its store."""

    project_id: int
    store_id: str


def project_names(connections: Connections) -> list[str]:
    """The names of all projects, in order."""
    with connections.lent() as connection:
        if not version(connection):
            return []
        return sorted(str(name) for (name,) in connection.execute("SELECT name FROM projects"))


def store_ids(connections: Connections) -> frozenset[str]:
    """The identities of the stores of all projects."""
    with connections.lent() as connection:
        return frozenset(str(found) for (found,) in connection.execute("SELECT store_id FROM projects"))


def remove_project(connections: Connections, name: str) -> bool:
    """Remove a project with all that belongs to it, in one step; False when there was none. Readers see theirs to the end."""
    with connections.lent() as connection:
        if not version(connection):
            return False
        with connection.transaction():
            sql = "SELECT project_id FROM projects WHERE name = %s FOR UPDATE"
            found = connection.execute(sql, (name,)).fetchone()
            if found is None:
                return False
            for table in TABLES:
                connection.execute(f"DELETE FROM {table} WHERE project_id = %s", found)
            connection.execute("DELETE FROM projects WHERE project_id = %s", found)
            return True


def create_project(connections: Connections, name: str) -> bool:
    """Make an empty project; False when there is one of this name. The tables must be there (`schema.migrate`)."""
    insert = "INSERT INTO projects (name, store_id) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING"
    with connections.lent() as connection:
        if connection.execute("SELECT 1 FROM projects WHERE name = %s", (name,)).fetchone():
            return False
        return connection.execute(insert, (name, os.urandom(16).hex())).rowcount == 1


def find(connections: Connections, name: str) -> Entry:
    """The project of this name; IndexMissing when there is none."""
    with connections.lent() as connection:
        sql = "SELECT project_id, store_id FROM projects WHERE name = %s"
        found = connection.execute(sql, (name,)).fetchone()
        if found is None:
            raise missing(name)
        return Entry(int(str(found[0])), str(found[1]))


def missing(name: str) -> IndexMissing:
    """The error for a project that is not there, or not any more."""
    return IndexMissing(f"there is no project `{name}` in this database", "index something into it first")
