"""`scova import` reads the JSON files of an export and nothing else: it opens no database that lies beside them."""

import os
import sqlite3

import pytest

from unit.sources.trees import write


@pytest.fixture
def exported(tmp_path, scova):
    tree = write(tmp_path / "tree", {"a.py": "def first():\n    return 1\n"})
    scova("index", tree)
    folder = tmp_path / "exported"
    assert scova("export", tree, "--to", folder).code == 0
    return folder


def test_a_database_beside_the_files_is_not_opened(exported, tmp_path, scova):
    for name in ("store.db", "chunks.db", "index.sqlite"):
        connection = sqlite3.connect(exported / name)
        connection.executescript(
            "CREATE VIEW chunks AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
        )
        connection.close()
    before = {path.name: path.read_bytes() for path in exported.iterdir()}
    (tmp_path / "other").mkdir()
    assert scova("import", exported, tmp_path / "other").code == 0
    assert {path.name: path.read_bytes() for path in exported.iterdir()} == before
    assert not list(exported.glob("*-journal"))


def test_a_folder_of_an_index_is_no_export(tmp_path, scova, exported):
    tree = write(tmp_path / "more", {"a.py": "x = 1\n"})
    scova("index", tree, "--data", tmp_path / "data")
    done = scova("import", tmp_path / "data", tree)
    assert done.code == 2 and "holds no exported files" in done.err


@pytest.mark.parametrize("kind", ["zero", "pipe"])
def test_a_file_of_an_export_that_is_none_is_refused(exported, tmp_path, scova, kind):
    for path in [*exported.glob("*.json*")]:
        path.unlink()
        if kind == "zero":
            path.symlink_to("/dev/zero")
        else:
            os.mkfifo(path)
    (tmp_path / "other").mkdir()
    done = scova("import", exported, tmp_path / "other")
    assert done.code == 2 and "Traceback" not in done.err
