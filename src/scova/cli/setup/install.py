"""`scova install` and `scova uninstall`: their words, and what is done with them."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from scova.cli import render
from scova.cli.words import FOUND, Words
from scova.config import state_folder
from scova.errors import NotAFolder
from scova.install.apply import apply, difference
from scova.install.clients import CLIENTS, SCOPES, Around, Client, client_named
from scova.install.command import server_command
from scova.install.plan import Change, Setup
from scova.install.record import Records
from scova.install.standing import ABSENT, Standing, standings

_NAMES = ", ".join(client.name for client in CLIENTS)


def add_install_words(command: ArgumentParser) -> None:
    """The words of `scova install`, but for those that all commands have."""
    command.add_argument(
        "client", metavar="CLIENT", nargs="?", help=f"{_NAMES}; without: which are there, and how they stand"
    )
    _add_words(command)
    command.add_argument("--force", action="store_true", help="replace an entry `scova` that someone else wrote")


def add_uninstall_words(command: ArgumentParser) -> None:
    """The words of `scova uninstall`."""
    command.add_argument("client", metavar="CLIENT", help=_NAMES)
    _add_words(command)
    command.add_argument("--force", action="store_true", help="remove an entry `scova` that someone else wrote")


def install(arguments: Namespace) -> int:
    """`scova install`: put scova into a client's configuration, or say how all of them stand."""
    if arguments.client is None:
        return _list(arguments)
    setup = _setup(arguments)
    plan = setup.install(server_command(), force=arguments.force, instructions=arguments.instructions)
    return _carry_out(arguments, setup, plan)


def uninstall(arguments: Namespace) -> int:
    """`scova uninstall`: take it out again."""
    setup = _setup(arguments)
    plan = setup.uninstall(force=arguments.force, instructions=arguments.instructions)
    return _carry_out(arguments, setup, plan, absent="was not installed")


def records() -> Records:
    """What was written into clients' files so far."""
    return Records(state_folder() / "installed")


def around(path: str) -> Around:
    """The folders that clients' files are found by, for one project."""
    root = Path(path).absolute()
    if not root.is_dir():
        raise NotAFolder(f"`{path}` is not a folder", "give the folder of the project")
    return Around.here(root)


def _add_words(command: ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", nargs="?", default=".", help="the project's folder (default: here)")
    command.add_argument(
        "--scope",
        choices=SCOPES,
        help="in this project, or wherever you work (default: project where the client has it)",
    )
    command.add_argument("--dry-run", action="store_true", help="only show what would be changed")
    command.add_argument(
        "--no-instructions",
        dest="instructions",
        action="store_false",
        help="leave the file of instructions (CLAUDE.md, AGENTS.md) alone",
    )


def _setup(arguments: Namespace) -> Setup:
    client = client_named(arguments.client)
    return Setup(client, arguments.scope or _usual(client), around(arguments.path), records())


def _usual(client: Client) -> str:
    return next(scope for scope in SCOPES if scope in client.places)


def _carry_out(arguments: Namespace, setup: Setup, changes: Sequence[Change], *, absent: str = "unchanged") -> int:
    differences = [difference(change) for change in changes]
    if not arguments.json:
        for text in differences:
            render.data("".join(f"{render.clean(line)}\n" for line in text.splitlines()))
    if not arguments.dry_run:
        apply(changes, setup.records)
    if arguments.json:
        render.data(render.json_text(_fields(arguments, setup, changes, differences)) + "\n")
        return FOUND
    for change in changes:
        would = "would be " if arguments.dry_run and change.action != "unchanged" else ""
        is_absent = change.action == "unchanged" and change.record is None  # nothing of ours is there, or known of it
        action = absent if is_absent else change.action
        render.talk(f"{would}{action}: {render.clean(str(change.seen.path))}")
    if not arguments.dry_run and any(change.action != "unchanged" for change in changes):
        render.talk(f"restart {setup.client.title} for it to take effect")
    return FOUND


def _fields(
    arguments: Namespace, setup: Setup, changes: Sequence[Change], differences: Sequence[str]
) -> dict[str, object]:
    rows = [
        {"path": str(change.seen.path), "action": change.action, "diff": text}
        for change, text in zip(changes, differences, strict=True)
    ]
    return {"client": setup.client.name, "scope": setup.scope, "dry_run": arguments.dry_run, "changes": rows}


def _list(arguments: Namespace) -> int:
    here = around(arguments.path)
    found = list(standings(here, records(), server_command()))
    used = {client.name: client.is_used(here) for client in CLIENTS}
    if arguments.json:
        rows = [_row(one, used=used[one.client.name]) for one in found]
        render.data(render.json_text({"clients": rows}) + "\n")
        return FOUND
    for client in CLIENTS:
        own = [one for one in found if one.client is client and one.state != ABSENT]
        render.data(f"{client.name:<12} {'found' if used[client.name] else 'not found'}\n")
        for one in own:
            detail = f"  ({one.detail})" if one.detail else ""
            render.data(render.clean(f"  {one.scope:<10} {one.state:<10} {one.path}{detail}") + "\n")
    render.talk("hint: `scova install CLIENT --dry-run` shows what it would change")
    return FOUND


def _row(one: Standing, *, used: bool) -> dict[str, object]:
    return {
        "client": one.client.name,
        "found": used,
        "scope": one.scope,
        "path": str(one.path),
        "state": one.state,
        "detail": one.detail,
    }


WORDS: Words = {"install": (add_install_words, install), "uninstall": (add_uninstall_words, uninstall)}
