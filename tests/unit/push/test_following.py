"""A project that follows a folder: a look where nothing has changed asks nobody anything, and what has changed is all that is sent."""

import shutil
import threading

import pytest

import pushed_server
from pushed_server import serving
from scova.errors import UsageError
from scova.push import Following, address


@pytest.fixture
def server():
    with serving(pushed_server.Server()) as kept:
        yield kept


@pytest.fixture
def following(server, project):
    one = Following(address(server.url), "p", project)
    yield one
    one.stop()


def texts(root):
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def asked(server):
    """What was asked since last time."""
    log, server.log = server.log, []
    return [(one.path, one.files) for one in log]


def test_only_what_changed_is_sent_and_nothing_is_asked_when_nothing_did(server, following, project):
    assert not following.is_known
    assert following.push().sent == 5
    assert following.is_known and server.projects["p"] == texts(project)
    asked(server)
    assert following.settle(20) == (0, "")
    assert asked(server) == []
    (project / "src/auth.py").write_text("def other():\n    return 1\n")
    (project / "config.toml").rename(project / "moved.toml")
    assert following.settle(20) == (0, "")
    sent = asked(server)
    assert ("/index", ("moved.toml", "src/auth.py")) in sent and ("/delete", ("config.toml",)) in sent
    assert "/sync" not in dict(sent)
    assert server.projects["p"] == texts(project)


def test_a_file_is_read_once_and_not_again_before_it_changes(server, following, project, monkeypatch):
    from scova.sources.folder import FolderSource

    read = []
    original = FolderSource.read
    monkeypatch.setattr(
        FolderSource, "read", lambda self, item, **how: read.append(item.path) or original(self, item, **how)
    )
    threading.Event().wait(0.15)  # marks of files that were just written are not trusted: the clock's grain is 0.1 s
    following.push()
    read.clear()
    following.settle(20)
    assert read == []
    following.push(force=True)
    assert len(read) == 5


def test_what_another_wrote_is_found_out_before_anything_is_sent(server, following, project):
    """The change that the project is at tells; then everything is compared."""
    following.push()
    server.projects["p"] |= {"strange.py": "x = 1\n"}
    server.projects["p"].pop("README.md")
    server.seq += 1
    assert following.settle(20) == (0, "")  # nothing changed here, and nobody asked: whoever gets an answer finds out
    (project / "new.py").write_text("y = 1\n")
    assert following.settle(20) == (0, "")
    assert server.projects["p"] == texts(project)
    server.projects["p"].pop("README.md")
    following.doubt()
    assert not following.is_known
    following.settle(20)
    assert following.is_known and server.projects["p"] == texts(project)


@pytest.mark.parametrize("route", ["/index", "/delete"])
def test_what_another_takes_away_between_a_look_and_what_is_sent_comes_back(server, following, project, route):
    """The answer is of the newest change, theirs included: only the change before it tells that there was another."""
    following.push()

    def another(path, asked):
        if path == route:
            server.before = lambda path, asked: None
            server.projects["p"].pop("README.md")
            server.seq += 1

    server.before = another
    (project / "src/auth.py").unlink()
    (project / "new.py").write_text("y = 1\n")
    assert following.settle(20) == (0, "")
    assert server.projects["p"] == texts(project)
    assert following.is_known and following.change_seq == server.seq


def test_a_project_that_others_keep_writing_to_stays_in_doubt(server, following, project):
    following.push()

    def another(path, asked):
        if path == "/index":
            server.projects["p"].pop("README.md", None)
            server.seq += 1

    server.before = another
    (project / "new.py").write_text("y = 1\n")
    following.settle(20)
    assert not following.is_known
    server.before = lambda path, asked: None
    following.settle(20)
    assert following.is_known and server.projects["p"] == texts(project)


def test_a_server_that_does_not_tell_which_change_came_before_is_believed(server, following, project):
    server.is_old = True
    following.push()
    (project / "new.py").write_text("y = 1\n")
    asked(server)
    following.settle(20)
    assert [path for path, _ in asked(server)] == ["/index"]
    assert following.is_known


def test_what_the_server_does_not_take_is_not_sent_again_and_again(server, following, project):
    server.refused["src/auth.py"] = "no"
    assert [one.path for one in following.push().failed] == ["src/auth.py"]
    asked(server)
    following.settle(20)
    assert asked(server) == []
    (project / "src/auth.py").write_text("def better():\n    return 1\n")
    server.refused.clear()
    following.settle(20)
    assert server.projects["p"] == texts(project)


def test_a_project_of_another_folder_is_left_alone(server, following):
    server.projects["p"] = {"other.py": "x = 1\n"}
    with pytest.raises(UsageError, match="none of them is in this folder"):
        following.push()
    assert server.projects["p"] == {"other.py": "x = 1\n"}
    settled = following.settle(20)
    assert settled.pending and "none of them" in settled.problem


def test_an_emptied_folder_removes_nothing(server, following, project):
    following.push()
    before = dict(server.projects["p"])
    for path in list(project.iterdir()):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert "nothing to push here" in following.settle(20).problem
    assert server.projects["p"] == before


def test_whoever_asks_waits_no_longer_than_they_want_to(server, following, project):
    following.push()
    release = threading.Event()
    server.before = lambda path, asked: release.wait(120)
    (project / "new.py").write_text("y = 1\n")
    assert following.settle(0.2) == (1, "")
    release.set()
    assert following.settle(20) == (0, "")
    assert server.projects["p"] == texts(project)
