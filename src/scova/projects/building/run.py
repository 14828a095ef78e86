"""One slice of a build of a project, from the checkpoint where the last one ended; wherever the project is kept."""

import time
from collections.abc import Callable
from dataclasses import replace

from scova.counted import counted, waiting
from scova.projects.building.buildable import Buildable
from scova.projects.building.checkpoint import Checkpoint
from scova.projects.building.checkpoints import Checkpoints
from scova.projects.building.log import BuildLog
from scova.projects.building.options import BuildOptions
from scova.projects.building.result import BuildResult, Metrics, Progressed
from scova.projects.building.slice import Slice, in_turn
from scova.projects.building.watching import Timer, Watcher, never
from scova.projects.building.workshop import Workshop
from scova.projects.estimate import estimated, in_words
from scova.projects.feeds.feed import Feeds, Fetching
from scova.projects.spec import SourceSpec
from scova.projects.works import Works, give_up_at

_NAMED = 5  # documents told by name


def build_slice(
    works: Buildable, feeds_of: Callable[[Works, Fetching], Feeds], options: BuildOptions, watcher: Watcher
) -> BuildResult:
    """Build one slice. Raises IndexBusy, naming the other, while another build of the project is under way."""
    checkpoints = works.checkpoints()
    chosen = options.chunk_options
    seconds = chosen.build_timeout_ms / 1000
    if options.dry_run:
        checkpoint, words = _begun(checkpoints, works, options)
        with feeds_of(works, Fetching(chosen.fetch_concurrency, options.force, never)) as feeds:
            return _planned(works, feeds, checkpoint, words, options=options)
    with works.building(), BuildLog(works.place.logs) as log:
        checkpoint, words = _begun(checkpoints, works, options)
        log.note("begin", checkpoint_id=checkpoint.checkpoint_id, note=words)
        timer = Timer(seconds, stop=watcher.stop, clock=watcher.clock)
        give_up_at(works, time.monotonic() + seconds)
        with feeds_of(works, Fetching(chosen.fetch_concurrency, options.force, timer.is_over)) as feeds:
            shop = Workshop(works, checkpoints, feeds, options, tell=watcher.tell)
            if not checkpoint.checkpoint_id or not checkpoints.is_here(checkpoint):
                feeds.begin_anew()
                # Written down at once, so that who goes on after a crash does not take up what was given up.
                checkpoint = shop.save(checkpoint)
            run = Slice(shop, chosen, log, timer)
            run.run(checkpoint, works.manifest.sources, failed_only=options.failed_only)
        result = _ended(run, shop, works.manifest.sources, words, options=options)
        log.note("end", result=result.to_json())
        return result


def _begun(checkpoints: Checkpoints, works: Works, options: BuildOptions) -> tuple[Checkpoint, str]:
    """Where to go on, and a word about it."""
    known = frozenset(spec.source_id for spec in works.manifest.sources)
    if options.checkpoint_id:
        found, words = checkpoints.load(options.checkpoint_id), ""
    else:
        latest, words = checkpoints.latest()
        is_over = latest is not None and latest.finished and not options.failed_only
        if latest is None or is_over or options.resume_from_checkpoint is False:
            return Checkpoint(works.manifest.name), words
        found = latest
    found = replace(found.of(known), finished=False)
    # Only where no attempt is left: whoever asks for slices while there is more comes to an end.
    if options.failed_only and not in_turn(works.manifest.sources, found, failed_only=True):
        found = found.forgiving()
    return found, words


def _ended(
    run: Slice, shop: Workshop, sources: tuple[SourceSpec, ...], words: str, *, options: BuildOptions
) -> BuildResult:
    """What a slice brought. Where nothing was written down, no later one goes on from it."""
    goes_on = options.chunk_options.enable_checkpointing
    left = in_turn(sources, run.checkpoint)
    wanted = in_turn(sources, run.checkpoint, failed_only=options.failed_only)
    if not left:
        run.checkpoint = shop.save(replace(run.checkpoint, finished=True))
    elif not run.checkpoint.checkpoint_id:
        run.checkpoint = shop.save(run.checkpoint)
    tally, seconds = run.tally, run.timer.seconds
    remaining = len(sources) - len(run.checkpoint.completed)
    each = seconds / tally.sources if tally.sources else None
    progress = Progressed(
        total_sources=len(sources),
        processed_this_run=tally.sources,
        remaining=remaining,
        has_more=bool(wanted) and goes_on,
        checkpoint_id=run.checkpoint.checkpoint_id,
        estimated_remaining_ms=round(1000 * each * len(wanted)) if each is not None else None,
    )
    metrics = Metrics(
        duration_ms=round(1000 * seconds),
        fetch_time_ms=round(1000 * tally.fetch_seconds),
        chunk_time_ms=round(1000 * tally.chunk_seconds),
        embed_time_ms=round(1000 * tally.embed_seconds),
        tokens_used=tally.tokens,
        estimated_cost_usd=round(tally.usd, 6),
        avg_source_time_ms=round(1000 * each) if each is not None else 0,
    )
    failing = frozenset(one.source_id for one in run.checkpoint.failed)
    not_read = shop.not_read(failing) if tally.unreadable else []
    return BuildResult(
        success=not tally.errors or tally.sources > len(tally.errors),
        sources_processed=tally.sources,
        chunks_added=tally.chunks,
        vectors_added=tally.vectors,
        message="; ".join([*_message(run, left, words, options, sources=len(sources)), *_unread(not_read)]),
        progress=progress,
        metrics=metrics,
        errors=tuple(tally.errors),
        not_read=len(not_read),
        failing=failing,
    )


def _message(run: Slice, left: list[SourceSpec], words: str, options: BuildOptions, *, sources: int) -> list[str]:
    """What a person should know, in a sentence or two."""
    said = [words] if words else []
    if options.failed_only and not run.tally.sources and not run.checkpoint.failed:
        said.append("no source has failed")
    if left and not options.chunk_options.enable_checkpointing:
        said.append(f"{counted(len(left), 'source')} left, and no checkpoint to go on from: build with checkpointing")
    elif run.timer.is_stopped():
        said.append("stopped; build again to go on")
    elif run.timer.is_out_of_time and left:
        said.append("the time is up; build again to go on")
    elif left:
        said.append(f"{counted(len(left), 'source')} left; build again to go on")
    elif not sources:
        said.append("there are no sources yet: nothing is built; add some, then build")
    else:
        said.append("everything is built" if not run.checkpoint.failed else "built, but for what failed")
    said += [f"cut: {cut}" for cut in run.tally.cuts]
    if run.tally.pending:
        said.append(waiting(run.tally.pending))
    return said


def _unread(documents: list[str]) -> list[str]:
    """Those that could not be read, the first few by name."""
    more = [f"and {len(documents) - _NAMED} more"] if len(documents) > _NAMED else []
    return [f"not read: {', '.join([*documents[:_NAMED], *more])}"] if documents else []


def _planned(works: Works, feeds: Feeds, checkpoint: Checkpoint, words: str, *, options: BuildOptions) -> BuildResult:
    """What a build would do, without doing any of it."""
    sources = works.manifest.sources
    left = in_turn(sources, checkpoint, failed_only=options.failed_only)
    said = [words] if words else []
    said.append(f"{len(left)} of {counted(len(sources), 'source')} would be built" + (":" if left else ""))
    said += [f"{spec.type}:{spec.uri}" for spec in left[:10]]
    if len(left) > 10:
        said.append(f"and {len(left) - 10} more")
    spent = estimated(works, feeds, left)
    if spent.tokens:
        said.append(f"({in_words(spent)})")
    remaining = len(sources) - len(checkpoint.completed)
    progress = Progressed(len(sources), 0, remaining, bool(left), checkpoint.checkpoint_id)
    metrics = Metrics(tokens_used=spent.tokens, estimated_cost_usd=round(spent.usd, 6))
    return BuildResult(True, 0, 0, 0, " ".join(said), progress, metrics)
