"""What was true of a tree, and when: the measure that answers are held against.

Files under watch hold one marked line, `MARK_<subject> = <version>`. Whoever changes the tree writes down, for every path
concerned, what it held before and after, and between which two instants it changed. In between, either may be seen.
Times are those of the system's monotonic clock, which all processes share.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
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

    def certain(self, subject: int, since: int, until: int) -> set[str]:
        """Paths that held this subject, in whatever version, all of this time."""
        return {
            path
            for path in self.turns
            if all(now is not None and now[0] == subject for now in self.possible(path, since, until))
        }


def subjects(state: Iterable[Held]) -> list[int]:
    """All subjects, once each."""
    return sorted({subject for subject, _ in state})
