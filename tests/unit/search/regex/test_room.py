"""What is found fits the room for it: lines and characters, from the beginning, and never with a gap."""

from hypothesis import given
from hypothesis import strategies as st

from scova.answers import FileMatches, Line
from scova.search.regex.room import Room


def one(path, *texts):
    lines = tuple(Line(number, text, ((0, 1),), True) for number, text in enumerate(texts, 1))
    return FileMatches(path, lines, len(lines), len(lines))


def test_characters_bound_the_lines_and_nothing_follows_what_was_left_out():
    room = Room(0, 400, after=0)
    kept = [room.take(found) for found in (one("a", "x" * 50), one("b", "x" * 60), one("c", ""), one("d", ""))]
    assert [len(file.lines) for file in kept] == [1, 0, 0, 0]
    assert [file.count for file in kept] == [1, 1, 1, 1]
    assert room.is_cut


def test_what_fits_exactly_is_not_cut():
    room = Room(2, 400, after=0)
    assert [len(room.take(found).lines) for found in (one("a", "x" * 50), one("b", "x" * 50))] == [1, 1]
    assert room.is_full
    assert not room.is_cut
    assert room.take(one("c", "")).lines == ()
    assert room.is_cut


@given(
    st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=5), max_size=8), st.integers(0, 9), st.integers(0, 2000)
)
def test_what_is_kept_is_the_beginning_of_all(sizes, lines, characters):
    files = [one(str(number), *("x" * size for size in some)) for number, some in enumerate(sizes)]
    room = Room(lines, characters, after=0)
    kept = [line for file in files for line in room.take(file).lines]
    found = [line for file in files for line in file.lines]
    assert kept == found[: len(kept)]
    assert room.is_cut == (len(kept) < len(found))
    assert not lines or len(kept) <= lines
    assert not characters or sum(len(line.text) + 150 for line in kept) <= characters
