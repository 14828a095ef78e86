"""A store's pulse: how a reader notices, without waiting, that something was committed."""

import threading
from pathlib import Path

from scova.stores.sqlite import SqliteStore
from scova.types import Skip


def test_it_changes_with_every_commit_whoever_makes_it(tmp_path: Path) -> None:
    with SqliteStore.open(tmp_path / "store.db", "p") as store, SqliteStore.open(tmp_path / "store.db", "p") as other:
        first = store.pulse()
        assert store.pulse() == first
        store.put_settings({"one": "1"})
        second = store.pulse()
        assert second != first
        other.put_skips([Skip("a", "binary")])
        assert store.pulse() not in (first, second)


def test_it_does_not_wait_for_a_writer_of_the_same_process(tmp_path: Path) -> None:
    with SqliteStore.open(tmp_path / "store.db", "p") as store:
        before = store.pulse()
        seen: list[int] = []
        with store._writing():
            reader = threading.Thread(target=lambda: seen.append(store.pulse()))
            reader.start()
            reader.join(120)
            assert seen == [before]
