"""Files and folders, looked up in many ways. Paths are relative to the root, with forward slashes; the root is ""."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property


class Paths:
    """All files of a moment, by path, with their languages."""

    def __init__(self, languages: dict[str, str]) -> None:
        self.languages = languages

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Paths by the name of the file, without its extension."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.languages:
            found[path.rpartition("/")[2].split(".")[0]].append(path)
        return dict(found)

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        """Paths by the folder they lie in."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.languages:
            found[path.rpartition("/")[0]].append(path)
        return dict(found)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, at any depth."""
        found: set[str] = {""}
        for folder in self.by_folder:
            for ancestor in above(folder):
                if ancestor in found:
                    break
                found.add(ancestor)
        return frozenset(found)

    @cached_property
    def folders_by_name(self) -> dict[str, list[str]]:
        """Folders by their last component."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for folder in sorted(self.folders):
            found[folder.rpartition("/")[2]].append(folder)
        return dict(found)

    def inside(self, folder: str) -> list[str]:
        """Paths of the files directly in a folder."""
        return self.by_folder.get(folder, [])


def above(folder: str) -> Iterator[str]:
    """The folder and those above it, the nearest first, down to the root."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def up(folder: str, levels: int) -> str | None:
    """The folder so many levels above; None when that leads out of the root."""
    for _ in range(levels):
        if not folder:
            return None
        folder = folder.rpartition("/")[0]
    return folder


def joined(folder: str, relative: str) -> str | None:
    """A relative path from a folder; None when it leads out of the root."""
    parts: list[str] = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def shared(one: str, other: str) -> int:
    """How many leading components two folders share."""
    count = 0
    for a, b in zip(one.split("/"), other.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count
