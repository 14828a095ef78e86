"""What a build has to do, from marks alone."""

from scova.build.memory import ReadSkip
from scova.build.plan import plan
from scova.types import CLOCK_GRAIN_NS, IndexedFile, Item, Mark, Region, Skip

LONG_AGO, READ_AT = 1_000, 10 * CLOCK_GRAIN_NS


def known(path, *, size=10, mtime=LONG_AGO, read=READ_AT):
    return IndexedFile(path, f"digest of {path}", Mark(size, mtime), 1, read)


def item(path, *, size=10, mtime=LONG_AGO):
    return Item(path, Mark(size, mtime))


def test_new_changed_unchanged_and_removed():
    files = {path: known(path) for path in ("same", "bigger", "newer", "gone")}
    todo = plan([item("same"), item("bigger", size=11), item("newer", mtime=LONG_AGO + 1), item("fresh")], files, {})
    assert [task.item.path for task in todo.tasks] == ["bigger", "newer", "fresh"]
    assert [task.known_digest for task in todo.tasks] == ["digest of bigger", "digest of newer", ""]
    assert todo.removed == ["gone"]


def test_a_mark_as_young_as_its_reading_is_not_trusted():
    young = READ_AT - CLOCK_GRAIN_NS // 2
    todo = plan([item("a", mtime=young)], {"a": known("a", mtime=young)}, {})
    assert len(todo.tasks) == 1


def test_a_file_left_out_after_reading_is_not_read_again_until_it_changes():
    skip = ReadSkip(Skip("blob.py", "binary"), 10, LONG_AGO, READ_AT)
    assert plan([item("blob.py")], {}, {"blob.py": skip}).tasks == []
    assert plan([item("blob.py")], {}, {"blob.py": skip}).skips == [skip.skip]
    assert len(plan([item("blob.py", size=11)], {}, {"blob.py": skip}).tasks) == 1


def test_force_reads_everything_and_takes_no_digest_for_granted():
    todo = plan([item("same")], {"same": known("same")}, {}, force=True)
    assert [task.known_digest for task in todo.tasks] == [""]


def test_what_lies_outside_the_region_stays():
    files = {path: known(path) for path in ("a/old", "a/gone", "a/deep/x", "b/y", "tree/deep/z", "one", "other")}
    left = {path: ReadSkip(Skip(path, "binary"), 10, LONG_AGO, READ_AT) for path in ("a/blob", "b/blob")}
    region = Region(folders=frozenset(["a"]), trees=frozenset(["tree"]), files=frozenset(["one"]))
    todo = plan([item("a/old", size=11)], files, left, region=region)
    assert [task.item.path for task in todo.tasks] == ["a/old"]
    assert todo.removed == ["a/gone", "tree/deep/z", "one"]
    assert list(todo.kept_read_skips) == ["b/blob"]
