"""Documents into parsed files: small ones here, large ones in a process with bounds on memory and time.

What goes beyond a bound is kept as plain text: every word of it is found, none of its definitions. Its chunks have the tag `unparsed`.
"""

import io
import logging
import pickle
from dataclasses import replace
from typing import Any

from scova.core.child_process import BoundExceeded, Bounds, ChildProcesses
from scova.parse.chunk import chunk, plain_chunks
from scova.parse.outline import outline
from scova.types import Document, Outline, ParsedFile

LARGE_BYTES = 256 << 10  # what is larger is parsed in a process of its own
UNPARSED = "unparsed"  # the tag of what went beyond a bound

_children = ChildProcesses("scova.parse.document:parsed_apart")
_log = logging.getLogger(__name__)


def parsed(document: Document, *, project: str, read_ns: int) -> tuple[ParsedFile, str]:
    """Everything one document becomes; and why it is plain text only, in words that go on after `reading it`."""
    size = len(document.text.encode("utf-8", "surrogatepass"))
    if size <= LARGE_BYTES:
        return _parsed(document, project, read_ns), ""
    try:
        answer = _children.ask(pickle.dumps((document, project, read_ns)), Bounds.of(size))
        return _Answer(io.BytesIO(answer)).load(), ""
    except BoundExceeded as beyond:
        _log.warning("%s: `%s` is kept as plain text: reading it %s", project, document.path, beyond)
        tagged = replace(document, tags=(*document.tags, UNPARSED))
        chunks = plain_chunks(tagged, project=project)
        return _file(document, Outline(has_errors=True), chunks, read_ns), str(beyond)


def parsed_apart(request: bytes) -> bytes:
    """The same, in a process with bounds."""
    document, project, read_ns = pickle.loads(request)  # of our own parent
    return pickle.dumps(_parsed(document, project, read_ns))


def _parsed(document: Document, project: str, read_ns: int) -> ParsedFile:
    found = outline(document.text, document.language)
    return _file(document, found, chunk(document, found, project=project), read_ns)


def _file(document: Document, found: Outline, chunks: Any, read_ns: int) -> ParsedFile:
    return ParsedFile(
        path=document.path,
        digest=document.digest,
        language=document.language,
        mark=document.mark,
        chunks=chunks,
        outline=found,
        read_ns=read_ns,
    )


class _Answer(pickle.Unpickler):
    """Of a process that has read a stranger's text: it brings our own values, and has nothing else made."""

    def find_class(self, module: str, name: str) -> Any:
        """Only what flows."""
        if module != "scova.types" or name.startswith("_"):
            raise pickle.UnpicklingError(f"a parsed file has no {module}.{name}")
        return super().find_class(module, name)
