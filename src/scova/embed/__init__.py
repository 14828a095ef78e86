"""Text into vectors."""
