"""A number with what it counts, as one says it, and a text that is cut where it says so. Knows nothing else."""


def counted(number: int, one: str, several: str = "") -> str:
    """`1 file`, `2 files`; `several` is for words that do more than take an s."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def waiting(chunks: int) -> str:
    """How many chunks have no vector yet."""
    return counted(chunks, "chunk waits for its vector", "chunks wait for their vectors")


def clipped(text: str, most: int) -> str:
    """A text of at most so many characters; one that was longer says so at its end."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
