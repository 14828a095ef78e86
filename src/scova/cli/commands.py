"""The commands that build an index and look after it: words into a method call, its answer into `render`."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scova import config as settings
from scova.cli import render
from scova.cli.running.around import tell_of_one_around
from scova.cli.running.progress import stages
from scova.cli.words import FOUND, INCOMPLETE, Words, add_wait_word, data_of
from scova.errors import IndexBusy, UsageError
from scova.index import Index
from scova.types import Report


def add_index_words(command: ArgumentParser) -> None:
    """The words of `scova index`, but for those that most commands have; so below."""
    command.add_argument("--force", action="store_true", help="read every file again, even unchanged ones")
    command.add_argument(
        "--yes", action="store_true", help="index a home folder, a whole disk or a folder of several repositories too"
    )
    command.add_argument("--workers", type=int, metavar="N", help="worker processes (default: one per core)")
    add_wait_word(command)
    command.add_argument(
        "--adopt",
        action="store_true",
        help="remove an index that was not made here, such as one that came with the folder, and build it anew",
    )
    command.add_argument(
        "--background",
        action="store_true",
        help="leave it to a background job, which waits for writers as long as it must",
    )


def add_status_words(command: ArgumentParser) -> None:
    """The words of `scova status`."""
    command.add_argument("--skipped", action="store_true", help="list everything left out, with the reason")


def add_gc_words(command: ArgumentParser) -> None:
    """The words of `scova gc`."""
    command.add_argument(
        "--embeddings", action="store_true", help="also forget vectors that no index in the cache uses"
    )
    command.add_argument("--dry-run", action="store_true", help="only say what would be removed")


def add_no_words(command: ArgumentParser) -> None:
    """None but those that most commands have."""


def index(arguments: Namespace) -> int:
    """`scova index`: build or refresh."""
    if arguments.adopt:
        from scova.index.keeping import adopt

        adopt(arguments.path, data_of(arguments))
    if arguments.background:
        from scova.cli.jobs import commands as jobs

        return jobs.index(arguments)
    with (
        Index.open(arguments.path, workers=arguments.workers, data=data_of(arguments)) as handle,
        stages() as progress,
    ):
        tell_of_one_around(handle, arguments)
        try:
            report = handle.refresh(progress, force=arguments.force, yes=arguments.yes)
        except IndexBusy as busy:
            render.talk(f"{busy.message}; waiting up to {arguments.wait:g} s")
            wait, yes = arguments.wait, arguments.yes
            report = handle.refresh(progress, force=arguments.force, wait_seconds=wait, yes=yes)
        report = handle.compactor.finished(report, progress)
    render.report(report, as_json=arguments.json)
    return _exit_code(report)


def status(arguments: Namespace) -> int:
    """`scova status`: what there is."""
    with Index.open(arguments.path, data=data_of(arguments)) as handle:
        state = handle.status()
        skips = handle.skips() if arguments.skipped else None
    render.status(state, skips, as_json=arguments.json)
    if state.watcher and not arguments.json:
        from scova.cli.exact import show

        render.data(show.watcher(state.watcher))
    return FOUND if state.indexed else INCOMPLETE


def audit(arguments: Namespace) -> int:
    """`scova audit`: clean, or what is wrong."""
    with Index.open(arguments.path, data=data_of(arguments)) as handle:
        findings = handle.audit()
    render.findings(findings, as_json=arguments.json, mended=False)
    return INCOMPLETE if findings else FOUND


def repair(arguments: Namespace) -> int:
    """`scova repair`: mend, and say what was mended."""
    with stages() as progress:
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

    done = collect(
        settings.cache_folder(), settings.state_folder(), dry_run=arguments.dry_run, embeddings=arguments.embeddings
    )
    render.collected(*done, as_json=arguments.json)
    return FOUND


def _exit_code(report: Report) -> int:
    return INCOMPLETE if report.unreadable or report.pending_embeddings else FOUND


WORDS: Words = {
    "index": (add_index_words, index),
    "status": (add_status_words, status),
    "audit": (add_no_words, audit),
    "repair": (add_no_words, repair),
    "config": (add_no_words, config),
    "gc": (add_gc_words, gc),
}
