"""JSON read value by value: the elements of one long list, or the lines of a file, without ever holding all of it.

Each value comes with where it stands, so that it can be said, and read again. What cannot be read is an ExchangeError that
names the file and the place. Knows JSON, and nothing of what the values mean.
"""

import codecs
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from scova.chunks.exchange.values import Wrong
from scova.errors import ExchangeError

BLOCK = 1 << 20
LARGEST_VALUE = 256 << 20  # bytes of one element or line: a chunk, or what parsing learned of one file
HINT = "nothing was changed; write the file anew, or remove it to do without what is in it"

_SPACE = re.compile(r"[ \t\r\n]*")
_BEHIND = frozenset(",:]} \t\r\n")  # what may follow a value
_TAIL = 16  # characters: an error further from the end than this is not because the end is missing
_MARK = "\ufeff"


class Found(NamedTuple):
    """A value and its place: which it is of its kind, counted from 1; its line; its first byte and how many there are."""

    value: object
    number: int
    line: int
    start: int
    size: int


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def decoded(data: bytes) -> object:
    """One value that was found before."""
    return _DECODER.decode(data.decode())


def damaged(path: Path, place: str, why: str) -> ExchangeError:
    """The error for a file that cannot be read."""
    return ExchangeError(f"`{path}` is damaged: {place}: {why}" if place else f"`{path}` is damaged: {why}", HINT)


@contextmanager
def naming(path: Path, found: Found, kind: str) -> Iterator[None]:
    """Say of which value something is wrong."""
    try:
        yield
    except Wrong as wrong:
        raise damaged(path, f"{kind} {found.number} (line {found.line})", str(wrong)) from None


def lines(file: BinaryIO, path: Path) -> Iterator[Found]:
    """The value on each line that is not blank."""
    number = start = 0
    file.seek(0)
    for line, data in enumerate(iter(lambda: file.readline(LARGEST_VALUE + 1), b""), 1):
        if len(data) > LARGEST_VALUE:
            raise damaged(path, f"line {line}", f"it is longer than {LARGEST_VALUE:,} bytes")
        said = data.removeprefix(codecs.BOM_UTF8) if line == 1 else data
        if said and not said.isspace():
            number += 1
            yield Found(_of_line(said, line, path), number, line, start + len(data) - len(said), len(said))
        start += len(data)


def _of_line(data: bytes, line: int, path: Path) -> object:
    try:
        return decoded(data)
    except json.JSONDecodeError as error:
        raise damaged(path, f"line {line}, column {error.colno}", f"not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise damaged(path, f"line {line}", _said(error)) from None


def elements(file: BinaryIO, path: Path, *, listed: str, others: dict[str, object]) -> Iterator[Found]:
    """The elements of a list in the object that fills a file, none if there is no such list. The object's other members go into
    `others`, complete once all elements were taken."""
    text = _Text(file, path)
    text.expect("{", "an object was expected")
    separator = "}" if text.take("}") else ","
    while separator != "}":
        name = text.value().value
        if not isinstance(name, str):
            text.fail("the name of a member was expected")
        text.expect(":", "`:` was expected")
        if name == listed:
            yield from _list(text, listed)
        else:
            others[name] = text.value().value
        separator = text.either(",}")
    text.end()


def _list(text: "_Text", listed: str) -> Iterator[Found]:
    text.expect("[", f"`{listed}` is not a list")
    number = 0
    separator = "]" if text.take("]") else ","
    while separator != "]":
        number += 1
        yield text.value()._replace(number=number)
        separator = text.either(",]")


class _Text:
    """A file's text, of which only what is being looked at is in memory."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""  # from the beginning of what is not consumed yet
        self._at = 0
        self._byte = 0  # where `_at` stands in the file
        self._line, self._column = 1, 1
        self._read_to = 0
        self._ended = False
        file.seek(0)
        if self._next() == _MARK:
            self._advance(1)

    def take(self, character: str) -> bool:
        """Consume this character if it comes next."""
        if self._next() != character:
            return False
        self._advance(self._at + 1)
        return True

    def expect(self, character: str, otherwise: str) -> None:
        """Consume this character, which must come next."""
        if not self.take(character):
            self.fail(otherwise)

    def either(self, characters: str) -> str:
        """Consume whichever of these comes next, as one must."""
        found = self._next()
        if not found or found not in characters:
            self.fail(f"{' or '.join(f'`{one}`' for one in characters)} was expected")
        self._advance(self._at + 1)
        return found

    def end(self) -> None:
        """Nothing may come any more."""
        if self._next():
            self.fail("there is something behind the end")

    def fail(self, why: str) -> NoReturn:
        """What is wrong where reading has come to."""
        missing = "it ends early: " if self._ended and self._at >= len(self._text) else ""
        raise damaged(self._path, f"line {self._line}, column {self._column}", missing + why)

    def value(self) -> Found:
        """Consume the value that comes next, whatever it is."""
        self._next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                # Else a number may go on: `1.` is not the end of one, though it begins with one.
                if self._text[end : end + 1] in _BEHIND or end < len(self._text) - _TAIL or not self._more():
                    found = Found(value, 0, self._line, self._byte, 0)
                    self._advance(end)
                    return found._replace(size=self._byte - found.start)
            except json.JSONDecodeError as error:
                unterminated = error.msg.startswith("Unterminated string")
                if not ((unterminated or error.pos >= len(self._text) - _TAIL) and self._more()):
                    self._advance(len(self._text) if unterminated else min(error.pos, len(self._text)))
                    self.fail(f"not JSON: {error.msg}")
            except (RecursionError, ValueError) as error:
                self.fail(_said(error))

    def _next(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._advance(space.end() if space else self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _advance(self, end: int) -> None:
        consumed = self._text[self._at : end]
        self._byte += len(consumed) if consumed.isascii() else len(consumed.encode())
        if "\n" in consumed:
            self._line += consumed.count("\n")
            self._column = len(consumed) - consumed.rfind("\n")
        else:
            self._column += len(consumed)
        self._at = end

    def _more(self) -> bool:
        """Read on, twice as far each time; whether there was anything."""
        if self._ended:
            return False
        held = len(self._text) - self._at
        if held > LARGEST_VALUE:
            self.fail(f"a value is longer than {LARGEST_VALUE:,} bytes")
        data = self._file.read(max(BLOCK, held))
        try:
            text = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            byte = self._read_to - len(self._decoder.getstate()[0]) + error.start
            raise damaged(self._path, f"byte {byte + 1}", "not UTF-8") from None
        if not data:
            self._ended = True
            return False
        self._read_to += len(data)
        self._text = self._text[self._at :] + text
        self._at = 0
        return True


def opened(path: Path) -> BinaryIO | None:
    """The file, None where there is none; an ExchangeError when it cannot be read."""
    try:
        # Without O_NONBLOCK a pipe of that name would hold us for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ExchangeError(f"`{path}` cannot be read: {error.strerror}", "let this user read it") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ExchangeError(f"`{path}` is not a file", "remove it to do without what would be in it")
    return os.fdopen(descriptor, "rb")


def _said(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else f"not JSON: {error}"
