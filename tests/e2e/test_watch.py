"""`scova watch` as people run it: a process of its own, real files, real git, real signals. What it writes is read by this process."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scova import Index
from scova.types import Watching
from until import until

SCOVA = str(Path(sys.executable).with_name("scova"))


class Watch:
    """A running `scova watch`, and everything it said."""

    def __init__(self, root, data, *words):
        command = [SCOVA, "watch", str(root), "--data", str(data), "--json", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.done: list[dict[str, object]] = []
        self.said: list[str] = []
        self._threads = [
            threading.Thread(target=lambda: self.done.extend(map(json.loads, self.process.stdout)), daemon=True),
            threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(timeout=120)
        for thread in self._threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        assert "Traceback" not in "".join(self.said), "".join(self.said)
        return code

    def reasons(self):
        return [work["reason"] for work in self.done]


class Place:
    """A folder, its index, and who watches it."""

    def __init__(self, root, data):
        self.root = root
        self.data = data
        self.watches: list[Watch] = []
        self.index = Index.open(root, data=str(data))

    def watch(self, *words) -> Watch:
        watch = Watch(self.root, self.data, *(words or ("--quiet-ms", "100", "--max-wait-ms", "1000")))
        self.watches.append(watch)
        return watch

    def watched(self, *words) -> Watch:
        """A watch that is up to date."""
        watch = self.watch(*words)
        until(lambda: self.state.pid == watch.process.pid and self.state.state == "watching", "watching")
        return watch

    @property
    def state(self) -> Watching:
        return self.index.status().watcher or Watching(0, "", "nobody")

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def holding(self, word):
        """The files in which a word is found by this process, as the index has them."""
        return {path for path, text in self.texts().items() if word in text}

    def texts(self):
        with self.index._opened().reader() as reader:
            return {path: "".join(chunk.text for chunk in reader.chunks_of(path)) for path in reader.files()}

    def found(self, word, *paths):
        until(lambda: self.holding(word) == set(paths), f"`{word}` being in {paths}")
        results = self.index.search(word, limit=50).results
        assert {result.chunk.file_path for result in results if word in result.chunk.text} == set(paths)

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True)

    def assert_equals_a_rebuild(self, tmp_path):
        assert self.index.audit() == []
        with Index.open(self.root, data=str(tmp_path / "rebuilt")) as anew:
            anew.refresh()
            with anew._opened().reader() as reader, self.index._opened().reader() as mine:
                assert mine.files() == reader.files()
                chunks = [{(c.id, c.content_hash) for p in r.files() for c in r.chunks_of(p)} for r in (mine, reader)]
                assert chunks[0] == chunks[1]


@pytest.fixture
def place(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    place = Place(root, tmp_path / "data")
    for number in range(8):
        place.write(f"src/module_{number}.py", f"def function_{number}():\n    return {number}\n")
    yield place
    for watch in place.watches:
        if watch.process.poll() is None:
            watch.process.send_signal(signal.SIGCONT)
            assert watch.end() == 0
    place.index.close()


def test_every_kind_of_change_is_found_by_another_process(place, tmp_path):
    os.symlink("/", place.root / "everything")  # never followed, or this would take for ever
    place.watched()
    place.write("src/module_0.py", "def cucumber():\n    return 1\n")
    place.found("cucumber", "src/module_0.py")
    place.write("src/new.py", "def tomato():\n    return 1\n")
    place.found("tomato", "src/new.py")
    os.rename(place.root / "src/new.py", place.root / "src/renamed.py")
    place.found("tomato", "src/renamed.py")
    place.write("lib/deep/deeper/a.py", "def radish():\n    return 1\n")  # folders that were not there when it began
    place.found("radish", "lib/deep/deeper/a.py")
    place.write("lib/deep/deeper/b.py", "def radish():\n    return 2\n")
    place.found("radish", "lib/deep/deeper/a.py", "lib/deep/deeper/b.py")
    os.rename(place.root / "lib", place.root / "moved")
    place.found("radish", "moved/deep/deeper/a.py", "moved/deep/deeper/b.py")
    place.write("moved/deep/deeper/c.py", "def radish():\n    return 3\n")
    place.found("radish", *(f"moved/deep/deeper/{name}.py" for name in "abc"))
    shutil.rmtree(place.root / "moved")
    place.found("radish")
    place.write("moved/deep/deeper/c.py", "def radish():\n    return 4\n")  # the same names, other folders
    place.found("radish", "moved/deep/deeper/c.py")
    place.write("src/module_0.py", "def function_0():\n    return 0\n")  # as it was
    place.found("cucumber")
    place.found("function_0", "src/module_0.py")
    os.unlink(place.root / "src/renamed.py")
    place.found("tomato")
    place.assert_equals_a_rebuild(tmp_path)


def test_a_branch_of_three_hundred_files_comes_and_goes(place, tmp_path):
    place.git("init", "-q", "-b", "main")
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "small")
    place.git("checkout", "-q", "-b", "large")
    for number in range(300):
        place.write(
            f"large/part_{number % 7}/file_{number}.py", f"def branch_function_{number}():\n    return {number}\n"
        )
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "large")
    place.git("checkout", "-q", "main")
    watch = place.watched()
    assert place.state.branch == "main"
    place.git("checkout", "-q", "large")
    until(lambda: len(place.texts()) == 308, "all files of the branch")
    until(lambda: place.state.branch == "large" and place.state.queue == 0, "the branch being named")
    place.git("checkout", "-q", "main")
    until(lambda: len(place.texts()) == 8, "the files of the first branch alone")
    until(lambda: place.state.reconciles.get("branch", 0) >= 2, "a reconcile for each switch")
    place.write("src/module_1.py", "def after_the_switch():\n    return 1\n")
    place.found("after_the_switch", "src/module_1.py")
    assert place.state.errors == 0, watch.said
    place.assert_equals_a_rebuild(tmp_path)


def test_ignore_rules_are_live(place, tmp_path):
    place.git("init", "-q", "-b", "main")
    place.write("out/made.py", "def generated_thing():\n    return 1\n")
    place.watched()
    place.found("generated_thing", "out/made.py")
    place.write(".gitignore", "out/\n")
    place.found("generated_thing")
    until(lambda: place.state.reconciles.get("rules"), "the reconcile being counted")
    folders = place.state.folders
    place.write(".gitignore", "")
    place.found("generated_thing", "out/made.py")
    until(lambda: place.state.folders == folders + 1, "watching that folder again")
    place.write("out/more.py", "def generated_thing():\n    return 2\n")
    place.found("generated_thing", "out/made.py", "out/more.py")
    (place.root / ".git/info/exclude").write_text("more.py\n")
    place.found("generated_thing", "out/made.py")
    place.assert_equals_a_rebuild(tmp_path)


def test_edits_while_nobody_watches_are_found_at_the_start(place):
    place.watched().end()
    place.write("src/module_2.py", "def while_away():\n    return 1\n")
    shutil.move(place.root / "src/module_3.py", place.root / "elsewhere.py")
    os.unlink(place.root / "src/module_4.py")
    place.watched()
    place.found("while_away", "src/module_2.py")
    place.found("function_3", "elsewhere.py")
    place.found("function_4")


def test_ten_saves_are_one_update_and_a_hundred_and_one_files_one_reconcile(place):
    watch = place.watched("--quiet-ms", "400", "--max-wait-ms", "5000")
    for save in range(10):
        place.write("src/module_5.py", f"def saved_{save}():\n    return {save}\n")
    place.found("saved_9", "src/module_5.py")
    until(lambda: place.state.updates, "the update being counted")
    assert place.state.updates == 1
    assert watch.done[-1]["paths"] == 1
    for number in range(101):
        place.write(f"src/bulk_{number}.py", f"def bulk_{number}():\n    return {number}\n")
    place.found("bulk_100", "src/bulk_100.py")
    until(lambda: place.state.reconciles.get("bulk"), "the reconcile being counted")
    state = place.state
    assert (state.updates, state.reconciles["bulk"]) == (1, 1)
    assert state.last_batch.paths == 101
    assert state.last_batch.changed == 101


def test_a_follower_takes_over_from_a_leader_that_was_killed(place, scova):
    leader = place.watched()
    follower = place.watch()
    until(
        lambda: any(f"watched by process {leader.process.pid}" in line for line in follower.said), "the follower's word"
    )
    place.write("src/module_6.py", "def first_leader():\n    return 1\n")
    place.found("first_leader", "src/module_6.py")
    assert follower.done == []
    leader.process.send_signal(signal.SIGSTOP)  # so that it cannot see what happens before its end
    place.write("src/module_7.py", "def between_leaders():\n    return 1\n")
    os.kill(leader.process.pid, signal.SIGKILL)
    until(lambda: place.state.pid == follower.process.pid, "taking over", seconds=120)
    place.found("between_leaders", "src/module_7.py")
    until(lambda: place.state.reconciles.get("takeover") == 1, "the reconcile being counted")
    status = scova("status", place.root, "--data", place.data)
    assert f"process {follower.process.pid}" in status.out
    assert leader.end(signal.SIGKILL) == -signal.SIGKILL


def test_nothing_is_lost_when_the_kernel_drops_events(place, tmp_path):
    """The watcher is held still while more happens than the kernel keeps for it; what came last it is never told."""
    place.write("lib/b.py", "def lib():\n    return 1\n")
    place.index.refresh()  # so that all folders are watched at once: what is watched together shares one queue
    watch = place.watched()
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    watch.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, watch.process.pid, os.WSTOPPED | os.WNOWAIT)  # until it has stopped, it still listens
    with open(place.root / "src/module_0.py", "a") as noisy:
        for _ in range(most):  # each a write and an open, which the kernel cannot merge: twice what it keeps
            noisy.write("#\n")
            noisy.flush()
            os.close(os.open(place.root / "src/module_0.py", os.O_RDONLY))
    place.write("lib/b.py", "def never_told():\n    return 1\n")
    place.write("lib/unseen/deep/a.py", "def never_told():\n    return 2\n")
    watch.process.send_signal(signal.SIGCONT)
    place.found("never_told", "lib/b.py", "lib/unseen/deep/a.py")
    sweeps = until(lambda: [work for work in watch.done if work["reason"] == "sweep"], "the sweep being told")
    assert sweeps[0]["changed"] == 2, "else the kernel kept everything, and this proves nothing"
    until(lambda: watch.reasons()[-1] == "restart", "everything being watched anew")
    place.write("lib/unseen/deep/b.py", "def never_told():\n    return 3\n")
    place.found("never_told", "lib/b.py", "lib/unseen/deep/a.py", "lib/unseen/deep/b.py")
    until(lambda: watch.done[-1]["how"] == "update", "hearing of it by an event")
    place.assert_equals_a_rebuild(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(place, number):
    watch = place.watched()
    assert watch.end(number) == 0
    assert watch.said[0] == f"watching {place.root} (index in {place.data})\n"
    assert watch.said[-1] == "stopped\n"
    assert not place.index.status().watcher_alive


def test_a_signal_during_the_first_build_ends_it_at_once_and_loses_nothing(place, tmp_path):
    for number in range(1500):
        place.write(f"many/file_{number}.py", f"def many_{number}():\n    return {number}\n")
    watch = place.watch()
    until(lambda: place.index.indexed and place.texts(), "the build being under way")
    assert watch.end() == 0
    assert place.index.status().files < 1508, "the signal came too late to prove anything"
    place.watched()
    assert place.index.status().files == 1508
    assert place.index.audit() == []


def test_other_writers_and_the_watcher_take_turns(place, scova):
    """`scova index` and searches that refresh, all while files change: nobody fails, nothing is lost."""
    place.watched()
    for turn in range(3):
        place.write(f"src/turn_{turn}.py", f"def turn_{turn}():\n    return {turn}\n")
        assert scova("index", place.root, "--data", place.data, "--force").code == 0
        assert scova("search", f"turn_{turn}", place.root, "--data", place.data).code == 0
    for turn in range(3):
        place.found(f"turn_{turn}", f"src/turn_{turn}.py")
    assert place.state.errors == 0
    assert place.index.audit() == []


def test_a_folder_that_may_not_be_read_is_left_out_until_it_may(place):
    """As root nothing is forbidden, so there the watcher runs without root's powers."""
    place.write("locked/secret.py", "def behind_the_door():\n    return 1\n")
    (place.root / "locked").chmod(0)
    words = ["unshare", "--user"] if os.geteuid() == 0 else []
    command = [*words, SCOVA, "watch", str(place.root), "--data", str(place.data), "--quiet-ms", "100"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: process.poll() is not None or place.state.state == "watching", "watching")
        if process.poll() is not None:
            pytest.skip("user namespaces are not allowed here")
        place.write("src/module_0.py", "def beside_the_door():\n    return 1\n")
        place.found("beside_the_door", "src/module_0.py")
        place.found("behind_the_door")
        (place.root / "locked").chmod(0o755)
        place.found("behind_the_door", "locked/secret.py")
        place.write("locked/more.py", "def behind_the_door():\n    return 2\n")
        place.found("behind_the_door", "locked/secret.py", "locked/more.py")
        assert place.state.errors == 0
    finally:
        (place.root / "locked").chmod(0o755)
        process.terminate()
        process.communicate(timeout=120)


def test_where_the_system_allows_no_more_watches_changes_are_looked_for(place):
    """In a user namespace, the only place where a test may lower that limit."""
    for number in range(20):
        place.write(f"folder_{number}/a.py", f"def in_folder_{number}():\n    return {number}\n")
    limited = 'echo 10 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"'
    command = [SCOVA, "watch", str(place.root), "--data", str(place.data)]
    wrapped = ["unshare", "--user", "--map-root-user", "sh", "-c", limited, *command]
    process = subprocess.Popen(wrapped, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: process.poll() is not None or place.state.state in ("watching", "polling"), "it being up")
        if process.poll() is not None:
            pytest.skip("user namespaces are not allowed here")
        assert place.state.state == "polling"
        assert "max_user_watches" in place.state.note
        place.write("folder_19/a.py", "def without_any_event():\n    return 1\n")
        place.found("without_any_event", "folder_19/a.py")
    finally:
        process.terminate()
        _, err = process.communicate(timeout=120)
    assert "Traceback" not in err
