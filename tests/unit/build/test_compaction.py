"""The graph over the vectors, coordinated: builds mark it stale, a compaction behind renews it, no query waits for it or answers stale."""

import json
import os
import shutil
import signal
import subprocess
import sys

import numpy  # noqa: F401  # a long-running process has it
import pytest

from scova import Index, Mode, Query
from scova.build.compaction import compact as room
from scova.build.compaction.compact import compact, settle
from scova.build.compaction.due import Place
from scova.config import cache_folder
from scova.errors import IndexBusy
from scova.lock import writer_lock
from scova.stores.ann import write
from scova.stores.ann.metadata import VectorIndexMetadata
from scova.stores.layout import Layout, graphs

FILES, FROM = 40, 200
WORDS = ["parse", "config", "session", "token", "index", "build", "merge", "read", "write", "search", "rank", "store"]


def module(number, salt=""):
    """Ten chunks."""
    parts = []
    for place in range(9):
        a, b, c = (WORDS[(number * 7 + place * k) % len(WORDS)] for k in (1, 3, 5))
        body = "\n".join(f"    {b}_{line} = {a}({c}_{line}, {number}, {place}, 'the {a} of {b}')" for line in range(14))
        head = f'def {a}_{b}_{number}_{place}({c}):\n    """How {a} meets {b} in {number} {place} {salt}."""\n'
        parts.append(f"{head}{body}\n    return {b}_0\n")
    return "\n\n".join(parts)


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    for number in range(FILES):
        (root / f"module_{number}.py").write_text(module(number))
    return root


@pytest.fixture
def index(tree, tmp_path):
    with Index.open(tree, data=str(tmp_path / "data"), ann_from=FROM) as opened:
        opened.refresh()
        yield opened


@pytest.fixture
def compacted(index):
    assert index.compactor.end_indexing().hnsw_rebuild_triggered
    return index


def edit(index, files, salt):
    for number in files:
        (index.root / f"module_{number}.py").write_text(module(number, salt))
    return index.refresh()


def count(index):
    with index._opened().reader() as reader:
        return reader.count()


def stale(index):
    return VectorIndexMetadata(index.layout).is_stale(count(index))


def found(index, text, mode=Mode.VECTOR):
    return index.search(Query(text, mode=mode))


def ready(index):
    """Make the graph ready now rather than behind the first questions."""
    index._searching().view().vector.near.prepare()


def test_a_build_marks_and_without_skipping_its_end_rebuilds(index):
    said = index.status().hnsw_index
    assert (said["is_stale"], said["vector_count"], said["vector_dim"]) == (True, 0, 256)
    assert graphs(index.layout) == []
    told = []
    done = index.compactor.end_indexing(skip_hnsw_rebuild=False, tell=told.append)
    assert done.hnsw_rebuild_triggered
    assert done.hnsw_rebuild_ms > 0
    assert (told[-1].stage, told[-1].done) == ("graph", told[-1].total)
    assert len(graphs(index.layout)) == 1
    assert not stale(index)
    assert index.status().hnsw_index["vector_count"] == count(index)
    assert index.audit() == []


def test_skipping_marks_and_builds_nothing(compacted):
    before = graphs(compacted.layout)
    done = compacted.compactor.end_indexing(skip_hnsw_rebuild=True)
    assert (done.hnsw_skipped, done.hnsw_rebuild_triggered) == (True, False)
    assert stale(compacted)
    assert graphs(compacted.layout) == before


def test_a_build_with_nothing_to_do_marks_nothing(compacted):
    compacted.refresh()
    assert not stale(compacted)
    assert compacted.compactor.end_indexing() == (False, 0.0, False)


def test_a_search_on_a_stale_graph_answers_fresh(compacted):
    """The change is found by way of the graph, although the graph does not know it; what is gone is not."""
    ready(compacted)
    assert found(compacted, "purple elephants juggle walruses").results[0].score < 0.5
    text = 'def circus():\n    """Purple elephants juggle walruses."""\n    return purple_elephants(juggle, walruses)\n'
    (compacted.root / "circus.py").write_text(text)
    (compacted.root / "module_0.py").unlink()
    compacted.refresh()
    assert stale(compacted)
    view = compacted._searching().view()
    assert view.vector.near.at_hand() is not None
    for _ in range(2):
        answer = found(compacted, "purple elephants juggle walruses")
        assert answer.results[0].chunk.file_path == "circus.py"
        assert answer.timings["hnsw_rebuild_triggered"] is False
        assert answer.timings["hnsw_rebuild_ms"] == 0.0
    assert all(r.chunk.file_path != "module_0.py" for r in found(compacted, module(0)).results)
    assert stale(compacted)  # and no query has rebuilt anything


def test_ten_changes_are_one_compaction_and_the_second_query_needs_none(compacted):
    before = graphs(compacted.layout)
    for turn in range(10):
        edit(compacted, range(turn, FILES, 5), f"turn {turn}")
        assert graphs(compacted.layout) == before
    assert stale(compacted)
    assert compacted.compactor.end_indexing().hnsw_rebuild_triggered
    assert not compacted.compactor.end_indexing().hnsw_rebuild_triggered
    after = graphs(compacted.layout)
    assert len(after) == 1
    assert after != before
    for text in ("how parse meets config", "turn 9"):
        assert found(compacted, text, Mode.HYBRID).timings["hnsw_rebuild_triggered"] is False
    assert graphs(compacted.layout) == after
    assert compacted.audit() == []


def test_vectors_that_the_graph_does_not_lead_to_leave_it_fresh_and_are_found(index, monkeypatch):
    finds = write.finds
    monkeypatch.setattr(write, "finds", lambda graph, rows, *rest: finds(graph, rows, *rest) & (rows % 4 != 0))
    assert compact(index.compactor.place, threads=1)
    assert not stale(index)
    assert not index.compactor.is_due()
    ready(index)
    with index._opened().reader() as reader:
        rows = [row for row in reader.rows() if row % 4 == 0][:20]
    vector = index._searching().view().vector
    assert rows
    for row in rows:
        asked = vector.base.vector(vector.base.line_of(row))
        assert row in {hit.row for hit in vector.search_vector(asked, 3)}


def test_a_few_changes_are_not_worth_a_compaction(compacted):
    edit(compacted, [1], "once")
    assert stale(compacted)
    assert not compacted.compactor.is_due()


def test_behind_a_watcher_it_is_one_compaction_at_a_time(compacted):
    edit(compacted, range(35), "many")
    first = compacted.compactor.start_if_due()
    again = [compacted.compactor.start_if_due() for _ in range(3)]
    assert (first, again) == (True, [False] * 3)
    assert compacted.compactor.wait(120)
    assert not compacted.compactor.start_if_due()
    assert not stale(compacted)


HOLDER = """
import sys, time
from pathlib import Path
from scova.lock import writer_lock
with writer_lock(Path(sys.argv[1])), writer_lock(Path(sys.argv[2])):
    print("held", flush=True)
    time.sleep(100)
"""


def test_the_watcher_is_never_blocked_longer_than_one_metadata_write(compacted):
    """Neither a build nor a compaction holds what marking needs: another process holds both their locks all the while."""
    layout = compacted.layout
    words = [sys.executable, "-c", HOLDER, str(layout.lock), str(layout.compaction_lock)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            compacted.compactor.end_indexing(skip_hnsw_rebuild=True)
            assert stale(compacted)
            settle(compacted.compactor.place)  # has nothing to wait for either
            with pytest.raises(IndexBusy):
                compact(compacted.compactor.place, threads=1)
        finally:
            holder.kill()


def test_a_build_goes_on_while_a_compaction_runs(compacted):
    with writer_lock(compacted.layout.compaction_lock):
        report = edit(compacted, range(30), "meanwhile")
        assert report.changed == 30
        assert stale(compacted)
        assert not compacted.compactor.end_indexing().hnsw_rebuild_triggered  # one is running
    assert compacted.compactor.end_indexing().hnsw_rebuild_triggered


def test_what_is_committed_while_a_graph_is_built_leaves_it_stale(index):
    place = index.compactor.place
    changed = []

    def change(done, total):
        if not changed:
            changed.append(edit(index, [3], "in between"))

    assert compact(place, threads=1, tell=change)
    assert index.status().hnsw_index["is_stale"] is True
    assert found(index, "how it meets in between").results


def test_a_reader_takes_up_a_new_graph_without_a_change_of_the_store(index):
    view = index._searching().view()
    assert view.vector.near is None
    index.compactor.end_indexing()
    found(index, "anything")
    following = index._searching().view()
    assert following.vector.near is not None
    assert following.text is view.text
    assert following.bases.matrix is view.bases.matrix


def test_below_the_threshold_there_is_no_graph_and_that_is_no_error(tree, tmp_path):
    with Index.open(tree, data=str(tmp_path / "data"), ann_from=100_000) as index:
        index.refresh()
        assert index.compactor.end_indexing() == (False, 0.0, False)
        assert not index.compactor.start_if_due()
        assert graphs(index.layout) == []
        assert stale(index)  # there is nothing that could be fresh, and nobody minds
        assert index.audit() == []
        assert index.status().damaged == ()


@pytest.mark.parametrize("ann_from", [0, 100_000])
def test_a_graph_that_is_no_longer_wanted_goes(compacted, ann_from):
    with Index.open(compacted.root, data=str(compacted.layout.root), ann_from=ann_from) as index:
        assert index._searching().view().vector.near is None
        index.compactor.end_indexing()
        assert graphs(index.layout) == []


def test_a_little_below_the_threshold_a_graph_stays(compacted):
    with Index.open(compacted.root, data=str(compacted.layout.root), ann_from=count(compacted) + 50) as index:
        index.compactor.end_indexing()
        assert len(graphs(index.layout)) == 1
        assert index._searching().view().vector.near is not None


def test_a_deleted_graph_comes_back(compacted):
    graphs(compacted.layout)[0].unlink()
    assert stale(compacted)
    assert compacted.audit() == []
    assert compacted.compactor.start_if_due()
    assert compacted.compactor.wait(120)
    assert not stale(compacted)


def test_deleted_or_nonsensical_metadata_come_back(compacted):
    for content in (None, b"{", json.dumps({"hnsw_index": {"version": 1, "is_stale": False}}).encode()):
        compacted.layout.collection_meta.unlink()
        if content:
            compacted.layout.collection_meta.write_bytes(content)
        assert stale(compacted)
        assert not compacted.compactor.end_indexing().hnsw_rebuild_triggered  # the graph itself is good
        assert not stale(compacted)


def test_an_index_of_an_older_version_counts_as_stale_and_heals_itself(compacted):
    """It has vectors, and neither a graph nor metadata."""
    compacted.layout.collection_meta.unlink()
    graphs(compacted.layout)[0].unlink()
    assert stale(compacted)
    compacted.refresh()
    assert compacted.compactor.end_indexing().hnsw_rebuild_triggered
    assert not stale(compacted)


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 255
    path.write_bytes(content)


def test_audit_finds_a_damaged_graph_and_repair_brings_it_back(compacted, monkeypatch):
    path = graphs(compacted.layout)[0]
    flip(path, path.stat().st_size // 2)
    assert [(f.part, f.problem, f.subject) for f in compacted.audit()] == [
        ("derived", "damaged", f"vectors/{path.name}")
    ]
    compacted.close()
    data = str(compacted.layout.root)
    monkeypatch.setenv("SCOVA_ANN_FROM", str(FROM))
    findings, report = Index.repair(compacted.root, data=data)
    assert len(findings) == 1
    assert report.hnsw_rebuild_triggered
    with Index.open(compacted.root, data=data) as index:
        assert index.audit() == []
        assert not stale(index)


def test_a_graph_with_a_torn_header_is_not_used_and_replaced(compacted):
    path = graphs(compacted.layout)[0]
    flip(path, 30)
    assert compacted.status().damaged == (f"vectors/{path.name}",)
    assert compacted.compactor.is_due()
    assert compacted.compactor.end_indexing().hnsw_rebuild_triggered
    assert compacted.status().damaged == ()


def test_audit_finds_unreadable_metadata(compacted):
    compacted.layout.collection_meta.write_bytes(b"\0" * 100)
    assert [finding.subject for finding in compacted.audit()] == ["collection_meta.json"]
    edit(compacted, [2], "again")
    assert compacted.audit() == []


def test_a_graph_of_another_store_is_removed(compacted):
    """A store that is built anew gives the same rows to other chunks."""
    path = graphs(compacted.layout)[0]
    kept = path.read_bytes()
    compacted.close()
    shutil.rmtree(compacted.layout.root)
    compacted.refresh()
    path.write_bytes(kept)
    assert compacted._searching().view().vector.near is None
    edit(compacted, [2], "again")
    assert graphs(compacted.layout) == []


def told(index, **other):
    place = index.compactor.place
    known = {"data": str(place.layout.root), "model": place.model, "store_id": place.store_id}
    return json.dumps({**known, "ann_from": place.ann_from, "threads": 1, "niceness": 0, **other})


STOPS = {
    "before anything is written": "scova.build.compaction.compact.write_graph",
    "while the graph is saved": "scova.stores.ann.write._write",
    "before it is put in its place": "scova.whole.Unfinished.finish",
    "before the metadata": "scova.build.compaction.compact.publish",
    "before the old one is removed": "scova.build.compaction.compact.remove_graphs",
}
KILLED = """
import importlib, os, signal, sys
module, _, name = sys.argv[1].rpartition(".")
try:
    owner = importlib.import_module(module)
except ModuleNotFoundError:
    module, _, inner = module.rpartition(".")
    owner = getattr(importlib.import_module(module), inner)
real = getattr(owner, name)
calls = int(sys.argv[2])
def stop(*words, **named):
    global calls
    calls -= 1
    if calls < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*words, **named)
setattr(owner, name, stop)
from scova.build.compaction.compact import main
sys.exit(main(sys.argv[3:]))
"""


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("where", STOPS)
def test_killed_at_any_step_the_last_graph_is_usable_and_the_next_compaction_clears_up(compacted, where, after):
    edit(compacted, range(35), "then killed")
    words = [sys.executable, "-c", KILLED, STOPS[where], str(after), told(compacted)]
    killed = subprocess.run(words, capture_output=True, env=os.environ)
    assert killed.returncode in (-signal.SIGKILL, 0), killed.stderr
    assert killed.returncode == -signal.SIGKILL or after
    assert compacted.audit() == []
    ready(compacted)
    assert found(compacted, "how it meets then killed").results
    compacted.compactor.end_indexing()
    assert len(graphs(compacted.layout)) == 1
    assert not list(compacted.layout.vectors_folder.glob(".*"))
    assert not stale(compacted)


def test_a_compaction_that_dies_fails_nothing_else(index, caplog, monkeypatch):
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert not index.compactor.end_indexing().hnsw_rebuild_triggered
    assert "no graph was built: exit code 1" in caplog.text
    assert found(index, "how parse meets config").results


def test_a_compaction_that_fails_says_why(index, capfd, monkeypatch):
    def full(*words, **named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(room, "write_graph", full)
    assert room.main([told(index)]) == 1
    assert "No space left" in json.loads(capfd.readouterr().out)["error"]
    assert graphs(index.layout) == []


def test_the_command_builds_it_and_says_so(tree, tmp_path, scova, monkeypatch):
    monkeypatch.setenv("SCOVA_ANN_FROM", str(FROM))
    done = scova("index", tree, "--json").json
    assert done["hnsw_rebuild_triggered"] is True
    assert done["hnsw_rebuild_ms"] > 0
    again = scova("index", tree, "--json").json
    assert (again["hnsw_rebuild_triggered"], again["hnsw_rebuild_ms"]) == (False, 0.0)
    status = scova("status", tree, "--json").json
    assert status["hnsw_index"]["is_stale"] is False
    answer = scova("search", "how parse meets config", tree, "--json").json
    assert answer["timings"]["hnsw_rebuild_triggered"] is False
    assert scova("audit", tree).code == 0


def test_a_place_without_vectors_has_no_graph(tree, tmp_path):
    with Index.open(tree, data=str(tmp_path / "none"), embedder="none", ann_from=1) as index:
        index.refresh()
        assert index.compactor.end_indexing() == (False, 0.0, False)
        assert not index.compactor.start_if_due()
    assert Place(Layout(cache_folder()), "", "", 1).due() is None
