"""The matching lines of one text, with the lines around them; and of many files, several at a time. Lines for which there is no
room are counted and not kept; what was found before the deadline is given.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from scova.answers import FileMatches, Line
from scova.core.deadline import Deadline
from scova.counted import counted
from scova.errors import OutOfTime
from scova.record import record, replace
from scova.search.regex.matcher import Found, Span
from scova.search.regex.pieces import Pieces
from scova.search.regex.room import Room
from scova.search.regex.text import Text, text_of

Read = Callable[[str, bool], bytes | None]  # path, and whether it may well be binary -> content, None if there is none

_AT_ONCE = 128  # files looked into before what was found is handed on
_THREADS = 2
_ENOUGH_FOR_THREADS = 48  # files
_FURTHER = bytes(range(0x80, 0xC0))  # bytes of a character behind its first
_KEPT_LINE = 400  # bytes that a line takes beside its text, about


@record
class Wanted:
    """What is wanted of each file."""

    invert: bool = False  # lines that do not match
    before: int = 0
    after: int = 0
    most: int = 0  # matching lines per file; 0 for all
    lines: bool = True  # with the lines, not only how many
    spans: bool = True  # with every match in them, not only the first of each line


class Looking(NamedTuple):
    """How files are looked into: what reads them, what is looked for, what of it is wanted, how much of that has room, and until when."""

    read: Read
    matcher: Pieces
    wanted: Wanted
    room: Room
    deadline: Deadline


def scan_files(files: Sequence[tuple[str, bool]], looking: Looking) -> Iterator[FileMatches]:
    """What is found in these files, each with whether it may well be binary; in their order. Whoever asks takes it into the room; of files
    that certainly find none left there, lines are not even gathered. Ends at the deadline, and says how far it came."""
    searched = 0
    for start in range(0, len(files), _AT_ONCE):
        batch = _Batch(files[start : start + _AT_ONCE], looking)
        yield from batch.run()
        searched += batch.searched
        if looking.deadline.is_over():
            break
    if searched < len(files):
        looking.deadline.cut(f"{searched:,} of {counted(len(files), 'file')} were searched")


class _Batch:
    """Files that are shared out to a few threads: the engine and the disk let others work meanwhile."""

    def __init__(self, files: Sequence[tuple[str, bool]], looking: Looking) -> None:
        self._files = files
        self._looking = looking
        self._lock = threading.Lock()
        self._results: list[FileMatches | None] = [None] * len(files)
        self._problems: list[BaseException] = []
        self.searched = 0  # files that were looked through to their ends

    def run(self) -> Iterator[FileMatches]:
        threads = _THREADS if len(self._files) >= _ENOUGH_FOR_THREADS else 1
        bounds = [len(self._files) * part // threads for part in range(threads + 1)]
        others = [threading.Thread(target=self._look, args=pair) for pair in list(pairwise(bounds))[1:]]
        for thread in others:
            thread.start()
        self._look(bounds[0], bounds[1])
        for thread in others:
            thread.join()
        if self._problems:
            raise self._problems[0]
        return filter(None, self._results)

    def _look(self, first: int, last: int) -> None:
        read, _, wanted, room, deadline = self._looking
        room, searched = room.copy(), 0
        try:
            for number in range(first, last):
                if deadline.is_over():
                    break
                path, doubtful = self._files[number]
                data = read(path, doubtful)
                if data is not None:
                    one = _Scan(path, text_of(data), self._looking._replace(wanted=wanted, room=room))
                    self._results[number] = found = one.found()
                    if one.is_cut:
                        break
                    if found is not None:
                        room.take(found)
                        if wanted.lines and room.is_full:
                            wanted = replace(wanted, lines=False)
                searched += 1
        except BaseException as error:  # noqa: BLE001 - the top of a thread: raised again by the one who asked
            self._problems.append(error)
            self._looking.matcher.close()  # the others need not go on
        with self._lock:
            self.searched += searched


class _Scan:
    """One file that is looked through."""

    def __init__(self, path: str, text: Text, looking: Looking) -> None:
        self._path = path
        self._text = text
        self._looking = looking
        self._kept: list[Found] = []
        self._count = self._matches = 0
        self.is_cut = False  # the deadline came before its end

    def found(self) -> FileMatches | None:
        """What is found; None for nothing."""
        data, wanted = self._text.data, self._looking.wanted
        try:
            self._gather()
        except OutOfTime:
            self.is_cut = True
        if not self._count:
            return None
        kept = self._kept[: self._looking.room.most] if wanted.lines else ()
        until = self._kept[len(kept)].start if len(kept) < len(self._kept) else len(data)
        lines = tuple(_lines(data, kept, wanted, until))
        return FileMatches(self._path, lines, self._count, self._matches, self._text.binary)

    def _gather(self) -> None:
        """Count every match, and keep as many as there is room for, and one more."""
        wanted, deadline = self._looking.wanted, self._looking.deadline
        most = self._looking.room.most if wanted.lines else -1
        matching = self._looking.matcher.found(self._text.data, every=wanted.spans and not wanted.invert)
        found = _others(self._text.data, matching) if wanted.invert else matching
        for line in islice(found, wanted.most or None):
            self._count += 1
            self._matches += 1 if wanted.invert else len(line.spans)
            if most is None or self._count <= most + 1:
                self._kept.append(line)
                deadline.hold(line.end - line.start + _KEPT_LINE)


def _others(data: bytes, matching: Iterator[Found]) -> Iterator[Found]:
    """Every line that is not among these."""
    at = 0
    for line in chain(matching, [Found(len(data), len(data), ())]):
        yield from (Found(start, end, ()) for start, end in _between(data, at, line.start))
        at = line.end + 1


def _between(data: bytes, at: int, until: int) -> Iterator[Span]:
    while at < until:
        end = data.find(b"\n", at, until)
        end = end if end >= 0 else until
        yield at, end
        at = end + 1


def _lines(data: bytes, found: Sequence[Found], wanted: Wanted, following: int) -> Iterator[Line]:
    """Matching lines and those around them, each once, in order; the next match that is not among them begins at `following`."""
    number, counted, shown = 1, 0, 0  # line number at `counted`; everything before `shown` has been given
    for place, (start, end, spans) in enumerate(found):
        for first, last in _lines_before(data, start, wanted.before, shown):
            number += data.count(b"\n", counted, first)
            counted = first
            yield _line(number, data[first:last])
        number += data.count(b"\n", counted, start)
        counted = start
        yield _line(number, data[start:end], spans, matched=True)
        shown = end + 1
        until = found[place + 1].start if place + 1 < len(found) else following
        for _, (first, last) in zip(range(wanted.after), _between(data, shown, until), strict=False):
            number += data.count(b"\n", counted, first)
            counted = first
            yield _line(number, data[first:last])
            shown = last + 1


def _lines_before(data: bytes, start: int, count: int, shown: int) -> list[Span]:
    """Up to so many lines in front of one, but none from before `shown`."""
    found: list[Span] = []
    while len(found) < count and start > shown:
        end = start - 1
        start = data.rfind(b"\n", 0, end) + 1
        found.append((start, end))
    return found[::-1]


def _line(number: int, raw: bytes, spans: Sequence[Span] = (), *, matched: bool = False) -> Line:
    """A line as it is shown: the carriage returns at its end are matched, and are no part of it."""
    if raw.endswith(b"\r"):
        raw = raw.rstrip(b"\r")
        spans = [(min(first, len(raw)), min(last, len(raw))) for first, last in spans]
    if raw.isascii():
        return Line(number, raw.decode("ascii"), tuple(spans), matched)
    text = raw.decode("utf-8", "replace")
    counted = _counted if raw == text.encode() else _decoded
    return Line(number, text, tuple(counted(raw, spans)), matched)


def _counted(raw: bytes, spans: Sequence[Span]) -> Iterator[Span]:
    """Spans of a valid line in characters, each counted on from the one before."""
    at = length = 0
    for first, last in spans:
        start = length + len(raw[at:first].translate(None, _FURTHER))
        length = start + len(raw[first:last].translate(None, _FURTHER))
        at = last
        yield start, length


def _decoded(raw: bytes, spans: Sequence[Span]) -> Iterator[Span]:
    """The same where bytes that are no characters are shown as some: how many depends on where they are cut."""
    for first, last in spans:
        yield len(raw[:first].decode("utf-8", "replace")), len(raw[:last].decode("utf-8", "replace"))
