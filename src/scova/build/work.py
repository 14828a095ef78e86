"""What a worker process does with a batch of files: read, parse, chunk, tokenise.

Each worker builds its own local result and shares nothing; the parent merges results once. Everything that goes in or
comes out can be pickled.
"""

import logging
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from scova.build.memory import ReadSkip
from scova.build.plan import Task
from scova.parse.chunk import chunk
from scova.parse.outline import outline
from scova.protocols import Source
from scova.stores.invert import Postings, PostingsBuilder
from scova.types import Document, Mark, ParsedFile, Skip

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of a batch of tasks. `postings` covers the chunks of `files`, in order."""

    files: tuple[ParsedFile, ...]
    touched: dict[str, Mark]  # read again, content as before
    skips: tuple[ReadSkip, ...]
    postings: Postings
    read_ns: int  # when reading began


@dataclass(frozen=True, slots=True)
class Work:
    """The function a worker applies to each batch."""

    source: Source
    project: str

    def __call__(self, tasks: Sequence[Task]) -> Batch:
        """Read and parse these files; one bad file is a skip."""
        files: list[ParsedFile] = []
        touched: dict[str, Mark] = {}
        skips: list[ReadSkip] = []
        builder = PostingsBuilder()
        started = time.time_ns()
        for task in tasks:
            became = self._one(task, started)
            if isinstance(became, ReadSkip):
                skips.append(became)
            elif isinstance(became, Document):
                touched[became.path] = became.mark
            else:
                files.append(became)
                for piece in became.chunks:
                    builder.add(piece)
        return Batch(tuple(files), touched, tuple(skips), builder.finish(), started)

    def _one(self, task: Task, started: int) -> ParsedFile | Document | ReadSkip:
        """What became of one file: parsed, read with content as before, or left out."""
        try:
            document = self.source.read(task.item)
            if isinstance(document, Document):
                return document if document.digest == task.known_digest else self.parse(document, started)
            skip = document
        except Exception as error:  # noqa: BLE001  # the top of a worker
            _log.exception("%s: `%s` crashed its parser", self.project, task.item.path)
            reason = traceback.format_exception_only(error)[-1].strip()
            skip = Skip(task.item.path, "crashed", f"its parser crashed on it: {reason}")
        return ReadSkip(skip, task.item.mark.size, task.item.mark.changed_ns, started)

    def parse(self, document: Document, read_ns: int) -> ParsedFile:
        """Everything one document becomes."""
        found = outline(document.text, document.language)
        return ParsedFile(
            path=document.path,
            digest=document.digest,
            language=document.language,
            mark=document.mark,
            chunks=chunk(document, found, project=self.project),
            outline=found,
            read_ns=read_ns,
        )


def batches(tasks: Sequence[Task], *, batch_bytes: int = 1_000_000, batch_files: int = 200) -> list[list[Task]]:
    """Tasks in groups that take about equally long, so that no worker waits for another at the end."""
    groups: list[list[Task]] = []
    size = batch_bytes
    for task in tasks:
        if size >= batch_bytes or len(groups[-1]) >= batch_files:
            groups.append([])
            size = 0
        groups[-1].append(task)
        size += task.item.mark.size
    return groups
