"""The real commands, in a home of their own: install, look, uninstall, doctor, help."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scova.config import state_folder
from scova.install.clients import CLIENTS

SCOVA = str(Path(sys.executable).with_name("scova"))


def tree(*folders):
    return {path: path.read_bytes() if path.is_file() else None for folder in folders for path in folder.rglob("*")}


@pytest.fixture
def home():
    path = Path(os.environ["HOME"])
    (state_folder() / "installed").mkdir(parents=True)
    return path


@pytest.mark.parametrize("client", [client.name for client in CLIENTS])
def test_every_client_in_and_out(client, scova, project, home):
    before = tree(home, project)
    preview = scova("install", client, project, "--dry-run")
    assert preview.code == 0 and "would be created" in preview.err
    assert tree(home, project) == before
    done = scova("install", client, project)
    assert done.code == 0 and done.out == preview.out
    assert f'"{SCOVA}"' in done.out
    assert scova("install", client, project, "--json").json["changes"][0]["action"] == "unchanged"
    rows = [row for row in scova("install", "--json", cwd=project).json["clients"] if row["client"] == client]
    assert "installed" in {row["state"] for row in rows}
    gone = scova("uninstall", client, project)
    assert gone.code == 0 and "removed" in gone.err
    assert tree(home, project) == before
    again = scova("uninstall", client, project)
    assert again.code == 0 and {line.partition(":")[0] for line in again.err.splitlines()} == {"was not installed"}


def test_user_scope_and_no_instructions(scova, project, home):
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('model = "x" # mine')
    done = scova("install", "codex", "--scope", "user", "--no-instructions", "--json", cwd=project)
    assert [change["path"] for change in done.json["changes"]] == [str(config)]
    assert tomllib.loads(config.read_text())["mcp_servers"]["scova"] == {"command": SCOVA, "args": ["mcp"]}
    assert not (home / ".codex" / "AGENTS.md").exists()
    assert scova("uninstall", "codex", "--scope", "user").code == 0
    assert config.read_text() == 'model = "x" # mine'


def test_the_program_that_was_written_starts(scova, project):
    scova("install", "claude-code", project)
    entry = json.loads((project / ".mcp.json").read_text())["mcpServers"]["scova"]
    done = subprocess.run([entry["command"], *entry["args"], "--help"], capture_output=True, text=True, cwd=project)
    assert done.returncode == 0, done.stderr


def test_refusals_have_exit_code_2_and_a_hint(scova, project):
    (project / ".mcp.json").write_text("{")
    for words, why in (
        (["install", "claude-code", project], "not valid JSON"),
        (["uninstall", "claude-code", project], "not valid JSON"),
        (["install", "emacs"], "no client"),
        (["install", "windsurf", "--scope", "project"], "no servers of one project"),
        (["install", "zed", project / "nowhere"], "not a folder"),
        (["help", "nothing"], "no help"),
    ):
        done = scova(*words)
        assert done.code == 2 and why in done.err and "hint:" in done.err, words
        assert not done.out
    assert (project / ".mcp.json").read_text() == "{"


def test_the_list_says_who_is_there(scova, project, home):
    (home / ".cursor").mkdir()
    done = scova("install", cwd=project)
    assert done.code == 0
    assert [line.split() for line in done.out.splitlines()][:2] == [
        ["claude-code", "not", "found"],
        ["cursor", "found"],
    ]


def test_doctor_from_sound_to_failing(scova, project):
    assert scova("index", project).code == 0
    done = scova("doctor", project)
    assert done.code == 0, done.out
    assert all(line.split()[0] in ("ok", "warn", "hint:") for line in done.out.splitlines())
    (project / ".mcp.json").write_text("{")
    done = scova("doctor", project, "--json")
    assert done.code == 3 and not done.json["ok"]
    (broken,) = [check for check in done.json["checks"] if check["state"] == "fail"]
    assert broken["name"] == "claude-code" and broken["hint"]
    assert scova("doctor", project / "nowhere").code == 2


def test_help_is_the_guide_that_is_installed(scova, project):
    guide = scova("help", "agents").out
    scova("install", "claude-code", project)
    assert guide in (project / "CLAUDE.md").read_text()
    assert scova("help", "agents", "--json").json == {"topic": "agents", "text": guide}
    assert scova("help", "grep").out == scova("grep", "--help").out
    assert scova("help").out == scova("--help").out


def test_other_commands_do_not_load_it(project, scova):
    scova("index", project)
    script = "import sys; from scova.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script, "search", "x", str(project)], capture_output=True, text=True)
    assert not [
        name for name in done.stderr.split() if name.startswith(("scova.install", "scova.doctor", "scova.cli.setup"))
    ]


def test_an_entry_that_names_a_server_keeps_it(scova, project):
    """What the user says of a server stays, however often scova is installed anew; only the program is ours to say."""
    config = project / ".mcp.json"
    chosen = ["mcp", "--server", "http://127.0.0.1:8771", "--project", "shop"]
    scova("install", "claude-code", project, "--scope", "project")
    for program in (SCOVA, "/gone/bin/scova"):
        entry = {"command": program, "args": chosen, "env": {"SCOVA_TOKEN": "t"}}
        config.write_text(json.dumps({"mcpServers": {"scova": entry}}))
        assert scova("install", "claude-code", project, "--scope", "project").code == 0
        assert json.loads(config.read_text())["mcpServers"]["scova"] == {**entry, "command": SCOVA} | (
            {"type": "stdio"} if program != SCOVA else {}
        )
    rows = scova("install", "--json", cwd=project).json["clients"]
    (row,) = [row for row in rows if row["client"] == "claude-code" and row["scope"] == "project"]
    assert (row["state"], "8771" in row["detail"]) == ("installed", True)
