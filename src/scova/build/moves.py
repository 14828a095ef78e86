"""Which file went where: the same content under a new path."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import takewhile

from scova.types import Move


class Vacated:
    """Paths that are gone, by what they held. Each is given away once."""

    def __init__(self, digests: Mapping[str, str]) -> None:
        self._paths: defaultdict[str, list[str]] = defaultdict(list)
        for path, digest in digests.items():
            self._paths[digest].append(path)

    def move_to(self, path: str, digest: str) -> Move | None:
        """The move that brought this content here, from the path most like it; None when it came from nowhere."""
        candidates = self._paths.get(digest)
        if not candidates:
            return None
        old = max(candidates, key=lambda candidate: (_same_end(candidate, path), candidate))
        candidates.remove(old)
        return Move(old, path)


def _same_end(one: str, other: str) -> int:
    """How many path components two paths have in common, counted from the end."""
    pairs = zip(reversed(one.split("/")), reversed(other.split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
