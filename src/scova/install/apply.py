"""Planned changes carried out: all of them or, when one fails, none. Knows nothing of what they say."""

import difflib
from collections.abc import Sequence
from pathlib import Path

from scova.errors import ClientError
from scova.install import files
from scova.install.plan import Change
from scova.install.record import Records

_LONGEST = 300  # characters of a line that is shown whole


def apply(changes: Sequence[Change], records: Records) -> None:
    """Do what was planned. What is remembered of a file is written before the file, so that nothing can be done and forgotten."""
    done: list[Change] = []
    try:
        for change in changes:
            if change.record is not None:
                records.put(change.record)
            _change(change, records)
            done.append(change)
    except (ClientError, OSError):
        for change in reversed(done):
            _put_back(change, records)
        raise
    for change in changes:
        if change.record is None:
            records.forget(change.seen.real)


def difference(change: Change) -> str:
    """What a change does to a file, as a unified diff. Nothing is shown of what stays: that may hold keys of other servers."""
    before = change.seen.text if change.seen.data is not None else ""
    after = (change.after or b"").decode()
    old, new = (str(change.seen.path) if data is not None else "/dev/null" for data in (change.seen.data, change.after))
    shown = list(difflib.unified_diff(_lines(before), _lines(after), old, new, n=0, lineterm=""))
    if any(len(line) > _LONGEST for line in shown):
        shown = [*shown[:2], *_within(before, after)]
    return "".join(f"{line}\n" for line in shown)


def _within(before: str, after: str) -> list[str]:
    """What changes within lines that are too long to be shown."""
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    cuts = [(sign, text[start : len(text) - end]) for sign, text in (("-", before), ("+", after))]
    return [f"@@ character {start + 1} @@", *(f"{sign}{line}" for sign, cut in cuts for line in cut.split("\n") if cut)]


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common from the beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _lines(text: str) -> list[str]:
    """Lines to be shown; a last one without an end says so."""
    lines = text.split("\n")
    last = lines.pop()
    return [line.removesuffix("\r") for line in lines] + ([f"{last}  (no line end)"] if last else [])


def _change(change: Change, records: Records) -> None:
    if change.action == "unchanged":
        return
    if change.after is None:
        known = records.get(change.seen.real)
        files.remove(change.seen, [Path(folder) for folder in known.made_folders] if known else [])
    else:
        files.put(change.seen, change.after)


def _put_back(change: Change, records: Records) -> None:
    """The file as it was before."""
    if change.action == "unchanged":
        return
    now = files.look(change.seen.path, [change.seen.real])
    if change.seen.data is None:
        files.remove(now, [Path(folder) for folder in (change.record.made_folders if change.record else ())])
        records.forget(change.seen.real)
    else:
        files.put(files.Seen(change.seen.path, change.seen.real, now.data, change.seen.mode), change.seen.data)
