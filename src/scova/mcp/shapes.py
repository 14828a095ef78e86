"""Answers as an agent gets them: few fields, short names, every place as path and lines. No field says what another implies."""

from collections.abc import Iterator, Sequence
from typing import Any

from scova.answers import CallTree, Context, Definition, Definitions, Matches, Node, Outlines, Usages
from scova.mcp.page import Listing
from scova.types import Answer, Freshness, Result

NOTHING_RELEVANT = (
    "Nothing here seems to answer this; the results are only the nearest."
    " It is most likely not here: stop rather than search on with other words."
)
SNIPPET = 15  # lines of a result, unless it was packed into a budget


def searched(found: Answer, *, whole: bool, explain: bool) -> Listing:
    """Ranked results."""
    items = [_result(result, whole=whole, explain=explain) for result in found.results]
    literal = {"count": found.literal.count, "files": found.literal.files} if found.literal.count else None
    spelled = {"spelled": {word: dict(others) for word, others in found.spelled.items()}} if found.spelled else {}
    beside = {
        **_judged(found),
        **(spelled if explain else {}),
        **({"literal": literal} if literal else {}),
        **_cut(found.cut),
        **dated(found.freshness),
    }
    return Listing("results", items, beside, max(found.total, len(items)))


def matched(found: Matches) -> Listing:
    """Every matching line as `path:line:text`; lines of context have `-` for `:`."""
    items = [
        f"{file.path}{mark}{line.number}{mark}{line.text}"
        for file in found.files
        for line in file.lines
        for mark in (":" if line.matched else "-",)
    ]
    beside = {"count": found.count, "in_files": len(found.files), **_cut(found.cut), **dated(found.freshness)}
    goes_on = found.truncated and not found.cut  # what was cut is not on a next page
    return Listing("matches", items, beside, max(found.count, len(items) + 1) if goes_on else len(items))


def defined(found: Definitions) -> Listing:
    """Definitions, or the names nearest to one that is not there."""
    beside = {**_near(found.suggestions), **_cut(found.cut), **dated(found.freshness)}
    return Listing("definitions", [_definition(one) for one in found.definitions], beside, found.total)


def outlined(found: Outlines) -> Listing:
    """Files, each followed by what it defines, one line a definition."""
    items: list[str] = []
    for file in found.files:
        items += [f"{file.path} ({file.language or 'text'}, {file.lines} lines)", *map(_line, file.definitions)]
    beside = {"files": found.total, **_cut(found.cut), **dated(found.freshness)}
    return Listing("outline", items, beside, len(items) + (found.truncated and not found.cut))


def called(found: CallTree) -> Listing:
    """Call trees as lines that are indented by depth: `=` an edge that is resolved, `?` a guess."""
    items: list[str] = []
    for root in found.roots:
        items += [f"{root.name} {_at(root)}", *(line for node in root.nodes for line in _tree(node, 1))]
        items += [f"  no {found.direction}"] * (not root.nodes)
    beside: dict[str, Any] = {"direction": found.direction, "depth": found.depth}
    if any(found.left_out.values()):
        beside["left_out"] = dict(found.left_out)
    beside |= {**_near(found.suggestions), **_cut(found.cut), **dated(found.freshness)}
    return Listing("tree", items, beside, len(items))


def used(found: Usages) -> Listing:
    """Every use as `how path:line: text`."""
    items = [f"{use.how} {use.path}:{use.line}: {use.text.strip()}" for use in found.usages]
    counts = {how: count for how, count in found.counts.items() if count}
    beside = {"counts": counts, **_near(found.suggestions), **_cut(found.cut), **dated(found.freshness)}
    return Listing("usages", items, beside, max(sum(counts.values()), len(items)))


def explained(found: Context) -> Listing:
    """The parts of a context pack."""
    items = [
        {
            "path": part.path,
            "lines": f"{part.start_line}-{part.end_line}",
            "role": part.role,
            "why": part.why,
            "text": part.text,
        }
        for part in found.parts
    ]
    beside = {
        "tokens": found.tokens,
        "left_out": found.left_out,
        **_near(found.suggestions),
        **_cut(found.cut),
        **dated(found.freshness),
    }
    return Listing("parts", items, beside, len(items))


def dated(freshness: Freshness) -> dict[str, Any]:
    """How current an answer is: what is not as it should be, and nothing else."""
    said: dict[str, Any] = {"change_seq": freshness.change_seq}
    for name in ("pending_files", "pending_embeddings", "moved", "dropped"):
        if count := getattr(freshness, name):
            said[name] = count
    if incomplete := [tier for tier, complete in freshness.tiers.items() if not complete]:
        said["incomplete"] = incomplete
    return {"freshness": said}


def _judged(found: Answer) -> dict[str, Any]:
    """How likely it is that something relevant was found; in words where it is not."""
    said: dict[str, Any] = {"relevance": round(found.relevance, 2)}
    return {**said, "nothing_relevant": True, "note": NOTHING_RELEVANT} if found.nothing_relevant else said


def _cut(sentences: Sequence[str]) -> dict[str, Any]:
    """What is missing, and how to have it."""
    return {"cut": list(sentences)} if sentences else {}


def _near(names: Sequence[str]) -> dict[str, Any]:
    return {"did_you_mean": list(names)} if names else {}


def _result(result: Result, *, whole: bool, explain: bool) -> dict[str, Any]:
    chunk = result.chunk
    lines = chunk.text.rstrip().split("\n")
    shown = lines if whole else lines[:SNIPPET]
    item: dict[str, Any] = {
        "path": chunk.file_path,
        "lines": f"{chunk.start_line}-{chunk.end_line}",
        "score": round(result.score, 3),
        "text": "\n".join(shown),
    }
    if chunk.symbol:
        item["symbol"] = chunk.symbol
    if len(shown) < len(lines):
        item["more_lines"] = len(lines) - len(shown)
    if explain:
        item["shares"] = {name: round(value, 3) for name, value in result.shares.items() if value}
    return item


def _definition(one: Definition) -> dict[str, Any]:
    symbol = one.symbol
    item: dict[str, Any] = {
        "path": one.path,
        "lines": f"{symbol.start_line}-{symbol.end_line}",
        "kind": symbol.kind,
        "name": symbol.qualified,
    }
    for name in ("signature", "bases", "decorators", "doc"):
        if value := getattr(symbol, name):
            item[name] = value
    return {**item, "text": one.text} if one.text else item


def _line(one: Definition) -> str:
    symbol = one.symbol
    return f"  {symbol.start_line}-{symbol.end_line} {symbol.signature or f'{symbol.kind} {symbol.qualified}'}"


def _at(node: Node) -> str:
    return f"{node.path}:{node.definition.symbol.start_line}" if node.definition else node.path


def _tree(node: Node, depth: int) -> Iterator[str]:
    sure = "=" if node.certainty.value == "resolved" else "?"
    places = ", ".join(f"{site.path}:{site.line}" for site in node.sites[:3])
    more = f" +{len(node.sites) - 3}" if len(node.sites) > 3 else ""
    reason = f" ({node.sites[0].reason})" if node.sites and sure == "?" else ""
    note = f" [{node.note}]" if node.note else ""
    yield f"{'  ' * depth}{sure} {node.name} {places}{more}{reason}{note}".rstrip()
    for below in node.nodes:
        yield from _tree(below, depth + 1)
