"""The n-gram index: which files may hold a text. It rules files out; it never says that a text is there."""
