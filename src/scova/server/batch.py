"""The files of one request, each checked on its own: what is wrong with one is said of that one, and keeps no other out."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from scova.server.schemas.plainly import wrong
from scova.server.schemas.requests import PushedFile

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_NO_TEXT = "send text; leave out files that are not"
_SHOWN = 200  # characters of a name that cannot be one


@dataclass(frozen=True, slots=True)
class Bad:
    """A file that cannot be indexed, and why."""

    path: str
    error: str
    hint: str


@dataclass(frozen=True, slots=True)
class Good:
    """A file that can."""

    path: str
    data: bytes
    digest: str


def checked(files: Sequence[Any]) -> list[Good | Bad]:
    """Every file of a batch in its order, fit to be indexed or not."""
    names = Counter(file["path"] for file in files if isinstance(file, dict) and isinstance(file.get("path"), str))
    return [_checked(file, number, names) for number, file in enumerate(files)]


def _checked(raw: Any, number: int, names: Counter[str]) -> Good | Bad:
    given = raw.get("path") if isinstance(raw, dict) else None
    name = shown(given) if isinstance(given, str) and given else f"files[{number}]"
    try:
        file = PushedFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        is_text = first["type"] != "string_unicode"
        hint = 'a file is {"path": …, "content": …, "hash": …}' if is_text else _NO_TEXT
        return Bad(name, wrong(first, whole="file"), hint)
    if why := wrong_path(file.path):
        return Bad(name, why, "paths are relative to the root of the project, with forward slashes")
    if names[file.path] > 1:
        return Bad(name, "this path is in the batch more than once", "send each file once")
    try:
        data = file.content.encode()
    except UnicodeEncodeError:
        return Bad(name, "content is not valid UTF-8", _NO_TEXT)
    digest = hashlib.sha256(data).hexdigest()
    if file.hash is not None and file.hash != digest:
        return Bad(
            name, "the hash is not that of the content", "hash the UTF-8 bytes of `content`, and send the file again"
        )
    return Good(file.path, data, digest)


def wrong_path(path: str) -> str:
    """Why this is no path of a file in a project; empty when it is one."""
    if "\0" in path:
        return "the path has a zero character"
    if "\\" in path:
        return "the path has a backslash"
    if path.startswith("/") or _DRIVE.match(path):
        return "the path is not relative"
    steps = path.split("/")
    if ".." in steps:
        return "the path leads out of the project (`..`)"
    return "the path has an empty step" if "" in steps or "." in steps else ""


def shown(path: str) -> str:
    """A name as it can be told, whatever is in it."""
    return path[:_SHOWN].encode(errors="backslashreplace").decode()
