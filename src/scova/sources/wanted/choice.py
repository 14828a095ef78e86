"""Which files of a folder are wanted, by the settings `include`, `exclude` and `languages`.

Patterns are those of `scova search -p` and `-x`, for paths relative to the root. They only leave out: what git ignores, or
what looks like a secret, stays left out. A folder in which nothing can be wanted is not entered. Opens nothing.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from scova.filters import glob_pattern, path_passes
from scova.record import record
from scova.sources.names import Reason
from scova.types import Filters

_SPECIAL = re.compile(r"[*?\[]")
_NOBODY = "\u2603"  # a name that no pattern means: what matches it matches anything


@record
class Choice:
    """What was chosen; empty for everything. Safe to send to another process."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    possible: Callable[[str], tuple[str, ...]] | None = (
        None  # the languages of a file by its name; "" among them: unknown
    )

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude or self.languages)

    def file_reason(self, path: str) -> Reason | None:
        """Why this file is left out, or None."""
        if self.exclude and not _test((), self.exclude)(path):
            return _excluded(path, self.exclude)
        if self.include and not _test(self.include, ())(path):
            return Reason("excluded", "no pattern of the setting `include` matches it")
        if self.languages and self.possible is not None:
            possible = self.possible(path)
            if "" not in possible and not set(possible) & set(self.languages):
                return self.language_reason(possible[0])
        return None

    def folder_reason(self, path: str) -> Reason | None:
        """Why nothing in this folder is wanted, or None where something may be."""
        for glob in self.exclude:
            if _covers(glob, path):
                return _excluded(path, (glob,))
        if self.include and not any(_may_hold(path, glob) for glob in self.include):
            return Reason("excluded", "no pattern of the setting `include` matches anything in it")
        return None

    def language_reason(self, language: str) -> Reason | None:
        """Why a text in this language is left out, or None."""
        if not self.languages or language in self.languages:
            return None
        return Reason("language", f"{language or 'of no known language'}; the setting `languages` does not name it")


ANY = Choice()


def _excluded(path: str, globs: tuple[str, ...]) -> Reason:
    glob = next((glob for glob in globs if not _test((), (glob,))(path)), globs[0])
    return Reason("excluded", f"`{glob}` in the setting `exclude`")


@lru_cache(maxsize=2048)
def _test(include: tuple[str, ...], exclude: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a path passes; compiled once in a process."""
    passes = path_passes(Filters(paths=include, not_paths=exclude))
    return passes if passes is not None else lambda path: True


def _covers(glob: str, folder: str) -> bool:
    """Whether this pattern matches whatever lies in the folder, at any depth."""
    # A pattern without `**` has a fixed number of slashes, or means everything below: three depths tell them apart.
    below = [folder + f"/{_NOBODY}" * depth for depth in (1, 2, 3)]
    return not any(_test((), (glob,))(path) for path in below)


def _may_hold(folder: str, glob: str) -> bool:
    """Whether anything in this folder may match: it lies on the way to where the pattern begins, or below that."""
    start = _fixed_start(glob)
    parts = tuple(folder.split("/"))
    shared = min(len(start), len(parts))
    return parts[:shared] == start[:shared]


@lru_cache(maxsize=2048)
def _fixed_start(glob: str) -> tuple[str, ...]:
    """The folders that everything matching this pattern lies in; none where it may lie anywhere."""
    glob_pattern(glob)  # which is what it means; here only its beginning counts
    plain = re.sub("/{2,}", "/", glob.strip()).removeprefix("./").removeprefix("/")
    names = plain.rstrip("/").split("/")
    if len(names) == 1 and not plain.endswith("/"):
        return ()  # a name alone is meant at any depth
    fixed: list[str] = []
    for name in names:
        if not name or _SPECIAL.search(name):
            break
        fixed.append(name)
    return tuple(fixed)
