"""Exactly what was typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidates import chunk
from scova.search.asked.literal import _bounded, _occurrences, count, holding, literal_of, literal_terms
from scova.search.asked.query import parse
from scova.tokens import terms, words
from scova.types import ChunkType


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ('find "not found" here', "not found"),
        ("parse_config", "parse_config"),
        ("Class.method", "Class.method"),
        ("two words", ""),
        ('"=>"', "=>"),
    ],
)
def test_a_phrase_or_a_single_identifier_is_counted(text, literal):
    assert literal_of(parse(text)) == literal


def test_occurrences_are_bounded_by_words_mind_case_and_come_by_file():
    found = count("run", [chunk("run(run) rerun run_all Run\n"), chunk("run\n", "b.py"), chunk("nothing\n", "c.py")])
    assert dict(found.by_file) == {"src/app.py": 2, "b.py": 1}
    assert (found.count, found.files) == (3, 2)


def test_borders_are_asked_only_where_the_literal_ends_in_a_word():
    assert count("run(", [chunk("rerun(x) run(y)\n")]).count == 1
    assert count(".run", [chunk("a.run b.running\n")]).count == 1


def test_the_map_of_symbols_is_not_text_of_the_file():
    assert count("run", [chunk("run\n", chunk_type=ChunkType.SYMBOLS), chunk("run\n")]).count == 1


def test_most_come_first_then_by_path():
    found = count("x", [chunk("x", "b"), chunk("x", "a"), chunk("x x", "c")])
    assert list(found.by_file) == ["c", "a", "b"]


def test_terms_of_a_literal_are_in_every_text_that_holds_it():
    literal = "HTTPServer.run_once"
    held = {term for word in words(f"x {literal}() y") for term in terms(word)}
    assert literal_terms(literal)
    assert set(literal_terms(literal)) <= held


def passes(query, text):
    return all(any(holding(item)(text) for item in group) for group in parse(query).demands)


def test_a_phrase_minds_borders_and_minds_case_when_it_has_capitals():
    assert passes('"not found"', "File Not Found!")
    assert not passes('"not found"', "cannot foundry")
    assert passes('"Not Found"', "Not Found")
    assert not passes('"Not Found"', "not found")


def test_demands_are_checked_on_the_text():
    assert passes("+config reader", "loadConfig()")
    assert not passes("+config reader", "reader")
    assert passes("x pars*", "theParser")
    assert not passes("x pars*", "sparse")
    assert passes("x *pars*", "sparse")
    assert passes("a OR b", "only b")
    assert not passes("alpha OR beta", "gamma")
    assert passes("alpha OR pars*", "theParser")
    assert not passes("alpha OR pars*", "sparse")
    assert passes("__ini*", "def __init__(self)")
    assert not passes("__ini*", "initial")
    assert not passes("__ini*", "x__init__")
    assert passes("mp*", "theHTTP_mpeg")
    assert not passes("mp*", "temperature lamp")
    assert parse("plain words").demands == ()


@given(st.text("ab_ .é中", min_size=1, max_size=3).filter(str.strip), st.text("ab_ .é中", max_size=14))
def test_occurrences_equal_those_of_a_bounded_pattern(literal, text):
    assert _occurrences(literal, text) == len(_bounded(literal).findall(text))
