"""A folder that is moved away while it is read, and back: every file has the mark it had, and must be read all the same."""

import os

from scova import Index
from scova.sources.folder import FolderSource


def test_files_that_vanished_for_a_moment_come_back(tmp_path, monkeypatch):
    root, aside = tmp_path / "project", tmp_path / "aside"
    root.mkdir()
    for number in range(10):
        (root / f"f{number}.py").write_text(f"def func_{number}():\n    return {number}\n")
    with Index.open(root, data=str(tmp_path / "data")) as index:
        assert index.refresh().files == 10
        read = FolderSource.read

        def moved(self, item):
            if root.exists():
                os.rename(root, aside)
            return read(self, item)

        monkeypatch.setattr(FolderSource, "read", moved)
        assert index.refresh(force=True).files == 0
        monkeypatch.undo()
        os.rename(aside, root)
        assert index.is_stale()
        assert index.refresh().files == 10
        assert index.definitions("func_7").definitions
