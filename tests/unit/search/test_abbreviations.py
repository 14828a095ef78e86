"""Words that programmers shorten are found by either spelling, where the other one is what the project says."""

import re
from pathlib import Path

import pytest

from indexed import view_of
from scova.mcp import shapes as mcp_shapes
from scova.remote import reading
from scova.search.answer import answer
from scova.search.asked import abbreviations
from scova.search.asked.abbreviations import spellings_of
from scova.search.asked.evidence import SHORTENED, wanted
from scova.server import shapes
from scova.server.schemas.answers import Found
from scova.tokens import stem
from scova.types import Mode, Query

TABLE = Path(abbreviations.__file__).with_suffix(".txt")
LINES = TABLE.read_text().splitlines()
ENTRY = re.compile(r"([a-z]{2,20}) ([a-z]{4,30}) (0\.[1-9]|1\.0)")


def words_for(word):
    return {one.word: one.weight for one in spellings_of(stem(word))}


def only(*usual):
    """The rarity of words in a project that says these often and all others hardly ever."""
    terms = set(map(stem, usual))
    return lambda term: 1.0 if term in terms else 9.0


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("cfg", "config"),
        ("cfg", "configuration"),
        ("auth", "authentication"),
        ("ctx", "context"),
        ("req", "request"),
        ("db", "database"),
        ("msg", "message"),
        ("env", "environment"),
        ("repo", "repository"),
        ("dir", "directory"),
        ("conn", "connection"),
        ("param", "parameter"),
        ("attr", "attribute"),
    ],
)
def test_what_everybody_shortens_was_learned_and_is_known_both_ways(short, long):
    assert words_for(short)[long] == words_for(long)[short] > 0


def test_relatives_of_a_word_lead_to_the_same_spellings():
    assert words_for("authenticated") == words_for("authentication") == words_for("authenticator")


def test_an_ambiguous_short_word_keeps_its_usual_meanings_by_weight():
    assert words_for("auth")["authentication"] > words_for("auth")["authorization"] > 0
    assert list(words_for("str")) == ["string"]


@pytest.mark.parametrize("word", ["furrow", "", "c", "conf1g", "werkstück", "weight", "0.4", "short"])
def test_a_word_that_nobody_shortens_has_no_other_spelling(word):
    assert spellings_of(stem(word)) == ()


def test_the_table_is_small_plain_sorted_and_says_how_it_was_made():
    header, *entries = LINES
    assert header.startswith("# short long weight: made by training/abbreviations.py from ")
    assert TABLE.stat().st_size < 20_000 and 200 < len(entries) < 1000
    assert all(map(ENTRY.fullmatch, entries)) and entries == sorted(set(entries))


def test_every_entry_is_found_from_both_of_its_words():
    for short, long, _ in (line.split() for line in LINES[1:]):
        assert stem(short) in {one.term for one in spellings_of(stem(long))}, short
        assert stem(long) in {one.term for one in spellings_of(stem(short))}, long


def test_a_spelling_counts_like_a_shortened_word_times_its_weight():
    found = wanted(["authorization"], only("auth")).spellings
    assert found["auth"] == (stem("authorization"), pytest.approx(SHORTENED))  # a beginning of it, as ever
    found = wanted(["auth"], only("authorization", "authentication")).spellings
    assert found[stem("authentication")] == ("auth", pytest.approx(SHORTENED * words_for("auth")["authentication"]))
    assert found[stem("authorization")] == ("auth", pytest.approx(SHORTENED * words_for("auth")["authorization"]))


def test_names_and_paths_are_found_by_what_the_project_calls_the_thing():
    assert wanted(["configuration"], only("cfg")).found(["cfg"]) == (
        {stem("configuration"): SHORTENED * 0.9},
        SHORTENED * 0.9,
    )
    assert wanted(["cfg"], only("config")).found(["config"]) == ({"cfg": SHORTENED}, SHORTENED)


def test_a_spelling_that_is_no_more_usual_than_the_asked_one_is_not_looked_for():
    assert "cfg" not in wanted(["configuration"], lambda term: 5.0).words
    assert "cfg" not in wanted(["configuration"], only("configuration", "cfg")).words
    assert wanted(["configuration"], lambda term: 5.0).others == {}


def test_a_word_that_is_asked_for_keeps_its_own_worth():
    assert wanted(["cfg", "config"], only("config")).spellings["config"] == ("config", 1.0)
    assert "cfg" not in wanted(["cfg", "config", "configuration"], only("config")).others


SETTINGS = "class Cfg:\n    def load_cfg(self):\n        cfg = open('x')\n        return cfg\n"
OTHERS = {f"part{n}.py": f"def step{n}(value):\n    return value + {n}\n" for n in range(6)}


def test_a_text_search_finds_the_usual_spelling_and_tells_that_it_did():
    view = view_of({"settings.py": SETTINGS, **OTHERS})
    for mode in (Mode.TEXT, Mode.HYBRID):
        found = answer(view, Query("configuration", mode=mode))
        assert found.results[0].chunk.file_path == "settings.py", mode
        assert found.spelled == {"configuration": {"cfg": 0.9}}


def test_where_the_asked_word_is_usual_nothing_else_is_looked_for():
    said = {f"said{n}.py": f"def configuration{n}():\n    return 'configuration'\n" for n in range(6)}
    found = answer(view_of({"settings.py": SETTINGS, **said}), Query("configuration", mode=Mode.TEXT, limit=20))
    assert found.spelled == {}
    assert "settings.py" not in {result.chunk.file_path for result in found.results}


@pytest.mark.parametrize("mode", [Mode.SYMBOL])
def test_a_search_by_name_takes_names_as_they_are_written(mode):
    found = answer(view_of({"settings.py": SETTINGS, **OTHERS}), Query("configuration", mode=mode))
    assert found.results == () and found.spelled == {}


def test_explain_prints_and_tells_in_json_what_was_looked_for(scova, tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    for name, text in {"settings.py": SETTINGS, **OTHERS}.items():
        (tree / name).write_text(text)
    words = ("search", "configuration", tree, "--data", tmp_path / "data")
    assert "configuration also as cfg 0.9" in scova(*words, "--explain").out.splitlines()
    assert scova(*words, "--explain", "--json").json["spelled"] == {"configuration": {"cfg": 0.9}}
    assert "spelled" not in scova(*words, "--json").json


def test_servers_and_agents_tell_it_too_when_it_is_to_be_explained():
    found = answer(view_of({"settings.py": SETTINGS, **OTHERS}), Query("configuration"))
    for explain in (True, False):
        said = shapes.searched(found, {}, query="configuration", mode="hybrid", explain=explain)
        agent = mcp_shapes.searched(found, whole=False, explain=explain).beside
        assert said.get("spelled") == agent.get("spelled") == ({"configuration": {"cfg": 0.9}} if explain else None)
        assert Found.model_validate(said).spelled == said.get("spelled")
        assert reading.answer(said).spelled == said.get("spelled", {})
