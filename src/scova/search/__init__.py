"""The read path: a question, one moment of the index, and an answer with its reasons. Nothing here writes."""
