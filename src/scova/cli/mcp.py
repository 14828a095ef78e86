"""`scova mcp`: the server that agents talk to. Over stdio nothing but the protocol goes to stdout."""

import gc
from argparse import ArgumentParser, Namespace
from pathlib import Path

from scova.cli.words import Words
from scova.errors import UsageError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add_words(command: ArgumentParser) -> None:
    """The words of the command."""
    command.add_argument(
        "--project",
        action="append",
        default=[],
        metavar="PATH",
        help="a folder to serve (default: SCOVA_PROJECT, then the working folder); may be given several times",
    )
    command.add_argument("--http", action="store_true", help="serve streamable HTTP at /mcp instead of stdio")
    command.add_argument("--host", default="127.0.0.1", help="address for --http (default: 127.0.0.1)")
    command.add_argument("--port", type=int, default=8765, help="port for --http (default: 8765)")


def run(arguments: Namespace) -> int:
    """Serve until the client leaves, or the process is stopped."""
    roots = [Path(path) for path in arguments.project]
    if missing := [root for root in roots if not root.is_dir()]:
        raise UsageError(f"`{missing[0]}` is not a folder", "give the folder of the project")
    if arguments.http and arguments.host not in LOOPBACK:
        raise UsageError(
            f"`{arguments.host}` is open to other machines, and this server asks nobody who they are",
            "serve on 127.0.0.1, and put a proxy that authenticates in front of it",
        )
    gc.disable()  # loading makes thousands of objects that stay: looking for garbage among them takes a quarter of the start
    from scova.mcp import server
    from scova.mcp.desk import Desk

    gc.freeze()
    gc.enable()
    desk = Desk(roots)
    try:
        if arguments.http:
            server.serve_http(desk, host=arguments.host, port=arguments.port)
        else:
            server.serve_stdio(desk)
    finally:
        desk.close()
    return 0


WORDS: Words = {"mcp": (add_words, run)}
