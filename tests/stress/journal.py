"""What was true of a tree, and when: the measure that answers are held against.

Files under watch hold one marked line, `MARK_<subject> = <version>`. Whoever changes the tree writes down, for every path
concerned, what it held before and after, and between which two instants it changed. In between, either may be seen.
Times are those of the system's monotonic clock, which all processes share.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

MARKED = re.compile(r"^MARK_(\d+) = (\d+)$", re.MULTILINE)

Held = tuple[int, int]  # subject and version


def held(path: Path) -> Held | None:
    """What a file holds; None when it is gone or holds no mark."""
    try:
        found = MARKED.search(path.read_text())
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (int(found[1]), int(found[2])) if found else None


@dataclass(frozen=True)
class Turn:
    """One path changed what it holds, at some moment between two instants."""

    began: int
    ended: int
    now: Held | None


@dataclass
class Journal:
    """Everything that happened to marked files."""

    turns: dict[str, list[Turn]] = field(default_factory=lambda: defaultdict(list))

    def note(self, began: int, ended: int, state: dict[str, Held | None], *, torn: bool = False) -> None:
        """These paths hold this since some moment in between; while being `torn`, they may have held nothing too."""
        for path, now in state.items():
            if not self.turns[path] or self.turns[path][-1].now != now:
                if torn and now is not None:
                    self.turns[path].append(Turn(began, ended, None))
                self.turns[path].append(Turn(began, ended, now))

    def current(self) -> dict[str, Held]:
        """What every path holds by the last word on it."""
        return {path: turns[-1].now for path, turns in self.turns.items() if turns and turns[-1].now is not None}

    def possible(self, path: str, since: int, until: int) -> set[Held | None]:
        """Everything a path may have held at some moment of this time."""
        found: set[Held | None] = set()
        before: Held | None = None
        for turn in self.turns.get(path, []):
            if turn.ended < since:
                before = turn.now
            elif turn.began <= until:
                found.add(turn.now)
        return found | {before}

    def moments(self, since: int, until: int) -> list[int]:
        """Instants of this time that stand for all of it: between two of them nothing begins or ends to change."""
        edges = (edge for turns in self.turns.values() for turn in turns for edge in (turn.began, turn.ended))
        return sorted({since, until, *(edge for edge in edges if since <= edge <= until)})

    def allows(self, subject: int, seen: dict[str, list[Held]], moment: int) -> bool:
        """Whether this, and nothing else, may have been what all files held of a subject at one moment."""
        for path in self.turns.keys() | seen.keys():
            possible = self.possible(path, moment, moment)
            if path in seen:
                if not set(seen[path]) <= possible:
                    return False
            elif all(now is not None and now[0] == subject for now in possible):
                return False
        return True

    def held_of(self, subject: int, since: int, until: int) -> dict[str, set[Held | None]]:
        """All paths that may have held a subject in this time, and what they may have held."""
        found = {path: self.possible(path, since, until) for path in self.turns}
        return {path: held for path, held in found.items() if any(now and now[0] == subject for now in held)}
