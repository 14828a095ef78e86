"""Where a build of a project gets its documents from and puts them: feeds for its sources, and the index they go into."""

import json
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from scova.build import memory
from scova.build.build import Build, is_surprising
from scova.errors import ProjectError
from scova.projects.building.buildable import Buildable
from scova.projects.building.checkpoint import Checkpoint
from scova.projects.building.checkpoints import Checkpoints
from scova.projects.building.options import BuildOptions
from scova.projects.building.slice import Put
from scova.projects.building.watching import Told
from scova.projects.feeds.feed import Batch, Feed, Feeds, Tagged
from scova.projects.spec import SourceSpec, SourceType, to_json
from scova.types import Progress, Report

HASTE = 4  # derived files are brought up to date so many times less often than at the end


class Workshop:
    """What one build works with. Whoever uses it holds the lock of the project's build."""

    def __init__(
        self,
        works: Buildable,
        checkpoints: Checkpoints,
        feeds: Feeds,
        options: BuildOptions,
        *,
        tell: Callable[[Told], None],
    ) -> None:
        self._works = works
        self._checkpoints = checkpoints
        self._feeds = feeds
        self._options = options
        self._retagged: set[str] = set()  # documents that were put again since their source has other tags now
        self.tell = tell

    def expect(self, specs: Sequence[SourceSpec]) -> None:
        """These come next: what can be begun with may be."""
        self._feeds.expect(specs)

    def feed(self, spec: SourceSpec) -> Feed:
        """A source, about to be read."""
        return self._feeds.of(spec)

    def put(self, spec: SourceSpec, batch: Batch, tell: Callable[[Progress], None]) -> Put:
        """Bring a batch of a source into the index."""
        is_retagged = not self._is_built_as(spec)
        if is_retagged:
            self._retagged |= batch.region.files
        return self._run(spec, batch, tell, force=self._options.force or is_retagged, patience=HASTE)

    def complete(self, spec: SourceSpec, feed: Feed, tell: Callable[[Progress], None]) -> Put:
        """Take out of the index what a source does not have any more, and remember how it was built."""
        store = self._works.tools().store
        below = f"{spec.source_id}/"
        everything = feed.everything([skip for skip in store.skips() if skip.path.startswith(below)])
        is_mixed = not self._is_built_as(spec) and not store.files(everything.region).keys() <= self._retagged
        if not everything.names and spec.type is SourceType.FOLDER and store.files(everything.region):
            raise ProjectError(
                f"`{spec.uri}` is empty: nothing of it is removed",
                "if that is meant, `scova project remove` the source",
            )
        put = self._run(spec, everything, tell, force=is_mixed, patience=1)
        store.put_settings({_key(spec): _kept(spec)})
        return put

    def said(self, error: Exception) -> str:
        """What is told of an error that a source met."""
        return self._works.said(error)

    def not_read(self, failed: Collection[str]) -> list[str]:
        """Documents that could not be read, or are not what their name says, each with the reason; without those of sources that failed."""
        skips = [skip for skip in self._works.tools().store.skips() if is_surprising(skip)]
        named = [(*skip.path.partition("/")[::2], skip.detail or skip.reason) for skip in skips]
        return [f"{name} ({why})" for source_id, name, why in named if source_id not in failed]

    def save(self, checkpoint: Checkpoint) -> Checkpoint:
        """Write down how far the build is, if that is wanted."""
        if not self._options.chunk_options.enable_checkpointing:
            return checkpoint
        return self._checkpoints.save(checkpoint)

    def _is_built_as(self, spec: SourceSpec) -> bool:
        """Whether what is in the index of a source was built with the tags it has now; of nothing, from now on."""
        store = self._works.tools().store
        kept = store.setting(_key(spec))
        if kept is None:
            store.put_settings({_key(spec): _kept(spec)})
        return kept is None or kept == _kept(spec)

    def _run(
        self, spec: SourceSpec, batch: Batch, tell: Callable[[Progress], None], *, force: bool, patience: int
    ) -> Put:
        tools = self._works.tools()
        # A remote embedder that failed must not hold up every batch; it is asked again when a source is complete.
        waits = patience > 1 and tools.embedder and memory.put_off_for(tools.store, tools.embedder.model) is not None
        tools = replace(tools, patience=patience, embeds=not waits)
        watch = _Watch(tell)
        with self._works.writing():
            build = Build(tools, watch.take, known=tools.store.files(batch.region))
            report = build.run(Tagged(batch.source, spec.tags), force=force, region=batch.region)
        return watch.put(report)


class _Watch:
    """What a build tells on its way, passed on: chunks, and how long embedding took."""

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self._began = time.monotonic()
        self._chunks = 0
        self._embedding = 0.0
        self._embed_seconds = 0.0

    def take(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.stage == "parse":
            self._chunks = progress.chunks
        elif progress.stage == "embed" and not self._embedding:
            self._embedding = now
        elif progress.stage in ("vectors", "grams") and self._embedding and not self._embed_seconds:
            self._embed_seconds = now - self._embedding
        self._tell(progress)

    def put(self, report: Report) -> Put:
        return Put(
            chunks=self._chunks,
            vectors=max(report.embedded, min(self._chunks, report.embedded + report.reused)),
            tokens=report.tokens_used,
            usd=report.estimated_cost_usd,
            embed_seconds=self._embed_seconds,
            seconds=time.monotonic() - self._began,
            pending=report.pending_embeddings,
            unreadable=report.unreadable,
        )


def _key(spec: SourceSpec) -> str:
    return f"source {spec.source_id}"


def _kept(spec: SourceSpec) -> str:
    return json.dumps({"tags": to_json(spec)["tags"]})
