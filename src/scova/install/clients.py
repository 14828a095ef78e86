"""The clients, one row each: where their configuration lies, how an entry is written there, and what tells that one is in use.

Adding a client is adding a row. Folders are written with the names of `Around`, so that a row reads like the client's own manual. Nothing
is read here but whether a file or a folder is there.
"""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scova.errors import UsageError

SCOPES = ("project", "user")
NAME = "scova"


@dataclass(frozen=True, slots=True)
class Around:
    """The folders that a client's files are found by."""

    project: Path
    home: Path
    folders: Mapping[str, Path]

    @classmethod
    def here(cls, project: Path) -> "Around":
        """Those of this user on this machine."""
        home, environment = Path.home(), os.environ
        config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
        roaming = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        support = {"darwin": home / "Library" / "Application Support", "win32": roaming}.get(sys.platform, config)
        claude = environment.get("CLAUDE_CONFIG_DIR")
        folders = {
            "home": home,
            "project": project,
            "config": config,
            "support": support,
            "claude": Path(claude or home),
            "claude_notes": Path(claude or home / ".claude"),
            "codex": Path(environment.get("CODEX_HOME") or home / ".codex"),
            "gemini": Path(environment.get("GEMINI_CLI_HOME") or home) / ".gemini",
            "zed": {"darwin": home / ".config" / "zed", "win32": roaming / "Zed"}.get(sys.platform, config / "zed"),
        }
        return cls(project, home, folders)

    def path(self, words: str) -> Path:
        """The path that a row's words stand for."""
        return Path(words.format_map({name: str(folder) for name, folder in self.folders.items()}))

    def within(self, scope: str) -> list[Path]:
        """The folders that no link may lead out of."""
        return (
            [self.project] if scope == "project" else [path for name, path in self.folders.items() if name != "project"]
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client keeps its servers in one scope: the first of these folders that is there, in it the first of these files."""

    folders: tuple[str, ...]
    files: tuple[str, ...]
    instructions: str = ""  # the file of instructions that goes with it; empty where the client has none
    arguments: tuple[str, ...] = ()  # that say which project is meant, where the client fills them in

    def file(self, around: Around) -> Path:
        """The configuration file, whether it is there or not."""
        folders = [around.path(words) for words in self.folders]
        folder = next((one for one in folders if one.is_dir()), folders[0])
        return next((folder / name for name in self.files if (folder / name).exists()), folder / self.files[0])


@dataclass(frozen=True, slots=True)
class Client:
    """A program that agents work in."""

    name: str
    title: str
    programs: tuple[str, ...]  # its commands
    signs: tuple[str, ...]  # folders that it makes when it is used
    places: Mapping[str, Place]  # by scope
    table: tuple[str, ...]  # the keys that lead to its servers
    newer_table: tuple[str, ...] = ()  # where they are instead, once a file has this
    form: str = "json"
    shape: str = "plain"  # of an entry: `plain`, `typed` (says that it is a local process), `words` (one list)

    def place(self, scope: str) -> Place:
        """Its place in a scope; UsageError says which scopes it has."""
        if scope not in self.places:
            have = " and ".join(f"--scope {one}" for one in self.places)
            raise UsageError(f"{self.title} has no servers of {_SCOPE_WORDS[scope]}", f"what it has is {have}")
        return self.places[scope]

    def entry(self, command: Sequence[str], scope: str, chosen: Sequence[str] = ()) -> dict[str, object]:
        """What stands under `scova` in its configuration; with what the user has `chosen` to say behind the command."""
        first, *rest = [*command, *(chosen or self.place(scope).arguments)]
        if self.shape == "words":
            return {"type": "local", "command": [first, *rest]}
        typed: dict[str, object] = {"type": "stdio"} if self.shape == "typed" else {}
        return {**typed, "command": first, "args": rest}

    def is_used(self, around: Around) -> bool:
        """Whether it seems to be on this machine."""
        return any(map(shutil.which, self.programs)) or any(around.path(words).exists() for words in self.signs)


_SCOPE_WORDS = {"project": "one project", "user": "one user"}
_WORKSPACE = ("--project", "${workspaceFolder}")
_SERVERS = ("mcpServers",)
_AGENTS = "{project}/AGENTS.md"
_OPENCODE = ("opencode.json", "opencode.jsonc")

CLIENTS = (
    Client(
        "claude-code",
        "Claude Code",
        ("claude",),
        ("{claude_notes}", "{claude}/.claude.json"),
        {
            "project": Place(("{project}",), (".mcp.json",), "{project}/CLAUDE.md"),
            "user": Place(("{claude}",), (".claude.json",), "{claude_notes}/CLAUDE.md"),
        },
        _SERVERS,
        shape="typed",
    ),
    Client(
        "cursor",
        "Cursor",
        ("cursor", "cursor-agent"),
        ("{home}/.cursor",),
        {
            "project": Place(("{project}/.cursor",), ("mcp.json",), _AGENTS, _WORKSPACE),
            "user": Place(("{home}/.cursor",), ("mcp.json",)),
        },
        _SERVERS,
        shape="typed",
    ),
    Client(
        "vscode",
        "VS Code",
        ("code", "code-insiders", "codium"),
        ("{support}/Code", "{support}/Code - Insiders", "{support}/VSCodium"),
        {
            "project": Place(("{project}/.vscode",), ("mcp.json",), _AGENTS, _WORKSPACE),
            "user": Place(
                ("{support}/Code/User", "{support}/Code - Insiders/User", "{support}/VSCodium/User"), ("mcp.json",)
            ),
        },
        ("servers",),
        shape="typed",
    ),
    Client(
        "codex",
        "Codex",
        ("codex",),
        ("{codex}",),
        {
            "project": Place(("{project}/.codex",), ("config.toml",), _AGENTS),
            "user": Place(("{codex}",), ("config.toml",), "{codex}/AGENTS.md"),
        },
        ("mcp_servers",),
        form="toml",
    ),
    Client(
        "gemini",
        "Gemini CLI",
        ("gemini",),
        ("{gemini}",),
        {
            "project": Place(("{project}/.gemini",), ("settings.json",), "{project}/GEMINI.md"),
            "user": Place(("{gemini}",), ("settings.json",), "{gemini}/GEMINI.md"),
        },
        _SERVERS,
    ),
    Client(
        "windsurf",
        "Windsurf",
        ("windsurf",),
        ("{home}/.codeium/windsurf",),
        {"user": Place(("{home}/.codeium/windsurf",), ("mcp_config.json",))},
        _SERVERS,
    ),
    Client(
        "opencode",
        "opencode",
        ("opencode",),
        ("{config}/opencode",),
        {
            "project": Place(("{project}",), (*_OPENCODE, *(f".opencode/{name}" for name in _OPENCODE)), _AGENTS),
            "user": Place(("{config}/opencode",), _OPENCODE, "{config}/opencode/AGENTS.md"),
        },
        ("mcp",),
        newer_table=("mcp", "servers"),
        shape="words",
    ),
    Client(
        "zed",
        "Zed",
        ("zed", "zeditor"),
        ("{zed}",),
        {
            "project": Place(("{project}/.zed",), ("settings.json",), _AGENTS),
            "user": Place(("{zed}",), ("settings.json",), "{zed}/AGENTS.md"),
        },
        ("context_servers",),
    ),
)


def client_named(name: str) -> Client:
    """The client of this name; UsageError names those there are."""
    found = next((client for client in CLIENTS if client.name == name), None)
    if found is None:
        raise UsageError(f"there is no client `{name}`", f"it is one of {', '.join(client.name for client in CLIENTS)}")
    return found
