"""The Store for teams: one PostgreSQL database, any number of projects and of processes that work with it."""

from scova.stores.postgres.catalog import create_project, project_names, remove_project
from scova.stores.postgres.connections import Connections
from scova.stores.postgres.reader import PostgresReader
from scova.stores.postgres.schema import migrate
from scova.stores.postgres.store import PostgresStore

__all__ = [
    "Connections",
    "PostgresReader",
    "PostgresStore",
    "create_project",
    "migrate",
    "project_names",
    "remove_project",
]
