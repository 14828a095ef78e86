"""One slice of a build: as many sources as there is time and room for, each from where it was left.

What becomes of a source that does not fit into a slice, because the time is up or because it has more than `PART` says, is the strategy's
to say:

    checkpoint   the slice ends; the next one goes on with this source
    skip         the source has failed with that reason, and others get their turn; it is tried again when they are done
    split        the source is parked, others get their turn, and the next slice goes on with it

When the time is up, the slice ends whatever the strategy. Nothing is dropped: what was put stays, and what is left is left for a later slice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from scova.errors import Cancelled, IndexBusy, ScovaError, StoreAway
from scova.projects.building.checkpoint import Begun, Checkpoint, Stats
from scova.projects.building.log import BuildLog
from scova.projects.building.options import ChunkOptions
from scova.projects.building.watching import Timer, Told
from scova.projects.feeds.feed import Batch, Feed, Turn
from scova.projects.spec import SourceSpec
from scova.types import Progress

PART = {"files": 500, "urls": 100}  # of one source, in one slice
MOST_ATTEMPTS = 3  # at a source that fails, in one build
_NAMED = 5  # failures told in words
_WORDS = {"files": "files", "urls": "pages"}
_COUNTED = ("fetch", "parse")  # steps that go from document to document


@dataclass(frozen=True, slots=True)
class Put:
    """What putting one batch brought."""

    chunks: int = 0
    vectors: int = 0
    tokens: int = 0
    usd: float = 0.0
    embed_seconds: float = 0.0
    seconds: float = 0.0
    pending: int = 0  # chunks that have no vector yet
    unreadable: int = 0  # documents that could not be read, or are not what their name says, of the whole project


class Shop(Protocol):
    """What a slice needs from outside."""

    def expect(self, specs: Sequence[SourceSpec]) -> None:
        """These come next, and nothing of them is settled yet: what can be begun with may be."""
        ...

    def feed(self, spec: SourceSpec) -> Feed:
        """A source, about to be read."""
        ...

    def put(self, spec: SourceSpec, batch: Batch, tell: Callable[[Progress], None]) -> Put:
        """Bring a batch of a source into the index."""
        ...

    def complete(self, spec: SourceSpec, feed: Feed, tell: Callable[[Progress], None]) -> Put:
        """Take out of the index what a source does not have any more: all that it has was put."""
        ...

    def said(self, error: Exception) -> str:
        """What is told of an error that a source met."""
        ...

    def save(self, checkpoint: Checkpoint) -> Checkpoint:
        """Write down how far the build is."""
        ...

    def tell(self, told: Told) -> None:
        """Say how far it is to whoever watches."""
        ...


@dataclass(slots=True)
class Tally:
    """What a slice has done."""

    sources: int = 0
    chunks: int = 0
    vectors: int = 0
    tokens: int = 0
    usd: float = 0.0
    fetch_seconds: float = 0.0
    chunk_seconds: float = 0.0
    embed_seconds: float = 0.0
    pending: int = 0
    unreadable: int = 0
    errors: list[dict[str, str]] = field(default_factory=list)
    cuts: list[str] = field(default_factory=list)  # limits that were reached, in words


class Slice:
    """One run over some sources."""

    def __init__(self, shop: Shop, options: ChunkOptions, log: BuildLog, timer: Timer) -> None:
        self._shop = shop
        self._options = options
        self._log = log
        self.timer = timer
        self.tally = Tally()
        self.checkpoint = Checkpoint("")
        self._told = Told("", 0, 0, 0, 0, 0, 0, Progress("", 0, 0))
        self._put = 0  # documents of the source that is being built, before the batch that is under way

    def run(self, checkpoint: Checkpoint, sources: Sequence[SourceSpec], *, failed_only: bool = False) -> None:
        """Take up sources in turn. How far it came is in `checkpoint`, what it did in `tally`."""
        self.checkpoint = checkpoint
        self._stats_before = checkpoint.stats
        self.tally.pending = checkpoint.pending_chunks
        self._told = replace(self._told, sources_total=len(sources))
        wanted = in_turn(sources, checkpoint, failed_only=failed_only)[: self._options.max_sources_per_build]
        for position, spec in enumerate(wanted):
            if self.timer.is_over():
                break
            self._shop.expect([one for one in wanted[position:] if not self.checkpoint.begun(one.source_id).names])
            if not self._take(spec):
                break

    def _take(self, spec: SourceSpec) -> bool:
        """Build one source as far as it goes; whether the slice goes on."""
        self.tally.sources += 1
        self._log.note("source", source_id=spec.source_id, uri=spec.uri)
        try:
            return self._build(spec)
        except Cancelled:
            return self._cut_short(spec, "")
        except (StoreAway, IndexBusy):
            raise  # no source is to blame, and none could be built now
        except (ScovaError, OSError) as error:
            self._log.note("error", source_id=spec.source_id, error=f"{type(error).__name__}: {error}")
            self._fail(spec, self._shop.said(error))
            return True

    def _build(self, spec: SourceSpec) -> bool:
        feed = self._shop.feed(spec)
        self._begin(spec, "fetch" if spec.is_remote else "scan")
        began = self.timer.seconds
        everything = feed.names()
        self.tally.fetch_seconds += self.timer.seconds - began
        self.tally.cuts += [f"{spec.source_id}: {note}" for note in feed.notes]
        begun = self.checkpoint.begun(spec.source_id)
        done = begun.names
        left = [name for name in everything if name not in done]
        most = PART[feed.kind]
        failed: dict[str, str] = {}
        step = "fetch" if feed.kind == "urls" else "parse"
        self._begin(spec, step, put=len(done), total=len(everything))
        for batch in feed.batches(left, Turn(most, self.timer.is_over, self._came)):
            failed |= batch.failed
            put = self._shop.put(spec, batch, self._tell)
            begun = _further(begun, feed.kind, batch.names, put.pending)
            self._count(put)
            self.tally.fetch_seconds += batch.fetch_seconds
            self._log.note("batch", names=len(batch.names), failed=batch.failed, chunks=put.chunks, vectors=put.vectors)
            self._save(self.checkpoint.going_on(begun))
            self._put = len(begun.names)
            self._tell(Progress(step, 0, 0))
        done = begun.names
        remaining = [name for name in left if name not in done]
        is_stuck = bool(failed) and len(remaining) == len(left)  # going on would bring the same again, without an end
        if any(name not in failed for name in remaining) and not is_stuck:
            return self._cut_short(spec, f"it has {len(remaining)} {_WORDS[feed.kind]} left, and a slice takes {most}")
        if failed:
            self._fail(spec, _failures(failed))
            return True
        self._count(self._shop.complete(spec, feed, self._tell))
        self._log.note("completed", source_id=spec.source_id)
        self._save(self.checkpoint.completing(spec.source_id))
        return True

    def _count(self, put: Put) -> None:
        tally = self.tally
        tally.chunks += put.chunks
        tally.vectors += put.vectors
        tally.tokens += put.tokens
        tally.usd += put.usd
        tally.embed_seconds += put.embed_seconds
        tally.chunk_seconds += max(0.0, put.seconds - put.embed_seconds)
        tally.pending = put.pending
        tally.unreadable = put.unreadable

    def _begin(self, spec: SourceSpec, step: str, *, put: int = 0, total: int = 0) -> None:
        self._put = put
        self._told = replace(self._told, source_id=spec.source_id, done=0, total=total)
        self._tell(Progress(step, 0, 0))

    def _came(self, count: int) -> None:
        self._tell(Progress("fetch", count, 0))

    def _tell(self, step: Progress) -> None:
        """Tell what is being done to a batch: its documents and chunks are counted with those that were put before, and a document that
        was fetched is not counted again when it is parsed."""
        told, tally = self._told, self.tally
        done, chunks = told.done, told.step.chunks
        if step.stage in _COUNTED:
            done = min(told.total, max(done, self._put + step.done))
            chunks = tally.chunks + step.chunks
            step = Progress(step.stage, done, told.total)
        self._told = replace(
            told,
            done=done,
            sources_done=len(self.checkpoint.completed),
            chunks=tally.chunks,
            vectors=tally.vectors,
            step=step._replace(chunks=chunks),
        )
        self._shop.tell(self._told)

    def _cut_short(self, spec: SourceSpec, reason: str) -> bool:
        """A source that is not done, because the slice is over or for this reason; whether the slice goes on."""
        if self.timer.is_stopped():
            return False
        is_over = self.timer.is_out_of_time
        return self._cut(spec, "the time is up" if is_over else reason, ends=is_over)

    def _cut(self, spec: SourceSpec, reason: str, *, ends: bool) -> bool:
        """A source that does not fit, by the strategy; whether the slice goes on."""
        strategy = self._options.timeout_strategy
        self.tally.cuts.append(f"{spec.source_id}: {reason}")
        self._log.note("cut", source_id=spec.source_id, reason=reason, strategy=strategy)
        if strategy == "skip":
            self._fail(spec, f"{reason}; build it with timeout_strategy `split` or `checkpoint`")
        elif strategy == "split":
            self._save(self.checkpoint.going_on(self.checkpoint.begun(spec.source_id)).parking())
        return not ends and strategy != "checkpoint"

    def _fail(self, spec: SourceSpec, error: str) -> None:
        self.tally.errors.append({"source_id": spec.source_id, "error": error})
        self._log.note("failed", source_id=spec.source_id, error=error)
        self._save(self.checkpoint.failing(spec.source_id, error))

    def _save(self, checkpoint: Checkpoint) -> None:
        before, tally = self._stats_before, self.tally
        stats = Stats(
            chunks_added=before.chunks_added + tally.chunks,
            vectors_added=before.vectors_added + tally.vectors,
            tokens_used=before.tokens_used + tally.tokens,
            duration_ms=before.duration_ms + round(1000 * self.timer.seconds),
        )
        self.checkpoint = self._shop.save(replace(checkpoint, stats=stats, pending_chunks=tally.pending))


def in_turn(sources: Sequence[SourceSpec], checkpoint: Checkpoint, *, failed_only: bool = False) -> list[SourceSpec]:
    """The sources that are left, in the order they are taken up: the one being built, new ones, parked ones, failed ones last."""
    done, failed = {*checkpoint.completed}, {one.source_id for one in checkpoint.failed}
    parked = {one.source_id for one in checkpoint.parked}
    current = checkpoint.current.source_id if checkpoint.current else ""

    def turn(spec: SourceSpec) -> int:
        if spec.source_id == current:
            return 0
        if checkpoint.attempts(spec.source_id):
            return 3
        return 2 if spec.source_id in parked else 1

    wanted = [spec for spec in sources if spec.source_id in failed] if failed_only else sources
    left = [spec for spec in wanted if spec.source_id not in done]
    return sorted((spec for spec in left if checkpoint.attempts(spec.source_id) < MOST_ATTEMPTS), key=turn)


def _further(begun: Begun, kind: str, names: tuple[str, ...], pending: int) -> Begun:
    known = begun.names
    new = tuple(name for name in names if name not in known)
    if kind == "urls":
        return replace(begun, urls_completed=(*begun.urls_completed, *new), pending_chunks=pending)
    return replace(begun, files_completed=(*begun.files_completed, *new), pending_chunks=pending)


def _failures(failed: dict[str, str]) -> str:
    some = "; ".join(f"{name}: {error}" for name, error in list(failed.items())[:_NAMED])
    more = f"; and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    return f"{len(failed)} could not be fetched: {some}{more}"
