"""What a fetched page says, by its media type: HTML becomes Markdown-like text, text stays as it is, the rest is left out.

HTML is read in a process with bounds on memory, time, and how much text it becomes. Knows nothing of fetching and of what becomes of the text.
"""

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import urljoin, urlsplit

from scova.core.child_process import TIMES_LARGER, BoundExceeded, Bounds, ChildProcesses
from scova.sources.web.markup.charset import decode

MAX_HTML_BYTES: Final = 20_000_000

_HTML = frozenset(("text/html", "application/xhtml+xml"))
_UNSAID = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/unknown"))
_LANGUAGES = {
    "text/plain": "text",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/x-rst": "rst",
    "text/prs.fallenstein.rst": "rst",
    "application/json": "json",
    "text/json": "json",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "text/yaml": "yaml",
    "text/x-yaml": "yaml",
    "application/toml": "toml",
}
_SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".rst": "rst",
    ".json": "json",
    ".txt": "text",
}
_HTML_BEGINS = (b"<!doctype html", b"<html", b"<head", b"<body")
_HEAD_BYTES = 1_024
_SOME_MORE = 1_000  # bytes that any page may be written out to
_LONGEST = 10_000  # characters of a title, or of an address
CUT: Final = f"(The page is cut here: written out, it is more than {TIMES_LARGER - 2} times as long.)"

_children = ChildProcesses("scova.sources.web.html:rendered_apart")


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says, or why it is left out."""

    title: str = ""
    text: str = ""
    language: str = ""
    canonical: str = ""  # the URL that the page gives as its own; empty when it gives none
    reason: str = ""  # why there is no text, in words


def why_unwanted(media_type: str) -> str:
    """Why nothing of this media type is read; empty for what is. One that says nothing is judged by its content, later."""
    if media_type in _HTML or media_type in _UNSAID or _language(media_type):
        return ""
    return f"{media_type} is not text that is read"


def read_page(content: bytes, *, media_type: str = "", charset: str = "", url: str = "") -> Page:
    """The text of a page. Never raises for what a page holds."""
    media_type = media_type if media_type not in _UNSAID else _guessed(content)
    reason = why_unwanted(media_type) if media_type else "it is not text"
    if reason:
        return Page(reason=reason)
    if media_type in _HTML:
        return _read_html(content, charset, url)
    if b"\0" in content[:_HEAD_BYTES] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Page(reason="it is not text")
    text = decode(content, charset, is_markup=False)
    language = _language(media_type)
    if language == "text":
        language = _SUFFIXES.get(PurePosixPath(urlsplit(url).path).suffix.lower(), "text")
    return Page(_first_heading(text), text, language) if text.strip() else Page(reason="it is empty")


def _read_html(content: bytes, charset: str, url: str) -> Page:
    if len(content) > MAX_HTML_BYTES:
        return Page(reason=f"it is too large for a page: {len(content):,} bytes; the limit is {MAX_HTML_BYTES:,}")
    try:
        answer = _children.ask(f"{charset}\n".encode(errors="replace") + content, Bounds.of(len(content)))
    except BoundExceeded as beyond:
        return Page(reason=f"reading it {beyond}")
    title, text, said = json.loads(answer)
    canonical = _absolute(said, url)
    if not text:
        return Page(title, canonical=canonical, reason="it has no text to read")
    return Page(title, text, "markdown", canonical)


def rendered_apart(request: bytes) -> bytes:
    """What a page of HTML says, in a process with bounds. Of it comes the charset that was named, a line feed, and the page."""
    from scova.sources.web.markup.render import render

    charset, _, content = request.partition(b"\n")
    title, text, canonical = render(decode(content, charset.decode(errors="replace")))
    most = (TIMES_LARGER - 2) * len(content) + _SOME_MORE
    if len(data := text.encode(errors="replace")) > most:
        text = f"{data[:most].decode(errors='ignore').rpartition(chr(10))[0]}\n\n{CUT}\n"
    said = [title[:_LONGEST], text, canonical[:_LONGEST]]
    return json.dumps(said, ensure_ascii=False).encode(errors="replace")


def _language(media_type: str) -> str:
    return "json" if media_type.endswith("+json") else _LANGUAGES.get(media_type, "")


def _guessed(content: bytes) -> str:
    """The media type of something that does not say; empty for what is not text."""
    head = content[:_HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith(_HTML_BEGINS):
        return "text/html"
    return "" if b"\0" in head or head.startswith(b"%pdf-") else "text/plain"


def _first_heading(text: str) -> str:
    for line in text[:_HEAD_BYTES].splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return ""


def _absolute(canonical: str, url: str) -> str:
    try:
        joined = urljoin(url, canonical) if canonical else ""
        return joined if urlsplit(joined).scheme in ("http", "https") else ""
    except ValueError:
        return ""
