"""One function per command: words into a method call on Index, its answer into `render`. Returns the exit code."""

from argparse import Namespace
from pathlib import Path

from scova import config as settings
from scova.cli import render
from scova.errors import IndexBusy, UsageError
from scova.index import Index
from scova.types import ChunkType, Filters, Mode, Query, Report

FOUND, NOTHING, INCOMPLETE = 0, 1, 3


def index(arguments: Namespace) -> int:
    """`scova index`: build or refresh."""
    chosen = {"workers": arguments.workers, "embedder": arguments.embedder, "data": arguments.data}
    with Index.open(arguments.path, **chosen) as handle, render.progress() as progress:
        try:
            report = handle.refresh(progress, force=arguments.force)
        except IndexBusy as busy:
            render.talk(f"{busy.message}; waiting up to {arguments.wait:g} s")
            report = handle.refresh(progress, force=arguments.force, wait_seconds=arguments.wait)
    render.report(report, as_json=arguments.json)
    return _exit_code(report)


def search(arguments: Namespace) -> int:
    """`scova search`: one answer."""
    query = Query(
        arguments.query,
        mode=Mode(arguments.mode),
        limit=arguments.limit,
        filters=Filters(
            paths=tuple(arguments.paths),
            not_paths=tuple(arguments.exclude),
            languages=tuple(arguments.language),
            chunk_types=tuple(ChunkType(name) for name in arguments.types),
            tags=tuple(arguments.tag),
            kinds=tuple(arguments.kind),
        ),
        budget=arguments.budget,
        after=arguments.next,
    )
    with Index.open(arguments.path, data=arguments.data) as handle:
        if handle.config.refresh and not arguments.no_refresh:
            _bring_up_to_date(handle)
        answer = handle.search(query)
    render.answer(query, answer, as_json=arguments.json, explain=arguments.explain)
    return FOUND if answer.results else NOTHING


def status(arguments: Namespace) -> int:
    """`scova status`: what there is."""
    with Index.open(arguments.path, data=arguments.data) as handle:
        state = handle.status()
        skips = handle.skips() if arguments.skipped else None
    render.status(state, skips, as_json=arguments.json)
    return FOUND if state.indexed else INCOMPLETE


def audit(arguments: Namespace) -> int:
    """`scova audit`: clean, or what is wrong."""
    with Index.open(arguments.path, data=arguments.data) as handle:
        findings = handle.audit()
    render.findings(findings, as_json=arguments.json, mended=False)
    return INCOMPLETE if findings else FOUND


def repair(arguments: Namespace) -> int:
    """`scova repair`: mend, and say what was mended."""
    with render.progress() as progress:
        findings, report = Index.repair(arguments.path, data=arguments.data, tell=progress)
    render.findings(findings, as_json=arguments.json, mended=True)
    return _exit_code(report)


def config(arguments: Namespace) -> int:
    """`scova config`: every setting and its origin."""
    root = Path(arguments.path)
    if not root.is_dir():
        raise UsageError(f"`{arguments.path}` is not a folder", "give the folder of the project")
    render.config(settings.load(root, {"data": arguments.data}), as_json=arguments.json)
    return FOUND


def gc(arguments: Namespace) -> int:
    """`scova gc`: remove what belongs to nothing."""
    from scova.index import collect

    render.collected(collect(settings.cache_folder(), dry_run=arguments.dry_run), as_json=arguments.json)
    return FOUND


def _bring_up_to_date(handle: Index) -> None:
    """Refresh when something changed; when another process is already writing, answer from what there is."""
    if not handle.is_stale():
        return
    with render.progress() as progress:
        try:
            handle.refresh(progress)
        except IndexBusy as busy:
            if not handle.indexed:
                raise
            render.talk(f"{busy.message}; answering from the index as it is")


def _exit_code(report: Report) -> int:
    return INCOMPLETE if report.unreadable else FOUND
