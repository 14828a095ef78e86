"""Work in the background, whoever asked for it: one engine for every door, with all its state in a ledger that processes share."""

from scova.jobs.engine import Jobs, Runner
from scova.jobs.runners import index_options, index_runner

__all__ = ["Jobs", "Runner", "index_options", "index_runner"]
