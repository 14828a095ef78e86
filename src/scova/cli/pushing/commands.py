"""The words of `scova push`, and what is done with them. Ctrl-C ends it in good order.

A token comes from the environment, never from the command line, where others on the machine could read it.
"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from scova.cli import render
from scova.cli.pushing import show
from scova.cli.running.ending import heeded
from scova.cli.running.progress import stages
from scova.cli.words import FOUND, INCOMPLETE, Words
from scova.config import secret
from scova.errors import UsageError
from scova.push import Address, Push, Pushed, PushOptions, address
from scova.push.address import project_name
from scova.push.pace import RATE

TOKEN_ENV = "SCOVA_TOKEN"
TOKEN_PREFIX = "scova_"  # of every token, as `scova token create` makes them
MOST_RATE = 1000.0


def add_words(command: ArgumentParser) -> None:
    """The words of the command."""
    command.add_argument("path", metavar="PATH", help="the folder")
    command.add_argument("--server", required=True, metavar="URL", help="the address of a `scova serve`")
    command.add_argument("--project", required=True, metavar="P", help="the project on the server")
    command.add_argument(
        "--token-env",
        metavar="NAME",
        help=f"the environment variable that holds the token (default: {TOKEN_ENV}, if it is set)",
    )
    command.add_argument(
        "--rate", type=_rate, default=RATE, metavar="N", help=f"at most N requests in a second (default: {RATE:g})"
    )
    command.add_argument(
        "--yes", action="store_true", help="push a home folder, a whole disk or a folder of several repositories too"
    )
    command.add_argument("--no-create", action="store_true", help="do not make the project if it is not there")
    command.add_argument("--dry-run", action="store_true", help="say what would be sent and deleted, and do neither")


def push(arguments: Namespace) -> int:
    """Push, and say what came of it; 3 when the server does not have everything."""
    project = project_name(arguments.project)
    server = server_of(arguments)
    options = PushOptions(
        rate=arguments.rate, create=not arguments.no_create, dry_run=arguments.dry_run, yes=arguments.yes
    )
    done: Pushed | None = None
    with heeded() as ending, stages() as tell:
        done = Push(server, project, options, tell=tell, stop=ending.is_set).run(Path(arguments.path))
    if done is None:
        raise KeyboardInterrupt  # a second one, which was not patient
    render.data(show.pushed(done, as_json=arguments.json) + "\n")
    if done.message:
        render.talk(f"note: {render.clean(done.message)}")
    return FOUND if done.is_complete else INCOMPLETE


def server_of(arguments: Namespace) -> Address:
    """The server that was named, with the token from the environment; says so where others can listen."""
    variable = arguments.token_env or TOKEN_ENV
    token = secret(variable)
    if arguments.token_env and arguments.token_env.startswith(TOKEN_PREFIX):
        raise UsageError("--token-env takes the name of a variable, not the token", f"put the token into {TOKEN_ENV}")
    if arguments.token_env and not token:
        raise UsageError(
            f"the environment variable `{variable}` is not set", "set it to a token, or leave out --token-env"
        )
    server = address(arguments.server, token=token, token_env=variable)
    if server.note:
        render.talk(f"warning: {server.note}")
    return server


def _rate(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= MOST_RATE:
        raise ArgumentTypeError(f"{text} is not a number above 0 and up to {MOST_RATE:g}")
    return value


WORDS: Words = {"push": (add_words, push)}
