"""What a pattern needs: enough to rule files out, never so much that one is missed."""

import pytest

from scova.search.regex.matcher import Matcher, Options
from scova.search.regex.required import NOTHING, Needs, required


def needs(pattern: str, **options: bool) -> Needs:
    return required(Matcher((pattern,), Options(**options)).node)


def test_a_word_needs_all_its_grams():
    assert needs("Parse") == Needs(frozenset((b"par", b"ars", b"rse")))


@pytest.mark.parametrize("pattern", [r"o\rx", r"fo\r$", r"fo[\r\t]", r"fo(?:\r|x)"])
def test_a_carriage_return_is_never_needed_as_the_index_has_none_at_the_end_of_a_line(pattern):
    assert needs(pattern) == NOTHING


def test_alternatives_need_one_of_them():
    (options,) = needs("abc|xyz").either
    assert set(options) == {Needs(frozenset((b"abc",))), Needs(frozenset((b"xyz",)))}


def test_what_all_alternatives_need_is_needed():
    assert needs("foobar|foobaz").grams == {b"foo", b"oob", b"oba"}


@pytest.mark.parametrize(
    ("pattern", "grams"),
    [
        ("foo.*bar", {b"foo", b"bar"}),
        ("(foo)+x", {b"foo", b"oox"}),
        ("a?bcd", {b"bcd"}),
        (r"\bfoo\b", {b"foo"}),
        ("fo{2}x", {b"foo", b"oox"}),
        (r"ab\w+cde", {b"cde"}),
        ("^foo$", {b"foo"}),
        (r"foo\r", {b"foo"}),
    ],
)
def test_grams_of_parts(pattern, grams):
    assert grams <= needs(pattern).grams


@pytest.mark.parametrize(
    "pattern", ["", "ab", r"\w+", "a|bcd", "(?:abc)?", "(?:abc)*", "[a-z]bc", "a.b.c", "(?i)éa", "abc|"]
)
def test_what_could_be_without_needs_nothing(pattern):
    assert needs(pattern) == NOTHING


def test_ignoring_case_does_not_lose_letters_beyond_ascii_that_are_the_same():
    """The Kelvin sign is a k and the long s is an s: both are indexed as what they are when case is ignored."""
    assert needs("task", ignore_case=True) == needs("TAſ\u212a") == Needs(frozenset((b"tas", b"ask")))


def test_text_without_case_is_needed_even_when_case_is_ignored():
    assert needs("日", ignore_case=True) == Needs(frozenset(("日".encode(),)))
