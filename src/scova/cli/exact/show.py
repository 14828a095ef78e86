"""Exact answers, and what a watcher does, as text for people, and as JSON. Prints nothing.

In a call tree `=` marks an edge that is resolved and `?` one that is a guess; the reason follows.
"""

from collections.abc import Iterator, Sequence

from scova.answers import CallTree, Certainty, Context, Definition, Definitions, Node, Outlines, Usages
from scova.cli.render import clean, json_text
from scova.counted import clipped, counted
from scova.record import names_of
from scova.types import Watching, Worked

_SITES = 4  # places of one edge that are shown
_DOC = 100  # characters of a doc comment's first line
_SIGNATURE = 160
_MARK = 60  # of a decorator
_PATHS = 3  # of a batch
_CAP_WORDS = {"files": "--files", "definitions": "--limit"}
_SIGNS = {Certainty.RESOLVED: "= resolved", Certainty.CANDIDATE: "? a candidate: it could be meant"}
_NOTES = {
    "cycle": "its own ancestor",
    "seen": "expanded elsewhere in the tree",
    "guess": "one of several it could be, not followed",
    "cut": "a cap left out some of what lies behind it",
}
LEGEND = "; ".join([*_SIGNS.values(), *(f"[{note}] {said}" for note, said in _NOTES.items())])


def definitions(found: Definitions) -> str:
    """Each definition with its head, and its source where that was asked for."""
    lines = [line for one in found.definitions for line in _definition(one)]
    if found.truncated:
        lines.append(f"{found.total} definitions; the first {len(found.definitions)} are shown")
    return _joined(lines)


def outlines(found: Outlines) -> str:
    """Files with their definitions, indented as they are nested."""
    lines: list[str] = []
    for file in found.files:
        lines.append(f"{clean(file.path)}  {file.language or 'text'}, {counted(file.lines, 'line')}")
        depths: dict[str, int] = {}
        for one in file.definitions:
            symbol = one.symbol
            depth = depths.get(symbol.parent, 0) + 1
            depths.setdefault(symbol.qualified, depth)
            said = symbol.signature or f"{symbol.kind} {symbol.name}"
            doc = f"  — {_first_line(symbol.doc)}" if symbol.doc else ""
            place = f"{symbol.start_line}-{symbol.end_line}"
            marks = "".join(f"{clipped(clean(' '.join(mark.split())), _MARK)} " for mark in symbol.decorators)
            lines.append(f"{place:>13}  {'  ' * (depth - 1)}{marks}{clipped(clean(said), _SIGNATURE)}{doc}")
    if found.truncated:
        lines.append(
            f"not all of {counted(found.total, 'file')}: cut off by {_caps_hit(found)}; a larger number shows more"
        )
    return _joined(lines)


def tree(found: CallTree) -> str:
    """The trees of all definitions that were meant, then what the caps left out."""
    lines: list[str] = []
    for root in found.roots:
        lines.append(_root(root))
        lines += [line for node in root.nodes for line in _node(node, 1)]
        if not root.nodes:
            lines.append(f"  no {found.direction} in the index")
    caps = {name: f" (cap {found.caps[name]})" for name in found.caps}
    lines += [f"left out by {name}{caps.get(name, '')}: {count}" for name, count in found.left_out.items()]
    return _joined(lines)


def legend(found: CallTree) -> str:
    """What the signs of a tree stand for: those that are in it."""
    nodes = [one for root in found.roots for one in _below(root)]
    signs = {one.certainty for one in nodes if one.sites}
    notes = {one.note for one in nodes}
    said = [_SIGNS[sign] for sign in _SIGNS if sign in signs]
    return "; ".join([*said, *(f"[{note}] {_NOTES[note]}" for note in _NOTES if note in notes)])


def usages(found: Usages) -> str:
    """One line for each use, then the counts."""
    lines = [
        f"{clean(use.path)}:{use.line}: {use.how}: {clipped(clean(use.text.strip()), _SIGNATURE)}"
        for use in found.usages
    ]
    if lines:
        counts = ", ".join(f"{count} {how}{'s' * (count != 1)}" for how, count in found.counts.items() if count)
        lines.append(counts + (f"; the first {len(found.usages)} are shown" if found.truncated else ""))
    return _joined(lines)


def context(found: Context) -> str:
    """Each part with its place and why it is there, then what it all costs."""
    lines: list[str] = []
    for part in found.parts:
        cut = "" if part.whole else ", not whole"
        name = f"  {clean(part.name)}" if part.name else ""
        lines.append(
            f"{clean(part.path)}:{part.start_line}-{part.end_line}{name}  [{part.role}{cut}: {clean(part.why)}]"
        )
        lines += [clean(line) for line in part.text.removesuffix("\n").split("\n")]
        lines.append("")
    if found.parts:
        left = f"; {found.left_out} more did not fit" if found.left_out else ""
        lines.append(f"{found.tokens} of {found.budget} tokens{left}")
    return _joined(lines)


def worked(done: Worked, paths: Sequence[str]) -> str:
    """One thing a watcher did, in a line."""
    some = ", ".join(map(clean, paths[:_PATHS])) + " …" * (len(paths) > _PATHS)
    what = f"everything compared ({done.reason})" if done.reason else some
    return (
        f"{done.at[11:19]} {counted(done.changed, 'file')} updated in {done.ms:.0f} ms: {what or 'the folder itself'}"
    )


def watch_role(who: str) -> str:
    """Who watches: another process, or (empty) this one."""
    return f"watched by {who}: following, to take over when it ends" if who else "from here on every change is seen"


def watcher(alive: Watching) -> str:
    """How a watcher is, in a few lines."""
    last = alive.last_batch
    lines = [
        f"watcher   {alive.state}, process {alive.pid}, since {alive.since}; {counted(alive.queue, 'path')} waiting"
    ]
    if last is not None:
        reason = f" ({last.reason})" if last.reason else ""
        lines.append(
            f"          last {last.how}{reason} {last.at}: {counted(last.changed, 'file')} in {last.ms:.0f} ms"
        )
    counts = [counted(alive.updates, "update")]
    counts += [f"{counted(count, 'reconcile')} ({why})" for why, count in alive.reconciles.items()]
    counts += [counted(alive.errors, "error")] * bool(alive.errors)
    lines.append(f"          {', '.join(counts)}")
    return _joined([*lines, *(f"          {clean(word)}" for word in (alive.note, alive.last_error) if word)])


def as_json(value: object) -> str:
    """One object with the fields of an answer; a definition's are those of its symbol and its place."""
    return json_text(_plain(value)) + "\n"


def _definition(one: Definition) -> Iterator[str]:
    symbol = one.symbol
    yield f"{clean(one.path)}:{symbol.start_line}-{symbol.end_line}  {symbol.kind} {clean(symbol.qualified)}"
    for mark in symbol.decorators:
        yield f"    {clipped(clean(' '.join(mark.split())), _SIGNATURE)}"
    if symbol.signature:
        yield f"    {clipped(clean(symbol.signature), _SIGNATURE)}"
    if symbol.bases:
        yield f"    bases: {clean(', '.join(symbol.bases))}"
    if symbol.doc and not one.text:
        yield f"    {_first_line(symbol.doc)}"
    if one.text:
        for number, line in enumerate(one.text.removesuffix("\n").split("\n"), symbol.start_line):
            yield f"    {number:>5}  {clean(line)}"


def _caps_hit(found: Outlines) -> str:
    """Which cap left something out. Where the check against the files on disk took something away, it may be either."""
    shown = {"files": len(found.files), "definitions": sum(len(file.definitions) for file in found.files)}
    hit = [name for name, cap in found.caps.items() if shown[name] >= cap] or list(found.caps)
    return " and ".join(f"{_CAP_WORDS[name]} {found.caps[name]}" for name in hit)


def _root(root: Node) -> str:
    one = root.definition
    place = f"{clean(root.path)}:{one.symbol.start_line}" if one else clean(root.path)
    return f"{clean(root.name)}  {place}" + (f"  [{root.note}]" if root.note else "")


def _below(node: Node) -> Iterator[Node]:
    yield node
    for one in node.nodes:
        yield from _below(one)


def _node(node: Node, depth: int) -> Iterator[str]:
    sure = node.certainty is Certainty.RESOLVED
    best = next((site for site in node.sites if (site.certainty is Certainty.RESOLVED) == sure), None)
    places = ", ".join(f"{clean(site.path)}:{site.line}" for site in node.sites[:_SITES])
    more = f" and {len(node.sites) - _SITES} more" if len(node.sites) > _SITES else ""
    note = f"  [{node.note}]" if node.note else ""
    where = f" ({clean(node.path)})" if node.definition and node.path not in places else ""
    name = clean(node.name) if node.definition or not node.path else "(outermost code)"
    yield f"{'  ' * depth}{'=' if sure else '?'} {name}{where}  {places}{more}  {best.reason if best else ''}{note}".rstrip()
    for below in node.nodes:
        yield from _node(below, depth + 1)


def _plain(value: object) -> object:
    if isinstance(value, Definition):
        symbol = {name: _plain(getattr(value.symbol, name)) for name in value.symbol._fields}
        return {
            "path": value.path,
            "language": value.language,
            **symbol,
            **({"text": value.text} if value.text else {}),
        }
    if isinstance(value, Node):
        return {**_fields(value), "certainty": value.certainty.value if value.sites else ""}
    if hasattr(value, "__match_args__"):
        return _fields(value)
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value


def _fields(value: object) -> dict[str, object]:
    """The fields of a tuple or a record, by name."""
    return {name: _plain(getattr(value, name)) for name in names_of(type(value))}


def _first_line(doc: str) -> str:
    return clipped(clean(doc.strip().split("\n", 1)[0]), _DOC)


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
