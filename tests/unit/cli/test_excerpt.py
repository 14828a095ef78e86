"""Of a long chunk those lines are shown that say what was asked; beside the results, every count says what it counts."""

import pytest

from scova.cli.shown.beside import counts
from scova.cli.shown.excerpt import SHOWN_LINES, WIDTH, excerpt, sayer
from scova.counted import clipped, counted, waiting
from scova.types import UNKNOWN_FRESHNESS, Answer, Literal, Mode, Query

PLAIN = [f"line {number}" for number in range(40)]


def shown(lines, question, mode=Mode.HYBRID, spelled=None):
    return excerpt("\n".join(lines) + "\n", sayer(Query(question, mode=mode), spelled or {}))


def with_lines(**put):
    return [put.get(f"at{number}", line) for number, line in enumerate(PLAIN)]


def test_a_short_chunk_is_shown_whole_without_blank_lines_at_its_end():
    found = shown([*PLAIN[:SHOWN_LINES], "", ""], "anything")
    assert (list(found.lines), found.gaps) == (list(range(SHOWN_LINES)), {})


def test_the_first_line_and_the_lines_that_say_most_are_shown_and_the_others_are_counted():
    found = shown(
        with_lines(at5="password", at25="the username", at26="and passwords"), "where is the username and password"
    )
    places = list(found.lines)
    assert places[0] == 0 and places[1:] == list(range(places[1], places[1] + SHOWN_LINES - 1))
    assert {25, 26} <= set(places) and 5 not in places
    before, behind = places[1] - 1, len(PLAIN) - places[-1] - 1
    assert found.gaps == {0: before, places[-1]: behind} and before + behind + len(places) == len(PLAIN)


def test_where_nothing_is_said_or_the_beginning_says_as_much_the_chunk_is_shown_from_its_beginning():
    for found in (shown(PLAIN, "password"), shown(with_lines(at2="password", at30="password"), "password")):
        assert list(found.lines) == list(range(SHOWN_LINES)) and found.gaps == {SHOWN_LINES - 1: 40 - SHOWN_LINES}


def test_lines_at_the_very_end_have_nothing_behind_them():
    found = shown([*with_lines(at39="password"), ""], "password")
    assert max(found.lines) == 39 and list(found.gaps) == [0]


@pytest.mark.parametrize(
    ("question", "line", "mode"),
    [
        ("parsers", "the parsing", Mode.VECTOR),
        ("parseConfig", "def parse_config", Mode.HYBRID),
        ('"two words"', "two words", Mode.TEXT),
        ("pars*", "xparsx", Mode.HYBRID),
        ("+must path:src", "must", Mode.HYBRID),
        (r"pa\w{2}e\(", "parse(1)", Mode.REGEX),
    ],
)
def test_words_are_seen_as_they_are_found(question, line, mode):
    assert 30 in shown(with_lines(at30=line), question, mode).lines


def test_what_a_word_is_called_here_counts_and_what_is_not_shown_of_a_line_does_not():
    lines = with_lines(at10=" " * WIDTH + "configuration", at30="cfg")
    assert 30 in shown(lines, "configuration", spelled={"configuration": ["cfg"]}).lines


def test_a_line_that_is_cut_says_so():
    found = shown(["x" * (WIDTH + 1)], "x")
    assert found.lines[0] == "x" * (WIDTH - 1) + "…" and shown(["x" * WIDTH], "x").lines[0] == "x" * WIDTH
    assert clipped("one two", 5) == "one…"


def answer(*, total=40, literal=None, after="after-10"):
    return Answer((), total, bool(after), after, literal or Literal("", 0, 0, {}), 0, UNKNOWN_FRESHNESS, 0, {})


@pytest.mark.parametrize("mode", Mode)
def test_only_what_really_matched_is_said_to(mode):
    how = "considered" if mode in (Mode.HYBRID, Mode.VECTOR) else "matched"
    assert list(counts(Query("x", mode=mode), answer())) == [f"40 chunks {how}; more: --next after-10"]


def test_what_is_counted_literally_says_how():
    def said(text, count, files, mode=Mode.HYBRID):
        return next(counts(Query(text, mode=mode), answer(literal=Literal(text, count, files, {}))))

    assert said("teardown", 47, 13) == "`teardown` occurs 47 times in 13 files (as a whole word, in this spelling)"
    assert said("tear down", 1, 1) == "`tear down` occurs 1 time in 1 file (as whole words, in this spelling)"
    assert said("a+", 1, 1, Mode.REGEX) == "1 line in 1 file matches `a+`"


def test_one_is_singular():
    assert [counted(number, "file") for number in range(3)] == ["0 files", "1 file", "2 files"]
    assert counted(2, "index", "indexes") == "2 indexes"
    assert (waiting(1), waiting(2)) == ("1 chunk waits for its vector", "2 chunks wait for their vectors")
