"""Answers are checked against the files as they are: moved spans are moved, vanished ones dropped, and the answer says so."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scova import Index
from scova.search.verify.anchors import Anchors

# Long enough to be chunks of their own.
BODY = "".join(f"    value_{n} = compute(values, {n}) if values else None\n" for n in range(40))
LOAD = f"def load_settings(path):\n{BODY}    return parse(path.read_text())\n"
SAVE = f"def save_settings(path, values):\n{BODY}    path.write_text(render(values))\n"
AT = 1 + LOAD.count("\n") + 2


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "settings.py").write_text(f"{LOAD}\n\n{SAVE}")
    (root / "other.py").write_text("def unrelated():\n    pass\n")
    with Index.open(root, data=str(tmp_path / "data")) as handle:
        handle.refresh()
        yield handle


def places(index: Index, query: str) -> list[tuple[str, int]]:
    return [(result.chunk.symbol, result.chunk.start_line) for result in index.search(query).results]


def test_untouched_files_are_verified_and_nothing_changes(index: Index) -> None:
    answer = index.search("save_settings")
    assert ("save_settings", AT) in [(result.chunk.symbol, result.chunk.start_line) for result in answer.results]
    fresh = answer.freshness
    assert (fresh.verified > 0, fresh.moved, fresh.dropped, fresh.pending_files) == (True, 0, 0, 0)


def test_a_span_that_moved_is_given_where_it_is_now(index: Index) -> None:
    (index.root / "settings.py").write_text(f'"""Settings."""\n\n{LOAD}\n\n{SAVE}')
    answer = index.search("save_settings")
    found = {result.chunk.symbol: result.chunk for result in answer.results}["save_settings"]
    assert (found.start_line, found.end_line) == (AT + 2, AT + 2 + 41)
    assert answer.freshness.moved >= 1
    assert answer.freshness.pending_files == 1


def test_a_span_that_was_edited_is_dropped_while_its_neighbour_stays(index: Index) -> None:
    (index.root / "settings.py").write_text(f"{LOAD}\n\n{SAVE.replace('render', 'dump')}")
    found = dict(places(index, "settings"))
    assert "save_settings" not in found
    assert found["load_settings"] == 1


def test_a_file_that_is_gone_leaves_nothing_in_the_answer(index: Index) -> None:
    (index.root / "settings.py").unlink()
    answer = index.search("save_settings")
    assert all(result.chunk.file_path != "settings.py" for result in answer.results)
    assert answer.freshness.dropped >= 1


def test_a_file_that_became_unfit_for_the_index_counts_as_gone(index: Index) -> None:
    (index.root / "settings.py").write_bytes(b"\0\1\2" * 100)
    assert all(symbol != "save_settings" for symbol, _ in places(index, "save_settings"))


def test_same_content_with_another_mark_is_unchanged(index: Index) -> None:
    os.utime(index.root / "settings.py", (1, 1))
    answer = index.search("save_settings")
    assert ("save_settings", AT) in places(index, "save_settings")
    assert (answer.freshness.dropped, answer.freshness.moved) == (0, 0)


def test_a_change_that_keeps_size_and_time_is_noticed(index: Index) -> None:
    path = index.root / "settings.py"
    before = path.stat()
    path.write_text(path.read_text().replace("save", "take"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert "save_settings" not in dict(places(index, "save_settings"))


LINES = st.lists(st.sampled_from("abcdef"), max_size=30)


@given(head=LINES, block=st.lists(st.sampled_from("xyz"), min_size=1, max_size=5), tail=LINES, new=LINES, newer=LINES)
def test_a_block_that_is_still_there_once_is_always_found(
    head: list[str], block: list[str], tail: list[str], new: list[str], newer: list[str]
) -> None:
    before, now = [*head, *block, *tail], [*new, *block, *newer]
    start, end = len(head) + 1, len(head) + len(block)
    assert Anchors(before, now).moved(start, end) == (len(new) + 1, len(new) + len(block))


@given(before=LINES, now=LINES, data=st.data())
def test_what_is_found_always_reads_the_same(before: list[str], now: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(-1, len(before) + 1))
    end = data.draw(st.integers(start, len(before) + 2))
    found = Anchors(before, now).moved(start, end)
    if found is not None:
        assert now[found[0] - 1 : found[1]] == before[start - 1 : end]
