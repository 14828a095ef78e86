"""The pages that a sitemap lists: XML or plain text, packed or not, with index files that list further ones.

Parsed as a stream, so that the size of a file does not matter; what is wrong with one file costs that file and is said in
words. Declared entities are refused. Knows nothing of how files are fetched, nor of what the pages hold.
"""

import fnmatch
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit
from xml.parsers import expat

from scova.sources.web.fetched import Fetched, Status
from scova.sources.web.unpack import GZIP_MAGIC, Damaged, TooLarge, gunzip

MAX_DEPTH = 3
MAX_FILES = 1_000  # of one sitemap, index files included

_PIECE = 65_536
_LONGEST_URL = 8_192
_MAX_PLAIN_BYTES = 200_000_000
_MAX_RATIO = 200.0
_DEEPEST_XML = 16


@dataclass(frozen=True, slots=True)
class Listed:
    """What a sitemap lists."""

    urls: tuple[str, ...]  # each once, in the order of the files
    cut: str = ""  # which limit cut the list, in words; empty when it is whole
    left_out: int = 0  # by the patterns
    errors: tuple[str, ...] = ()  # one sentence per file that could not be read to its end, with its URL
    notes: tuple[str, ...] = ()  # the same for what is left out for good: files that are gone, too deep or too many


@dataclass(frozen=True, slots=True)
class Patterns:
    """Which URLs are wanted: shell patterns on the whole URL or, if they begin with a slash, on path and query."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def passes(self, url: str) -> bool:
        """Whether a URL is among the included, or nothing is said about these, and not among the excluded."""
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if self.include and not any(_matches(pattern, url, path) for pattern in self.include):
            return False
        return not any(_matches(pattern, url, path) for pattern in self.exclude)


def _matches(pattern: str, url: str, path: str) -> bool:
    return fnmatch.fnmatchcase(path if pattern.startswith("/") else url, pattern)


class _Entry(NamedTuple):
    """A page, or a further sitemap."""

    url: str
    is_file: bool


class _Unreadable(Exception):
    """The file is no sitemap, or a broken one; says why."""


def pages(
    fetch: Callable[[str], Fetched],
    url: str,
    *,
    limit: int,
    patterns: Patterns | None = None,
    max_depth: int = MAX_DEPTH,
) -> Listed:
    """At most `limit` pages of a sitemap and of those it refers to, `max_depth` files deep. Whatever `fetch` raises is passed on."""
    gathered = _Gathered(limit, patterns or Patterns(), max_depth, files={url})
    waiting = [(url, 1)]
    while waiting and not gathered.cut:
        place, depth = waiting.pop()
        files = gathered.read(fetch(place), place)
        following = gathered.follow(files, place, depth)
        waiting.extend((each, depth + 1) for each in reversed(following))  # those of an index come in its place
    return Listed(tuple(gathered.urls), gathered.cut, gathered.left_out, tuple(gathered.errors), tuple(gathered.notes))


@dataclass(slots=True)
class _Gathered:
    """The list as it grows."""

    limit: int
    patterns: Patterns
    max_depth: int
    files: set[str]
    urls: dict[str, None] = field(default_factory=dict)
    left_out: int = 0
    cut: str = ""
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, fetched: Fetched, place: str) -> list[str]:
        """Take the pages of a file, as far as it can be read and there is room; returns the sitemaps it lists."""
        files: dict[str, None] = {}
        if fetched.status is Status.GONE and len(self.files) > 1:
            self.notes.append(f"{place}: {fetched.error}")
            return []
        try:
            for entry in _entries(fetched, fetched.final_url or place):
                if entry.is_file:
                    files[entry.url] = None
                elif not self._took(entry.url):
                    break
                if len(files) > MAX_FILES:
                    break
        except _Unreadable as problem:
            self.errors.append(f"{place}: {problem}")
        return list(files)

    def follow(self, files: list[str], place: str, depth: int) -> list[str]:
        """Those of the listed sitemaps that are to be read."""
        new = [each for each in files if each not in self.files]
        if new and depth >= self.max_depth:
            self.notes.append(
                f"{place}: the sitemaps it lists are nested more than {self.max_depth} deep; they are left out"
            )
            return []
        following = new[: MAX_FILES - len(self.files)]
        if len(following) < len(new):
            self.notes.append(f"{place}: it leads to more than {MAX_FILES:,} sitemaps; the rest is left out")
        self.files.update(following)
        return following

    def _took(self, url: str) -> bool:
        """Add a page; False once there are too many."""
        if url in self.urls:
            return True
        if not self.patterns.passes(url):
            self.left_out += 1
            return True
        if len(self.urls) >= self.limit:
            self.cut = f"only the first {self.limit:,} pages are taken; there are more"
            return False
        self.urls[url] = None
        return True


def _entries(fetched: Fetched, base: str) -> Iterator[_Entry]:
    """The entries of a file in order, made absolute; _Unreadable at the place where it breaks."""
    if not fetched.is_ok:
        raise _Unreadable(fetched.error or f"it could not be fetched ({fetched.status})")
    pieces = _plain(fetched.content)
    try:
        first = next((piece for piece in pieces if piece.strip()), b"")
        if not first:
            raise _Unreadable("it is empty")
        entries = _from_xml if _is_markup(first) else _from_text
        for entry in entries(_joined(first, pieces)):
            url = _absolute(entry.url, base)
            if url:
                yield _Entry(url, entry.is_file)
    except (TooLarge, Damaged) as problem:
        raise _Unreadable(str(problem)) from None


def _plain(content: bytes) -> Iterator[bytes]:
    """The file in pieces, unpacked if it is packed, whatever its name says."""
    pieces = (content[start : start + _PIECE] for start in range(0, len(content), _PIECE))
    if content.startswith(GZIP_MAGIC):
        return gunzip(pieces, max_bytes=_MAX_PLAIN_BYTES, max_ratio=_MAX_RATIO)
    return pieces


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first.lstrip()  # a blank line before the XML declaration is common, and no reason to refuse all
    yield from rest


def _is_markup(first: bytes) -> bool:
    return first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"\xff\xfe", b"\xfe\xff"))


def _absolute(url: str, base: str) -> str:
    """An http(s) URL without fragment; empty for anything else."""
    try:
        joined = urldefrag(urljoin(base, url)).url
        return joined if urlsplit(joined).scheme in ("http", "https") and len(joined) <= _LONGEST_URL else ""
    except ValueError:
        return ""


def _from_text(pieces: Iterator[bytes]) -> Iterator[_Entry]:
    """One URL a line."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > _LONGEST_URL:
            raise _Unreadable("it is neither XML nor a list of URLs")
        yield from _lines(lines)
    yield from _lines([rest])


def _lines(lines: Iterable[bytes]) -> Iterator[_Entry]:
    for line in lines:
        text = line.decode("utf-8-sig", errors="replace").strip()
        if text.lower().startswith(("http://", "https://")):
            yield _Entry(text, False)
        elif text:
            raise _Unreadable("it is neither XML nor a list of URLs")


def _from_xml(pieces: Iterator[bytes]) -> Iterator[_Entry]:
    reader = _XmlReader()
    try:
        for piece in pieces:
            reader.parser.Parse(piece, False)
            yield from reader.taken()
        reader.parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as problem:
        yield from reader.taken()
        raise _Unreadable(f"it is not well-formed XML: {problem}") from None


class _XmlReader:
    """Collects the `loc` elements of a sitemap while it is parsed."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity
        self._open: list[str] = []
        self._loc: list[str] | None = None
        self._entries: list[_Entry] = []

    def taken(self) -> list[_Entry]:
        """What was found since the last time."""
        entries, self._entries = self._entries, []
        return entries

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2].lower()
        if not self._open and local not in ("urlset", "sitemapindex"):
            raise _Unreadable(f"it is not a sitemap: it begins with <{local}>")
        if len(self._open) > _DEEPEST_XML:
            raise _Unreadable("its elements are nested too deep")
        self._open.append(local)
        if local == "loc" and self._open[-2] in ("url", "sitemap"):
            self._loc = []

    def _end(self, name: str) -> None:
        if self._loc is not None and self._open[-1] == "loc":
            self._entries.append(_Entry("".join(self._loc).strip(), self._open[-2] == "sitemap"))
            self._loc = None
        self._open.pop()

    def _text(self, data: str) -> None:
        if self._loc is not None and len(self._loc) < _LONGEST_URL:
            self._loc.append(data)

    def _entity(self, *declaration: object) -> None:
        raise _Unreadable("it declares entities, which no sitemap needs")
