"""The only file that prints. stdout is data, stderr is talk; colour and progress on a terminal only."""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scova.config import SETTINGS, Config
from scova.counted import counted
from scova.record import names_of
from scova.types import Answer, Chunk, Finding, Query, Report, Result, Skip, Status

if TYPE_CHECKING:
    from scova.cli.shown.excerpt import Excerpt
    from scova.projects.provenance import Provenance

    Origin = Callable[[Chunk], Provenance]


def _colour(code: str, text: str) -> str:
    if "NO_COLOR" in os.environ or not sys.stdout.isatty():
        return text
    return f"\x1b[{code}m{text}\x1b[0m"


def clean(text: str) -> str:
    """Text of a file made harmless for a terminal: no control character but tab survives."""
    return text if text.isprintable() else "".join(c if c == "\t" or c.isprintable() else "\ufffd" for c in text)


def _json(value: object) -> None:
    print(json_text(value, _plain))


def json_text(value: object, default: "Callable[[Any], object] | None" = None) -> str:
    """A value as JSON, which is UTF-8 whatever the locale: where stdout is not, every character is written in ASCII."""
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    return json.dumps(value, ensure_ascii=plain, default=default)


def prepare() -> None:
    """Make both channels take whatever is written: any character, and being closed from the start."""
    for name in ("stdout", "stderr"):
        channel = getattr(sys, name)
        if channel is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115 - open for as long as the process runs
        elif hasattr(channel, "reconfigure"):
            channel.reconfigure(errors="backslashreplace")


def talk(message: str) -> None:
    """A word to the person, never to a program."""
    print(message, file=sys.stderr)


def data(text: str) -> None:
    """Text that is ready to be read, by a person or a program."""
    print(text, end="")


def at_once(text: str) -> None:
    """Data for a program that listens and does not wait for the end."""
    print(text, end="", flush=True)


def nothing(cut: Sequence[str]) -> None:
    """That there is no result: none at all, or none before the question was cut."""
    talk("nothing found so far" if cut else "nothing found")


def error(message: str, hint: str) -> None:
    """What went wrong, and what to do next."""
    talk(f"error: {message}")
    if hint:
        talk(f"hint: {hint}")


def refused(message: str, hint: str) -> None:
    """The same as data, for who asked for that and gets an answer another time."""
    _json({"error": message, "hint": hint})


def close_output() -> None:
    """The reader (`head`, a pager) has seen enough; without this Python would complain when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- index --------------------------------------------------------------------------------------------------------------


def report(done: Report, *, as_json: bool) -> None:
    """What a build did."""
    if done.note:
        talk(f"note: {done.note}")
    if as_json:
        _json(_fields(done))
        return
    print(f"{counted(done.files, 'file')}, {counted(done.chunks, 'chunk')} in {done.seconds:.1f} s")
    changes = {name: getattr(done, name) for name in ("added", "changed", "removed", "moved")}
    print(", ".join(f"{count} {name}" for name, count in changes.items() if count) or "nothing changed")
    if done.tokens_used:
        print(f"{counted(done.tokens_used, 'token')} embedded, about ${done.estimated_cost_usd:.4f}")
    if done.skipped:
        print(f"{done.skipped} skipped (`scova status --skipped` lists them)")
    if done.unreadable:
        talk(f"warning: {done.unreadable} of them could not be read or are not what their name says")


# --- search -------------------------------------------------------------------------------------------------------------


def answer(query: Query, found: Answer, *, as_json: bool, explain: bool, origin: "Origin | None" = None) -> None:
    """Ranked results, then the exact counts. `origin` tells where the chunks of a project come from."""
    if as_json:
        _json(_answer_fields(query, found, explain=explain, origin=origin))
        return
    if found.results and found.nothing_relevant:
        talk("nothing here seems to answer this; the nearest are:")
    if explain:
        _explained(found)
    from scova.cli.shown.beside import counts
    from scova.cli.shown.excerpt import excerpts

    for number, (result, shown) in enumerate(zip(found.results, excerpts(query, found), strict=True), 1):
        _result(number, result, shown, explain=explain, origin=origin)
    if not found.results:
        nothing(found.cut)
    for line in counts(query, found):
        print(line)
    for tier, complete in found.freshness.tiers.items():
        if not complete:
            pending = found.freshness.pending_embeddings
            talk(
                f"note: {tier} are not complete yet ({pending} pending)"
                if pending
                else f"note: answered without {tier}"
            )


def _explained(found: Answer) -> None:
    print(f"relevance {found.relevance:.3f}  {_shares(found.judged_by)}".rstrip())
    for word, others in found.spelled.items():
        print(f"{clean(word)} also as " + ", ".join(f"{other} {weight:.1f}" for other, weight in others.items()))


def _result(number: int, result: Result, shown: "Excerpt", *, explain: bool, origin: "Origin | None") -> None:
    chunk = result.chunk
    path = chunk.file_path
    if origin is not None:
        told = origin(chunk)
        path = f"{told.place}#page={told.page}" if told.page else told.place
    place = _colour("1;34", f"{clean(path)}:{chunk.start_line}-{chunk.end_line}")
    print(f"{number:>2}. {place}  {_colour('1', clean(chunk.symbol))}  {_colour('2', f'{result.score:.3f}')}")
    if explain:
        print("    " + _shares(result.shares))
    for at, line in shown.lines.items():
        print(f"    {_colour('2', f'{chunk.start_line + at:>5}')}  {clean(line)}")
        if at in shown.gaps:
            print(f"           … {counted(shown.gaps[at], 'more line')}")
    print()


def _shares(shares: Mapping[str, float]) -> str:
    """What each gave, most first."""
    ordered = sorted(shares.items(), key=lambda share: -abs(share[1]))
    return "  ".join(f"{name} {value:+.3f}" for name, value in ordered if value)


def _answer_fields(query: Query, found: Answer, *, explain: bool, origin: "Origin | None" = None) -> dict[str, object]:
    return {
        "query": query.text,
        "mode": query.mode.value,
        "results": [_result_fields(result, explain=explain, origin=origin) for result in found.results],
        "total": found.total,
        "truncated": found.truncated,
        "next": found.next,
        "relevance": round(found.relevance, 4),
        "nothing_relevant": found.nothing_relevant,
        **({"judged_by": {name: round(value, 4) for name, value in found.judged_by.items()}} if explain else {}),
        **({"spelled": {word: dict(others) for word, others in found.spelled.items()}} if explain else {}),
        "literal": _fields(found.literal),
        "skipped_files": found.skipped_files,
        "tokens": found.tokens,
        "cut": list(found.cut),
        "freshness": _fields(found.freshness),
        "timings": dict(found.timings),
    }


def _result_fields(result: Result, *, explain: bool, origin: "Origin | None" = None) -> dict[str, object]:
    chunk = result.chunk
    fields: dict[str, object] = {
        "path": chunk.file_path,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "score": round(result.score, 6),
        "chunk_type": chunk.chunk_type.value,
        "symbol": chunk.symbol,
        "kind": chunk.kind,
        "language": chunk.language,
        "title": chunk.title,
        "tags": list(chunk.tags),
        "id": chunk.id,
        "revision_id": chunk.revision_id,
        "text": chunk.text,
    }
    if origin is not None:
        fields["project"] = chunk.project
        fields["provenance"] = origin(chunk)._asdict()
    if explain:
        fields["shares"] = {name: round(value, 6) for name, value in result.shares.items()}
    return fields


# --- the rest -----------------------------------------------------------------------------------------------------------


def status(state: Status, skips: Sequence[Skip] | None, *, as_json: bool) -> None:
    """What there is; with `skips`, also everything left out."""
    if as_json:
        fields = _fields(state) | {"freshness": _fields(state.freshness)}
        _json(fields | ({"skips": [_fields(skip) for skip in skips]} if skips is not None else {}))
        return
    print(f"root      {clean(state.root)}{f' (branch {state.branch})' if state.branch else ''}")
    print(f"index     {clean(state.data)} ({state.bytes_on_disk / 1e6:.1f} MB)")
    for line in state.ignored_settings:
        print(f"ignored   {clean(line)}")
    if not state.indexed:
        print(f"state     not indexed yet: run `scova index {clean(state.root)}`")
        return
    print(f"files     {state.files} ({_counts(state.languages)})")
    print(f"chunks    {state.chunks} ({_counts(state.chunk_types)})")
    print(f"symbols   {state.symbols}, calls {state.calls}")
    known = state.hnsw_index.get("vector_count")
    graph = f", graph over {known}{' and some are newer' * bool(state.hnsw_index.get('is_stale'))}" if known else ""
    print(f"vectors   {state.embedder}, {state.freshness.pending_embeddings} pending{graph}")
    print(
        f"fresh     {counted(state.freshness.pending_files, 'file')} changed since {state.indexed_at} (change {state.freshness.change_seq})"
    )
    if state.writer:
        print(f"writer    {state.writer}")
    for part in state.damaged:
        print(f"damaged   {part}: `scova repair` rebuilds it")
    for name, why in state.behind.items():
        print(f"behind    {name}: {clean(why)}")
    for language, fault in state.grammar_faults.items():
        print(f"grammar   {language}: {clean(fault)}")
    print(f"skipped   {_counts(state.skipped) or 'nothing'}")
    for skip in skips or ():
        print(f"  {skip.reason:<12} {clean(skip.path)}{f'  ({clean(skip.detail)})' if skip.detail else ''}")


def findings(found: Sequence[Finding], *, as_json: bool, mended: bool) -> None:
    """What an audit found, or a repair mended."""
    if as_json:
        problems = ("orphan", "missing", "mismatch", "damaged")
        counts = {problem: sum(f.problem == problem for f in found) for problem in problems}
        _json({"clean": not found or mended, "mended": mended, **counts, "findings": [_fields(f) for f in found]})
        return
    for finding in found:
        print(f"{finding.part}: {finding.problem}: {clean(finding.subject)} {clean(finding.detail)}".rstrip())
    if not found:
        print("clean: every part of the index agrees with every other")
    elif mended:
        print(f"{len(found)} mended")
    else:
        talk("hint: run `scova repair`")


def config(values: Config, *, as_json: bool) -> None:
    """Every setting with value, origin and meaning."""
    if as_json:
        _json(
            {
                name: {"value": SETTINGS[name].shown(getattr(values, name)), "origin": values.origins[name]}
                for name in SETTINGS
            }
            | {"ignored": values.ignored}
        )
        return
    widest = max(map(len, SETTINGS))
    for name, setting in SETTINGS.items():
        value = json.dumps(setting.shown(getattr(values, name)), ensure_ascii=False)
        print(f"{name:<{widest}} {value:<12} {values.origins[name]:<10} {setting.meaning}")


def collected(gone: Mapping[str, int], vectors: int, given_back: int, *, as_json: bool) -> None:
    """Which indexes were removed, how large they were, how many vectors, and how many bytes less the file of these has."""
    if as_json:
        removed = [{"root": root, "bytes": size} for root, size in gone.items()]
        _json({"removed": removed, "vectors": vectors, "vectors_bytes_given_back": given_back})
        return
    for root, size in gone.items():
        print(f"{size / 1e6:8.1f} MB  {clean(root)}")
    words = [counted(len(gone), "index", "indexes")] * bool(gone) + [counted(vectors, "vector")] * bool(vectors)
    print(f"{' and '.join(words)} removed" if words else "nothing to remove")
    if given_back:
        print(f"{given_back / 1e6:.1f} MB given back by the file of vectors")


def _counts(numbers: Mapping[str, int]) -> str:
    ordered = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name or 'other'} {count}" for name, count in ordered)


def _fields(value: object) -> dict[str, object]:
    """A value's fields by name, whether it is a tuple or a record."""
    return {name: getattr(value, name) for name in names_of(type(value))}


def _plain(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, Mapping) else _fields(value)
