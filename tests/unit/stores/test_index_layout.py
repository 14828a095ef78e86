"""Names in an index folder, writing a file whole or not at all, and which derived files count."""

from pathlib import Path

import pytest

from scova.stores.derived import damaged_files, newest_matrix, newest_segment, reflected
from scova.stores.layout import Layout, Unfinished, atomic_write, embeddings_db, folder_for, seq_of
from scova.stores.matrix import write_matrix
from scova.stores.merge import write_segment


def test_names_carry_their_change_and_are_listed_newest_first(tmp_path):
    layout = Layout(tmp_path)
    assert layout.segments() == layout.vectors() == []
    for seq in (9, 100, 1):
        for path in (layout.segment_path(seq), layout.vectors_path(seq)):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x")
    for other in ("notes.txt", "12.seg.old", ".5.seg.77.unfinished", "x12.seg"):
        (layout.text_folder / other).write_bytes(b"x")
    assert [seq_of(path) for path in layout.segments()] == [100, 9, 1]
    assert [seq_of(path) for path in layout.vectors()] == [100, 9, 1]
    assert seq_of(Path("notes.txt")) is None


def published(tmp_path, *seqs, store_id="one"):
    layout = Layout(tmp_path)
    for seq in seqs:
        write_segment(layout.segment_path(seq), [], applied_seq=seq, store_id=store_id)
        write_matrix(layout.vectors_path(seq), [], width=4, model="m", applied_seq=seq, store_id=store_id)
    return layout


def test_files_left_from_another_store_do_not_count(tmp_path):
    """A store that is built anew begins at change 1 again: what is named after its change may be older than itself."""
    layout = published(tmp_path, 1, 7)
    assert newest_segment(layout, "one").applied_seq == newest_matrix(layout, "m", "one").applied_seq == 7
    assert (reflected(layout, "m", "one"), reflected(layout, "", "one")) == (7, 7)
    assert damaged_files(layout, "m", "one", thoroughly=True) == {}
    assert newest_segment(layout, "two") is newest_matrix(layout, "m", "two") is reflected(layout, "m", "two") is None
    found = damaged_files(layout, "m", "two")
    assert sorted(found) == ["text/1.seg", "text/7.seg", "vectors/1.vec", "vectors/7.vec"]
    assert all("belongs to another store" in why for why in found.values())
    published(tmp_path, 3, store_id="two")
    assert (reflected(layout, "m", "two"), reflected(layout, "m", "one")) == (3, 7)


def test_a_damaged_file_leaves_the_one_before(tmp_path):
    layout = published(tmp_path, 1, 7)
    layout.segment_path(7).write_bytes(b"torn")
    assert newest_segment(layout, "one").applied_seq == 1
    assert list(damaged_files(layout, "m", "one")) == ["text/7.seg"]


class Replacing(Layout):
    """An index whose publisher replaces every file between the moment it is listed and the moment it is opened."""

    def segments(self):
        return self._replaced(super().segments())

    def vectors(self):
        return self._replaced(super().vectors())

    def _replaced(self, listed):
        if seq_of(listed[0]) < 4:
            published(self.root, seq_of(listed[0]) + 1)
            for path in listed:
                path.unlink()
        return listed


def test_a_file_replaced_while_it_is_opened_is_looked_for_again(tmp_path):
    published(tmp_path / "text", 1), published(tmp_path / "vectors", 1), published(tmp_path / "audit", 1)
    assert newest_segment(Replacing(tmp_path / "text"), "one").applied_seq == 4
    assert newest_matrix(Replacing(tmp_path / "vectors"), "m", "one").applied_seq == 4
    assert damaged_files(Replacing(tmp_path / "audit"), "", "one") == {}


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
        layout.temporary_folder / "1.part",
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"xyz")
    assert layout.bytes_on_disk() == 15
    layout.remove_derived()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".writer.lock", "store.db"]
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


def test_every_kind_of_unfinished_file_is_found_and_removed(tmp_path):
    """Whatever a killed writer leaves goes with the next publication: there is one way to name it."""
    layout = published(tmp_path, 1)
    left = Unfinished(layout.segment_path(2), durable=False)
    left.file.write(b"half")
    left.file.close()
    assert len(list(layout.text_folder.iterdir())) == 2
    layout.remove_obsolete(layout.segment_path(1))
    assert list(layout.text_folder.iterdir()) == [layout.segment_path(1)]


def test_two_roots_never_share_a_folder(tmp_path):
    one, two = folder_for(tmp_path, Path("/a/shop")), folder_for(tmp_path, Path("/b/shop"))
    assert one != two and one == folder_for(tmp_path, Path("/a/shop")) and "shop" in one.name
    assert folder_for(tmp_path, Path("/")).parent == one.parent
    assert embeddings_db(tmp_path).parent == tmp_path
