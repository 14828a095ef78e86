"""What `scova push` shows, as text and as JSON. Prints nothing."""

import json
from collections.abc import Sequence

from scova.cli.render import clean
from scova.counted import counted
from scova.push import Failure, Pushed

SHOWN = 50  # paths in a list for people; --json has all of them


def pushed(done: Pushed, *, as_json: bool) -> str:
    """What a push did."""
    if as_json:
        return json.dumps(_fields(done))
    if done.dry_run:
        return "\n".join(_would(done))
    made = " (made just now)" * done.created
    lines = [
        f"{clean(done.project_id)} on {clean(done.server)}{made}: {counted(done.files, 'file')}, {done.unchanged} unchanged, {done.sent} sent,"
        f" {done.deleted} deleted in {done.seconds:.1f} s"
    ]
    lines += _left_out(done)
    lines += _listed("left out by the server", done.skipped)
    lines += _listed("failed", done.failed)
    if done.ended_early:
        left = f"left: {counted(done.left, 'file')}" if done.left else "it is not known yet what is left"
        lines.append(f"not done: {left}; go on with the same command")
    return "\n".join(lines)


def _would(done: Pushed) -> list[str]:
    lines = [f"{counted(done.files, 'file')}; {len(done.missing)} would be sent, {len(done.extra)} deleted"]
    for what, paths in (("send", done.missing), ("delete", done.extra)):
        lines += [f"  {what}  {clean(path)}" for path in paths[:SHOWN]] + _more(len(paths))
    return lines + _left_out(done) + _listed("failed", done.failed)


def _left_out(done: Pushed) -> list[str]:
    """What was not to be sent, the most frequent reason first; a folder that is not looked into counts once."""
    counts = sorted(done.left_out.items(), key=lambda one: (-one[1], one[0]))
    return ["left out here: " + ", ".join(f"{reason} {count}" for reason, count in counts)] if counts else []


def _listed(what: str, found: Sequence[Failure]) -> list[str]:
    lines = [
        f"{what}  {clean(one.path)}: {clean(one.error)}" + f" ({clean(one.hint)})" * bool(one.hint) for one in found
    ]
    return lines[:SHOWN] + _more(len(lines))


def _more(count: int) -> list[str]:
    return [f"  … and {count - SHOWN} more (--json lists all)"] if count > SHOWN else []


def _fields(done: Pushed) -> dict[str, object]:
    fields = {name: getattr(done, name) for name in done.__slots__}
    lists = {name: [one._asdict() for one in getattr(done, name)] for name in ("skipped", "failed")}
    return {"status": done.status, **fields, **lists, "seconds": round(done.seconds, 3)}
