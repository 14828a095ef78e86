"""How large a pattern may be, and what is said of a larger one."""

import pytest

from scova.errors import QueryError
from scova.search.regex.matcher import Matcher, Options
from scova.search.regex.pattern.exact import Exact
from scova.search.regex.pattern.parser import parse
from scova.search.regex.pattern.size import MOST_ADDED, checked, states


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "abc",
        "a|bc|",
        "a*",
        "a+?",
        "a?",
        "a{3}",
        "a{2,5}",
        "a{2,}",
        "a{0}",
        "(a|b){1,3}c",
        "(a{1,3}b){2,4}",
        r"\bx\b",
    ],
)
def test_states_are_the_steps_of_the_exact_matcher(pattern):
    """Which writes repetitions out; and it has one more, the end."""
    assert states(parse(pattern)) + 1 == len(Exact(parse(pattern))._steps)


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        (r"\w{2400}!", "repeat less often than `{2400}`"),
        (r"\pL{1,600}!", "write `+` instead of `{1,600}`"),
        ("x{1,9000}y", "write `+` instead of `{1,9000}`"),
        ("x{0,9000}y", "write `*` instead of `{0,9000}`"),
        ("x{5,9000}", "write `{5,}` instead of `{5,9000}`"),
        ("x{4000,9000}", "write `{4000,}` instead of `{4000,9000}`"),
        ("(a{2,3000}){2}", "write `{2,}` instead of `{2,3000}`"),
        ("x{6000,9000}", "repeat less often than `{6000,9000}`"),
        ("x{9000}", "repeat less often than `{9000}`"),
        ("x{9000,}", "repeat less often than `{9000,}`"),
        ("(x{1,300}){1,200}y", "write `+` instead of `{1,200}`"),
        ("a{2}(x?){5000}", "repeat less often than `{5000}`"),
    ],
)
def test_a_pattern_that_is_too_large_is_refused_with_what_to_write_instead(pattern, hint):
    with pytest.raises(
        QueryError, match=r"too large to be matched: .* add [\d,]+ states, and 5,000 are the most"
    ) as refused:
        Matcher((pattern,), Options())
    assert hint in refused.value.hint


def test_what_is_to_be_written_instead_is_taken_and_finds_the_same():
    text = b"xxxx\nxxxxx\nxxxxxx\n"
    assert [line.start for line in Matcher(("x{5,}",), Options()).found(text)] == [5, 11]
    Matcher(("x{4000,}",), Options())


def test_several_patterns_count_together():
    with pytest.raises(QueryError, match="too large"):
        Matcher(["x{1,900}y"] * 3, Options())
    Matcher(["x{1,900}y"] * 2, Options())


def test_long_texts_and_lists_of_words_are_taken():
    words = [f"word{number}" for number in range(2_000)]
    found = list(
        Matcher([*words, "x" * 9_000], Options(fixed=True)).found(b"a word17\n" + b"x" * 9_000 + b"\nnothing\n")
    )
    assert [(line.start, line.spans) for line in found] == [(0, [(2, 7)]), (9, [(0, 9_000)])]


@pytest.mark.parametrize(
    "pattern",
    ["x{1,2400}y", "import.{0,1000}from", r"\w{1,256}", "[0-9a-f]{64}", "(?:a{1,30}b){1,60}"],
)
def test_what_people_write_is_taken(pattern):
    assert checked(parse(pattern)) <= MOST_ADDED
    Matcher((pattern,), Options())
