"""What a build has to do: compares what a Source offers with what the Store remembers.

Knows marks and paths only; it opens no file. An unchanged file costs the stat that the Source already made.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scova.build.memory import ReadSkip
from scova.types import EVERYWHERE, IndexedFile, Item, Region, Skip, is_racy


@dataclass(frozen=True, slots=True)
class Task:
    """One file to read. If its digest turns out to be `known_digest`, the index has it already."""

    item: Item
    known_digest: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What to read, what to forget, what to leave as it is."""

    tasks: list[Task]
    removed: list[str]
    skips: list[Skip]  # seen by the walk, or remembered from an earlier reading
    kept_read_skips: dict[str, ReadSkip]


def plan(
    items: Iterable[Item | Skip],
    known: Mapping[str, IndexedFile],
    read_skips: Mapping[str, ReadSkip],
    *,
    force: bool = False,
    region: Region = EVERYWHERE,
) -> Plan:
    """Sort everything the source offers into read, forget and leave.

    With `force`, everything is read. The source speaks for a `region` only; what is outside stays as it is.
    """
    tasks: list[Task] = []
    skips: list[Skip] = []
    kept: dict[str, ReadSkip] = {}
    seen: set[str] = set()
    for item in items:
        if isinstance(item, Skip):
            skips.append(item)
            continue
        seen.add(item.path)
        file = known.get(item.path)
        skipped = read_skips.get(item.path)
        if skipped and not force and _same(item, skipped.size, skipped.changed_ns, skipped.read_ns):
            kept[item.path] = skipped
            skips.append(skipped.skip)
        elif force or not file or not _same(item, file.mark.size, file.mark.changed_ns, file.indexed_ns):
            tasks.append(Task(item, file.digest if file and not force else ""))
    removed = [path for path in known if path not in seen and region.covers(path)]
    others = {path: entry for path, entry in read_skips.items() if not region.covers(path)}
    return Plan(tasks, removed, skips, others | kept)


def _same(item: Item, size: int, changed_ns: int, read_ns: int) -> bool:
    return item.mark.size == size and item.mark.changed_ns == changed_ns and not is_racy(changed_ns, read_ns)
