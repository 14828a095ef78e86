"""What of a file is searched."""

from scova.search.regex.text import Text, text_of


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert text_of(b"\xef\xbb\xbfa\n") == Text(b"a\n")


def test_utf_16_is_read_by_its_mark():
    assert text_of("\ufeffné\n".encode("utf-16-le")) == Text("né\n".encode())
    assert text_of("\ufeffné\n".encode("utf-16-be")) == Text("né\n".encode())


def test_a_zero_byte_near_the_beginning_makes_a_file_binary():
    assert text_of(b"abcd\n" * 100 + b"\0" + b"a\n") == Text(b"", binary=True)


def test_a_zero_byte_further_on_ends_the_search_with_the_piece_read_before():
    assert text_of(b"abc\n" * 50_000 + b"\0a\n") == Text(b"abc\n" * 3 * (65_536 // 4), binary=True)


def test_the_first_three_bytes_are_a_piece_of_their_own():
    """ripgrep looks at them for a byte order mark, and searches what they hold before it reads on."""
    assert text_of(b"a\nbcd\n\0") == Text(b"a\n", binary=True)


def test_other_bytes_are_left_as_they_are():
    assert text_of(b"caf\xe9\n") == Text(b"caf\xe9\n")
