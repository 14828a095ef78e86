"""What a source is: its type, where it is, and what of it is wanted. Reads `folder:PATH`, `url:URL`, `sitemap:URL`, `pdf:PATH|URL`.

Two specs of the same type and place are the same source, and have the same id, on any day and any machine.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from scova.core.path_text import stored
from scova.errors import UsageError
from scova.filters import check_globs

MOST_PAGES = 50_000
_SCHEMES = ("http", "https")
_PORTS = {"http": 80, "https": 443}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TAG = re.compile(r"[^\s,\x00-\x1f\ud800-\udfff]{1,64}")


class SourceType(StrEnum):
    """The four kinds of source."""

    FOLDER = "folder"
    URL = "url"
    SITEMAP = "sitemap"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """One source as it was asked for. Patterns are globs over the path in a folder, or over the URL."""

    type: SourceType
    uri: str
    tags: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_pages: int = 0  # of a sitemap or a PDF; 0: all of them

    @property
    def source_id(self) -> str:
        """A name that people can read, and that no other source has."""
        key = hashlib.sha256(f"{self.type} {self.uri}".encode("utf-8", "surrogateescape")).hexdigest()[:8]
        return f"{_readable(self)}-{key}"

    @property
    def is_remote(self) -> bool:
        """Whether it is fetched."""
        return self.uri.startswith(("http://", "https://"))


def read_spec(words: str, *, base: Path) -> SourceSpec:
    """The source that `TYPE:PLACE` means; a relative path is relative to `base`."""
    name, colon, place = words.partition(":")
    if not colon or name not in SourceType.__members__.values() or not place:
        raise UsageError(f"`{words[:200]}` is no source", _meant(words))
    kind = SourceType(name)
    if kind is SourceType.FOLDER:
        return SourceSpec(kind, _path(place, base, is_folder=True))
    if kind is SourceType.PDF and not place.lower().startswith(("http:", "https:")):
        return SourceSpec(kind, _path(place, base, is_folder=False))
    return SourceSpec(kind, address(place))


def _meant(words: str) -> str:
    if words.lower().startswith(("http://", "https://")):
        return (
            f"write url:{words[:200]} for the page itself, sitemap:URL for all pages that a sitemap lists, or pdf:URL"
        )
    return "write folder:PATH, url:URL, sitemap:URL, pdf:PATH or pdf:URL"


def chosen(
    spec: SourceSpec,
    *,
    tags: Sequence[str] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_pages: int = 0,
) -> SourceSpec:
    """The same source with what is wanted of it."""
    if wrong := [tag for tag in tags if not _TAG.fullmatch(tag)]:
        raise UsageError(f"`{wrong[0][:80]}` is no tag", "a tag has up to 64 characters, without blanks and commas")
    if (include or exclude) and spec.type not in (SourceType.FOLDER, SourceType.SITEMAP):
        raise UsageError(f"a {spec.type} has no parts to include or exclude", "patterns are for folders and sitemaps")
    check_globs((*include, *exclude))
    if max_pages and spec.type not in (SourceType.SITEMAP, SourceType.PDF):
        raise UsageError(f"max_pages is not for a {spec.type}", "it is for sitemaps and PDFs")
    if not 0 <= max_pages <= MOST_PAGES:
        raise UsageError(f"max_pages is {max_pages}", f"it must be between 0 (all) and {MOST_PAGES}")
    return replace(
        spec,
        tags=tuple(dict.fromkeys(tags)),
        include=tuple(include),
        exclude=tuple(exclude),
        max_pages=max_pages,
    )


def to_json(spec: SourceSpec) -> dict[str, object]:
    """As it is kept and shown."""
    return {
        "source_id": spec.source_id,
        "type": spec.type.value,
        "uri": spec.uri,
        "tags": list(spec.tags),
        "include": list(spec.include),
        "exclude": list(spec.exclude),
        "max_pages": spec.max_pages,
    }


def from_json(kept: Mapping[str, object]) -> SourceSpec:
    """What `to_json` kept; raises KeyError, TypeError or ValueError for anything else."""
    lists = {}
    for name in ("tags", "include", "exclude"):
        values = kept[name]
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise ValueError(name)
        lists[name] = tuple(values)
    uri, max_pages = kept["uri"], kept["max_pages"]
    if not isinstance(uri, str) or not isinstance(max_pages, int):
        raise ValueError("uri")
    return SourceSpec(SourceType(str(kept["type"])), uri, **lists, max_pages=max_pages)


def _readable(spec: SourceSpec) -> str:
    parts = urlsplit(spec.uri) if spec.is_remote else None
    last = spec.uri.rstrip("/").rpartition("/")[2]
    name = parts.hostname or "" if parts and spec.type is not SourceType.PDF else last
    return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")[:40] or spec.type.value


def _path(place: str, base: Path, *, is_folder: bool) -> str:
    path = (base / Path(place).expanduser()).resolve()
    if is_folder and not path.is_dir():
        raise UsageError(f"`{place}` is not a folder", "give a folder that is there")
    if not is_folder and not path.is_file():
        raise UsageError(f"`{place}` is not a file", "give a PDF that is there, or a URL")
    return stored(path)


def address(place: str) -> str:
    """One spelling for one address: scheme and host in small letters, no default port, no fragment."""
    try:
        parts = urlsplit(place)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"`{place[:200]}` is no URL: {error}", "write https://host/path") from error
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise UsageError(f"`{place[:200]}` cannot be fetched", "write a URL that begins with https:// or http://")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            f"the URL of `{parts.hostname}` holds a user name or password", "leave it out: it would be kept"
        )
    if not _is_host(parts.hostname) or _CONTROL.search(parts.path + parts.query):
        raise UsageError(
            f"{place[:200]!a} is no URL: it has characters that none can have, or no host name",
            "write https://host/path, with others as %XX",
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is not None and port != _PORTS[parts.scheme]:
        host = f"{host}:{port}"
    return urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))


def _is_host(name: str) -> bool:
    """Whether this can be the name of a host: no blanks and nothing unseen in it, and no part of it empty or too long."""
    try:
        return name.isprintable() and " " not in name and bool(name.encode("idna"))
    except UnicodeError:
        return False
