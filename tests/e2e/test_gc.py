"""Clearing up: what belongs to nothing goes, what is used stays."""

import shutil

from conftest import write_project


def test_indexes_of_folders_that_are_gone_are_removed(scova, tmp_path):
    kept, lost = write_project(tmp_path / "kept"), write_project(tmp_path / "lost")
    (lost / "own.py").write_text("def only_here():\n    return 'nowhere else'\n")
    for root in (kept, lost):
        assert scova("index", root).code == 0
    assert scova("gc", "--json").json == {"removed": [], "vectors": 0}
    shutil.rmtree(lost)
    would = scova("gc", "--dry-run", "--json").json["removed"]
    assert [one["root"] for one in would] == [str(lost)]
    assert scova("gc", "--json").json["removed"] == would
    assert scova("gc", "--json").json["removed"] == []
    assert scova("search", "hash_password", kept).code == 0


def test_vectors_that_no_index_uses_are_forgotten_only_when_asked(scova, tmp_path):
    kept, lost = write_project(tmp_path / "kept"), write_project(tmp_path / "lost")
    (lost / "own.py").write_text("def only_here():\n    return 'nowhere else'\n")
    for root in (kept, lost):
        scova("index", root)
    shutil.rmtree(lost)
    assert scova("gc", "--json").json["vectors"] == 0
    unused = scova("gc", "--embeddings", "--dry-run", "--json").json["vectors"]
    assert unused > 0
    assert scova("gc", "--embeddings", "--json").json["vectors"] == unused
    assert scova("gc", "--embeddings", "--json").json["vectors"] == 0
    assert scova("index", kept, "--force", "--json").json["embedded"] == 0
