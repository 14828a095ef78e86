"""Names in an index folder, and writing a file whole or not at all."""

from pathlib import Path

import pytest

from scova.stores.layout import Layout, atomic_write, embeddings_db, folder_for, seq_of


def test_names_carry_their_change_and_are_listed_newest_first(tmp_path):
    layout = Layout(tmp_path)
    assert layout.segments() == layout.vectors() == []
    for seq in (9, 100, 1):
        for path in (layout.segment_path(seq), layout.vectors_path(seq)):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x")
    for other in ("notes.txt", "12.seg.tmp", ".5.seg.77.unfinished", "x12.seg"):
        (layout.text_folder / other).write_bytes(b"x")
    assert [seq_of(path) for path in layout.segments()] == [100, 9, 1]
    assert [seq_of(path) for path in layout.vectors()] == [100, 9, 1]
    assert seq_of(Path("notes.txt")) is None


def test_what_is_obsolete_goes_and_the_rest_stays(tmp_path):
    layout = Layout(tmp_path)
    layout.text_folder.mkdir()
    for name in ("1.seg", "7.seg", "200.seg", ".7.seg.4.unfinished", "notes.txt"):
        (layout.text_folder / name).write_bytes(b"x")
    layout.remove_obsolete(layout.segment_path(7))
    # 200 goes too: it can only stem from a store that was built anew since.
    assert sorted(path.name for path in layout.text_folder.iterdir()) == ["7.seg", "notes.txt"]


def test_everything_derived_can_go_and_the_store_stays(tmp_path):
    layout = Layout(tmp_path)
    for path in (
        layout.store_db,
        layout.lock,
        layout.collection_meta,
        layout.segment_path(1),
        layout.temporary_folder / "x",
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"xyz")
    assert layout.bytes_on_disk() == 15
    layout.remove_derived()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".metadata.lock", "store.db"]
    layout.remove_derived()


def test_a_file_appears_whole(tmp_path):
    path = tmp_path / "new folder" / "file"
    with atomic_write(path) as file:
        file.write(b"half ")
        assert not path.exists()
        file.write(b"whole")
    assert path.read_bytes() == b"half whole" and list(path.parent.iterdir()) == [path]


def test_a_file_that_fails_leaves_the_old_one(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), atomic_write(path) as file:
        file.write(b"new")
        raise RuntimeError
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_two_roots_never_share_a_folder(tmp_path):
    one, two = folder_for(tmp_path, Path("/a/shop")), folder_for(tmp_path, Path("/b/shop"))
    assert one != two and one == folder_for(tmp_path, Path("/a/shop")) and "shop" in one.name
    assert folder_for(tmp_path, Path("/")).parent == one.parent
    assert embeddings_db(tmp_path).parent == tmp_path
