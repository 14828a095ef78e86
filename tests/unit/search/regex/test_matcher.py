"""What a pattern finds in a text, whichever way it is found."""

import pytest

from scova.errors import QueryError
from scova.search.regex.matcher import Matcher, Options
from scova.search.regex.pattern.exact import Exact

PLAIN = Options()


def found(pattern: str, text: str | bytes, options: Options = PLAIN) -> list[tuple[bytes, list[bytes]]]:
    """Matching lines with what matched in them."""
    data = text.encode() if isinstance(text, str) else text
    lines = Matcher((pattern,), options).found(data)
    return [(data[start:end], [data[start:end][a:b] for a, b in spans]) for start, end, spans in lines]


def test_lines_and_matches():
    assert found("o+", "foo boo\nbar\nzo") == [(b"foo boo", [b"oo", b"oo"]), (b"zo", [b"o"])]


def test_the_first_alternative_wins_not_the_longest():
    assert found("a|ab", "ab") == [(b"ab", [b"a"])]


def test_an_empty_pattern_matches_every_line_and_no_line_behind_the_last():
    assert [line for line, _ in found("", "a\n\nb\n")] == [b"a", b"", b"b"]
    assert found("", "") == []
    assert [line for line, _ in found("$", "a\n")] == [b"a"]


def test_nothing_matches_over_the_end_of_a_line():
    for pattern in (r"a\sb", "a[^x]b", "(?s)a.b", r"a\Wb", r"a\D+b"):
        assert found(pattern, "a\nb") == []


def test_a_carriage_return_belongs_to_the_line():
    assert found("a$", "a\r\n") == []
    assert found(r"a\r$", "a\r\n") == [(b"a\r", [b"a\r"])]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"\bé", "é caféé", ["é"]),
        (r"é\b", "éa é", ["é"]),
        (r"\B.\B", "日本語", ["本"]),
        (r"\bß\b", "ß aßa", ["ß"]),
        (r"\w+", "naïve_1 ½", ["naïve_1"]),
        (r"\d", "٣ x 7", ["٣", "7"]),
        (r"(?i)straße", "STRAßE", ["STRAßE"]),
        (r"(?i)k", "k K \u212a", ["k", "K", "\u212a"]),
        (r"(?i)s", "ſ", ["ſ"]),
        (r"(?i-u:k)", "k \u212a", ["k"]),
        (r"[^\W\d_]+", "aé1_b", ["aé", "b"]),
        (r"[\w--[a-z]]", "aéB", ["é", "B"]),
        (r"\p{Greek}+", "abc δέλτα", ["δέλτα"]),
        (r"\p{lowercase letter}", "Aa", ["a"]),
        (r"\b{start}\w", "éa bc", ["é", "b"]),
        (r"\w\b{end}", "aé bc", ["é", "c"]),
        (r"(?-u:\b)é", "aé", ["é"]),
    ],
)
def test_characters_beyond_ascii(pattern, text, matches):
    assert found(pattern, text) == [(text.encode(), [match.encode() for match in matches])]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("foo", "foo foo,foo food _foo", ["foo", "foo", "foo"]),
        ("é", "é éa aé é", ["é", "é"]),
        ("a|ab", "ab a", ["ab", "a"]),
        ("-x|y", "-x y a-x", ["-x", "y"]),
        (r"\w+\W", "ab, cd", ["ab,"]),
    ],
)
def test_whole_words(pattern, text, matches):
    assert found(pattern, text, Options(word=True)) == [(text.encode(), [match.encode() for match in matches])]


def test_bytes_that_are_no_text_are_matched_by_nothing_but_themselves_being_skipped():
    assert found("a.b", b"a\xffb") == []
    assert found("[^x]", b"\xff\xed\xa0\x80") == []
    assert found("b", b"a\xffb\n") == [(b"a\xffb", [b"b"])]
    assert found(r"\bb", b"\xffb") == [(b"\xffb", [b"b"])]


def test_smart_case_looks_at_letters_that_are_written_out():
    smart = Options(smart_case=True)
    assert found("foo", "FOO", smart)
    assert not found("Foo", "foo", smart)
    assert found(r"foo\W", "FOO ", smart)
    assert not found(r"\p{Lu}", "a", smart)


def test_several_patterns_are_alternatives_that_do_not_disturb_each_other():
    assert [line for line, *_ in _lines(Matcher(("(?i)a", "b"), PLAIN), b"A\nb\nB")] == [b"A", b"b"]


def _lines(matcher, data):
    return [(data[start:end],) for start, end, _ in matcher.found(data)]


def test_whole_lines():
    assert [line for line, _ in found("a|b+", "a\nab\nbbb", Options(whole_line=True))] == [b"a", b"bbb"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("pattern", [r"(a+a+)+b", r"(?:a*)*$b", r"(\ba+)+\bé"])
def test_a_pattern_that_ruins_others_is_bounded(pattern):
    assert found(pattern, "a" * 3000 + "ü") == []


def test_repetitions_beyond_the_engines_limit_are_unrolled():
    assert found("^a{1500}$", "a" * 1500)
    assert not found("^a{1500}$", "a" * 1499)
    assert found("^(?:a{20}){100}$", "a" * 2000)


@pytest.mark.parametrize("pattern", [r"(?:\w{100}){100}{100}", r"\w{100000}", "(((a{100}){100}){100}){100}"])
def test_a_pattern_that_is_too_large_is_refused(pattern):
    with pytest.raises(QueryError, match="too large"):
        found(pattern, "a")


@pytest.mark.parametrize(
    "pattern", ["a|ab", "(a|ab)(c|bcd)", "a*?b", "(?:a|b)*c", "x?y{2,3}", "[a-c]+d?", "^a|b$", r"\ba\b", "", "a??"]
)
def test_the_exact_matcher_and_the_engine_agree_where_both_are_right(pattern):
    matcher = Matcher((pattern,), PLAIN)
    exact = Exact(matcher.node)
    for line in (b"", b"ab", b"abcd", b"aab c", b"xyyyyd", b"a b ab ba", b"cccd"):
        assert exact.spans(line) == [span for one in matcher.found(line) for span in one.spans] or not line
