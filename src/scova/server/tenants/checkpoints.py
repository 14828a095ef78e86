"""How far the builds of a server's project are. That is kept in its store, so that every process goes on with the same build and tells the
same of it: which sources are done, which have failed, and whether it is finished.

Which pages are done of a source that is partly built lies in the data folder, beside the pages. A process with another data folder has
not got them: it takes up such a source from its beginning.
"""

import json
from pathlib import Path

from scova.errors import CheckpointError
from scova.projects.building.checkpoint import Checkpoint, decoded, encoded
from scova.projects.building.checkpoints import Checkpoints
from scova.protocols import WholeStore

_KEY = "project build"


class SharedCheckpoints(Checkpoints):
    """The checkpoints of one project. Whoever writes holds the lock of the project's build, for all processes."""

    def __init__(self, store: WholeStore, asked: WholeStore, *, folder: Path) -> None:
        """`asked` is the same store, for who only wants to know."""
        super().__init__(folder, store.project)
        self._store = store
        self._asked = asked

    def save(self, checkpoint: Checkpoint) -> Checkpoint:
        """Write it down here under a new id, and in short for everyone."""
        named = super().save(checkpoint)
        self._share(named.in_short())
        return named

    def load(self, checkpoint_id: str) -> Checkpoint:
        """The checkpoint with this id, if it is the latest or one that was made here in the same build."""
        latest, _ = self.latest()
        if latest is not None and latest.checkpoint_id == checkpoint_id:
            return latest
        found = super().load(checkpoint_id)
        if latest is None or found.build_id != latest.build_id:
            known = f"the latest is {latest.checkpoint_id}" if latest else "there is none to go on from"
            raise CheckpointError(f"`{checkpoint_id}` is of an earlier build", known)
        # What was removed since, by whichever process, and maybe added anew, is not done any more.
        return found.of(frozenset((*latest.completed, *_begun(latest))))

    def latest(self) -> tuple[Checkpoint | None, str]:
        """The build to go on with, as far as it can be gone on with here."""
        shared, words = self.shared()
        return (shared.here(super().latest()[0]), words) if shared is not None else (None, words)

    def shared(self) -> tuple[Checkpoint | None, str]:
        """The same as every process knows it."""
        text = self._asked.setting(_KEY)
        if text is None:
            return None, ""
        try:
            found = decoded(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError):
            return None, "the checkpoint is damaged; the build begins anew"
        return found, "" if found is not None else "the checkpoint was made by a newer scova; the build begins anew"

    def is_here(self, checkpoint: Checkpoint) -> bool:
        """Whether what was fetched last into this data folder is of the same build."""
        local, _ = super().latest()
        return local is not None and local.build_id == checkpoint.build_id

    def keep_only(self, source_ids: frozenset[str]) -> None:
        """Take all other sources out of every checkpoint."""
        super().keep_only(source_ids)
        shared, _ = self.shared()
        if shared is not None:
            self._share(shared.of(source_ids))

    def _share(self, checkpoint: Checkpoint) -> None:
        self._store.put_settings({_KEY: encoded(checkpoint).decode()})
        self._store.sync()


def _begun(checkpoint: Checkpoint) -> list[str]:
    partly = [one.source_id for one in (checkpoint.current, *checkpoint.parked) if one is not None]
    return partly + [one.source_id for one in checkpoint.failed]
