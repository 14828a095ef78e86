"""Background jobs of a user, in one SQLite file that all processes share."""

from scova.stores.jobs.ledger import SqliteJobs
from scova.stores.jobs.rules import LEASE_SECONDS, MOST_DEATHS, stamp

__all__ = ["LEASE_SECONDS", "MOST_DEATHS", "SqliteJobs", "stamp"]
