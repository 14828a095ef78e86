"""Answers of a process that has no text index yet, from an index beside the store that holds words."""
