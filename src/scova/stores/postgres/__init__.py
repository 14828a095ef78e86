"""The Store for teams: one PostgreSQL database, any number of projects and of processes that work with it."""

from scova.stores.postgres.catalog import create_project, project_names, remove_project
from scova.stores.postgres.connections import Connections
from scova.stores.postgres.embeddings import PostgresEmbeddings
from scova.stores.postgres.jobs import PostgresJobs
from scova.stores.postgres.reading.reader import PostgresReader
from scova.stores.postgres.schema import migrate
from scova.stores.postgres.store import PostgresStore
from scova.stores.postgres.tokens import PostgresTokens

__all__ = [
    "Connections",
    "PostgresEmbeddings",
    "PostgresJobs",
    "PostgresReader",
    "PostgresStore",
    "PostgresTokens",
    "create_project",
    "migrate",
    "project_names",
    "remove_project",
]
