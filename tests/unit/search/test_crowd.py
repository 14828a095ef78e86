"""Thousands of chunks that are equally good do not make a search slow, and which of them are shown does not depend on history."""

from scova import Index
from scova.search.find import MOST_EQUALS
from scova.search.ranking.fuse import TEXT_CANDIDATES, VECTOR_CANDIDATES


def test_a_crowd_of_equals_is_cut_by_path_and_stays_complete_in_pages(tmp_path, monkeypatch):
    root = tmp_path / "tree"
    root.mkdir()
    for number in range(800):
        (root / f"made_{number:03}.py").write_text("def generated():\n    return 'aubergine'\n")
    looked_at = []
    with Index.open(root, data=str(tmp_path / "data")) as index:
        index.refresh()
        lights = type(index._searching().view().chunk_set).lights
        monkeypatch.setattr(
            "scova.chunks.chunkset.ChunkSet.lights",
            lambda self, rows: looked_at.append(len(rows)) or lights(self, rows),
        )
        answer = index.search("aubergine", limit=10)
        assert max(looked_at) <= TEXT_CANDIDATES + VECTOR_CANDIDATES + 2 * MOST_EQUALS + 20
        assert [result.chunk.file_path for result in answer.results] == [f"made_{n:03}.py" for n in range(10)]
        assert answer.total >= 800
        seen, after = [], ""
        while True:
            page = index.search("aubergine", limit=100, after=after)
            seen += [result.chunk.id for result in page.results]
            after = page.next
            if not after:
                break
        assert len(seen) == len(set(seen)) >= 800
