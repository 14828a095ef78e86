"""Clearing up: what belongs to nothing goes, what is used stays."""

import hashlib
import shutil

from conftest import write_project
from scova.config import cache_folder
from scova.embed.static import StaticEmbedder
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import embeddings_db


def test_indexes_of_folders_that_are_gone_are_removed(scova, tmp_path):
    kept, lost = write_project(tmp_path / "kept"), write_project(tmp_path / "lost")
    (lost / "own.py").write_text("def only_here():\n    return 'nowhere else'\n")
    for root in (kept, lost):
        assert scova("index", root).code == 0
    assert scova("gc", "--json").json == {"removed": [], "vectors": 0, "vectors_bytes_given_back": 0}
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


def test_the_room_of_vectors_that_were_forgotten_is_given_back(scova, tmp_path):
    """While another process has the file open, as a server has: it goes on reading and writing."""
    kept = write_project(tmp_path / "kept")
    assert scova("index", kept).code == 0
    file = embeddings_db(cache_folder())
    with EmbeddingCache(file) as other:
        (model,) = other.counts()
        vector = bytes(StaticEmbedder().width)
        other.put(model, {hashlib.sha256(b"%d" % number).digest(): vector for number in range(10_000)})
        other.close()
        assert other.get(model, [hashlib.sha256(b"0").digest()])
        before = file.stat().st_size
        done = scova("gc", "--embeddings", "--json").json
        assert done["vectors"] == 10_000
        assert done["vectors_bytes_given_back"] > before / 2
        assert file.stat().st_size < before / 2
        other.put(model, {b"n" * 32: vector})
        assert other.get(model, [b"n" * 32])
    assert scova("gc", "--embeddings", "--json").json["vectors_bytes_given_back"] == 0
    assert scova("index", kept, "--force", "--json").json["embedded"] == 0
