"""What a file's path says about a question: the words of its own name, and of the folders above it.

Responsible for reading a path as words. It refuses to look inside files, and to know which kinds of files rank low (chunks
carry tags for that).
"""

import re
from collections.abc import Collection
from typing import NamedTuple

from scova.record import record
from scova.search.asked.evidence import Wanted
from scova.tokens import parts, remembered, stem, words

# A file of this name speaks for its folder: `routing/mod.rs` is what others would call `routing.rs`.
_STANDS_FOR_FOLDER = frozenset(("mod", "index", "init", "__init__", "main", "lib"))


@record
class PathWords:
    """A path as words. `own` are those of the file's name, or of its folder where the name stands for that."""

    own: tuple[str, ...]
    folders: tuple[str, ...]
    whole: str  # the name's letters and digits run together, in lower case


class PathEvidence(NamedTuple):
    """How a path answers a question; each 0 to 1."""

    coverage: float  # of the question, by the file's name
    precision: float  # of the file's name, by the question
    folders: float  # of the question, by folders alone


NOTHING = PathEvidence(0.0, 0.0, 0.0)


@remembered(1 << 15)
def path_words(path: str) -> PathWords:
    """The words of a path; remembered, because a file has many chunks and is asked about many times."""
    *above, name = path.split("/")
    base = name.lstrip(".").split(".")[0]
    folders = tuple(dict.fromkeys(word for folder in above for word in _split(folder)))
    if base.lower() in _STANDS_FOR_FOLDER and above:
        return PathWords(_split(above[-1]) or _split(base), folders, _run_together(above[-1]))
    return PathWords(_split(name.rpartition(".")[0] or name), folders, _run_together(base))


def path_evidence(path: str, wanted: Wanted, names: Collection[str]) -> PathEvidence:
    """How a path answers. `names` are identifiers asked for: a file called exactly so is a full answer by its name."""
    read = path_words(path)
    if wanted.words.isdisjoint(read.own) and wanted.words.isdisjoint(read.folders) and read.whole not in names:
        return NOTHING
    own, matched = wanted.found(read.own)
    beside = {term: worth for term, worth in wanted.found(read.folders)[0].items() if term not in own}
    precision = 1.0 if read.whole in names else matched / max(len(read.own), 1)
    return PathEvidence(wanted.share(own), precision, wanted.share(beside))


def _split(text: str) -> tuple[str, ...]:
    return tuple(stem(part) for word in words(text) for part in parts(word))


def _run_together(text: str) -> str:
    return re.sub(r"[\W_]", "", text.lower())
