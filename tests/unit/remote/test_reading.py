"""What a server says is read back into the very values it was made from, for every kind of answer."""

import json
from dataclasses import replace

import pytest

from scova.index import Index
from scova.remote import reading
from scova.server import shapes
from scova.types import Filters, Query


@pytest.fixture
def index(project):
    with Index.open(project) as opened:
        opened.refresh()
        yield opened


def over_the_wire(said):
    return json.loads(json.dumps(said))


QUESTIONS = {
    "definitions": (lambda index: index.definitions("hash_password", body=True), shapes.plain, reading.definitions),
    "near": (lambda index: index.definitions("hash_pasword"), shapes.plain, reading.definitions),
    "outline": (lambda index: index.outline(), shapes.plain, reading.outlines),
    "callers": (lambda index: index.callers("hash_password"), shapes.plain, reading.call_tree),
    "callees": (lambda index: index.callees("Session.check_password"), shapes.plain, reading.call_tree),
    "usages": (lambda index: index.usages("hash_password"), shapes.plain, reading.usages),
    "context": (lambda index: index.context("hash_password"), shapes.plain, reading.context),
    "place": (lambda index: index.context("src/auth.py:9"), shapes.plain, reading.context),
    "grep": (lambda index: index.grep("pass(word)?", before=1, after=2), shapes.matched, reading.matches),
    "nothing": (lambda index: index.grep("no such thing"), shapes.matched, reading.matches),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_exact_answers_come_back_as_they_were(index, name):
    ask, shape, read = QUESTIONS[name]
    answer = ask(index)
    assert read(over_the_wire(shape(answer))) == answer


def test_ranked_answers_come_back_with_all_that_is_told_of_them(index):
    answer = index.search(Query("hash_password", limit=5, filters=Filters(languages=("python",))))
    said = over_the_wire(shapes.searched(answer, {}, query="hash_password", mode="hybrid", explain=True))
    back = reading.answer(said)
    assert replace(back, results=()) == replace(answer, results=())
    assert len(back.results) == len(answer.results) > 0
    for mine, theirs in zip(answer.results, back.results, strict=True):
        told = (
            "id",
            "title",
            "text",
            "chunk_type",
            "file_path",
            "start_line",
            "end_line",
            "language",
            "symbol",
            "kind",
            "tags",
        )
        assert [getattr(theirs.chunk, name) for name in told] == [getattr(mine.chunk, name) for name in told]
        assert theirs.chunk.content_hash == mine.chunk.content_hash
        assert theirs.score == pytest.approx(mine.score, abs=1e-6)
        assert theirs.shares == pytest.approx(mine.shares, abs=1e-6)


@pytest.mark.parametrize(
    "read", [reading.answer, reading.definitions, reading.matches, reading.call_tree, reading.files]
)
@pytest.mark.parametrize("said", [{}, {"results": 3}, {"definitions": [{}], "total": 1}, {"files": [None]}])
def test_what_is_no_answer_is_not_taken_for_one(read, said):
    with pytest.raises((AttributeError, KeyError, TypeError, ValueError)):
        read(said)
