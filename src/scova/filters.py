"""Which chunks pass a Filters: path globs and the other restrictions, as one rule for every store and every door.

Globs are relative to the root, with forward slashes, and mind case:

    *           any characters but "/"              src/*.py         direct children only
    ?  [a-z]    one character; one of a set         [!_]*.py
    **          any number of folders, none too     src/**, **/test/*.py, a/**/b
    name        no "/" inside: the name of a file at any depth; and everything under the folder of that name at the root
    a/folder    nothing special inside: that file, or everything under that folder; "a/folder/" only the latter

Different restrictions must all hold; of the values of one restriction any is enough. This module knows no store.

Globs come from anyone, and the engine that runs their expressions lets nothing else run meanwhile: no glob may make it try again and
again. What lies between two stars is taken at its leftmost place and never tried elsewhere; that loses no match, because the
later star takes up the slack.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from scova.core.deadline import in_force
from scova.errors import QueryError
from scova.types import Chunk, Filters

_HINT = "use `*` within a folder, `**` across folders, `?` and `[a-z]` for one character"
_SPECIAL = re.compile(r"[*?\[]")
LONGEST_GLOB = 1024  # characters, as of a path
LONG_IN_ALL = 1000  # characters of globs from which a look at each path may take long in all
MOST_IN_ALL = 65_536  # characters of the globs of one question: each is held against every path


def path_passes(filters: Filters) -> Callable[[str], bool] | None:
    """A test for paths, or None when every path passes."""
    if not filters.paths and not filters.not_paths:
        return None
    check_globs((*filters.paths, *filters.not_paths))
    wanted = _any_of(filters.paths) if filters.paths else None
    unwanted = _any_of(filters.not_paths) if filters.not_paths else None

    def passes(path: str) -> bool:
        return (wanted is None or bool(wanted.fullmatch(path))) and not (unwanted and unwanted.fullmatch(path))

    if sum(map(len, (*filters.paths, *filters.not_paths))) < LONG_IN_ALL:
        return passes
    deadline = in_force()

    def passes_in_time(path: str) -> bool:
        deadline.check()  # of files that are not all looked at, nothing can be said
        return passes(path)

    return passes_in_time


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


def check_globs(globs: Sequence[str]) -> None:
    """QueryError where globs are too long, one of them or all together."""
    if any(len(glob) > LONGEST_GLOB for glob in globs):
        raise QueryError(f"a path pattern has more than {LONGEST_GLOB:,} characters", "shorten it, or name a folder")
    if sum(map(len, globs)) > MOST_IN_ALL:
        raise QueryError(f"the path patterns have more than {MOST_IN_ALL:,} characters in all", "name folders instead")


def _any_of(globs: Sequence[str]) -> re.Pattern[str]:
    for glob in globs:
        try:
            re.compile(glob_pattern(glob))
        except re.error as error:
            raise QueryError(f"the path pattern `{glob}` cannot be read: {error}", _HINT) from error
    return re.compile("|".join(f"(?:{glob_pattern(glob)})" for glob in globs), re.DOTALL)


def _segments(segments: Sequence[str]) -> str:
    """Folders joined by slashes, where `**` stands for any number of them; at the end it stands for all below."""
    stretches: list[list[str]] = [[]]  # what stands between two `**`
    for segment in segments:
        if segment != "**":
            stretches[-1].append(_segment(segment))
        elif stretches[-1] or len(stretches) == 1:  # several in a row say no more than one
            stretches.append([])
    last = "/".join(stretches.pop())
    if not stretches:
        return last
    first, *middle = ["".join(f"{segment}/" for segment in stretch) for stretch in stretches]
    deep = "".join(f"(?>(?:.*?/)??{stretch})" for stretch in middle)
    return first + deep + (f"(?:.*/)?{last}" if last else ".+")


def _segment(segment: str) -> str:
    """One name; each part between two stars has a fixed length, and all its characters are other than a slash."""
    first, *following = _parts(segment)
    if not following:
        return first
    *middle, last = following
    return first + "".join(f"(?>[^/]*?{part})" for part in middle if part) + "[^/]*" + last


def _parts(segment: str) -> list[str]:
    """What stands before, between and after the stars."""
    parts, position = [""], 0
    while position < len(segment):
        character = segment[position]
        closing = segment.find("]", position + 2 + segment.startswith("!", position + 1)) if character == "[" else -1
        if closing > 0:
            parts[-1] += _set(segment[position + 1 : closing])
            position = closing
        elif character == "*":
            parts.append("")
        else:
            parts[-1] += "[^/]" if character == "?" else re.escape(character)
        position += 1
    return parts


def _set(members: str) -> str:
    """A bracket expression: `a-z`, negated by a leading "!"; everything but the range sign is literal."""
    negated = members.startswith("!")
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", members[negated:])
    return f"(?!/)[{'^' if negated else ''}{escaped}]"
