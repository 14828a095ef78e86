"""One function per command: words into a method call on Index, its answer into `render`. Returns the exit code."""

import signal
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

from scova import config as settings
from scova.cli import render
from scova.cli.filtering import filters_of
from scova.cli.opened import answered, data_of
from scova.errors import IndexBusy, UsageError
from scova.index import Index
from scova.types import Mode, Query, Report

FOUND, NOTHING, INCOMPLETE = 0, 1, 3
DEFAULT_LIMIT, PACKED_LIMIT = 10, 50  # with a budget, the budget decides how many are shown


def index(arguments: Namespace) -> int:
    """`scova index`: build or refresh."""
    if arguments.background:
        from scova.cli.jobs import commands as jobs

        return jobs.index(arguments)
    with (
        Index.open(arguments.path, workers=arguments.workers, data=data_of(arguments)) as handle,
        render.progress() as progress,
    ):
        try:
            report = handle.refresh(progress, force=arguments.force)
        except IndexBusy as busy:
            render.talk(f"{busy.message}; waiting up to {arguments.wait:g} s")
            report = handle.refresh(progress, force=arguments.force, wait_seconds=arguments.wait)
        report = handle.compactor.finished(report, progress)
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
    answer = answered(arguments, lambda handle, _: handle.search(query))
    render.answer(query, answer, as_json=arguments.json, explain=arguments.explain)
    return FOUND if answer.results else NOTHING


def status(arguments: Namespace) -> int:
    """`scova status`: what there is."""
    with Index.open(arguments.path, data=data_of(arguments)) as handle:
        state = handle.status()
        skips = handle.skips() if arguments.skipped else None
    render.status(state, skips, as_json=arguments.json)
    if state.watcher and not arguments.json:
        from scova.cli import show

        render.data(show.watcher(state.watcher))
    return FOUND if state.indexed else INCOMPLETE


def watch(arguments: Namespace) -> int:
    """`scova watch`: until Ctrl-C or SIGTERM, both of which are a proper end."""
    from scova.cli import show
    from scova.live import Live

    say = render.at_once if arguments.json else render.talk
    chosen = dict(watch_quiet_ms=arguments.quiet_ms, watch_max_wait_ms=arguments.max_wait_ms, watch_bulk=arguments.bulk)
    with Index.open(arguments.path, data=data_of(arguments), **chosen) as handle:
        render.talk(f"watching {render.clean(str(handle.root))} (index in {render.clean(str(handle.layout.root))})")
        live = Live(
            handle,
            tell=lambda work, done: say(
                show.as_json(done) if arguments.json else show.worked(done, sorted(work.paths))
            ),
            tell_role=lambda who: render.talk(show.watch_role(who)),
        )
        _until_ended(live.run)
    render.talk("stopped")
    return FOUND


class _Ending:
    """Set by a signal. Takes no lock, unlike an Event of threading, which could wait for ever for the code it interrupts."""

    _is_near = False

    def is_set(self) -> bool:
        return self._is_near

    def wait(self, seconds: float) -> bool:
        time.sleep(seconds)
        return self._is_near

    def begin(self, number: int, frame: FrameType | None) -> None:
        """The first signal is heard between two steps, since an exception in the midst of one may be lost. The second is not patient."""
        if self._is_near:
            raise KeyboardInterrupt
        self._is_near = True


def _until_ended(run: Callable[[_Ending], None]) -> None:
    """Run until a signal says to stop."""
    ending = _Ending()
    before = {number: signal.signal(number, ending.begin) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with suppress(KeyboardInterrupt):
            run(ending)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
