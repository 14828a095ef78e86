"""What is noticed about a tree: batches, and reasons to look at everything, from inside and outside the root."""

import os
import shutil
import subprocess

import pytest

from scova.sources.folder import FolderSource
from scova.watch.debounce import Debounce
from scova.watch.lookout import Lookout
from until import until


class Watch:
    """A Lookout with a clock of its own, and everything it noticed."""

    def __init__(self, root, settings_files=()):
        self.root = root
        self.lookout = Lookout(root, Debounce(quiet=0.5, max_wait=2.0), settings_files)
        self.now = 100.0
        self.paths: set[str] = set()
        self.reasons: set[str] = set()
        self.lookout.begin(self.trail(), self.now)

    def trail(self):
        source = FolderSource(self.root)
        list(source.items())
        return source.trail()

    def look(self):
        self.now += 1.0
        noticed = self.lookout.look(self.now)
        self.paths |= set(noticed.paths)
        self.reasons |= noticed.reasons

    def settle(self):
        """The times of files made just now are not trusted yet, so the first looks may find a reason."""

        def is_settled():
            self.reasons.clear()
            self.lookout.follow(self.trail(), self.now)
            for _ in range(3):
                self.look()
            return not self.reasons

        until(is_settled, "settling")

    def until(self, wanted, what="being noticed"):
        until(lambda: self.look() or wanted(self), what)
        return self


def git(root, *words):
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("a = 1\n")
    (root / ".gitignore").write_text("build/\n")
    (root / "build").mkdir()
    git(tmp_path, "init", "-q", "-b", "main", "root")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


@pytest.fixture
def watch(root):
    watch = Watch(root)
    watch.settle()
    yield watch
    watch.lookout.close()


def test_a_change_is_a_path_and_no_reason(root, watch):
    (root / "src" / "a.py").write_text("a = 2\n")
    watch.until(lambda watch: watch.paths)
    assert watch.paths == {"src/a.py"}
    assert watch.reasons == set()


def test_ignored_folders_and_git_at_work_are_not_noticed(root, watch):
    (root / "build" / "out.py").write_text("x = 1\n")
    git(root, "commit", "-q", "--allow-empty", "-m", "second")
    (root / "src" / "last.py").write_text("x = 1\n")
    watch.until(lambda watch: watch.paths)
    assert watch.paths == {"src/last.py"}
    assert watch.reasons <= {"tracked"}


@pytest.mark.parametrize("name", [".gitignore", ".ignore", "src/.scovaignore"])
def test_rules_in_the_tree_are_a_reason(root, watch, name):
    (root / name).write_text("*.log\n")
    watch.until(lambda watch: "rules" in watch.reasons)


def test_rules_of_the_repository_are_a_reason(root, watch):
    (root / ".git" / "info" / "exclude").write_text("*.log\n")
    watch.until(lambda watch: "rules" in watch.reasons)


def test_another_branch_is_a_reason_and_is_named(root, watch):
    git(root, "checkout", "-q", "-b", "other")
    watch.until(lambda watch: "branch" in watch.reasons)
    assert watch.lookout.branch == "other"


def test_a_worktree_has_a_branch_of_its_own(root, tmp_path):
    """Its `.git` is a file that names a folder elsewhere."""
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    watch = Watch(tmp_path / "side")
    assert watch.lookout.branch == "side"
    git(tmp_path / "side", "checkout", "-q", "-b", "another")
    watch.until(lambda watch: "branch" in watch.reasons)
    assert watch.lookout.branch == "another"
    watch.lookout.close()


def test_rules_above_an_indexed_subfolder_are_a_reason(root):
    watch = Watch(root / "src")
    until(
        lambda: (
            not (
                watch.reasons.clear() or watch.lookout.follow(watch.trail(), watch.now) or watch.look() or watch.reasons
            )
        )
    )
    (root / ".gitignore").write_text("*.log\n")
    watch.until(lambda watch: "rules" in watch.reasons)
    watch.lookout.close()


def test_settings_are_a_reason_in_the_root_and_in_the_users_file(root, tmp_path):
    mine = tmp_path / "config.toml"
    watch = Watch(root, [str(mine)])
    mine.write_text("workers = 1\n")
    watch.until(lambda watch: "settings" in watch.reasons)
    watch.reasons.clear()
    (root / "scova.toml").write_text("workers = 1\n")
    watch.until(lambda watch: "settings" in watch.reasons)
    assert "scova.toml" in watch.paths, "it is a file of the project as well"
    watch.lookout.close()


def test_settings_are_not_covered_by_a_look_at_the_tree(root, watch):
    beside = root.with_name("beside.toml")
    beside.write_text("workers = 1\n")
    beside.rename(root / "scova.toml")  # one event: of several, one might come after the look
    until(lambda: watch.lookout.look(watch.now) and watch.lookout.waiting, "hearing of it")
    watch.lookout.covered()
    watch.until(lambda watch: "settings" in watch.reasons)
    assert watch.paths == set()


def test_new_folders_are_watched_and_named_because_they_were_walked_before(root, watch):
    (root / "new" / "deep").mkdir(parents=True)
    watch.until(lambda watch: "new" in watch.paths)
    assert watch.lookout.follow(watch.trail(), watch.now) == {"new", "new/deep"}
    assert watch.lookout.follow(watch.trail(), watch.now) == frozenset()
    (root / "new" / "deep" / "a.py").write_text("x = 1\n")
    watch.until(lambda watch: "new/deep/a.py" in watch.paths)


def test_the_root_may_go_and_come_back(root, watch):
    aside = root.with_name("aside")
    os.rename(root, aside)
    watch.until(lambda watch: watch.lookout.is_root_gone)
    assert "is gone" in watch.lookout.trouble
    shutil.copytree(aside, root)
    watch.until(lambda watch: "restart" in watch.reasons)
    assert not watch.lookout.is_root_gone
    assert not watch.lookout.is_blind
    (root / "src" / "back.py").write_text("x = 1\n")
    watch.until(lambda watch: "src/back.py" in watch.paths)
    (aside / "src" / "gone.py").write_text("x = 1\n")
    assert "src/gone.py" not in watch.paths


def test_a_watch_that_ends_begins_again_and_says_so(root, watch):
    with open(os.fsencode(root) + b"/src/\xff.py", "w"):
        pass
    watch.until(lambda watch: "restart" in watch.reasons)
    (root / "src" / "after.py").write_text("x = 1\n")
    watch.until(lambda watch: "src/after.py" in watch.paths)
