"""Patterns are read as Rust's regex crate reads them; what it refuses is refused, with the place."""

import pytest

from scova.errors import QueryError
from scova.search.regex.pattern.parser import LONGEST, literal, parse, refuse_line_feeds
from scova.search.regex.pattern.syntax import ANY, Alternate, Concat, Literal, Look, Range, Repeat, Set, Where


def test_characters_places_and_groups_become_nodes():
    assert parse("^a.(b|cd)$") == Concat(
        (
            Look(Where.LINE_START),
            Literal("a", False),
            ANY,
            Alternate((Literal("b", False), Concat((Literal("c", False), Literal("d", False))))),
            Look(Where.LINE_END),
        )
    )


def test_flags_hold_to_the_end_of_their_group():
    assert parse("a(?i)b") == Concat((Literal("a", False), Literal("b", True)))
    assert parse("(?:(?i)a)b") == Concat((Literal("a", True), Literal("b", False)))
    assert parse("(?i:a)b") == parse("(?:(?i)a)b")
    assert parse("(?i-i:a)") == Literal("a", False)


@pytest.mark.parametrize(
    ("pattern", "least", "most", "greedy"),
    [("a*", 0, None, True), ("a+?", 1, None, False), ("a{2}", 2, 2, True), ("a{ 2 , }", 2, None, True), ("a{2,5}?", 2, 5, False), ("(?U)a*", 0, None, False)],
)  # fmt: skip
def test_repetitions(pattern, least, most, greedy):
    assert parse(pattern) == Repeat(Literal("a", False), least, most, greedy)


def test_single_characters_as_alternatives_are_one_set():
    assert parse("a|b") == Set((Range(97, 97), Range(98, 98)))


def test_white_space_and_comments_are_skipped_when_asked():
    assert parse("(?x) a b # and so on\n c") == parse("abc")


# Pattern, and the position (from 1) that the error names.
REFUSED = [
    ("(a", 1), ("a)", 2), ("[a", 1), ("[]", 1), ("a{2", 2), ("a{", 2), ("a{,2}", 2), ("{", 1), ("*a", 1), ("a|*", 3), ("(*)", 2), ("a{3,1}", 2),
    (r"\q", 1), (r"x\1", 2), (r"\x{110000}", 4), (r"\xg0", 3), (r"\p{nonsense}", 1), (r"[a-\d]", 4), ("[z-a]", 2), (r"[\b]", 2), ("(?=a)", 1),
    ("(?<!a)", 1), ("(?z)", 3), ("(?P<x>a)(?P<x>b)", 13), ("\\", 1), (r"\b{middle}", 4), ("(?-u:.)", 6), (r"(?-u:\xff)", 6), (r"(?-u:\W)", 6),
    ("(?-u:[^a])", 6), ("a{999999}", 2), ("(" * 500 + ")" * 500, 102), ("[" * 500, 102),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "position"), REFUSED, ids=[case[0][:20] for case in REFUSED])
def test_what_cannot_be_read_is_refused_with_its_place(pattern, position):
    with pytest.raises(QueryError) as error:
        parse(pattern)
    assert f"(position {position})" in error.value.message
    assert "^" in error.value.message.split("\n")[2]
    assert error.value.hint


def test_the_mark_stands_under_the_place():
    with pytest.raises(QueryError) as error:
        parse(r"foo\qbar")
    _, shown, marks = error.value.message.split("\n")
    assert shown[marks.index("^") :].startswith(r"\q")


def test_a_huge_pattern_is_refused_at_once():
    with pytest.raises(QueryError):
        parse("a" * (LONGEST + 1))


@pytest.mark.parametrize("pattern", [r"a\nb", r"\n", r"(?:\n)+", r"[\n]", "a|b\\n", r"\x0a"])
def test_a_line_feed_that_is_asked_for_is_refused(pattern):
    with pytest.raises(QueryError, match="line feed"):
        refuse_line_feeds(parse(pattern), pattern)


@pytest.mark.parametrize("pattern", [r"[\nx]", r"\s", r"(\n|x)", r"[^a]", "(?s)."])
def test_a_line_feed_that_is_one_of_several_characters_is_not(pattern):
    refuse_line_feeds(parse(pattern), pattern)


def test_a_fixed_text_has_nothing_special():
    assert literal("a.*") == Concat((Literal("a", False), Literal(".", False), Literal("*", False)))
    with pytest.raises(QueryError, match="line feed"):
        literal("a\nb")
