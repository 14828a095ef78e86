"""What ends a line, and what a text was before its line ends became line feeds."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scova.core.line_ends import as_in_file, with_line_feeds

TEXTS = st.lists(st.sampled_from(["a", "é", " ", "\r", "\n", "\r\n", "\u2028", "\f", "\x85"]), max_size=30).map("".join)


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a\r\nb\r\n", "a\nb\n"), ("a\nb\r\n", "a\nb\n"), ("a\r\r\n\r\nb", "a\n\nb"), ("a\rb\r", "a\rb\r"), ("", ""), ("\r", "\r"), ("\n\r", "\n\r")],
)  # fmt: skip
def test_returns_before_a_line_feed_are_part_of_the_end(text, kept):
    assert with_line_feeds(text) == kept


@given(TEXTS)
def test_lines_keep_their_number_and_their_text(text):
    kept = with_line_feeds(text)
    assert "\r\n" not in kept
    assert with_line_feeds(kept) == kept
    *before, last = text.split("\n")
    assert kept.split("\n") == [*(line.rstrip("\r") for line in before), last]


@given(TEXTS, st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_a_file_is_known_again_by_its_size_and_hash_or_not_at_all(text, mark):
    data = mark + text.encode()
    found = as_in_file(with_line_feeds(text), len(data), hashlib.sha256(data).hexdigest())
    ends = {text[max(0, at - 1) : at + 1] == "\r\n" for at, character in enumerate(text) if character == "\n"}
    assert found == text or (found is None and (len(ends) == 2 or "\r\r\n" in text))
    assert as_in_file(with_line_feeds(text), len(data), "0" * 64) is None


def test_the_same_text_in_another_encoding_is_not_taken_for_it():
    text = "é\r\né\r\n"  # as long in Latin-1 as its lines in UTF-8 with line feeds
    data = text.encode("latin-1")
    assert len(data) == len(with_line_feeds(text).encode())
    assert as_in_file(with_line_feeds(text), len(data), hashlib.sha256(data).hexdigest()) is None


def test_a_million_returns_take_no_longer_than_other_characters():
    assert with_line_feeds("\r" * 1_000_000 + "x\r\r\n") == "\r" * 1_000_000 + "x\n"
