"""Answers checked against the files as they are now, before anyone sees them: moved spans are moved, vanished ones dropped."""
