"""Refreshing equals rebuilding: after any history, an index answers exactly as one built from nothing."""

import os
import shutil
import sqlite3

import pytest

from conftest import write_project
from gardener import Gardener, a_repository, everything, git
from scova import Index, Mode, Query
from scova.build import footprint
from scova.config import cache_folder
from scova.embed.static import StaticEmbedder
from scova.errors import EmbedderError, IndexState, QueryError


@pytest.mark.parametrize("seed", [1, 2])
def test_after_a_hundred_random_changes(tmp_path, seed):
    root = a_repository(tmp_path / "tree")
    gardener = Gardener(root, seed)
    with Index.open(root, data=str(tmp_path / "refreshed")) as index:
        index.refresh()
        for _ in range(100):
            gardener.step()
            index.refresh()
        refreshed = everything(index)
        assert index.audit() == []
    with Index.open(root, data=str(tmp_path / "rebuilt")) as index:
        index.refresh()
        rebuilt = everything(index)
        assert index.audit() == []
    assert refreshed.keys() == rebuilt.keys()
    for question in rebuilt:
        assert refreshed[question] == rebuilt[question], question
    assert any(value[0] for value in rebuilt.values() if isinstance(value, tuple))


def test_one_refresh_after_all_changes_at_once(tmp_path):
    """The same, with the changes piled up between two refreshes."""
    root = a_repository(tmp_path / "tree")
    with Index.open(root, data=str(tmp_path / "refreshed")) as index:
        index.refresh()
        gardener = Gardener(root, 3)
        for _ in range(100):
            gardener.step()
        index.refresh()
        refreshed = everything(index)
    with Index.open(root, data=str(tmp_path / "rebuilt")) as index:
        index.refresh()
        assert everything(index) == refreshed


def test_a_rename_keeps_vectors_and_leaves_the_old_path_at_once(project, tmp_path):
    with Index.open(project, data=str(tmp_path / "data")) as index:
        index.refresh()
        (project / "src/auth.py").rename(project / "src/login.py")
        report = index.refresh()
        assert (report.moved, report.added, report.removed, report.embedded) == (1, 0, 0, 0)
        paths = {r.chunk.file_path for r in index.search("hash_password", limit=50).results}
        assert "src/login.py" in paths
        assert "src/auth.py" not in paths


def test_switching_branches_back_and_forth_embeds_nothing_twice(tmp_path):
    root = a_repository(tmp_path / "tree")
    with Index.open(root, data=str(tmp_path / "data")) as index:
        assert index.refresh().embedded > 0
        git(root, "checkout", "-q", "other")
        assert index.refresh().embedded > 0
        for branch in ("main", "other"):
            git(root, "checkout", "-q", branch)
            report = index.refresh()
            assert report.changed > 0
            assert report.embedded == 0


def test_a_second_worktree_embeds_nothing(tmp_path):
    root = a_repository(tmp_path / "tree")
    with Index.open(root) as index:
        first = index.refresh()
    git(root, "worktree", "add", "-q", "-f", str(tmp_path / "second"), "main", "--detach")
    with Index.open(tmp_path / "second") as index:
        second = index.refresh()
    assert first.embedded > 0
    assert (second.chunks, second.embedded, second.reused) == (first.chunks, 0, first.embedded + first.reused)


def test_new_content_of_the_same_size_and_time_is_noticed(project, tmp_path):
    """Tools that restore times (`cp -p`, `rsync -t`, archives) do not fool a refresh."""
    with Index.open(project, data=str(tmp_path / "data")) as index:
        index.refresh()
        path = project / "src/auth.py"
        before = path.stat()
        path.write_text(path.read_text().replace("hash_password", "hush_password"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == before.st_size
        assert index.is_stale()
        assert index.refresh().changed == 1
        assert "hush_password" in index.search("hush_password").results[0].chunk.text


def test_deleted_derived_files_come_back_with_the_next_refresh(project, tmp_path):
    with Index.open(project, data=str(tmp_path / "data")) as index:
        index.refresh()
        before = everything(index)
        index.layout.remove_derived()
        assert index.is_stale()
        report = index.refresh()
        assert (report.added, report.changed, report.removed, report.embedded) == (0, 0, 0, 0)
        assert index.layout.segments() and index.layout.vectors()
        assert everything(index) == before


def test_an_index_of_another_engine_is_made_anew_with_a_word(project, tmp_path, monkeypatch):
    with Index.open(project, data=str(tmp_path / "data")) as index:
        index.refresh()
        before = everything(index)
    monkeypatch.setattr(footprint, "ENGINE", footprint.ENGINE + 1)
    with Index.open(project, data=str(tmp_path / "data")) as index:
        assert index.is_stale()
        assert "another version" in index.refresh().note
        assert everything(index) == before
        assert index.refresh().note == ""


def test_another_embedder_keeps_text_and_brings_vectors_back(project, tmp_path):
    data = str(tmp_path / "data")
    with Index.open(project, data=data) as index:
        index.refresh()
        before = everything(index)
    with Index.open(project, data=data, embedder="none") as index:
        assert index.refresh().embedded == 0
        assert index.search("hash password").results
        assert "vectors" not in index.search("hash password").freshness.tiers
        with pytest.raises(QueryError, match="no vectors"):
            index.search(Query("hash", mode=Mode.VECTOR))
    with Index.open(project, data=data) as index:
        assert index.refresh().embedded == 0
        assert everything(index) == before
        assert index.audit() == []


def test_text_answers_before_embeddings_are_done(project, tmp_path, monkeypatch):
    """A build that dies between its phases leaves text and symbols complete, and says what is missing."""

    def fail(self, texts):
        raise EmbedderError("the model went away")

    with Index.open(project, data=str(tmp_path / "data")) as index:
        with monkeypatch.context() as patched:
            patched.setattr(StaticEmbedder, "embed", fail)
            with pytest.raises(EmbedderError):
                index.refresh()
        answer = index.search("hash_password")
        assert answer.results[0].chunk.symbol == "hash_password"
        assert answer.freshness.tiers == {"text": True, "symbols": True, "vectors": False}
        assert answer.freshness.pending_embeddings == len(index._searching().view().chunk_set)
        assert index.is_stale()
        index.refresh()
        assert index.search("hash_password").freshness.tiers["vectors"]


def test_lost_embeddings_are_made_again(project, tmp_path):
    """The shared cache and the vectors may be deleted at any time."""
    with Index.open(project, data=str(tmp_path / "data")) as index:
        first = index.refresh()
        before = everything(index)
    for path in cache_folder().glob("embeddings.db*"):
        path.unlink()
    shutil.rmtree(tmp_path / "data" / "vectors")
    with Index.open(project, data=str(tmp_path / "data")) as index:
        assert index.is_stale()
        assert index.refresh().embedded == first.embedded
        assert everything(index) == before
        assert index.audit() == []


def test_a_store_that_was_deleted_does_not_believe_the_files_it_left(project, tmp_path):
    """Derived files belong to one store: a new one that happens to be at the same change does not take them for its own."""
    data = tmp_path / "data"
    with Index.open(project, data=str(data)) as index:
        index.refresh()
    for path in data.glob("store.db*"):
        path.unlink()
    for path in project.rglob("*.py"):
        path.write_text("def entirely_different():\n    return 'aubergine'\n")
    with Index.open(project, data=str(data)) as index:
        index.refresh()
        assert {r.chunk.text for r in index.search("aubergine", mode=Mode.TEXT).results}
        assert not index.search("pbkdf2_hmac", mode=Mode.TEXT).results
        assert index.audit() == []


def test_every_rename_of_equal_files_is_recorded(project, tmp_path):
    for name in ("a", "b", "c"):
        (project / "old" / name).mkdir(parents=True)
        (project / "old" / name / "__init__.py").write_text("# nothing here but this line\n")
    with Index.open(project, data=str(tmp_path / "data")) as index:
        index.refresh()
        (project / "old").rename(project / "new")
        report = index.refresh()
        assert (report.moved, report.added, report.removed) == (3, 0, 0)
    connection = sqlite3.connect(tmp_path / "data" / "store.db")
    moves = set(connection.execute("SELECT old_path, new_path FROM file_moves"))
    connection.close()
    assert moves == {(f"old/{name}/__init__.py", f"new/{name}/__init__.py") for name in ("a", "b", "c")}


def test_changed_settings_are_applied_to_what_was_left_out(project, tmp_path):
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n"
    (project / "notes.txt").write_text(key)
    (project / "big.py").write_text("x = 1\n" * 2000)
    data = str(tmp_path / "data")
    with Index.open(project, data=data, max_file_bytes=5000) as index:
        index.refresh()
        assert {s.path: s.reason for s in index.skips()} == {"notes.txt": "secret", "big.py": "too-large"}
    with Index.open(project, data=data, index_secrets=True) as index:
        assert index.is_stale()
        assert index.refresh().added == 2
        assert index.skips() == []


def test_a_renamed_root_keeps_its_index_and_two_roots_never_share_one(project, tmp_path):
    with Index.open(project, data=".scova") as index:
        index.refresh()
    moved = project.rename(tmp_path / "elsewhere")
    with Index.open(moved, data=".scova") as index:
        report = index.refresh()
        assert (report.added, report.removed, report.embedded) == (0, 0, 0)
    other = write_project(tmp_path / "other" / "elsewhere")
    with Index.open(other, data=str(moved / ".scova")) as index, pytest.raises(IndexState, match="holds the index of"):
        index.refresh()


def test_an_index_inside_the_tree_does_not_index_itself(project):
    with Index.open(project, data="my-index") as index:
        files = index.refresh().files
        again = index.refresh()
        assert (again.files, again.added, again.changed) == (files, 0, 0)
        assert {s.path: s.reason for s in index.skips()} == {"my-index": "internal"}
