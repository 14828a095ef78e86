"""How far a build is, as a value and as it is kept.

The format, version 1, is one JSON object:

    version, checkpoint_id, project_id, created_at
    build_id                the checkpoint that the build began with: all of one build have the same; absent in older ones
    completed_source_ids    sources of which everything is in the index
    in_progress_source      the source being built: source_id, urls_completed or files_completed, pending_chunks; or null
    parked_sources          others that are partly built, in the same form
    failed_sources          source_id, attempts, error
    pending_chunks          chunks that have no vector yet, because a remote embedder failed
    stats                   chunks_added, vectors_added, tokens_used, duration_ms, of the whole build so far
    finished                nothing is left to be gone on with: the next build begins anew
    digest                  SHA-256 of all that, so that no damaged one is believed
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

VERSION = 1


@dataclass(frozen=True, slots=True)
class Begun:
    """A source that is partly built: the names of what is in the index, URLs or files."""

    source_id: str
    urls_completed: tuple[str, ...] = ()
    files_completed: tuple[str, ...] = ()
    pending_chunks: int = 0

    @property
    def names(self) -> frozenset[str]:
        """Everything of it that is done."""
        return frozenset(self.urls_completed) | frozenset(self.files_completed)


@dataclass(frozen=True, slots=True)
class Failed:
    """A source that could not be built, so far."""

    source_id: str
    attempts: int
    error: str


@dataclass(frozen=True, slots=True)
class Stats:
    """What was done, over all slices of one build."""

    chunks_added: int = 0
    vectors_added: int = 0
    tokens_used: int = 0
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a build is."""

    project_id: str
    checkpoint_id: str = ""
    build_id: str = ""
    created_at: str = ""
    completed: tuple[str, ...] = ()
    current: Begun | None = None
    parked: tuple[Begun, ...] = ()
    failed: tuple[Failed, ...] = ()
    stats: Stats = field(default_factory=Stats)
    pending_chunks: int = 0
    finished: bool = False

    def begun(self, source_id: str) -> Begun:
        """How far a source is."""
        known = [one for one in (self.current, *self.parked) if one is not None and one.source_id == source_id]
        return known[0] if known else Begun(source_id)

    def attempts(self, source_id: str) -> int:
        """How often a source has failed in this build."""
        return next((one.attempts for one in self.failed if one.source_id == source_id), 0)

    def going_on(self, begun: Begun) -> "Checkpoint":
        """With this source being built, so far; another that was is parked."""
        parked = [one for one in (self.current, *self.parked) if one and one.source_id != begun.source_id]
        return replace(self, current=begun, parked=tuple(parked))

    def parking(self) -> "Checkpoint":
        """With no source being built: the one that was stays where it is."""
        return replace(self, current=None, parked=(*self.parked, *([self.current] if self.current else [])))

    def completing(self, source_id: str) -> "Checkpoint":
        """With a source done."""
        kept = self._without(source_id)
        failed = tuple(one for one in self.failed if one.source_id != source_id)
        return replace(kept, completed=(*self.completed, source_id), failed=failed)

    def failing(self, source_id: str, error: str) -> "Checkpoint":
        """With a source that could not be built; what is in the index of it stays, and counts when it is tried again."""
        again = Failed(source_id, self.attempts(source_id) + 1, error)
        others = tuple(one for one in self.failed if one.source_id != source_id)
        return replace(self.parking(), failed=(*others, again))

    def forgiving(self) -> "Checkpoint":
        """With every attempt at the sources that failed still to come."""
        return replace(self, failed=tuple(replace(one, attempts=0) for one in self.failed))

    def of(self, source_ids: frozenset[str]) -> "Checkpoint":
        """As far as these sources are concerned: others were removed since."""
        current = self.current if self.current and self.current.source_id in source_ids else None
        return replace(
            self,
            completed=tuple(one for one in self.completed if one in source_ids),
            current=current,
            parked=tuple(one for one in self.parked if one.source_id in source_ids),
            failed=tuple(one for one in self.failed if one.source_id in source_ids),
        )

    def in_short(self) -> "Checkpoint":
        """Without the names of what is done of a source that is partly built: those of a large one are many."""
        return self._naming(Checkpoint(self.project_id))

    def here(self, local: "Checkpoint | None") -> "Checkpoint":
        """This, which was written down elsewhere in short, for who has written down `local`: of a source that is partly built only
        that counts as done which was done here, in the same build."""
        is_same = local is not None and local.build_id == self.build_id
        return self._naming(local if local is not None and is_same else Checkpoint(self.project_id))

    def _naming(self, names: "Checkpoint") -> "Checkpoint":
        """With the names of what is done as another has them."""

        def named(begun: Begun) -> Begun:
            known = names.begun(begun.source_id)
            return replace(begun, urls_completed=known.urls_completed, files_completed=known.files_completed)

        return replace(
            self, current=named(self.current) if self.current else None, parked=tuple(map(named, self.parked))
        )

    def _without(self, source_id: str) -> "Checkpoint":
        current = None if self.current and self.current.source_id == source_id else self.current
        return replace(self, current=current, parked=tuple(one for one in self.parked if one.source_id != source_id))


def shown(checkpoint: Checkpoint) -> dict[str, Any]:
    """A checkpoint as it is kept and told."""
    return {
        "version": VERSION,
        "checkpoint_id": checkpoint.checkpoint_id,
        "build_id": checkpoint.build_id,
        "project_id": checkpoint.project_id,
        "created_at": checkpoint.created_at,
        "completed_source_ids": list(checkpoint.completed),
        "in_progress_source": _begun(checkpoint.current) if checkpoint.current else None,
        "parked_sources": [_begun(one) for one in checkpoint.parked],
        "failed_sources": [
            {"source_id": one.source_id, "attempts": one.attempts, "error": one.error} for one in checkpoint.failed
        ],
        "stats": {
            "chunks_added": checkpoint.stats.chunks_added,
            "vectors_added": checkpoint.stats.vectors_added,
            "tokens_used": checkpoint.stats.tokens_used,
            "duration_ms": checkpoint.stats.duration_ms,
        },
        "pending_chunks": checkpoint.pending_chunks,
        "finished": checkpoint.finished,
    }


def _begun(one: Begun) -> dict[str, Any]:
    return {
        "source_id": one.source_id,
        "urls_completed": list(one.urls_completed),
        "files_completed": list(one.files_completed),
        "pending_chunks": one.pending_chunks,
    }


def _digest(kept: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def encoded(checkpoint: Checkpoint) -> bytes:
    """The file that keeps a checkpoint."""
    kept = shown(checkpoint)
    return json.dumps({**kept, "digest": _digest(kept)}).encode()


def decoded(kept: dict[str, Any]) -> Checkpoint | None:
    """What was written; None when a newer scova wrote it. Raises for anything that is not as it was written."""
    if kept["version"] > VERSION:
        return None
    digest = kept.pop("digest")
    if digest != _digest(kept):
        raise ValueError("its digest does not fit")
    current, stats = kept["in_progress_source"], kept["stats"]
    if not isinstance(kept["finished"], bool):
        raise ValueError("`finished` is neither true nor false")
    return Checkpoint(
        project_id=_text(kept["project_id"]),
        checkpoint_id=_text(kept["checkpoint_id"]),
        build_id=_text(kept.get("build_id", "")),
        created_at=_text(kept["created_at"]),
        completed=_texts(kept["completed_source_ids"]),
        current=_as_begun(current) if current is not None else None,
        parked=tuple(map(_as_begun, kept["parked_sources"])),
        failed=tuple(map(_as_failed, kept["failed_sources"])),
        stats=Stats(**{one.name: _number(stats[one.name]) for one in fields(Stats)}),
        pending_chunks=_number(kept["pending_chunks"]),
        finished=kept["finished"],
    )


def _as_begun(kept: dict[str, Any]) -> Begun:
    urls, files = _texts(kept["urls_completed"]), _texts(kept["files_completed"])
    return Begun(_text(kept["source_id"]), urls, files, _number(kept["pending_chunks"]))


def _as_failed(kept: dict[str, Any]) -> Failed:
    return Failed(_text(kept["source_id"]), _number(kept["attempts"]), _text(kept["error"]))


def _text(kept: object) -> str:
    if not isinstance(kept, str):
        raise TypeError(f"{str(kept)[:40]} is no text")
    return kept


def _texts(kept: object) -> tuple[str, ...]:
    if not isinstance(kept, list):
        raise TypeError(f"{str(kept)[:40]} is no list")
    return tuple(map(_text, kept))


def _number(kept: object) -> int:
    if not isinstance(kept, int) or isinstance(kept, bool) or kept < 0:
        raise TypeError(f"{str(kept)[:40]} is no count")
    return kept
