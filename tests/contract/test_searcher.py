"""What every Searcher promises: immutable, idempotent, filters before choosing."""

import pytest

from scova.embed.static import StaticEmbedder
from scova.protocols import Searcher
from scova.search.searchers.text import TextSearcher
from scova.search.searchers.vector import Embedding, VectorSearcher
from scova.types import Chunk, ChunkId, ChunkType, Row


def chunk(row: int, text: str) -> Chunk:
    return Chunk(
        ChunkId(f"chunk {row}"), "", text, ChunkType.DEFINITIONS, f"f{row}.py", 1, 1, "python", "", row=Row(row)
    )


CHUNKS = [chunk(1, "parse the config file"), chunk(2, "open a network socket"), chunk(3, "hash the password")]


def text_searcher() -> Searcher:
    return TextSearcher.open(None)


def vector_searcher() -> Searcher:
    model = StaticEmbedder()

    def vectors(chunks):
        return dict(zip([c.row for c in chunks], model.embed([c.text for c in chunks]), strict=True))

    return VectorSearcher.open(Embedding(model.width, model.embed_query, vectors), None)


@pytest.fixture(params=[text_searcher, vector_searcher])
def empty(request) -> Searcher:
    return request.param()


def best(searcher: Searcher, text: str, **options) -> list[int]:
    return [hit.row for hit in searcher.search(text, 3, **options)]


def test_an_empty_one_finds_nothing(empty):
    assert best(empty, "config") == []


def test_an_update_returns_another_and_leaves_the_first_as_it_was(empty):
    full = empty.update_incremental(CHUNKS, [], [])
    assert best(full, "the config file")[0] == 1
    assert best(empty, "the config file") == []


def test_the_same_changes_twice_give_the_same_answers(empty):
    once = empty.update_incremental(CHUNKS, [], [])
    twice = once.update_incremental(CHUNKS, [], [])
    assert list(once.search("password hash", 3)) == list(twice.search("password hash", 3))
    gone = once.update_incremental([], [], [(Row(3), "chunk 3")])
    assert 3 not in best(gone, "password hash")
    again = gone.update_incremental([], [], [(Row(3), "chunk 3")])
    assert list(gone.search("socket", 3)) == list(again.search("socket", 3))


def test_what_is_not_allowed_is_not_found_and_takes_no_place(empty):
    full = empty.update_incremental(CHUNKS, [], [])
    assert best(full, "the config file", allowed={Row(2), Row(3)})[0] != 1
    assert best(full, "the config file", allowed=set()) == []
