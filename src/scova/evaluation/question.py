"""A question whose answer is known, and what makes words a question. Knows nothing of where they come from."""

import hashlib
import re
from enum import StrEnum

from scova.record import record
from scova.search.asked.evidence import STOP_WORDS

MOST_RELEVANT = 5  # files: what has more answers than that is about everything


class Kind(StrEnum):
    """Where questions come from."""

    HISTORY = "history"  # the subject of a commit; the files it changed
    DOCS = "docs"  # the first sentence of a doc comment; the file of its function
    TESTS = "tests"  # the name of a test; the files of what it calls


@record
class Question:
    """What is asked, and which files answer it."""

    kind: Kind
    text: str
    relevant: tuple[str, ...]  # paths, in order
    origin: str  # a commit, or PATH:LINE
    ignored: frozenset[str] = frozenset()  # files that no ranking is judged by: they repeat the question's own words


_MARKUP = re.compile(r"\{@\w+\s+([^}]*)\}|\w+://\S+|</?(?:a|b|br|code|em|i|li|p|pre|strong|tt|ul)\b[^<>]*>")
_ODD = re.compile(r"[^\w\s./'-]+")
_EDGES = "-./'"
_REAL = re.compile(r"[^\W\d_]{3,}")


def plain(text: str) -> str:
    """The words of a text as a person would type them: no markup, and nothing that the query language reads as an operator."""
    bare = _ODD.sub(" ", _MARKUP.sub(lambda found: found[1] or " ", text))
    return " ".join(word for word in (piece.strip(_EDGES) for piece in bare.split()) if word)


def real_words(text: str) -> list[str]:
    """Words of three letters or more that say what is asked, not how."""
    return [word for word in _REAL.findall(text.lower()) if word not in STOP_WORDS]


def lot(seed: int, *words: str) -> bytes:
    """What decides by chance in which order things come. It depends on each thing alone, so that a tree that has changed a little
    is asked almost the same questions."""
    return hashlib.sha256("\0".join((str(seed), *words)).encode("utf-8", "surrogateescape")).digest()
