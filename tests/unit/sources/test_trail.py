"""What a walk saw is enough to tell, by stats alone, whether a new walk would see the same."""

import json
import os
from pathlib import Path

import pytest

from scova.sources.folder import FolderSource
from scova.sources.git.controls import UNSETTLED
from scova.sources.trail import Trail, changed_items, same_way, untouched
from scova.types import Item, Mark
from unit.sources.trees import git, repository, walked, without_privileges, write


class Walked:
    """A folder, the trail of a walk through it and the marks it offered."""

    def __init__(self, root, **options):
        self.root = Path(root).resolve()
        source = walked(FolderSource(self.root, **options))
        self.trail = source.trail()
        self.marks = {each.path: each.mark for each in source.items() if isinstance(each, Item)}

    def changed(self):
        """The paths of the files whose content may have changed; None when only a walk can tell."""
        items = changed_items(self.root, self.trail, self.marks)
        seen = [(path, mark.size, mark.changed_ns) for path, mark in self.marks.items()]
        assert (same_way(self.root, self.trail) and untouched(self.root, seen)) is (items == [])
        return None if items is None else [item.path for item in items]


@pytest.fixture
def tree(tmp_path):
    files = {
        ".gitignore": "*.log\n",
        "a.py": "a",
        "sub/b.py": "b",
        "sub/deep/c.py": "c",
        "x.log": "",
        "big.py": "x" * 50,
    }
    return Walked(repository(tmp_path / "root", files), max_file_bytes=40)


def test_nothing_changed(tree):
    assert tree.changed() == []


def test_changed_content_names_the_file_with_its_mark_of_now(tree):
    (tree.root / "sub" / "b.py").write_text("longer")
    status = (tree.root / "sub" / "b.py").stat()
    assert tree.changed() == ["sub/b.py"]
    assert changed_items(tree.root, tree.trail, tree.marks) == [Item("sub/b.py", Mark(6, status.st_ctime_ns))]


def test_a_changed_time_alone_names_the_file(tree):
    os.utime(tree.root / "a.py", ns=(1, 1))
    assert tree.changed() == ["a.py"]


CHANGES = {
    "new file": lambda root: (root / "sub" / "new.py").touch(),
    "new folder": lambda root: (root / "sub" / "new").mkdir(),
    "deleted": lambda root: (root / "a.py").unlink(),
    "renamed": lambda root: (root / "a.py").rename(root / "sub" / "a.py"),
    "replaced": lambda root: (root / "x.log").rename(root / "a.py"),
    "ignore file edited": lambda root: (root / ".gitignore").write_text("sub\n"),
    "ignore file new": lambda root: (root / "sub" / ".scovaignore").touch(),
    "exclude edited": lambda root: (root / ".git" / "info" / "exclude").write_text("sub\n"),
    "tracked although ignored": lambda root: git(root, "add", "-f", "x.log"),
    "git configured": lambda root: git(root, "config", "core.excludesFile", "rules"),
    "user's excludes": lambda root: write(Path(os.environ["XDG_CONFIG_HOME"]), {"git/ignore": "sub\n"}),
    "user's configuration": lambda root: write(Path(os.environ["HOME"]), {".gitconfig": "[core]\nexcludesFile=x\n"}),
    "no repository any more": lambda root: (root / ".git").rename(root.parent / "git"),
    "too large before": lambda root: (root / "big.py").write_text("x"),
    "mode of a folder": lambda root: (root / "sub").chmod(0o700),
    "root gone": lambda root: root.rename(root.with_name("moved")),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_needs_a_new_walk_is_noticed(tree, change):
    change(tree.root)
    assert tree.changed() is None


def test_a_rule_above_the_root_is_noticed(tmp_path):
    repository(tmp_path, {"top/root/a.py": ""})
    for name in (".gitignore", "top/.ignore"):
        walk = Walked(tmp_path / "top" / "root")
        assert walk.changed() == []
        write(tmp_path, {name: "*.x\n"})
        assert walk.changed() is None


def test_a_repository_made_above_the_root_is_noticed(tmp_path):
    write(tmp_path, {"root/a.py": ""})
    walk = Walked(tmp_path / "root")
    assert walk.changed() == []
    repository(tmp_path)
    assert walk.changed() is None


def test_an_index_that_was_not_asked_may_change(tmp_path):
    walk = Walked(repository(tmp_path, {"a.py": ""}))
    git(tmp_path, "add", "a.py")
    assert walk.changed() == []


def test_what_lies_in_an_ignored_folder_may_change(tmp_path):
    walk = Walked(repository(tmp_path, {".gitignore": "build/\n", "build/a.c": ""}))
    write(tmp_path, {"build/b.c": "", "build/a.c": "x"})
    assert walk.changed() == []


def test_a_file_that_lost_or_got_its_permission_is_noticed(open_folder):
    write(open_folder, {"a.py": "", "b.py": ""})
    (open_folder / "b.py").chmod(0o000)

    def look():
        return Walked(open_folder, environment={})

    walk = without_privileges(look)
    assert list(walk.marks) == ["a.py"]
    (open_folder / "a.py").chmod(0o000)
    assert without_privileges(walk.changed) is None
    (open_folder / "a.py").chmod(0o644)
    assert without_privileges(walk.changed) == ["a.py"], "read once more, since something about it changed"
    (open_folder / "b.py").chmod(0o644)
    assert without_privileges(walk.changed) is None


def test_a_folder_that_lost_or_got_its_permission_is_noticed(open_folder):
    write(open_folder, {"open/a.py": "", "closed/b.py": ""})
    (open_folder / "closed").chmod(0o000)
    walk = without_privileges(lambda: Walked(open_folder, environment={}))
    assert list(walk.marks) == ["open/a.py"]
    (open_folder / "closed").chmod(0o755)
    assert without_privileges(walk.changed) is None


def test_a_time_too_fresh_to_be_trusted_asks_for_another_walk(tmp_path):
    """A file made in the same tick of the clock as the walk would else never be seen."""
    write(tmp_path, {"a.py": ""})
    source = FolderSource(tmp_path)
    list(source.items())
    trail = source.trail()
    assert trail.folders[""] == UNSETTLED
    assert not same_way(tmp_path, trail)
    assert UNSETTLED not in walked(source).trail().folders.values()


def test_a_trail_survives_json(tree):
    stored = json.loads(json.dumps(tree.trail.to_dict()))
    assert Trail.from_dict(stored) == tree.trail
    assert None in tree.trail.controls.values()
    assert tree.trail.stuck
    with pytest.raises((KeyError, TypeError, ValueError)):
        Trail.from_dict({"folders": {}})


def test_a_trail_needs_a_full_pass(tmp_path):
    write(tmp_path, {"a.py": "", "b.py": ""})
    source = FolderSource(tmp_path)
    next(source.items())
    with pytest.raises(RuntimeError, match="full pass"):
        source.trail()
