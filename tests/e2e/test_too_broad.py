"""A question in the home folder, on the whole disk, or among many repositories indexes nothing that nobody asked for, at any door."""

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from conftest import SCOVA
from scova import Index
from scova.errors import FolderTooBroad, ScovaError
from scova.index.consent import too_broad


def write(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "private.py").write_text("def private_thing():\n    return 1\n")
    return folder


@pytest.fixture
def home(monkeypatch, tmp_path):
    folder = write(tmp_path / "users" / "me")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def several(tmp_path):
    folder = tmp_path / "source"
    for name in ("one", "group/two"):
        (write(folder / name) / ".git").mkdir()
    return folder


def indexes() -> list[str]:
    place = Path(os.environ["XDG_CACHE_HOME"]) / "scova" / "projects"
    return [path.name for path in place.glob("*/store.db")]


COMMANDS = [
    ["search", "private_thing"],
    ["grep", "private_thing"],
    ["def", "private_thing"],
    ["outline", "."],
    ["callers", "private_thing"],
    ["callees", "private_thing"],
    ["usages", "private_thing"],
    ["context", "private_thing"],
    ["index"],
    ["index", "--background"],
    ["watch"],
    ["repair"],
    ["eval"],
    ["export", "--to", "../out"],
    ["ui", "--no-open"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_in_the_home_folder_names_what_would_do_it_on_purpose(home, words):
    done = subprocess.run([SCOVA, *words], cwd=home, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "is your home folder" in done.stderr
    assert f"scova index --yes {home}" in done.stderr
    assert not indexes()


def test_after_one_yes_questions_are_answered(home, scova):
    assert scova("index", home).code == 2
    assert scova("index", "--yes", home).code == 0
    assert "private_thing" in scova("search", "private_thing", home).out
    assert scova("index", home).code == 0


def test_a_background_job_that_was_wished_for_on_purpose_is_done(home, scova):
    assert scova("index", "--background", "--yes", home).code == 0
    assert scova("jobs", "run").code == 0
    assert "private_thing" in scova("search", "private_thing", home).out


def test_agents_are_told_instead_of_indexing_the_home_folder(home):
    async def run():
        server = StdioServerParameters(command=str(SCOVA), args=["mcp"], cwd=str(home), env=dict(os.environ))
        with anyio.fail_after(100):
            async with Client(server) as client:
                return [
                    await client.call_tool(tool, given)
                    for tool, given in (("search", {"query": "private"}), ("index", {}), ("grep", {"pattern": "x"}))
                ]

    for answer in anyio.run(run):
        assert "is your home folder" in str(answer.content)
        assert "--yes" in str(answer.content)
    assert not indexes()


def test_python_is_told_and_may_say_yes(home):
    with Index.open(home) as index:
        for work in (index.refresh, lambda: index.update(["private.py"]), lambda: index.settled(lambda: 1)):
            with pytest.raises(FolderTooBroad, match="home folder") as refused:
                work()
            assert "scova index --yes" in refused.value.hint
        assert index.refresh(yes=True).files == 1
        assert index.refresh().files == 1


def test_a_push_of_the_home_folder_is_refused_before_anything_is_sent(home):
    done = subprocess.run(
        [SCOVA, "push", home, "--server", "http://127.0.0.1:9", "--project", "p"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "is your home folder" in done.stderr


def test_a_folder_that_is_no_repository_and_holds_several_is_refused(several, scova):
    done = scova("search", "private_thing", several)
    assert done.code == 2
    assert "is no repository and holds several" in done.err
    assert f"scova index --yes {several}" in done.err
    assert scova("search", "private_thing", several / "one").code == 0


def test_what_is_more_than_a_project(home, several, monkeypatch, tmp_path):
    assert too_broad(Path("/")) == "is the whole file system"
    assert too_broad(home) == "is your home folder"
    (home / ".git").mkdir()  # as who keeps settings in git has it
    assert too_broad(home) == "is your home folder"
    assert too_broad(home.parent) == "holds your home folder"
    assert too_broad(write(home / "project")) == ""
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert too_broad(home) == "is your home folder"
    assert too_broad(several) == "is no repository and holds several"


def test_what_is_a_project(home, several, tmp_path):
    assert too_broad(several / "one") == ""
    (several / ".git").mkdir()  # one repository with others in it
    assert too_broad(several) == ""
    assert too_broad(several / "group") == ""
    assert too_broad(write(tmp_path / "plain")) == ""
    deep = tmp_path / "deep"
    for name in ("a/b/c", "a/b/d"):  # further down than the short look goes
        (write(deep / name) / ".git").mkdir()
    assert too_broad(deep) == ""
    tools = tmp_path / "tools"
    for name in ("node_modules/x", "node_modules/y", "own"):
        (write(tools / name) / ".git").mkdir()
    assert too_broad(tools) == ""


def test_a_repository_around_the_home_folder_is_a_project(monkeypatch, tmp_path):
    """As in a container whose home lies in the checkout."""
    monkeypatch.setenv("HOME", str(write(tmp_path / "checkout" / ".home")))
    (tmp_path / "checkout" / ".git").mkdir()
    assert too_broad(tmp_path / "checkout") == ""


def test_the_look_at_a_folder_is_bounded(tmp_path):
    many = tmp_path / "many"
    for number in range(2500):
        (many / f"d{number:04}").mkdir(parents=True)
    code = f"from pathlib import Path; from scova.index.consent import too_broad; print(too_broad(Path({str(many)!r})))"
    traced = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert traced.stdout.strip() == ""


def test_an_import_into_a_home_folder_is_refused_too(home, several, tmp_path):
    with Index.open(several / "one") as index:
        index.refresh()
        index.export(tmp_path / "out")
    with Index.open(home) as index, pytest.raises(ScovaError, match="home folder"):
        index.import_from(tmp_path / "out")


def test_a_named_project_says_nothing(home, several, scova):
    """A source is named by the user, as what is to be indexed."""
    assert scova("project", "create", "all").code == 0
    assert scova("project", "add", "all", f"folder:{several}").code == 0
    assert json.loads(scova("project", "show", "all", "--json").out)["sources"]
