"""What is in a folder of ours: opened without following links, and removed only where we named it."""

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scova.config import state_folder
from scova.core.own_files import open_own, remove_own
from scova.errors import IndexForeign, IndexMissing, UsageError
from scova.index import Index
from scova.index.keeping import adopt
from scova.live import Live
from scova.lock import holder, writer_lock
from scova.stores.layout import Layout
from scova.stores.names import INDEX
from scova.stores.owned import mark
from scova.types import Query
from unit.sources.trees import write

FILES = {"a.py": "def first():\n    return 1\n", "b.md": "# words\n"}


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    write(root, FILES)
    return root


@pytest.fixture
def outside(tmp_path):
    """What a user has beside the repository; `same` says whether it still is as it was."""
    folder = tmp_path / "outside"
    write(folder, {"bashrc": "alias x=y\n", "1.seg": "mine", "grams/9.gram": "mine", "7.vec": "mine"})
    before = seen(folder)
    yield folder
    assert seen(folder) == before


def seen(folder):
    return {
        str(path.relative_to(folder)): (path.read_bytes() if path.is_file() else b"", path.lstat().st_mtime_ns)
        for path in folder.rglob("*")
    }


def found(index, words="first"):
    """The best file."""
    return [result.chunk.file_path for result in index.search(Query(words)).results][:1]


LOCKS = [".writer.lock", ".metadata.lock", ".compaction.lock", "watch.lock"]
OTHERS = [
    "store.db",
    "store.db-wal",
    "store.db-shm",
    "store.db-journal",
    "collection_meta.json",
    "watch.json",
    "root",
    "id",
]
FOLDERS = ["text", "vectors", "grams", "temporary", "bell"]


@pytest.mark.parametrize("name", LOCKS + OTHERS)
@pytest.mark.parametrize("kind", ["link", "zero", "pipe", "nowhere"])
def test_a_file_of_an_index_that_is_none_is_refused(tree, outside, tmp_path, name, kind):
    data = tmp_path / "data"
    with Index.open(tree, data=str(data)) as index:
        index.refresh()
    (data / name).unlink(missing_ok=True)
    planted(data / name, outside / "bashrc", kind)
    with pytest.raises(IndexForeign, match=name.replace(".", r"\.")) as caught:
        Index.open(tree, data=str(data))
    assert "--adopt" in caught.value.hint


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_an_index_that_is_a_link_is_refused(tree, outside, tmp_path, name):
    data = tmp_path / "data"
    with Index.open(tree, data=str(data)) as index:
        index.refresh()
        remove_own(data / name, INDEX.folders[name])
        (data / name).symlink_to(outside)
        with pytest.raises(IndexForeign, match=f"{name}.*link"):
            Index.open(tree, data=str(data))
        write(tree, {"c.py": "def later():\n    pass\n"})
        with pytest.raises((IndexForeign, OSError)):  # one that was opened before, too
            index.refresh(force=True)
            raise OSError("nothing had to be written there")


def planted(path, target, kind):
    if kind == "link":
        path.symlink_to(target)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(target.parent / "nothing-there")


@pytest.mark.parametrize("kind", ["link", "zero", "pipe", "nowhere"])
def test_locks_do_not_follow_links(outside, tmp_path, kind):
    path = tmp_path / ".writer.lock"
    planted(path, outside / "bashrc", kind)
    for act in (lambda: writer_lock(path).__enter__(), lambda: holder(path)):
        with pytest.raises(IndexForeign):
            act()


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can give files away")
def test_a_file_of_another_user_is_refused(tree, tmp_path):
    data = tmp_path / "data"
    with Index.open(tree, data=str(data)) as index:
        index.refresh()
    os.chown(data / ".writer.lock", 12345, 12345)
    with pytest.raises(IndexForeign, match="another user"):
        Index.open(tree, data=str(data))


def test_the_way_to_a_folder_may_hold_links(tree, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    with Index.open(tree, data=str(tmp_path / "link" / "data")) as index:
        index.refresh()
        assert found(index) == ["a.py"]


def test_opening_below_a_link_is_refused(tmp_path, outside):
    (tmp_path / "text").symlink_to(outside)
    with pytest.raises(IndexForeign):
        open_own(tmp_path / "text" / "1.seg", os.O_RDONLY, within=2)
    assert stat.S_ISLNK((tmp_path / "text").lstat().st_mode)


# --- whose folder it is


def test_a_folder_in_use_is_refused_and_left_as_it_is(tree, tmp_path, scova):
    home = tmp_path / "home"
    write(
        home,
        {"temporary/thesis.tex": "a year of work", "text/1.txt": "x", "store.db": "another program's", "root": "x"},
    )
    before = seen(home)
    for words in (
        ["index", tree],
        ["search", "x", tree],
        ["status", tree],
        ["repair", tree],
        ["index", tree, "--adopt"],
    ):
        done = scova(*words, "--data", home)
        assert done.code == 2 and "holds other files" in done.err and "--data" in done.err, done.err
    assert seen(home) == before


def test_a_home_folder_named_by_a_project_is_not_touched(tree, scova):
    home = os.environ["HOME"]
    os.makedirs(f"{home}/temporary")
    with open(f"{home}/temporary/thesis.tex", "w") as file:
        file.write("a year of work")
    write(tree, {"scova.toml": 'data = "~"\n'})
    done = scova("search", "first", tree)
    assert done.code == 0 and "`data`" in done.err
    assert os.path.exists(f"{home}/temporary/thesis.tex")
    assert not os.path.exists(f"{home}/store.db")


def test_only_what_we_named_is_removed(tree, tmp_path):
    data = tmp_path / "data"
    with Index.open(tree, data=str(data)) as index:
        index.refresh()
        mine = {
            "temporary/notes.txt": "mine",
            "text/notes.txt": "mine",
            "vectors/deep/1.vec": "mine",
            ".notes.unfinished": "mine",
        }
        write(data, mine)
        write(tree, {"c.py": "def later():\n    pass\n"})
        index.refresh(force=True)
        index.layout.remove_derived()
        assert {name: (data / name).read_text() for name in mine} == mine
        assert not list((data / "text").glob("*.seg"))


def test_everything_that_is_written_has_a_name_of_ours(tree, tmp_path):
    data = tmp_path / "data"
    with Index.open(tree, data=str(data), ann_from=1) as index, Live(index):
        index.refresh(wait_seconds=60)
        index.compactor.finished(index.refresh(wait_seconds=60))
        assert (data / "store.db").exists() and list((data / "text").glob("*.seg"))
    assert (data / "id").exists()
    remove_own(data, INDEX)
    assert not data.exists(), [str(path) for path in data.rglob("*")]


# --- an index inside the tree that it is of


def test_an_index_that_came_with_the_folder_is_reported_and_not_opened(tree, tmp_path, scova, monkeypatch):
    monkeypatch.setenv("SCOVA_DATA", ".scova")
    assert scova("index", tree).code == 0
    assert scova("search", "first", tree).code == 0, "made by this user, it is used"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "somebody else"))
    before = seen(tree / ".scova")
    for words in (["search", "first", tree], ["index", tree], ["status", tree], ["audit", tree], ["repair", tree]):
        done = scova(*words)
        assert done.code == 2 and "was not made here" in done.err and "scova index --adopt" in done.err, done.err
    assert scova("doctor", tree).code == 3 and "--adopt" in scova("doctor", tree).out
    assert seen(tree / ".scova") == before
    assert scova("index", tree, "--adopt").code == 0
    assert "a.py" in scova("search", "first", tree).out


def test_an_index_without_an_id_goes_on_working_outside_of_the_tree(tree, tmp_path):
    for data in ("", str(tmp_path / "data")):
        with Index.open(tree, data=data) as index:
            index.refresh()
            identity = index.layout.root / "id"
            (state_folder() / "indexes" / identity.read_text().strip()).unlink()
            identity.unlink()
        with Index.open(tree, data=data) as index:
            assert found(index) == ["a.py"]
            index.refresh()
            assert identity.exists(), "it gets one"


def test_an_index_without_an_id_inside_the_tree_is_adopted_only_on_purpose(tree):
    with Index.open(tree, data=".scova") as index:
        index.refresh()
    (tree / ".scova" / "id").unlink()
    with pytest.raises(IndexForeign, match="was not made here"):
        Index.open(tree, data=".scova")
    adopt(tree, ".scova")
    with Index.open(tree, data=".scova") as index:
        with pytest.raises(IndexMissing):
            found(index)
        index.refresh()
        assert found(index) == ["a.py"]


def test_an_index_folder_that_is_a_link_in_the_tree_is_not_followed(tree, outside, tmp_path):
    (tmp_path / "empty").mkdir()
    for target in (outside, tmp_path / "empty"):
        (tree / ".scova").symlink_to(target)
        for act in (lambda: Index.open(tree, data=".scova"), lambda: adopt(tree, ".scova")):
            with pytest.raises(IndexForeign, match="link"):
                act()
        (tree / ".scova").unlink()
    assert not list((tmp_path / "empty").iterdir())


def test_adopting_removes_links_and_not_what_they_lead_to(tree, outside):
    data = tree / ".scova"
    data.mkdir()
    for name in (*LOCKS, *OTHERS):
        (data / name).symlink_to(outside / "bashrc")
    for name in FOLDERS:
        (data / name).symlink_to(outside)
    adopt(tree, ".scova")
    with Index.open(tree, data=".scova") as index:
        index.refresh()
        assert found(index) == ["a.py"]


def test_where_nothing_can_be_remembered_an_index_in_the_tree_says_so(tree, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    from scova.errors import IndexReadOnly

    with Index.open(tree, data=".scova") as index, pytest.raises(IndexReadOnly, match="must be remembered"):
        index.refresh()
    with Index.open(tree) as index:
        index.refresh()
        assert found(index) == ["a.py"]


def test_a_folder_with_a_note_for_git_counts_as_empty(tree):
    write(tree, {".scova/.gitignore": "*\n"})
    with Index.open(tree, data=".scova") as index:
        index.refresh()
        assert found(index) == ["a.py"]


def test_two_who_make_an_index_at_once_agree_on_its_id(tree):
    import subprocess
    import sys

    script = "import sys; from scova.index import Index\nwith Index.open(sys.argv[1], data='.scova') as i: i.refresh(wait_seconds=60)"
    running = [subprocess.Popen([sys.executable, "-c", script, str(tree)], stderr=subprocess.PIPE) for _ in range(4)]
    ended = [(process.communicate()[1], process.returncode) for process in running]
    assert [code for _, code in ended] == [0] * 4, ended
    with Index.open(tree, data=".scova") as index:
        assert found(index) == ["a.py"]


def test_threads_that_make_an_index_at_once_agree_on_its_id(tree):
    layout, state, together = Layout(tree / "index"), tree / "state", threading.Barrier(6)
    layout.root.mkdir()

    def sign() -> tuple[bool, str]:
        together.wait()
        return mark.sign(layout, state), mark.index_id(layout)

    for _ in range(20):
        with ThreadPoolExecutor(6) as pool:
            signed = [one.result() for one in [pool.submit(sign) for _ in range(6)]]
        assert set(signed) == {(True, (layout.root / "id").read_text().strip())}
        assert os.listdir(layout.root) == ["id"]
        assert os.listdir(state / "indexes") == [signed[0][1]]
        mark.forget(state, signed[0][1])
        (layout.root / "id").unlink()


def test_a_wrong_folder_is_said_in_python_too(tree, tmp_path):
    write(tmp_path / "used", {"a": "b"})
    with pytest.raises(UsageError, match="holds other files"):
        Index.open(tree, data=str(tmp_path / "used"))


# --- other doors that remove


def test_a_folder_of_a_project_keeps_what_is_not_ours(tmp_path, monkeypatch, scova):
    monkeypatch.setenv("SCOVA_CACHE", os.environ["HOME"])
    write(tmp_path / "tree", FILES)
    mine = write(Path(os.environ["HOME"]) / "named" / "p", {"notes.txt": "mine", "data/text/notes.txt": "mine"})
    assert scova("project", "create", "p").code == 0
    scova("project", "add", "p", f"folder:{tmp_path / 'tree'}")
    assert scova("project", "build", "p").code == 0
    assert scova("project", "delete", "p").code == 0
    left = {str(path.relative_to(mine)) for path in mine.rglob("*") if path.is_file()}
    assert left == {"notes.txt", "data/text/notes.txt"}


def test_a_project_is_removed_whole_where_all_is_ours(tmp_path, scova):
    write(tmp_path / "tree", FILES)
    scova("project", "create", "p")
    scova("project", "add", "p", f"folder:{tmp_path / 'tree'}")
    scova("project", "build", "p")
    scova("project", "delete", "p")
    assert not (Path(os.environ["XDG_CACHE_HOME"]) / "scova" / "named" / "p").exists()


def test_clearing_up_keeps_what_is_not_ours(tree, scova):
    scova("index", tree)
    (folder,) = (Path(os.environ["XDG_CACHE_HOME"]) / "scova" / "projects").iterdir()
    assert len(list((state_folder() / "indexes").iterdir())) == 1
    write(folder, {"notes.txt": "mine"})
    tree.rename(tree.with_name("gone"))
    assert "removed" in scova("gc").out
    assert [path.name for path in folder.rglob("*")] == ["notes.txt"]


def test_a_server_takes_no_folder_that_is_in_use(tmp_path):
    from scova.errors import IndexState
    from scova.server.housing.folder import FolderHouse
    from scova.server.layout import ServerLayout

    write(tmp_path, {"tenants/acme/thesis.tex": "a year of work", "tenants/.gone-by/x.txt": "mine"})
    house = FolderHouse(ServerLayout(tmp_path))
    with pytest.raises(IndexState, match="holds other files"):
        house.create("acme")
    house.create("other")
    house.open("other").remove()
    assert {path.name for path in (tmp_path / "tenants").iterdir()} == {"acme", ".gone-by", ".lock"}
    assert (tmp_path / "tenants/acme/thesis.tex").exists() and (tmp_path / "tenants/.gone-by/x.txt").exists()


def test_the_folder_of_the_first_versions_is_an_index(tmp_path):
    """Before there were ids and checksums, `root` held a path and nothing else."""
    layout = Layout(tmp_path / "data")
    write(layout.root, {"root": str(tmp_path)})
    assert not mark.holds_index(layout), "a path alone is no index"
    layout.store_db.touch()
    assert mark.holds_index(layout)
    for other in ("no path", "/a/path\nand more", ""):
        (layout.root / "root").write_text(other)
        assert not mark.holds_index(layout), other
