"""The command a client starts: one that is still right tomorrow, and from a desktop."""

import sys

import pytest

from scova.install.command import can_start, is_ours, server_command, start_the_same


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A scova command somewhere, which is the one that runs."""

    def make(*parts):
        path = tmp_path.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        monkeypatch.setattr(sys, "argv", [str(path), "install"])
        monkeypatch.setenv("PATH", str(tmp_path / "empty"))
        return path

    return make


def test_the_whole_path_of_the_running_command(program):
    path = program("venv", "bin", "scova")
    assert server_command() == [str(path), "mcp"]


def test_the_name_on_the_path_where_that_leads_to_it(program, tmp_path, monkeypatch):
    """pipx and uv put a link on the PATH; it survives an upgrade, what it leads to may not."""
    path = program("pipx", "venvs", "scova", "bin", "scova")
    link = tmp_path / "bin" / "scova"
    link.parent.mkdir()
    link.symlink_to(path)
    monkeypatch.setenv("PATH", str(link.parent))
    assert server_command() == [str(link), "mcp"]


def test_what_uvx_runs_is_gone_tomorrow(program, tmp_path, monkeypatch):
    program("cache", "uv", "archive-v0", "abc", "bin", "scova")
    assert server_command() == ["uvx", "scova", "mcp"]
    uvx = tmp_path / "bin" / "uvx"
    uvx.parent.mkdir()
    uvx.write_text("#!/bin/sh\n")
    uvx.chmod(0o755)
    monkeypatch.setenv("PATH", str(uvx.parent))
    assert server_command() == [str(uvx), "scova", "mcp"]


def test_a_module_that_was_run_without_any_command(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["main.py"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert server_command() == [str(tmp_path / "python"), "-P", "-m", "scova.cli.main", "mcp"]


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "scova", "args": ["mcp"]}, True),
        ({"command": "C:\\Tools\\scova.exe", "args": ["mcp", "--project", "x"]}, True),
        ({"command": ["uvx", "scova", "mcp"]}, True),
        ({"command": "/usr/bin/python", "args": ["-m", "scova.cli.main", "mcp"]}, True),
        ({"command": "/somewhere/scova-fork/run", "args": ["mcp"]}, False),
        ({"command": "scova", "args": ["serve"]}, False),
        ({"url": "http://localhost/scova/mcp"}, False),
        ("scova mcp", False),
        (None, False),
        ({"command": 3, "args": {"a": 1}}, False),
    ],
)
def test_ours_is_known_again(entry, ours):
    assert is_ours(entry) is ours


def test_whether_it_can_start():
    assert can_start({"command": sys.executable})
    assert not can_start({"command": "/nowhere/scova", "args": ["mcp"]})
    assert not can_start({})


def test_two_names_of_one_program_start_the_same(program, tmp_path, monkeypatch):
    """A name that was shortened by hand, for a file that others use too, stays as it is."""
    path = program("bin", "scova")
    entry = {"command": str(path), "args": ["mcp"]}
    assert not start_the_same({"command": "scova", "args": ["mcp"]}, entry)
    monkeypatch.setenv("PATH", str(path.parent))
    assert start_the_same({"command": "scova", "args": ["mcp"]}, entry)
    assert start_the_same({"command": ["scova", "mcp"]}, entry)
    assert not start_the_same({"command": "scova", "args": ["mcp", "--project", "x"]}, entry)
    assert not start_the_same({}, entry)
