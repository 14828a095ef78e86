"""The write path: what changed, read and parsed in worker processes, committed, and made searchable."""
