"""`scova search` says when nothing relevant is there, on a real tree: a copy of our own folder of sources."""

import shutil
from pathlib import Path

import pytest

from scova.mcp.shapes import NOTHING_RELEVANT, searched
from scova.projects.asking import _merged
from scova.remote.reading import answer as read_back
from scova.server.shapes import searched as sent
from scova.types import Query

SOURCES = Path(__file__).parents[2] / "src/scova/sources"
REAL = "how are ignore rules of git applied to a folder"
FOREIGN = "how does the tractor steer along the furrow of a field"
SAID = "nothing here seems to answer this; the nearest are:"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("tree") / "sources"
    shutil.copytree(SOURCES, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture(params=["static", "none"])
def ask(request, tree, tmp_path_factory, scova, monkeypatch):
    """Ask the tree, with vectors and without."""
    monkeypatch.setenv("SCOVA_EMBEDDER", request.param)
    data = tmp_path_factory.mktemp("data") / "index"
    return lambda *words: scova("search", words[0], tree, "--data", data, *words[1:])


def test_a_real_question_is_answered_and_a_foreign_one_flagged(ask):
    found, foreign = ask(REAL), ask(FOREIGN)
    assert (found.code, foreign.code) == (0, 1)
    assert SAID not in found.err and SAID in foreign.err
    assert " 1. " in found.out and " 1. " in foreign.out  # the nearest are shown either way
    assert SAID not in foreign.out


def test_json_has_the_judgement_and_no_word_beside_it(ask):
    found, foreign = ask(REAL, "--json"), ask(FOREIGN, "--json")
    assert found.json["nothing_relevant"] is False and found.json["relevance"] > 0.5
    assert foreign.json["nothing_relevant"] is True and foreign.json["relevance"] < 0.17
    assert foreign.json["results"] and foreign.code == 1
    assert SAID not in foreign.err and "judged_by" not in foreign.json


def test_explain_tells_what_it_was_judged_by(ask):
    first = ask(FOREIGN, "--explain").out.splitlines()[0]
    assert first.startswith("relevance 0.") and "start -" in first
    assert set(ask(FOREIGN, "--explain", "--json").json["judged_by"]) >= {"start", "words", "matched", "named"}


def test_names_words_and_phrases_that_are_there_are_found_in_every_mode(ask):
    for words in (["FolderSource"], ["symlink"], [f'{FOREIGN} "info/exclude"'], [FOREIGN, "--path", "*.py"]):
        done = ask(*words)
        assert done.code == 0 and SAID not in done.err, words
    assert ask("FolderSource", "--mode", "symbol").code == 0
    assert ask("def .*items", "--mode", "regex").code == 0
    assert ask("zzz.*qqq", "--mode", "regex", "--json").json["nothing_relevant"] is True


def test_every_door_says_the_same(tree, tmp_path):
    from scova import Index

    with Index.open(str(tree), data=str(tmp_path / "data" / "index")) as index:
        index.refresh()
        found, foreign = index.search(REAL), index.search(FOREIGN)
    agent = searched(foreign, whole=False, explain=False).beside
    assert agent["nothing_relevant"] is True and agent["note"] == NOTHING_RELEVANT
    assert agent["relevance"] == round(foreign.relevance, 2)
    assert "note" not in searched(found, whole=False, explain=False).beside
    over = sent(foreign, {}, query=FOREIGN, mode="hybrid", explain=True)
    back = read_back(over)
    assert back.nothing_relevant is True and back.relevance == pytest.approx(foreign.relevance, abs=1e-4)
    assert back.judged_by.keys() == foreign.judged_by.keys()
    older = {key: value for key, value in over.items() if key not in ("relevance", "nothing_relevant", "judged_by")}
    assert read_back(older).nothing_relevant is False
    together = _merged([foreign, found], Query(REAL))
    assert together.nothing_relevant is False and together.relevance == found.relevance
