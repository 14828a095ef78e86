"""What a watcher says of itself is read back as it was said, and whether it is alive is the lock's to say."""

from dataclasses import fields

from scova.lock import writer_lock
from scova.stores.layout import Layout
from scova.types import Watching, Worked
from scova.watch.state import read_state, watcher_of, write_state

WORKED = Worked("reconcile", "bulk", "2026-01-01T00:00:00+0000", 101, 99, 12.5, 7)
STATE = Watching(7, "2026-01-01T00:00:00+0000", "watching", reconciles={"bulk": 1}, last_batch=WORKED, queue=3)


def test_a_state_is_read_as_it_was_written(tmp_path):
    write_state(tmp_path / "watch.json", STATE)
    assert read_state(tmp_path / "watch.json") == STATE
    assert [path.name for path in tmp_path.iterdir()] == ["watch.json"]


def test_nothing_that_can_be_read_is_no_state(tmp_path):
    path = tmp_path / "watch.json"
    assert read_state(path) is None
    for text in ("", "{", "[]", "3", '{"pid": 1}', '{"pid": 1, "since": "", "state": "", "later": 1}'):
        path.write_text(text)
        assert read_state(path) is None


def test_a_watcher_is_alive_while_it_holds_its_lock(tmp_path):
    layout = Layout(tmp_path)
    write_state(layout.watch_state, STATE)
    assert watcher_of(layout) is None, "the file alone proves nothing"
    with writer_lock(layout.watch_lock):
        assert watcher_of(layout) == STATE
        layout.watch_state.unlink()
        assert watcher_of(layout).state == "starting"
    assert watcher_of(layout) is None


def test_every_field_has_a_place_in_the_file(tmp_path):
    write_state(tmp_path / "watch.json", STATE)
    said = (tmp_path / "watch.json").read_text()
    assert all(f'"{field.name}"' in said for kind in (Watching, Worked) for field in fields(kind))
