"""Results in a budget."""

import pytest

from candidates import result
from scova.search.pack import cost, estimate_tokens, pack

LONG = "".join(f"line number {number} of a long function\n" for number in range(60))
SHORT = "def short():\n    return 1\n"


def test_everything_fits_into_a_large_budget():
    packed = pack([result(LONG), result(SHORT, "b.py")], 10_000)
    assert len(packed.results) == 2
    assert not packed.truncated
    assert packed.tokens == sum(map(cost, packed.results))


def test_whole_results_come_first_and_one_too_large_makes_room_for_the_next():
    packed = pack([result(LONG), result(SHORT, "b.py")], cost(result(SHORT, "b.py")) + 5)
    assert [one.chunk.file_path for one in packed.results] == ["b.py"]
    assert packed.results[0].chunk.text == SHORT
    assert packed.left_out == 1
    assert packed.truncated


def test_when_no_whole_one_fits_the_best_is_cut_at_the_end_of_a_line():
    packed = pack([result(LONG, start=100), result(LONG, "b.py")], 100)
    (one,) = packed.results
    assert packed.cut
    assert LONG.startswith(one.chunk.text)
    assert one.chunk.text.endswith("\n")
    assert one.chunk.end_line == 100 + one.chunk.text.count("\n") - 1


@pytest.mark.parametrize("budget", [*range(0, 140, 3), 400, 700])
def test_never_more_than_the_budget(budget):
    packed = pack([result(LONG), result(SHORT, "b.py"), result(LONG, "c.py"), result("é" * 90, "d.py")], budget)
    assert packed.tokens == sum(map(cost, packed.results)) <= budget
    assert len(packed.results) + packed.left_out == 4


def test_rank_order_is_kept():
    packed = pack([result(SHORT, "z.py"), result(SHORT, "a.py")], 1000)
    assert [one.chunk.file_path for one in packed.results] == ["z.py", "a.py"]


def test_text_outside_ascii_is_estimated_by_its_bytes():
    assert estimate_tokens("日本語") > estimate_tokens("abc")
    assert estimate_tokens("") == 0
