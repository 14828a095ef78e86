"""Reading a project on PostgreSQL: one pinned moment, and everything that can be asked of it."""
