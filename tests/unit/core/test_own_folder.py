"""Folders and files of our own are for one user alone, and nothing else changes its mode."""

import os
import stat

import pytest

from scova.core import own_folder


@pytest.fixture(autouse=True, params=[0o000, 0o022, 0o277], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def opened_up(folder, *names):
    """A folder as an earlier version made it, with these files; a name that ends with a slash is a folder."""
    folder.mkdir(exist_ok=True)
    for name in names:
        place = folder / name
        if name.endswith("/"):
            place.mkdir()
            place.chmod(0o755)
        else:
            place.write_text("x")
            place.chmod(0o644)
    folder.chmod(0o755)
    return folder


def test_a_folder_and_those_above_it_are_made_for_the_user_alone(tmp_path):
    own_folder.make(tmp_path / "a/b/c")
    own_folder.make(tmp_path / "a/b/c")
    assert {mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")} == {0o700}


def test_a_file_is_made_for_the_user_alone_and_closed_when_it_is_there(tmp_path):
    for _ in range(2):
        with open(tmp_path / "jobs.log", "ab", opener=own_folder.opener) as file:
            file.write(b"x")
        assert mode(tmp_path / "jobs.log") == 0o600
        (tmp_path / "jobs.log").chmod(0o644)


def test_what_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "file").chmod(0o600)
    with pytest.raises(OSError):
        own_folder.make(tmp_path / "file")
    with pytest.raises(OSError):
        own_folder.make(tmp_path / "file/inside")


@pytest.mark.parametrize(
    "names",
    [("store.db", "text/", "root"), ("embeddings.db", "projects/", "jobs.log"), (), (".writer.lock", "store.db-wal")],
)
def test_a_folder_of_ours_is_closed_when_it_is_used_again(tmp_path, names):
    folder = opened_up(tmp_path / "index", *names)
    own_folder.make(folder)
    assert mode(folder) == 0o700


@pytest.mark.parametrize("names", [("notes.txt",), ("data/", "logs/"), ("text/", "cache/")])
def test_a_folder_that_is_none_of_ours_keeps_its_mode(tmp_path, names):
    folder = opened_up(tmp_path / "mine", *names)
    before = {name: mode(folder / name) for name in names}
    own_folder.close_to_others(folder)
    assert mode(folder) == 0o755
    assert {name: mode(folder / name) for name in names} == before


def test_beside_other_files_only_ours_are_closed(tmp_path):
    folder = opened_up(tmp_path / "mixed", "store.db", "store.db-wal", "notes.txt", "text/", "data/", "root")
    opened_up(folder / "text", "17.seg")
    opened_up(folder / "data", "table.csv")
    own_folder.close_to_others(folder)
    found = {
        name: oct(mode(folder / name)) for name in ("store.db", "store.db-wal", "notes.txt", "text", "data", "root")
    }
    assert found == {
        "store.db": "0o600",
        "store.db-wal": "0o600",
        "notes.txt": "0o644",
        "text": "0o700",
        "data": "0o755",
        "root": "0o644",
    }


def test_a_folder_that_all_share_and_a_link_keep_their_modes(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    own_folder.make(shared)
    assert mode(shared) == 0o1777
    (tmp_path / "file").write_text("x")
    (tmp_path / "file").chmod(0o644)
    (tmp_path / "store.db").symlink_to(tmp_path / "file")
    own_folder.close_to_others(tmp_path / "store.db")
    assert mode(tmp_path / "file") == 0o644
