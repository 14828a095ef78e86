"""Every client, with configurations as people have them: installed, looked at, uninstalled; byte for byte as before."""

import json
import sys
import tomllib
from pathlib import Path

import pytest

from scova.errors import ClientError, UsageError
from scova.install import standing
from scova.install.apply import apply, difference
from scova.install.clients import CLIENTS, Around, client_named
from scova.install.plan import Setup
from scova.install.record import Records
from scova.install.text.jsonedit import value_of

COMMAND = ["/opt/scova/bin/scova", "mcp"]

CONFIGURATIONS = {
    "claude-code": (
        '{\n  "numStartups": 312,\n  "tipsHistory": {\n    "shift-enter": 3\n  },\n  "projects": {\n    "/srv/shop": {\n      "allowedTools": [],\n'
        '      "mcpServers": {},\n      "history": [\n        {\n          "display": "fix // the { build"\n        }\n      ]\n    }\n  },\n'
        '  "mcpServers": {\n    "github": {\n      "type": "http",\n      "url": "https://api.example.com/mcp"\n    }\n  }\n}'
    ),
    "cursor": '{\n\t"mcpServers": {\n\t\t"linear": { "url": "https://mcp.example.com/sse" },\n\t\t"db": {\n\t\t\t"command": "npx",\n\t\t\t"args": ["-y", "db-mcp"],\n\t\t\t"env": {"KEY": "secret"}\n\t\t}\n\t}\n}\n',
    "vscode": (
        '{\r\n    // asked for once, kept in the keychain\r\n    "inputs": [\r\n        { "type": "promptString", "id": "key", "password": true },\r\n    ],\r\n'
        '    "servers": {\r\n        "fetch": {\r\n            "type": "stdio",\r\n            "command": "uvx",\r\n            "args": ["mcp-server-fetch"],\r\n        },\r\n    },\r\n}\r\n'
    ),
    "codex": (
        'model = "gpt-5.5-codex"\napproval_policy = "on-request" # never say never\n\n[projects."/srv/shop"]\ntrust_level = "trusted"\n\n'
        '# documentation\n[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "-y",\n  "docs-mcp", # pinned\n]\n\n[mcp_servers.docs.env]\nKEY = "secret"\n\n[tui]\nnotifications = true'
    ),
    "gemini": '{\n  "security": {\n    "auth": {\n      "selectedType": "gemini-api-key"\n    }\n  },\n  "ui": {\n    "theme": "Dracula"\n  }\n}',
    "windsurf": '{"mcpServers":{"github":{"command":"docker","args":["run","-i","--rm","ghcr.example/mcp"]}}}',
    "opencode": '{\n  "$schema": "https://opencode.ai/config.json",\n  "model": "anthropic/claude",\n  "mcp": {\n    "jira": {\n      "type": "remote",\n      "url": "https://jira.example.com/mcp",\n      "enabled": false,\n    },\n  },\n}\n',
    "zed": (
        "// Zed settings\n//\n// To see all of Zed's default settings without changing your\n// custom settings, run `zed: open default settings`\n{\n"
        '  "ui_font_size": 16,\n  "theme": {\n    "mode": "system", // follows the desktop\n    "light": "One Light"\n  },\n  /* "vim_mode": true, */\n  "context_servers": {}\n}\n'
    ),
}  # fmt: skip

TABLES = {"vscode": "servers", "codex": "mcp_servers", "opencode": "mcp", "zed": "context_servers"}
EVERY = [(client.name, scope) for client in CLIENTS for scope in client.places]


@pytest.fixture
def around(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    project = tmp_path / "project"
    project.mkdir()
    return Around.here(project)


@pytest.fixture
def setup_of(around, tmp_path):
    return lambda name, scope: Setup(client_named(name), scope, around, Records(tmp_path / "records"))


def read(setup, data):
    return tomllib.loads(data.decode()) if setup.client.form == "toml" else value_of(data.decode())


def tree(folder: Path):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_there_is_a_configuration_to_try_for_every_client():
    assert set(CONFIGURATIONS) == {client.name for client in CLIENTS}


@pytest.mark.parametrize(("name", "scope"), EVERY)
@pytest.mark.parametrize("bare", [True, False], ids=["missing", "there"])
def test_in_and_out_leaves_no_trace(name, scope, bare, setup_of, tmp_path, around):
    setup = setup_of(name, scope)
    path = setup.place.file(around)
    if not bare:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONFIGURATIONS[name].encode())
        path.chmod(0o600)
    trees = [around.home, around.project]
    before = [tree(folder) for folder in trees]

    changes = setup.install(COMMAND)
    assert [tree(folder) for folder in trees] == before, "planning touches nothing"
    apply(changes, setup.records)
    entry = setup.client.entry(COMMAND, scope)
    old = {} if bare else read(setup, CONFIGURATIONS[name].encode())
    table = TABLES.get(name, "mcpServers")
    assert read(setup, path.read_bytes()) == old | {table: {**old.get(table, {}), "scova": entry}}
    assert bare or path.stat().st_mode & 0o777 == 0o600

    again = setup.install(COMMAND)
    assert {change.action for change in again} == {"unchanged"}
    apply(again, setup.records)
    apply(setup.uninstall(), setup.records)
    assert [tree(folder) for folder in trees] == before
    assert not list((tmp_path / "records").iterdir())


@pytest.mark.parametrize("name", [name for name, scope in EVERY if scope == "user"])
def test_a_changed_command_is_brought_up_to_date_in_its_place(name, setup_of, around):
    setup = setup_of(name, "user")
    path = setup.place.file(around)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(CONFIGURATIONS[name].encode())
    apply(setup.install(COMMAND), setup.records)
    moved = ["/elsewhere/scova", "mcp"]
    apply(setup.install(moved), setup.records)
    assert setup.entry(setup.look()) == setup.client.entry(moved, "user")
    apply(setup.uninstall(), setup.records)
    assert path.read_bytes() == CONFIGURATIONS[name].encode()


@pytest.mark.parametrize(("name", "scope"), EVERY)
def test_an_entry_of_someone_else_is_left_alone_unless_forced_and_comes_back(name, scope, setup_of, around):
    setup = setup_of(name, scope)
    path = setup.place.file(around)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = (
        'a = 1\n[mcp_servers.scova]\ncommand = "mine" # !\n\n[tui]\n'
        if name == "codex"
        else json.dumps({TABLES.get(name, "mcpServers"): {"scova": {"command": "mine"}}}, indent=4)
    )
    path.write_text(text)
    for plan in (lambda: setup.install(COMMAND), setup.uninstall):
        with pytest.raises(ClientError, match="did not write") as caught:
            plan()
        assert "--force" in caught.value.hint
    apply(setup.install(COMMAND, force=True), setup.records)
    assert setup.entry(setup.look()) == setup.client.entry(COMMAND, scope)
    apply(setup.uninstall(), setup.records)
    assert path.read_text() == text


def test_a_hand_written_entry_that_starts_scova_is_ours(setup_of, around):
    setup = setup_of("cursor", "user")
    path = setup.place.file(around)
    path.parent.mkdir(parents=True)
    path.write_text('{"mcpServers": {"scova": {"command": "scova", "args": ["mcp"], "env": {"SCOVA_WORKERS": "1"}}}}')
    apply(setup.install(COMMAND), setup.records)
    assert setup.entry(setup.look()) == setup.client.entry(COMMAND, "user") | {"env": {"SCOVA_WORKERS": "1"}}
    apply(setup.uninstall(), setup.records)
    assert value_of(path.read_text()) == {"mcpServers": {}}


def test_other_servers_that_were_added_meanwhile_stay(setup_of, around):
    setup = setup_of("claude-code", "project")
    apply(setup.install(COMMAND, instructions=False), setup.records)
    path = setup.place.file(around)
    value = json.loads(path.read_text())
    value["mcpServers"]["other"] = {"command": "x"}
    path.write_text(json.dumps(value, indent=2))
    apply(setup.uninstall(), setup.records)
    assert json.loads(path.read_text()) == {"mcpServers": {"other": {"command": "x"}}}


def test_opencode_two_keeps_its_servers_one_level_deeper(setup_of, around):
    setup = setup_of("opencode", "project")
    path = around.project / "opencode.jsonc"
    text = '{"mcp": {"servers": {"x": {"type": "local", "command": ["x"]}}, "timeout": {}}}'
    path.write_text(text)
    apply(setup.install(COMMAND, instructions=False), setup.records)
    assert value_of(path.read_text())["mcp"]["servers"]["scova"] == {"type": "local", "command": COMMAND}
    apply(setup.uninstall(), setup.records)
    assert path.read_text() == text


def test_clients_share_a_file_of_instructions_until_the_last_one_goes(setup_of, around):
    notes = around.project / "AGENTS.md"
    notes.write_text("# Rules")
    first, second = setup_of("cursor", "project"), setup_of("codex", "project")
    for setup in (first, second):
        apply(setup.install(COMMAND), setup.records)
    apply(first.uninstall(), first.records)
    assert "scova:begin" in notes.read_text()
    apply(second.uninstall(), second.records)
    assert notes.read_text() == "# Rules"


def test_claude_reads_its_own_file_of_instructions_and_so_does_gemini(setup_of, around):
    for name, file in (("claude-code", "CLAUDE.md"), ("gemini", "GEMINI.md"), ("zed", "AGENTS.md")):
        setup = setup_of(name, "project")
        apply(setup.install(COMMAND), setup.records)
        assert "scova:begin" in (around.project / file).read_text()


def test_a_scope_that_a_client_does_not_have_is_named(setup_of):
    with pytest.raises(UsageError, match="Windsurf has no servers of one project") as caught:
        setup_of("windsurf", "project")
    assert "--scope user" in caught.value.hint
    with pytest.raises(UsageError) as caught:
        client_named("emacs")
    assert "claude-code" in caught.value.hint


def test_folders_can_be_moved_by_the_clients_own_variables(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "google"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    around = Around.here(tmp_path)
    files = {
        name: client_named(name).place("user").file(around).relative_to(tmp_path)
        for name, scope in EVERY
        if scope == "user" and name not in ("cursor", "windsurf")
    }
    assert {name: str(path) for name, path in files.items()} == {
        "claude-code": "claude/.claude.json",
        "codex": "codex/config.toml",
        "gemini": "google/.gemini/settings.json",
        "vscode": "xdg/Code/User/mcp.json",
        "opencode": "xdg/opencode/opencode.json",
        "zed": "xdg/zed/settings.json",
    }


@pytest.mark.parametrize(
    ("platform", "code", "zed"),
    [
        ("linux", ".config/Code/User/mcp.json", ".config/zed/settings.json"),
        ("darwin", "Library/Application Support/Code/User/mcp.json", ".config/zed/settings.json"),
        ("win32", "AppData/Roaming/Code/User/mcp.json", "AppData/Roaming/Zed/settings.json"),
    ],
)
def test_each_system_has_its_places(platform, code, zed, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("APPDATA", raising=False)
    around = Around.here(tmp_path)
    assert client_named("vscode").place("user").file(around) == around.home / code
    assert client_named("zed").place("user").file(around) == around.home / zed


def test_the_folder_that_is_there_is_taken(around):
    (around.path("{support}") / "VSCodium" / "User").mkdir(parents=True)
    assert client_named("vscode").place("user").file(around).parts[-3] == "VSCodium"
    assert client_named("vscode").is_used(around) and not client_named("zed").is_used(around)


def test_how_clients_stand(around, tmp_path, setup_of):
    records = Records(tmp_path / "records")

    def states():
        return {
            (one.client.name, one.scope): one.state
            for one in standing.standings(around, records, ["/opt/scova", "mcp"])
        }

    assert set(states().values()) == {standing.ABSENT}
    scova = tmp_path / "bin" / "scova"
    scova.parent.mkdir()
    scova.write_text("#!/bin/sh\n")
    scova.chmod(0o755)
    for name, command in (("cursor", ["/opt/scova", "mcp"]), ("gemini", [str(scova), "mcp"])):
        setup = setup_of(name, "project")
        apply(setup.install(command), records)
    (around.project / ".vscode").mkdir()
    (around.project / ".vscode" / "mcp.json").write_text("{")
    (around.project / ".mcp.json").write_text('{"mcpServers": {"scova": {"command": "mine"}}}')
    found = states()
    assert found["cursor", "project"] == standing.GONE
    assert found["gemini", "project"] == standing.OUTDATED
    assert found["vscode", "project"] == standing.BROKEN
    assert found["claude-code", "project"] == standing.FOREIGN


def test_a_difference_shows_nothing_but_what_changes(setup_of, around):
    """A configuration may hold keys of other servers: they must not end in a log."""
    setup = setup_of("cursor", "user")
    path = setup.place.file(around)
    path.parent.mkdir(parents=True)
    for text in (CONFIGURATIONS["cursor"], json.dumps(json.loads(CONFIGURATIONS["cursor"]) | {"long": "x" * 400})):
        path.write_text(text)
        shown = difference(setup.install(COMMAND)[0])
        assert COMMAND[0] in shown
        assert "secret" not in shown
