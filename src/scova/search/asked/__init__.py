"""What was asked: the query language, the words that count, and what must be there literally."""
