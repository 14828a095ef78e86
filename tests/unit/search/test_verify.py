"""Answers are checked against the files as they are: moved spans are moved, vanished ones dropped, and the answer says so."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scova import Index, Mode
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


USE = "from settings import save_settings\n\n\ndef keep(path, values):\n    save_settings(path, values)\n"


@pytest.fixture
def used(index: Index) -> Index:
    """The same, where something calls `save_settings`."""
    (index.root / "use.py").write_text(USE)
    index.refresh()
    return index


def exact_places(index: Index) -> dict[str, list[tuple[str, int]]]:
    """Every place that each exact answer about `save_settings` names."""
    callers = index.callers("save_settings")
    return {
        "def": [(one.path, one.symbol.start_line) for one in index.definitions("save_settings").definitions],
        "outline": [(f.path, d.symbol.start_line) for f in index.outline("").files for d in f.definitions],
        "callers": [(s.path, s.line) for root in callers.roots for node in root.nodes for s in node.sites],
        "usages": [(one.path, one.line) for one in index.usages("save_settings").usages],
        "context": [(one.path, one.start_line) for one in index.context("save_settings").parts],
    }


def test_every_exact_answer_gives_moved_places_where_they_are_now(used: Index) -> None:
    before = exact_places(used)
    for name in ("settings.py", "use.py"):
        path = used.root / name
        path.write_text("# one\n# two\n" + path.read_text())
    after = exact_places(used)
    moved = {kind: [(p, line + 2 * (p != "other.py")) for p, line in places] for kind, places in before.items()}
    assert before["callers"] == [("use.py", 5)]
    assert all(before.values())
    assert after == moved


def test_every_exact_answer_leaves_out_what_was_edited_and_corrects_its_totals(used: Index) -> None:
    path = used.root / "settings.py"
    path.write_text(path.read_text().replace("render(values)", "dump(values)"))
    definitions = used.definitions("save_settings")
    assert (definitions.definitions, definitions.total, definitions.freshness.dropped) == ((), 0, 1)
    names = [one.symbol.name for file in used.outline("settings.py").files for one in file.definitions]
    assert names == ["load_settings"]
    assert used.callers("save_settings").roots == ()


def test_every_exact_answer_leaves_out_what_is_gone_and_corrects_its_totals(used: Index) -> None:
    counts = used.usages("save_settings").counts
    (used.root / "use.py").unlink()
    tree = used.callers("save_settings")
    assert [root.nodes for root in tree.roots] == [()]
    assert tree.total == 0
    found = used.usages("save_settings")
    assert {use.path for use in found.usages} == {"settings.py"}
    assert found.counts == {**counts, "call": counts["call"] - 1, "import": counts["import"] - 1}
    assert all(part.path != "use.py" for part in used.context("save_settings").parts)


def test_a_pattern_is_matched_and_shown_at_one_moment(used: Index) -> None:
    """Lines of a newer file must not be put into chunks of an older one."""
    path = used.root / "settings.py"
    path.write_text("# more\n" * 70 + path.read_text())
    found = used.search("def save_settings", mode=Mode.REGEX)
    assert [(r.chunk.symbol, r.chunk.start_line) for r in found.results] == [("save_settings", AT + 70)]


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
