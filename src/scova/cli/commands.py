"""One function per command: words into a method call on Index, its answer into `render`. Returns the exit code."""

from argparse import Namespace
from pathlib import Path

from scova import config as settings
from scova.cli import render
from scova.cli.filtering import filters_of
from scova.cli.opened import data_of, opened
from scova.errors import IndexBusy, UsageError
from scova.index import Index
from scova.types import Mode, Query, Report

FOUND, NOTHING, INCOMPLETE = 0, 1, 3
DEFAULT_LIMIT, PACKED_LIMIT = 10, 50  # with a budget, the budget decides how many are shown


def index(arguments: Namespace) -> int:
    """`scova index`: build or refresh."""
    with (
        Index.open(arguments.path, workers=arguments.workers, data=data_of(arguments)) as handle,
        render.progress() as progress,
    ):
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
        limit=arguments.limit if arguments.limit is not None else PACKED_LIMIT if arguments.budget else DEFAULT_LIMIT,
        filters=filters_of(arguments),
        budget=arguments.budget,
        after=arguments.next,
    )
    with opened(arguments) as handle:
        answer = handle.search(query)
    render.answer(query, answer, as_json=arguments.json, explain=arguments.explain)
    return FOUND if answer.results else NOTHING


def status(arguments: Namespace) -> int:
    """`scova status`: what there is."""
    with Index.open(arguments.path, data=data_of(arguments)) as handle:
        state = handle.status()
        skips = handle.skips() if arguments.skipped else None
    render.status(state, skips, as_json=arguments.json)
    return FOUND if state.indexed else INCOMPLETE


def audit(arguments: Namespace) -> int:
    """`scova audit`: clean, or what is wrong."""
    with Index.open(arguments.path, data=data_of(arguments)) as handle:
        findings = handle.audit()
    render.findings(findings, as_json=arguments.json, mended=False)
    return INCOMPLETE if findings else FOUND


def repair(arguments: Namespace) -> int:
    """`scova repair`: mend, and say what was mended."""
    with render.progress() as progress:
        findings, report = Index.repair(arguments.path, data=data_of(arguments), tell=progress)
    render.findings(findings, as_json=arguments.json, mended=True)
    return _exit_code(report)


def config(arguments: Namespace) -> int:
    """`scova config`: every setting and its origin."""
    root = Path(arguments.path)
    if not root.is_dir():
        raise UsageError(f"`{arguments.path}` is not a folder", "give the folder of the project")
    render.config(settings.load(root, {"data": data_of(arguments)}), as_json=arguments.json)
    return FOUND


def gc(arguments: Namespace) -> int:
    """`scova gc`: remove what belongs to nothing."""
    from scova.build.collect import collect

    done = collect(settings.cache_folder(), dry_run=arguments.dry_run, embeddings=arguments.embeddings)
    render.collected(done.indexes, done.vectors, as_json=arguments.json)
    return FOUND


def _exit_code(report: Report) -> int:
    return INCOMPLETE if report.unreadable else FOUND
