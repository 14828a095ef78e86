"""A search by pattern ends at its deadline with what it found, and holds no more than is wanted of it."""

import tracemalloc

import pytest

from scova import Index, Mode
from scova.core.deadline import Deadline, asking

FILES = 60
LINES = 2_000


class After:
    """A clock that is past the deadline of 1 s once it has been looked at so many times."""

    def __init__(self, looks):
        self.left = looks

    def __call__(self):
        self.left -= 1
        return 0.0 if self.left >= 0 else 2.0


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    for number in range(FILES):
        (folder / f"{number:02}.txt").write_text("".join(f"x line {line}\n" for line in range(LINES)))
    with Index.open(folder, data=str(tmp_path_factory.mktemp("data") / "index"), embedder="none") as handle:
        handle.refresh()
        yield handle


def test_grep_at_its_deadline_gives_what_it_found_and_says_how_far_it_came(index):
    with asking(Deadline(1.0, clock=After(6 * LINES))):
        found = index.grep("x")
    assert 0 < len(found.files) < FILES
    assert 0 < found.count < FILES * LINES
    assert found.truncated
    (said,) = found.cut
    assert f"of {FILES} files were searched within 1 s" in said


def test_grep_within_its_deadline_is_whole_and_says_nothing(index):
    with asking(Deadline(3600.0)):
        found = index.grep("x")
    assert (found.count, found.truncated, found.cut) == (FILES * LINES, False, ())


def test_a_search_in_mode_regex_at_its_deadline_ranks_what_it_counted(index):
    with asking(Deadline(1.0, clock=After(6 * LINES))):
        found = index.search("x", mode=Mode.REGEX)
    assert found.results
    assert 0 < found.literal.count < FILES * LINES
    assert f"of {FILES} files were searched" in found.cut[0]
    assert index.search("x", mode=Mode.REGEX).literal.count == FILES * LINES


def test_what_was_cut_and_empty_is_not_called_nothing(index):
    with asking(Deadline(1.0, clock=After(1))):
        found = index.search("x", mode=Mode.REGEX)
    assert found.results == ()
    assert found.cut
    assert not found.nothing_relevant


def test_an_answer_that_holds_too_much_is_cut_within_a_file(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "one.txt").write_text("x\n" * 100_000)
    with Index.open(tmp_path / "tree", data=str(tmp_path / "data"), embedder="none") as handle:
        handle.refresh()
        with asking(Deadline(most_bytes=1_000_000)):
            found = handle.grep("x")
    assert 1000 < found.count < 10_000
    assert "before the answer had 1 MB" in found.cut[0]


def test_counts_are_exact_beyond_the_limit_and_lines_beyond_it_are_not_held(tmp_path):
    """Every line was held with its matches, to show ten of them."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "one.txt").write_text("x\n" * 60_000)
    with Index.open(tmp_path / "tree", data=str(tmp_path / "data"), embedder="none") as handle:
        handle.refresh()
        for ask in (
            lambda: handle.grep("x", limit=10).count,
            lambda: handle.grep("x", characters=5000).count,
            lambda: handle.search("x", mode=Mode.REGEX).literal.count,
        ):
            tracemalloc.start()
            try:
                assert ask() == 60_000
                assert tracemalloc.get_traced_memory()[1] < 10_000_000
            finally:
                tracemalloc.stop()
