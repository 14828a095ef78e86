"""`scova mcp`: the server that agents talk to. Over stdio nothing but the protocol goes to stdout."""

import gc
import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from scova.cli.running.ending import left_in_time
from scova.cli.words import Words
from scova.errors import UsageError

if TYPE_CHECKING:
    from scova.mcp.workplace import Workplace

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add_words(command: ArgumentParser) -> None:
    """The words of the command."""
    command.add_argument(
        "--project",
        action="append",
        default=[],
        metavar="PATH",
        help="a folder to serve (default: SCOVA_PROJECT, then the working folder); may be given several times;"
        " with --server: the project there (default: the name of the folder)",
    )
    command.add_argument(
        "--server", metavar="URL", help="ask a `scova serve` instead, and push the folder there as it changes"
    )
    command.add_argument(
        "--token-env",
        metavar="NAME",
        help="with --server: the environment variable that holds the token (default: SCOVA_TOKEN, if it is set)",
    )
    command.add_argument("--no-push", action="store_true", help="with --server: only ask, and push nothing")
    command.add_argument("--http", action="store_true", help="serve streamable HTTP at /mcp instead of stdio")
    command.add_argument("--host", default="127.0.0.1", help="address for --http (default: 127.0.0.1)")
    command.add_argument("--port", type=int, default=8765, help="port for --http (default: 8765)")


def run(arguments: Namespace) -> int:
    """Serve until the client leaves, or the process is stopped."""
    if arguments.http and arguments.host not in LOOPBACK:
        raise UsageError(
            f"`{arguments.host}` is open to other machines, and this server asks nobody who they are",
            "serve on 127.0.0.1, and put a proxy that authenticates in front of it",
        )
    gc.disable()  # loading makes thousands of objects that stay: looking for garbage among them takes a quarter of the start
    from scova.mcp import server

    desk = _remote(arguments) if arguments.server is not None else _local(arguments)
    gc.freeze()
    gc.enable()
    with left_in_time(desk.close):
        if arguments.http:
            server.serve_http(desk, host=arguments.host, port=arguments.port)
        else:
            server.serve_stdio(desk)
    return 0


def _local(arguments: Namespace) -> "Workplace":
    from scova.mcp.desk import Desk

    if arguments.token_env or arguments.no_push:
        word = "--token-env" if arguments.token_env else "--no-push"
        raise UsageError(f"{word} is about a server", "name it with --server, or leave the word out")
    roots = [Path(path) for path in arguments.project]
    if missing := [root for root in roots if not root.is_dir()]:
        raise UsageError(f"`{missing[0]}` is not a folder", "give the folder of the project")
    return Desk(roots)


def _remote(arguments: Namespace) -> "Workplace":
    from scova.cli.pushing.commands import server_of
    from scova.mcp.desk import ENVIRONMENT
    from scova.mcp.remote_desk import RemoteDesk, default_project
    from scova.push.address import project_name

    if len(arguments.project) > 1:
        raise UsageError("a server is asked about one project at a time", "give --project once; calls may name others")
    folder = Path(os.environ.get(ENVIRONMENT) or Path.cwd()).resolve()
    if not folder.is_dir():
        raise UsageError(f"`{folder}` is not a folder", f"set {ENVIRONMENT} to the folder of the project")
    project = project_name(arguments.project[0]) if arguments.project else default_project(folder)
    return RemoteDesk(server_of(arguments), folder, project, pushes=not arguments.no_push)


WORDS: Words = {"mcp": (add_words, run)}
