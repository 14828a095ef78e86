"""The files that checkpoints are kept in: `latest.json`, and the last few under their own ids.

One that is damaged, of another project or of a newer scova is never gone on from: the one before it is, with a word.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from scova.core.small_files import STATE_LIMIT, read_small
from scova.errors import CheckpointError
from scova.projects.building.checkpoint import Checkpoint, decoded, encoded
from scova.whole import atomic_write

KEPT = 10  # checkpoints beside the latest
_LATEST = "latest.json"


class Checkpoints:
    """The checkpoints of one project, in a folder. Whoever writes holds the lock of the project's build."""

    def __init__(self, folder: Path, project_id: str) -> None:
        self._folder = folder
        self._project_id = project_id
        self._count = 0

    def save(self, checkpoint: Checkpoint) -> Checkpoint:
        """Write it down under a new id, and as the latest; from then on it survives a power cut."""
        self._count += 1
        seconds, rest = divmod(time.time_ns(), 10**9)  # of one moment, so that ids sort by it
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(seconds))
        checkpoint_id = f"ckpt_{stamp}_{rest:09d}_{os.getpid()}_{self._count}"
        named = replace(
            checkpoint,
            checkpoint_id=checkpoint_id,
            build_id=checkpoint.build_id or checkpoint_id,
            created_at=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        )
        data = encoded(named)
        for name in (f"{named.checkpoint_id}.json", _LATEST):
            with atomic_write(self._folder / name) as file:
                file.write(data)
        self._prune()
        return named

    def load(self, checkpoint_id: str) -> Checkpoint:
        """The checkpoint with this id; CheckpointError when it cannot be gone on from."""
        known = {path.stem: path for path in self._kept()}
        if checkpoint_id not in known:
            listed = ", ".join(list(known)[:3]) or "none"
            raise CheckpointError(f"there is no checkpoint `{checkpoint_id[:80]}`", f"the newest are: {listed}")
        return self._read(known[checkpoint_id])

    def latest(self) -> tuple[Checkpoint | None, str]:
        """The newest that can be gone on from, None when there is none; and a word about those that cannot."""
        words = ""
        for path in self._candidates():
            try:
                return self._read(path), words
            except CheckpointError as error:
                words = words or f"{error.message}; going on from the one before it"
        return None, words.replace("going on from the one before it", "there is none before it: the build begins anew")

    def is_here(self, checkpoint: Checkpoint) -> bool:
        """Whether what was fetched last into this place is of the same build."""
        return True

    def keep_only(self, source_ids: frozenset[str]) -> None:
        """Take all other sources out of every checkpoint: what those say of them is not so any more."""
        for path in [*self._candidates()]:
            with suppress(CheckpointError):
                kept = self._read(path)
                if kept.of(source_ids) != kept:
                    with atomic_write(path) as file:
                        file.write(encoded(kept.of(source_ids)))

    def clear(self) -> None:
        """Forget all of them."""
        for path in self._candidates():
            path.unlink(missing_ok=True)

    def _candidates(self) -> Iterator[Path]:
        latest = self._folder / _LATEST
        if latest.exists():
            yield latest
        yield from self._kept()

    def _kept(self) -> list[Path]:
        """Those under their own ids, newest first."""
        return sorted(self._folder.glob("ckpt_*.json"), key=lambda path: path.name, reverse=True)

    def _prune(self) -> None:
        for path in self._kept()[KEPT:]:
            with suppress(OSError):
                path.unlink()

    def _read(self, path: Path) -> Checkpoint:
        try:
            kept = json.loads(read_small(path, STATE_LIMIT) or b"")
            found = decoded(kept)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) else error  # not where it lies
            raise CheckpointError(f"checkpoint `{path.name}` is damaged ({why})", "go on from another") from error
        if found is None:
            raise CheckpointError(f"checkpoint `{path.name}` was made by a newer scova", "update scova")
        if found.project_id != self._project_id:
            raise CheckpointError(
                f"checkpoint `{path.name}` is of project `{found.project_id}`", "go on from one of this project"
            )
        return found
