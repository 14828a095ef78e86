"""Which chunks pass a Filters: path globs and the other restrictions, as one rule for every store and every door.

Globs are relative to the root, with forward slashes, and mind case:

    *           any characters but "/"              src/*.py         direct children only
    ?  [a-z]    one character; one of a set         [!_]*.py
    **          any number of folders, none too     src/**, **/test/*.py, a/**/b
    name        no "/" inside: the name of a file at any depth; and everything under the folder of that name at the root
    a/folder    nothing special inside: that file, or everything under that folder; "a/folder/" only the latter

Different restrictions must all hold; of the values of one restriction any is enough. This module knows no store.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from scova.errors import QueryError
from scova.types import Chunk, Filters

_HINT = "use `*` within a folder, `**` across folders, `?` and `[a-z]` for one character"
_SPECIAL = re.compile(r"[*?\[]")


def path_passes(filters: Filters) -> Callable[[str], bool] | None:
    """A test for paths, or None when every path passes."""
    if not filters.paths and not filters.not_paths:
        return None
    wanted = _any_of(filters.paths) if filters.paths else None
    unwanted = _any_of(filters.not_paths) if filters.not_paths else None

    def passes(path: str) -> bool:
        return (wanted is None or bool(wanted.fullmatch(path))) and not (unwanted and unwanted.fullmatch(path))

    return passes


def chunk_passes(filters: Filters) -> Callable[[Chunk], bool]:
    """A test for chunks held in memory."""
    path_test = path_passes(filters)

    def passes(chunk: Chunk) -> bool:
        return (
            (path_test is None or path_test(chunk.file_path))
            and (not filters.languages or chunk.language in filters.languages)
            and (not filters.chunk_types or chunk.chunk_type in filters.chunk_types)
            and (not filters.kinds or chunk.kind in filters.kinds)
            and (not filters.tags or not set(filters.tags).isdisjoint(chunk.tags))
        )

    return passes


@lru_cache(maxsize=256)
def glob_pattern(glob: str) -> str:
    """The regular expression that a path must match in full."""
    glob = re.sub("/{2,}", "/", glob.strip()).removeprefix("./").removeprefix("/")
    folder_only = glob.endswith("/")
    glob = glob.rstrip("/")
    if glob in ("", "."):
        return ".*"
    if folder_only:
        return _segments(glob.split("/")) + "/.+"
    if "/" not in glob and glob != "**":
        at_root = "" if _SPECIAL.search(glob) else f"|{re.escape(glob)}/.+"
        return f"(?:(?:.*/)?{_segment(glob)}{at_root})"
    below = "" if _SPECIAL.search(glob) else "(?:/.+)?"
    return _segments(glob.split("/")) + below


def _any_of(globs: Sequence[str]) -> re.Pattern[str]:
    for glob in globs:
        try:
            re.compile(glob_pattern(glob))
        except re.error as error:
            raise QueryError(f"the path pattern `{glob}` cannot be read: {error}", _HINT) from error
    return re.compile("|".join(f"(?:{glob_pattern(glob)})" for glob in globs), re.DOTALL)


def _segments(segments: Sequence[str]) -> str:
    """Folders joined by slashes, where `**` stands for any number of them; at the end it stands for all below."""
    pattern = ""
    for position, segment in enumerate(segments):
        last = position == len(segments) - 1
        if segment == "**":
            pattern += ".+" if last else "(?:.*/)?"
        else:
            pattern += _segment(segment) + ("" if last else "/")
    return pattern


def _segment(segment: str) -> str:
    pattern, position = "", 0
    while position < len(segment):
        character = segment[position]
        closing = segment.find("]", position + 2 + segment.startswith("!", position + 1)) if character == "[" else -1
        if closing > 0:
            pattern += _set(segment[position + 1 : closing])
            position = closing
        elif character == "*":
            pattern += "[^/]*"
        else:
            pattern += "[^/]" if character == "?" else re.escape(character)
        position += 1
    return pattern


def _set(members: str) -> str:
    """A bracket expression: `a-z`, negated by a leading "!"; everything but the range sign is literal."""
    negated = members.startswith("!")
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", members[negated:])
    return f"(?!/)[{'^' if negated else ''}{escaped}]"
