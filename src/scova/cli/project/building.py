"""`scova project build`: one slice, or all of them, with progress on a terminal. Ctrl-C ends it in good order."""

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING

from scova.cli import render
from scova.cli.project import show
from scova.cli.running.ending import heeded
from scova.cli.running.progress import STAGES, bars
from scova.cli.words import FOUND, INCOMPLETE
from scova.projects.build import project_build
from scova.projects.building.options import RANGES, BuildOptions, chunk_options
from scova.projects.building.result import BuildResult, together
from scova.projects.building.watching import Told
from scova.projects.job import slices
from scova.projects.status import project_build_status

if TYPE_CHECKING:
    from rich.progress import TaskID


def build(arguments: Namespace) -> int:
    """Build, and say what came of it; 3 when something is left or has failed."""
    options = _options(arguments)
    results: list[BuildResult] = []
    with heeded() as ending, _progress() as tell:

        def sliced(options: BuildOptions) -> BuildResult:
            return project_build(arguments.name, options, tell=tell, stop=ending.is_set)

        for result in slices(sliced, options, whole=arguments.all and not options.dry_run):
            results.append(result)
            if ending.is_set():
                break
    if not results:
        raise KeyboardInterrupt  # a second one, which was not patient
    result = reduce(together, results)
    said = render.clean(result.message) if options.dry_run and not arguments.json else ""
    render.data((said or show.built(arguments.name, result, as_json=arguments.json)) + "\n")
    left = result.progress.has_more or result.progress.remaining or project_build_status(arguments.name).pending_chunks
    done = options.dry_run or not (result.errors or result.not_read or left)
    return FOUND if done else INCOMPLETE


def _options(arguments: Namespace) -> BuildOptions:
    given: dict[str, object] = {name: getattr(arguments, name) for name in RANGES}
    given["timeout_strategy"] = arguments.timeout_strategy
    wanted = {name: value for name, value in given.items() if value is not None}
    if arguments.no_checkpointing:
        wanted["enable_checkpointing"] = False
    return BuildOptions(
        dry_run=arguments.dry_run,
        force=arguments.force,
        chunk_options=chunk_options(wanted),
        resume_from_checkpoint=arguments.resume,
        checkpoint_id=arguments.checkpoint,
        failed_only=arguments.failed_only,
    )


@contextmanager
def _progress() -> Iterator[Callable[[Told], None]]:
    """Sources, documents, chunks, vectors, rate and remaining time, on a terminal."""
    with bars() as drawn:
        if drawn is None:
            yield lambda told: None
            return
        shown: dict[str, TaskID] = {}
        began = time.monotonic()

        def tell(told: Told) -> None:
            nonlocal began
            if told.source_id not in shown:
                began = time.monotonic()
                for earlier in shown.values():
                    drawn.update(earlier, visible=False)
                shown[told.source_id] = drawn.add_task("", total=None)
            words = f"source {told.sources_done + 1}/{told.sources_total} {told.source_id[:32]}"
            rate = told.done / max(0.001, time.monotonic() - began)
            words += f"  {STAGES[told.step.stage]}, {told.chunks} chunks, {told.vectors} vectors, {rate:.0f}/s"
            drawn.update(shown[told.source_id], description=words, completed=told.done, total=told.total or None)
            drawn.refresh()

        yield tell
