"""The watcher on real folders: hears of what happens in them, of nothing else, and loses nothing between two questions."""

import os
import subprocess
import sys
import threading

import pytest

from scova.errors import WatchLost
from scova.watch.bell import Bell
from scova.watch.posts import PER_FOLDER
from scova.watch.watcher import Watcher
from until import until

pytestmark = pytest.mark.skipif(
    not PER_FOLDER, reason="where the system watches whole trees, folders have no watch of their own"
)


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "ignored").mkdir()
    return root


@pytest.fixture
def watcher(root):
    watcher = Watcher(root)
    watcher.watch(["", "src", "src/deep"])
    yield watcher
    watcher.close()


def heard(watcher, wanted):
    """Every path told until all that are wanted are among them."""
    told: set[str] = set()

    def more():
        told.update(seen.path for seen in watcher.poll())
        return told >= wanted

    until(more, f"hearing of {wanted}")
    return told


def test_changes_are_told_by_paths_relative_to_the_root(root, watcher):
    (root / "a.py").write_text("a")
    (root / "src" / "deep" / "b.py").write_text("b")
    os.rename(root / "a.py", root / "src" / "c.py")
    assert heard(watcher, {"a.py", "src/deep/b.py", "src/c.py"}) == {"a.py", "src/deep/b.py", "src/c.py"}


def test_folders_that_were_not_named_cost_nothing(root, watcher):
    (root / "ignored" / "noise.py").write_text("x")
    (root / "last.py").write_text("x")
    assert heard(watcher, {"last.py"}) == {"last.py"}


def test_reading_is_no_change(root, watcher):
    (root / "a.py").write_text("a")
    (root / "between.py").write_text("a")
    heard(watcher, {"between.py"})
    until(lambda: not watcher.poll(), "all being told")
    (root / "a.py").read_text()
    (root / "last.py").write_text("x")
    assert heard(watcher, {"last.py"}) == {"last.py"}


def test_nothing_is_lost_while_it_is_asked_without_a_pause(root, watcher):
    """Asking while events arrive must not swallow any: each of many files is told of."""
    wanted = {f"src/{number}.py" for number in range(3000)}

    def write():
        for path in wanted:
            (root / path).write_text("x")

    writing = threading.Thread(target=write)
    writing.start()
    try:
        assert heard(watcher, wanted) == wanted
    finally:
        writing.join()


def test_a_folder_that_was_removed_and_made_again_must_be_watched_again(root, watcher):
    os.rmdir(root / "src" / "deep")
    os.mkdir(root / "src" / "deep")
    heard(watcher, {"src/deep"})
    assert watcher.watch(["", "src", "src/deep"]) == {"src/deep"}
    (root / "src" / "deep" / "new.py").write_text("x")
    heard(watcher, {"src/deep/new.py"})


def test_a_folder_that_moved_takes_those_below_it_along(root, watcher):
    os.rename(root / "src", root / "source")
    heard(watcher, {"src", "source"})
    assert watcher.watch(["", "source", "source/deep"]) == {"source", "source/deep"}
    (root / "source" / "deep" / "new.py").write_text("x")
    heard(watcher, {"source/deep/new.py"})


def test_a_folder_that_is_not_wanted_any_more_is_not_heard_of(root, watcher):
    assert watcher.watch(["", "src/deep"]) == {"", "src/deep"}, "by new watches: these may have missed something"
    (root / "src" / "after.py").write_text("x")
    (root / "last.py").write_text("x")
    assert heard(watcher, {"last.py"}) == {"last.py"}
    assert watcher.folders == 2


def test_what_is_gone_cannot_be_watched_and_is_passed_over(root, watcher):
    (root / "file.py").write_text("x")
    os.symlink(root / "src", root / "link")
    assert watcher.watch(["", "src", "src/deep", "never was", "file.py", "link"]) == frozenset()
    assert watcher.folders == 3


def test_many_new_folders_one_after_the_other_do_not_use_up_the_watchers_a_user_may_have(root, watcher):
    wanted = ["", "src", "src/deep"]
    for number in range(30):
        (root / f"folder_{number}").mkdir()
        wanted.append(f"folder_{number}")
        assert f"folder_{number}" in watcher.watch(wanted)
        assert len(watcher._posts) <= 6
    for number in range(30):
        (root / f"folder_{number}" / "a.py").write_text("x")
    heard(watcher, {f"folder_{number}/a.py" for number in range(30)})


def test_a_name_that_is_no_text_is_an_end_that_is_said(root, watcher):
    with open(os.fsencode(root) + b"/\xff.py", "w"):
        pass
    with pytest.raises(WatchLost):
        until(watcher.poll)
    watcher.rewatch(["", "src"])
    (root / "src" / "after.py").write_text("x")
    heard(watcher, {"src/after.py"})


TOO_MANY = """
import sys
from pathlib import Path
from scova.errors import WatchLost
from scova.watch.watcher import Watcher
try:
    Watcher(Path(sys.argv[1])).watch(["", *(str(n) for n in range(20))])
except WatchLost as lost:
    print(lost.message, "|", lost.hint)
"""


def test_more_folders_than_the_system_allows_are_an_error_that_says_what_to_do(tmp_path):
    """In a user namespace, the only place where a test may lower that limit."""
    for number in range(20):
        (tmp_path / str(number)).mkdir()
    limited = 'echo 10 > /proc/sys/user/max_inotify_watches && exec "$0" -c "$1" "$2"'
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", limited, sys.executable, TOO_MANY, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if "unshare" in done.stderr or "/proc/sys/user" in done.stderr:
        pytest.skip("user namespaces are not allowed here")
    assert "does not allow to watch" in done.stdout, done.stderr
    assert "max_user_watches" in done.stdout


def test_who_must_be_sure_is_told_everything_that_happened_before_and_nothing_of_the_bell(root, tmp_path):
    watcher = Watcher(root, Bell(tmp_path / "data/bell"))
    watcher.watch([""])
    watcher.watch(["", "src"])
    watcher.watch(["", "src", "src/deep"])  # three that listen, each in its own time
    for number in range(50):
        wanted = {f"a{number}.py", f"src/b{number}.py", f"src/deep/c{number}.py"}
        for path in wanted:
            (root / path).write_text("x")
        assert {seen.path for seen in watcher.poll_surely()} - {"src", "src/deep"} == wanted
    assert list((tmp_path / "data/bell").iterdir()) == []
    watcher.close()


def test_a_bell_that_cannot_be_heard_is_done_without(root, tmp_path):
    bell = Bell(tmp_path / "data/bell")
    watcher = Watcher(root, bell)
    watcher.watch([""])
    os.rename(bell.folder, f"{bell.folder}.old")
    assert watcher.poll_surely() == []
    bell.hang()  # it is there, but nobody listens any more
    (root / "a.py").write_text("x")
    assert heard(watcher, {"a.py"}) == {"a.py"}
    (tmp_path / "data/file").write_text("in the way")
    watcher.close()
    silent = Watcher(root, Bell(tmp_path / "data/file/bell"))
    silent.watch([""])
    assert silent.poll_surely() == []
    silent.close()
