"""Live in this process: a thread that keeps an index fresh, follows what others write, and outlives every failure."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scova import Index
from scova.live import Live, Pace
from scova.lock import writer_lock
from scova.stores.layout import graphs
from until import until

SCOVA = str(Path(sys.executable).with_name("scova"))
QUICK = Pace(quiet=0.05, max_wait=0.2)


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    for name in ("a", "b", "c"):
        (root / f"{name}.py").write_text(f"def marker_{name}():\n    return '{name}'\n")
    return root


@pytest.fixture
def index(tree, tmp_path):
    with Index.open(tree, data=str(tmp_path / "data")) as opened:
        yield opened


@pytest.fixture
def live(index):
    with Live(index, pace=QUICK) as live:
        until(lambda: live.state.state == "watching", "watching")
        yield live


def paths(index, text):
    return {result.chunk.file_path for result in index.search(text, limit=50).results if text in result.chunk.text}


def test_what_is_saved_is_found_without_asking_for_a_refresh(index, live, tree):
    (tree / "new.py").write_text("def cucumber_salad():\n    return 1\n")
    until(lambda: paths(index, "cucumber_salad") == {"new.py"}, "finding it")
    os.rename(tree / "new.py", tree / "renamed.py")
    until(lambda: paths(index, "cucumber_salad") == {"renamed.py"}, "finding it under its new name")
    os.unlink(tree / "renamed.py")
    until(lambda: paths(index, "cucumber_salad") == set(), "not finding it any more")
    assert index.audit() == []


def test_the_status_tells_of_the_watcher(index, live, tree):
    (tree / "a.py").write_text("def changed():\n    return 1\n")
    until(lambda: live.state.updates == 1 and not live.state.queue, "the update")
    status = until(lambda: (s := index.status()).watcher and s.watcher.updates == 1 and s, "the state being written")
    assert status.watcher_alive
    assert status.watcher.pid == os.getpid()
    assert status.watcher.last_batch.how == "update"
    assert status.watcher.last_batch.changed == 1
    assert status.watcher.reconciles["start"] == 1
    live.stop()
    assert not index.status().watcher_alive


def test_a_batch_waits_while_another_process_writes_and_nothing_is_dropped(index, live, tree):
    with writer_lock(index.layout.lock):
        (tree / "waiting.py").write_text("def patient_function():\n    return 1\n")
        until(lambda: live.state.busy >= 2, "attempts")
        assert live.state.queue == 1
        assert "is writing this index" in live.state.note
        assert live.state.errors == 0
    until(lambda: paths(index, "patient_function") == {"waiting.py"}, "finding it")
    until(lambda: live.state.note == "" and live.state.queue == 0, "the end of waiting")


def test_a_failure_is_counted_shown_and_mended(index, live, tree, monkeypatch, caplog):
    """Whatever an update meets: here the first one finds the disk full."""
    update = Index.update
    failures = []

    def fail_once(self, paths, *rest, **options):
        if not failures:
            failures.append(paths)
            raise OSError(28, "No space left on device")
        return update(self, paths, *rest, **options)

    monkeypatch.setattr(Index, "update", fail_once)
    (tree / "a.py").write_text("def after_the_failure():\n    return 1\n")
    until(lambda: live.state.errors == 1, "the failure")
    assert "No space left" in live.state.last_error
    assert "No space left" in caplog.text
    until(lambda: live.state.reconciles.get("error") == 1, "the reconcile that mends it")
    assert paths(index, "after_the_failure") == {"a.py"}
    assert live.state.last_error == ""


def test_the_loop_itself_may_fail_and_begins_anew(index, live, tree, monkeypatch):
    from scova.watch.lookout import Lookout

    look = Lookout.look
    failures = []

    def fail_once(self, now, **options):
        if not failures:
            failures.append(now)
            raise RuntimeError("something nobody thought of")
        return look(self, now, **options)

    monkeypatch.setattr(Lookout, "look", fail_once)
    until(lambda: live.state.reconciles.get("restart") == 1, "beginning anew")
    monkeypatch.undo()
    (tree / "a.py").write_text("def after_the_crash():\n    return 1\n")
    until(lambda: paths(index, "after_the_crash") == {"a.py"}, "finding it")


def test_settings_that_change_are_taken_into_use(index, live, tree):
    (tree / "large.py").write_text("def large_function():\n    return 1\n" + "# padding\n" * 300)
    until(lambda: paths(index, "large_function") == {"large.py"}, "finding it")
    (tree / "scova.toml").write_text("max_file_bytes = 1000\n")
    until(lambda: paths(index, "large_function") == set(), "leaving out what is too large by now")
    (tree / "scova.toml").write_text("max_file_bytes = = 1\n")
    until(lambda: live.state.errors, "saying that the settings cannot be read")
    (tree / "scova.toml").unlink()
    until(lambda: paths(index, "large_function") == {"large.py"}, "finding it again")


def test_a_store_that_cannot_be_read_is_said_and_taken_up_again_once_it_can(tree, tmp_path):
    data = tmp_path / "data"
    with Index.open(tree, data=str(data)) as first:
        first.refresh()
    whole = (data / "store.db").read_bytes()
    (data / "store.db").write_bytes(b"no database at all" * 1000)
    with Index.open(tree, data=str(data)) as index, Live(index, pace=QUICK) as live:
        until(lambda: "StoreDamaged" in live.state.last_error, "the damage being said")
        (data / "store.db").write_bytes(whole)
        (tree / "a.py").write_text("def after_the_damage():\n    return 1\n")
        until(lambda: paths(index, "after_the_damage") == {"a.py"}, "finding it")


def test_a_store_that_was_replaced_is_opened_anew(index, live, tree, tmp_path):
    assert paths(index, "marker_a") == {"a.py"}
    for name in ("store.db", "store.db-wal", "store.db-shm"):
        (index.layout.root / name).rename(tmp_path / name)
    index.layout.remove_derived()
    until(lambda: live.state.reconciles.get("restart"), "building it anew")
    (tree / "a.py").write_text("def in_the_new_store():\n    return 1\n")
    until(lambda: paths(index, "in_the_new_store") == {"a.py"}, "finding it")


def test_the_root_may_go_and_come_back(index, live, tree, tmp_path):
    assert paths(index, "marker_a") == {"a.py"}
    os.rename(tree, tmp_path / "aside")
    until(lambda: live.state.state == "waiting", "missing the root")
    assert "is gone" in live.state.note
    with index._opened().reader() as reader:
        assert reader.count_files() == 3, "what cannot be looked at is not forgotten"
    tree.mkdir()
    (tree / "new.py").write_text("def in_the_new_root():\n    return 1\n")
    until(lambda: paths(index, "in_the_new_root") == {"new.py"}, "finding it in the new root")
    assert paths(index, "marker_a") == set()
    (tree / "new.py").write_text("def changed_in_the_new_root():\n    return 1\n")
    until(lambda: paths(index, "changed_in_the_new_root") == {"new.py"}, "hearing of a change there")


def build_elsewhere(index, tmp_path):
    """Bring the index up to date by another process, which has another cache of embeddings."""
    environment = {**os.environ, "SCOVA_CACHE": str(tmp_path / "other cache")}
    command = [SCOVA, "index", str(index.root), "--data", str(index.layout.root)]
    subprocess.run(command, env=environment, check=True, capture_output=True)


@pytest.fixture
def follower(index, tmp_path):
    """A Live that does not lead: it hears of what others write, and nothing else."""
    build_elsewhere(index, tmp_path)
    index.search("marker")
    with writer_lock(index.layout.watch_lock), Live(index, pace=QUICK) as live:
        yield live


def test_what_another_process_writes_is_loaded_before_anyone_asks(index, follower, tree, tmp_path):
    coordinator = index._searching()
    before = coordinator.metrics
    (tree / "d.py").write_text("def brand_new_marker():\n    return 'fresh'\n")
    build_elsewhere(index, tmp_path)
    until(lambda: coordinator.metrics.swaps > before.swaps, "the swap")
    until(
        lambda: coordinator._current.pulse == coordinator._pulse(), "having seen the last commit of the other process"
    )
    swaps = coordinator.metrics.swaps
    assert paths(index, "brand_new_marker") == {"d.py"}
    assert coordinator.metrics.swaps == swaps, "the question found everything loaded"
    assert index.status().reloads["loads"] == coordinator.metrics.loads
    assert not follower.leads
    assert follower.state.updates == 0


def test_a_searcher_that_fails_is_said_and_healed_while_questions_go_on(
    index, follower, tree, tmp_path, monkeypatch, caplog
):
    """A real one: the shared cache of embeddings cannot be opened for a while, so vectors cannot follow."""
    monkeypatch.setattr("scova.live.live._BEHIND_EVERY", 0.2)
    cache = Path(index._cache.path)
    index._cache.close()
    cache.unlink(missing_ok=True)
    cache.mkdir(parents=True)
    (tree / "d.py").write_text("def brand_new_marker():\n    return 'fresh'\n")
    build_elsewhere(index, tmp_path)
    until(lambda: "vector" in index._searching().view().behind, "the vectors falling behind")
    assert "vector" in index.status().behind
    assert index.status().reloads["errors"] >= 1
    assert "vector" in caplog.text
    assert paths(index, "brand_new_marker") == {"d.py"}, "text and symbols go on"
    cache.rmdir()
    until(lambda: not index._searching().view().behind, "healing")
    assert index.status().behind == {}


def test_two_in_one_process_take_turns(tree, tmp_path):
    with Index.open(tree, data=str(tmp_path / "data")) as one, Index.open(tree, data=str(tmp_path / "data")) as two:
        roles: list[str] = []
        first = Live(one, pace=QUICK).start()
        until(lambda: first.leads, "the first leading")
        with Live(two, pace=QUICK, tell_role=roles.append) as second:
            until(lambda: roles, "the second following")
            assert f"process {os.getpid()}" in roles[0]
            first.stop()
            until(lambda: second.leads, "taking over")
            until(lambda: second.state.reconciles == {"takeover": 1}, "the reconcile of a takeover")
            (tree / "a.py").write_text("def after_the_takeover():\n    return 1\n")
            until(lambda: paths(two, "after_the_takeover") == {"a.py"}, "finding it")


def test_the_graph_over_the_vectors_is_built_behind(tree, tmp_path):
    with Index.open(tree, data=str(tmp_path / "data"), ann_from=5) as index, Live(index, pace=QUICK):
        until(lambda: graphs(index.layout), "the graph after the first build")
        index.compactor.wait()
        (tree / "more.py").write_text("".join(f"def more_{n}():\n    return {n}\n\n\n" for n in range(20)))
        until(lambda: paths(index, "more_19") == {"more.py"}, "finding what came later")
        assert index.audit() == []


def test_stopping_is_prompt_and_may_be_repeated(index):
    live = Live(index, pace=QUICK).start()
    until(lambda: live.state.state == "watching", "watching")
    live.stop()
    live.stop()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("scova-")]


SLOW = Pace(quiet=60.0, max_wait=60.0)


def test_who_asks_does_not_wait_for_the_pause_after_a_change(index, tree):
    with Live(index, pace=SLOW) as live:
        assert live.settle(20) == 0  # what was there before anyone watched
        for number in range(20):
            (tree / "a.py").write_text(f"def changed_{number}():\n    return {number}\n")
            (tree / f"new_{number}").mkdir()
            (tree / f"new_{number}/b.py").write_text(f"def changed_{number}():\n    return {number}\n")
            assert live.settle(20) == 0
            assert paths(index, f"changed_{number}") == {"a.py", f"new_{number}/b.py"}


def test_who_asks_is_told_what_could_not_be_brought_in(index, tree):
    with Live(index, pace=SLOW) as live:
        assert live.settle(20) == 0
        with writer_lock(index.layout.lock):
            (tree / "a.py").write_text("def changed():\n    return 1\n")
            assert live.settle(0.3) == 1
        assert live.settle(20) == 0
        assert paths(index, "changed") == {"a.py"}


def test_many_may_ask_at_once(index, tree):
    with Live(index, pace=SLOW) as live:
        found = []

        def ask(number):
            (tree / f"asked_{number}.py").write_text(f"def asked_{number}():\n    return 1\n")
            found.append(live.settle(20) == 0 and paths(index, f"asked_{number}"))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(map(sorted, found)) == [[f"asked_{number}.py"] for number in range(8)]


def test_a_follower_tells_what_the_watcher_has_not_done(index, tree, tmp_path):
    with Live(index, pace=SLOW) as live, Index.open(tree, data=str(tmp_path / "data")) as other:
        assert live.settle(20) == 0
        with Live(other) as follower:
            assert follower.settle(20) == 0
            (tree / "a.py").write_text("def changed():\n    return 1\n")
            until(lambda: follower.settle(1) == 1, "hearing of it")
            assert not follower.leads
            assert live.settle(20) == 0
            until(lambda: follower.settle(1) == 0, "hearing that it is done")


def test_what_updates_put_off_is_done_when_things_are_quiet(index, live, tree):
    """An update of one file takes as long as that file: the derived files are brought up to date behind."""
    published = index.layout.segments()
    body = "".join(f"    value = compute(value, {line})\n" for line in range(40))
    (tree / "many.py").write_text("".join(f"def many_{number}(value):\n{body}\n\n" for number in range(400)))
    live.settle(20)
    assert paths(index, "many_399") == {"many.py"}
    assert live.state.updates == 1
    assert index.layout.segments() == published
    until(lambda: index.layout.segments() != published, "tidying up")
    assert paths(index, "many_399") == {"many.py"}
    assert index.audit() == []
