"""Whether the graph is stale: what sets the flag, what counts as doubt, and that the file is whole at every instant."""

import fcntl
import json
import subprocess
import sys
import threading

import numpy as np
import pytest

from scova.stores.ann.graph import Graph
from scova.stores.ann.metadata import VectorIndexMetadata
from scova.stores.ann.write import write_graph
from scova.stores.layout import Layout, graph_path
from scova.stores.matrix import Matrix, write_matrix
from scova.stores.owned.clearing import remove_unfinished

COUNT, WIDTH = 30, 8


@pytest.fixture
def layout(tmp_path):
    return Layout(tmp_path)


@pytest.fixture
def graph(layout):
    lines = np.random.default_rng(1).integers(-9, 9, (COUNT, WIDTH)).astype(np.int8)
    vectors = [(number, line.tobytes()) for number, line in enumerate(lines, 1)]
    write_matrix(layout.vectors_path(4), vectors, width=WIDTH, model="m", applied_seq=4, store_id="s")
    write_graph(graph_path(layout, 4), Matrix.open(layout.vectors_path(4), "m"))
    return Graph.open(graph_path(layout, 4), "m")


@pytest.fixture
def fresh(layout, graph):
    """Metadata that says the graph is up to date."""
    metadata = VectorIndexMetadata(layout)
    metadata.rebuilt(graph, lambda: True)
    assert not metadata.is_stale(COUNT)
    return metadata


def said(layout):
    return json.loads(layout.collection_meta.read_text())["hnsw_index"]


def test_a_rebuilt_index_is_described_in_the_words_that_were_agreed(layout, graph, fresh):
    found = said(layout)
    agreed = ("version", "vector_count", "is_stale", "vector_dim", "M", "ef_construction", "space", "file_size_bytes")
    assert [found[name] for name in agreed] == [1, COUNT, False, WIDTH, 16, 200, "cosine", graph.file_size]
    assert found["last_rebuild"]
    assert found["last_marked_stale"] is None
    assert (found["file"], found["applied_seq"], found["last_row"]) == ("4.hnsw", 4, COUNT)
    assert fresh.describes(graph)


def test_mark_stale_sets_the_flag_and_the_time_and_keeps_the_rest(layout, fresh):
    before = said(layout)
    fresh.mark_stale()
    after = said(layout)
    assert after["is_stale"] is True
    assert after["last_marked_stale"]
    assert {**after, "is_stale": False, "last_marked_stale": None} == before


def test_mark_stale_uses_the_metadata_lock(layout, fresh):
    with layout.metadata_lock.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        marking = threading.Thread(target=fresh.mark_stale)
        marking.start()
        marking.join(0.3)
        assert marking.is_alive()
        assert said(layout)["is_stale"] is False
        fcntl.flock(other, fcntl.LOCK_UN)
        marking.join(120)
    assert said(layout)["is_stale"] is True
    assert layout.metadata_lock.name == ".metadata.lock"


def test_reading_takes_no_lock(layout, fresh):
    with layout.metadata_lock.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert fresh.is_stale(COUNT) is False


def test_is_stale_on_the_flag(fresh):
    fresh.mark_stale()
    assert fresh.is_stale(COUNT)


@pytest.mark.parametrize("count", [0, COUNT - 1, COUNT + 1])
def test_is_stale_on_count_mismatch(fresh, count):
    assert fresh.is_stale(count)


def test_is_stale_on_a_missing_or_shortened_index_file(graph, fresh):
    graph.path.write_bytes(graph.path.read_bytes()[:-1])
    assert fresh.is_stale(COUNT)
    graph.path.unlink()
    assert fresh.is_stale(COUNT)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"hnsw_index": 3}', b"\xff\xfe", b"{}"])
def test_is_stale_on_unreadable_metadata(layout, fresh, content):
    layout.collection_meta.write_bytes(content)
    assert fresh.is_stale(COUNT)
    assert not fresh.is_readable()
    fresh.mark_stale()
    assert fresh.is_readable()
    assert said(layout)["is_stale"] is True


def test_is_stale_without_metadata_and_nobody_minds(layout):
    metadata = VectorIndexMetadata(layout)
    assert metadata.is_stale(0)
    assert metadata.is_readable()


@pytest.mark.parametrize("missing", ["is_stale", "version", "vector_count", "file", "file_size_bytes"])
def test_is_stale_on_an_older_version_without_the_fields(layout, fresh, missing):
    found = said(layout)
    del found[missing]
    layout.collection_meta.write_text(json.dumps({"hnsw_index": found}))
    assert fresh.is_stale(COUNT)


def test_is_stale_on_another_version(layout, fresh):
    layout.collection_meta.write_text(json.dumps({"hnsw_index": {**said(layout), "version": 0}}))
    assert fresh.is_stale(COUNT)


def test_marking_again_writes_nothing(layout, fresh):
    fresh.mark_stale()
    first = layout.collection_meta.stat()
    for _ in range(10):
        fresh.mark_stale()
    again = layout.collection_meta.stat()
    assert (again.st_ino, again.st_mtime_ns) == (first.st_ino, first.st_mtime_ns)


def test_marking_before_there_is_any_graph_says_so(layout):
    VectorIndexMetadata(layout, vector_dim=256).mark_stale()
    found = said(layout)
    assert (found["is_stale"], found["vector_count"], found["vector_dim"], found["last_rebuild"]) == (
        True,
        0,
        256,
        None,
    )


def test_what_was_committed_while_the_graph_was_built_leaves_it_stale(layout, graph, fresh):
    fresh.mark_stale()
    fresh.rebuilt(graph, lambda: False)
    assert said(layout)["is_stale"] is True
    assert said(layout)["last_marked_stale"]


def test_nobody_can_mark_between_the_look_and_the_writing(layout, graph, fresh):
    """Otherwise the mark of a change that the graph does not know would be overwritten."""
    marking = threading.Thread(target=fresh.mark_stale)

    def look():
        marking.start()
        marking.join(0.2)
        assert marking.is_alive()
        return True

    fresh.rebuilt(graph, look)
    marking.join(120)
    assert said(layout)["is_stale"] is True


def test_what_others_keep_in_the_file_stays(layout, fresh):
    layout.collection_meta.write_text(json.dumps({"other": 1, "hnsw_index": said(layout)}))
    fresh.mark_stale()
    assert json.loads(layout.collection_meta.read_text())["other"] == 1


def test_what_a_killed_writer_left_is_cleared_up(layout, fresh):
    left = layout.root / ".collection_meta.json.12345.unfinished"
    left.write_text("{")
    remove_unfinished(layout)
    assert left.exists()  # a build does not touch it: whoever holds the metadata lock may be writing it
    fresh.mark_stale()
    assert not left.exists()


READER = """
import json, sys
from pathlib import Path
path, stop, read = Path(sys.argv[1]), Path(sys.argv[2]), 0
while not stop.exists():
    found = json.loads(path.read_text())["hnsw_index"]
    assert found["is_stale"] in (True, False) and found["M"] == 16
    read += 1
    if read == 1: print("reading", flush=True)
print(read)
"""


def test_metadata_is_valid_json_at_every_instant_under_a_reader_loop_in_another_process(layout, graph, fresh, tmp_path):
    words = [sys.executable, "-c", READER, str(layout.collection_meta), str(tmp_path / "stop")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as reader:
        assert reader.stdout.readline() == "reading\n", reader.stderr.read()
        for _ in range(150):
            fresh.mark_stale()
            fresh.rebuilt(graph, lambda: True)
        (tmp_path / "stop").touch()
        out, err = reader.communicate(timeout=120)
    assert reader.returncode == 0, err
    assert int(out) > 10


MARKER = """
import sys
from pathlib import Path
from scova.stores.ann.graph import Graph
from scova.stores.ann.metadata import VectorIndexMetadata
from scova.stores.layout import Layout, graph_path
layout = Layout(Path(sys.argv[1])); metadata = VectorIndexMetadata(layout); graph = Graph.open(graph_path(layout, 4), "m")
for _ in range(60):
    metadata.mark_stale(); metadata.rebuilt(graph, lambda: False); metadata.mark_stale()
"""


def test_several_processes_may_mark_at_once(layout, fresh):
    marking = [subprocess.Popen([sys.executable, "-c", MARKER, str(layout.root)]) for _ in range(3)]
    assert [process.wait(120) for process in marking] == [0, 0, 0]
    assert said(layout)["is_stale"] is True
    assert not list(layout.root.glob(".*unfinished"))
