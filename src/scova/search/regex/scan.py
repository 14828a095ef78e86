"""The matching lines of one text, with the lines around them; and of many files, several at a time."""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from scova.answers import FileMatches, Line
from scova.record import record, replace
from scova.search.regex.matcher import Found, Span
from scova.search.regex.pieces import Pieces
from scova.search.regex.room import Room
from scova.search.regex.text import Text, text_of

Read = Callable[[str, bool], bytes | None]  # path, and whether it may well be binary -> content, None if there is none

_AT_ONCE = 512  # files looked into before what was found is handed on
_THREADS = 2
_ENOUGH_FOR_THREADS = 48  # files
_FURTHER = bytes(range(0x80, 0xC0))  # bytes of a character behind its first


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
    """How files are looked into: what reads them, what is looked for, what of it is wanted, and how much of that has room."""

    read: Read
    matcher: Pieces
    wanted: Wanted
    room: Room


def scan_files(files: Sequence[tuple[str, bool]], looking: Looking) -> Iterator[FileMatches]:
    """What is found in these files, each with whether it may well be binary; in their order. Whoever asks takes it into the room; of files
    that certainly find none left there, lines are not even gathered."""
    for start in range(0, len(files), _AT_ONCE):
        yield from _Batch(files[start : start + _AT_ONCE], looking).run()


class _Batch:
    """Files that are shared out to a few threads: the engine and the disk let others work meanwhile."""

    def __init__(self, files: Sequence[tuple[str, bool]], looking: Looking) -> None:
        self._files = files
        self._looking = looking
        self._results: list[FileMatches | None] = [None] * len(files)
        self._problems: list[BaseException] = []

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
        read, matcher, wanted, room = self._looking
        room = room.copy()
        try:
            for number in range(first, last):
                path, doubtful = self._files[number]
                data = read(path, doubtful)
                found = scan(path, text_of(data), matcher, wanted) if data is not None else None
                self._results[number] = found
                if found is not None:
                    room.take(found)
                    if wanted.lines and room.is_full:
                        wanted = replace(wanted, lines=False)
        except BaseException as error:  # noqa: BLE001 - the top of a thread: raised again by the one who asked
            self._problems.append(error)
            matcher.close()  # the others need not go on


def scan(path: str, text: Text, matcher: Pieces, wanted: Wanted) -> FileMatches | None:
    """What is found in one file; None for nothing."""
    data = text.data
    matching = matcher.found(data, every=wanted.spans and not wanted.invert)
    found = list(islice(_others(data, matching) if wanted.invert else matching, wanted.most or None))
    if not found:
        return None
    matches = len(found) if wanted.invert else sum(len(line.spans) for line in found)
    lines = tuple(_lines(data, found, wanted)) if wanted.lines else ()
    return FileMatches(path, lines, len(found), matches, text.binary)


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


def _lines(data: bytes, found: Sequence[Found], wanted: Wanted) -> Iterator[Line]:
    """Matching lines and those around them, each once, in order."""
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
        until = found[place + 1].start if place + 1 < len(found) else len(data)
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
