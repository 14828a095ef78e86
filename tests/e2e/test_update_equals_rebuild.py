"""An index that is only ever told which paths changed answers exactly as one built from nothing."""

import os
import shutil
from pathlib import Path

import pytest

from gardener import Gardener, a_repository, everything
from scova import Index
from scova.sources.folder import FolderSource


def seen(root: Path) -> dict[str, tuple[int, int, int]]:
    """Everything in the tree but git's own, with what tells that it changed."""
    return {
        path.relative_to(root).as_posix(): (status.st_ino, status.st_size, status.st_ctime_ns)
        for path in sorted(root.rglob("*"))
        if ".git" not in path.parts
        for status in [path.lstat()]
    }


def hints(before: dict[str, tuple[int, int, int]], after: dict[str, tuple[int, int, int]]) -> set[str]:
    """The paths a watcher would tell of; of what is new or gone only the topmost, as for a folder that was moved."""
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    alone = before.keys() ^ after.keys()
    return {path for path in changed if not (path in alone and os.path.dirname(path) in alone)}


@pytest.mark.parametrize("seed", [11, 12])
def test_after_a_hundred_random_changes(tmp_path, seed):
    root = a_repository(tmp_path / "tree")
    gardener = Gardener(root, seed)
    with Index.open(root, data=str(tmp_path / "updated")) as index:
        index.refresh()
        for _ in range(100):
            before = seen(root)
            gardener.step()
            index.update(hints(before, seen(root)))
        updated, skips = everything(index), index.skips()
        assert index.audit() == []
    with Index.open(root, data=str(tmp_path / "rebuilt")) as index:
        index.refresh()
        assert index.skips() == skips
        assert everything(index) == updated


@pytest.fixture
def index(project, tmp_path):
    with Index.open(project, data=str(tmp_path / "data")) as opened:
        opened.refresh()
        yield opened


@pytest.fixture
def walks(monkeypatch):
    """How often the whole tree was walked."""
    counted = []
    whole = FolderSource.items
    monkeypatch.setattr(FolderSource, "items", lambda self: counted.append(1) or whole(self))
    return counted


def test_a_changed_file_costs_no_walk(index, project, walks):
    (project / "src/auth.py").write_text("def aubergine():\n    pass\n")
    report = index.update(["src/auth.py"])
    assert (report.changed, report.files) == (1, 5)
    assert index.definitions("aubergine").definitions
    assert walks == []


def test_new_moved_and_deleted_folders_cost_no_walk(index, project, walks):
    (project / "a/b").mkdir(parents=True)
    (project / "a/b/new.py").write_text("def aubergine():\n    pass\n")
    assert index.update(["a/b/new.py"]).added == 1  # the folders themselves may not have been told of
    (project / "a").rename(project / "z")
    report = index.update(["a", "z"])
    assert (report.moved, report.added, report.removed) == (1, 0, 0)
    assert [found.path for found in index.definitions("aubergine").definitions] == ["z/b/new.py"]
    shutil.rmtree(project / "z")
    assert index.update(["z/b/new.py"]).removed == 1
    assert not index.definitions("aubergine").definitions
    assert walks == []


def test_paths_that_are_ignored_or_never_were_cost_nothing(index, project, walks):
    (project / ".gitignore").write_text("out/\n")
    index.update([".gitignore"])
    assert walks == [1]  # rules may concern every file
    (project / "out").mkdir()
    (project / "out/made.py").write_text("def aubergine():\n    pass\n")
    report = index.update(["out/made.py", "never/was.py", "../outside.py", "src"])
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert walks == [1]


@pytest.mark.parametrize("name", [".gitignore", "src/.ignore", ".scovaignore"])
def test_an_ignore_file_that_comes_changes_or_goes_is_heeded(index, project, name):
    rules = project / name
    rules.write_text("auth.py\n")
    assert index.update([name]).removed == 1
    rules.write_text("nothing\n")
    assert index.update([name]).added == 1
    rules.write_text("auth.py\n")
    assert index.update([name]).removed == 1
    rules.unlink()
    assert index.update([name]).added == 1


def test_a_lost_hint_about_rules_shows_with_the_next_hint_from_that_folder(index, project):
    (project / "src/.gitignore").write_text("cart.ts\n")
    (project / "src/auth.py").write_text("def aubergine():\n    pass\n")
    report = index.update(["src/auth.py"])
    assert (report.changed, report.removed) == (1, 1)


def test_a_file_in_place_of_a_folder_and_back(index, project):
    shutil.rmtree(project / "src")
    (project / "src").write_text("aubergine\n")
    assert index.update(["src"]).removed == 2
    (project / "src").unlink()
    (project / "src").mkdir()
    (project / "src/new.py").write_text("def aubergine():\n    pass\n")
    assert index.update(["src"]).added == 1


def test_what_is_left_out_elsewhere_stays_listed(index, project):
    for folder in ("one", "two"):
        (project / folder / "deep").mkdir(parents=True)
        (project / folder / "image.png").write_bytes(b"\x89PNG\r\n")
        (project / folder / "deep/blob.py").write_bytes(b"\0\1\2" * 100)
    index.refresh()
    listed = {skip.path for skip in index.skips()}
    assert listed == {f"{folder}/{name}" for folder in ("one", "two") for name in ("image.png", "deep/blob.py")}
    (project / "one/image.png").unlink()
    index.update(["one/image.png"])
    assert {skip.path for skip in index.skips()} == listed - {"one/image.png"}
    shutil.rmtree(project / "two")
    index.update(["two"])
    assert {skip.path for skip in index.skips()} == {"one/deep/blob.py"}


def test_an_update_of_what_was_never_built_builds_it(project, tmp_path):
    with Index.open(project, data=str(tmp_path / "other")) as index:
        assert index.update(["src/auth.py"]).added == 5
