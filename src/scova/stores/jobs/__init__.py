"""Background jobs of a user, in one SQLite file that all processes share."""

from scova.stores.jobs.ledger import LEASE_SECONDS, MOST_DEATHS, SqliteJobs, stamp

__all__ = ["LEASE_SECONDS", "MOST_DEATHS", "SqliteJobs", "stamp"]
