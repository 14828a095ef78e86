"""What a worker process does with a batch of files: read, parse, chunk; and, where that pays, invert and embed.

Each worker builds its own local result and shares nothing; the parent merges results once. Everything that goes in or
comes out can be pickled.
"""

import logging
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scova.build.embed import FreshVectors
from scova.build.memory import ReadSkip
from scova.build.plan import Task
from scova.counted import counted
from scova.parse.document import UNPARSED, parsed
from scova.parse.grammar_check import grammar_fault
from scova.protocols import Source
from scova.stores.invert import Postings, PostingsBuilder
from scova.types import Document, Mark, ParsedFile, Skip, Vector

LARGEST_BATCH = 1_000_000  # bytes of files: what the end of a worker costs
SMALLEST_BATCH = 100_000  # what is worth a transaction of its own
MOST_FILES = 200  # in one batch

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of a batch of tasks. `postings` covers the chunks of `files`, in order; `vectors` those that had none."""

    files: tuple[ParsedFile, ...]
    touched: dict[str, Mark]  # read again, content as before
    skips: tuple[ReadSkip, ...]
    postings: Postings | None  # None where that is left to whoever publishes
    vectors: dict[bytes, Vector]
    read_ns: int  # when reading began
    grammar_faults: dict[str, str]  # of every language among `files`; empty where its grammar is as it should be
    plain: tuple[Skip, ...] = ()  # files that are kept as plain text, and why

    @property
    def note(self) -> str:
        """What is out of the ordinary, for people."""
        if not self.plain:
            return ""
        more = f", and {counted(len(self.plain) - 1, 'other file')}" if self.plain[1:] else ""
        return f"`{self.plain[0].path}`{more} can be searched as plain text only: {self.plain[0].detail}"


@dataclass(frozen=True, slots=True)
class Work:
    """The function a worker applies to each batch. What it does not invert or embed is left to the end of the build."""

    source: Source
    project: str
    inverts: bool = True
    fresh: FreshVectors | None = None

    def __call__(self, tasks: Sequence[Task]) -> Batch:
        """Read and parse these files; one bad file is a skip."""
        files: list[ParsedFile] = []
        touched: dict[str, Mark] = {}
        plain: list[Skip] = []
        skips: list[ReadSkip] = []
        started = time.time_ns()
        for task in tasks:
            became = self._one(task, started)
            if isinstance(became, ReadSkip):
                skips.append(became)
            elif isinstance(became, Document):
                touched[became.path] = became.mark
            else:
                file, why = became
                files.append(file)
                plain.extend([Skip(file.path, UNPARSED, f"reading it {why}")] if why else [])
        chunks = [piece for file in files for piece in file.chunks]
        postings = PostingsBuilder.of(chunks) if self.inverts else None
        vectors = self.fresh.of(chunks) if self.fresh else {}
        faults = {language: grammar_fault(language) for language in {file.language for file in files}}
        return Batch(tuple(files), touched, tuple(skips), postings, vectors, started, faults, tuple(plain))

    def _one(self, task: Task, started: int) -> tuple[ParsedFile, str] | Document | ReadSkip:
        """What became of one file: parsed, read with content as before, or left out."""
        try:
            document = self.source.read(task.item)
            if isinstance(document, Document):
                if document.digest == task.known_digest:
                    return document
                return parsed(document, project=self.project, read_ns=started)
            skip = document
        except Exception as error:  # noqa: BLE001  # the top of a worker
            _log.exception("%s: `%s` crashed its parser", self.project, task.item.path)
            reason = traceback.format_exception_only(error)[-1].strip()
            skip = Skip(task.item.path, "crashed", f"its parser crashed on it: {reason}")
        return ReadSkip(skip, task.item.mark.size, task.item.mark.changed_ns, started)


def batches(tasks: Sequence[Task], *, workers: int) -> Iterator[list[Task]]:
    """Tasks in groups that get smaller towards the end, so that workers come to their ends together."""
    left = sum(task.item.mark.size for task in tasks)
    group: list[Task] = []
    size = 0
    for task in tasks:
        if group and (size >= _share(left, workers) or len(group) >= MOST_FILES):
            yield group
            left -= size
            group, size = [], 0
        group.append(task)
        size += task.item.mark.size
    if group:
        yield group


def _share(left: int, workers: int) -> int:
    """How many of the bytes that are left one batch takes."""
    return min(max(left // (2 * workers), SMALLEST_BATCH), LARGEST_BATCH)
