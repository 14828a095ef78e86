"""The words of `scova serve` and of `scova token ACTION`, and what is done with them."""

import gc
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scova import config as settings
from scova.cli import render
from scova.cli.intermixed import Intermixed
from scova.cli.words import FOUND, NOTHING, Words
from scova.server.housing.opening import token_ledger
from scova.server.layout import ServerLayout
from scova.server.tokens import EVERY_PROJECT, Scope, Tokens
from scova.types import KeptToken

PORT = 8766


def add_serve_words(command: ArgumentParser) -> None:
    """The words of `scova serve`."""
    command.description = "Serve teams over HTTP: content is pushed, and asked about. No folder is walked. Without tokens only this machine is served."
    command.add_argument("--host", default="127.0.0.1", help="address to serve on (default: 127.0.0.1)")
    command.add_argument(
        "--port", type=int, default=PORT, help=f"port to serve on; 0 for any that is free (default: {PORT})"
    )
    _add_place_words(command)
    command.add_argument(
        "--vectors",
        metavar="URL",
        help="where vectors are searched: `pgvector:` for the database of --store, `http://HOST:6333` for a Qdrant (default: in local "
        "files, which is exact and needs nothing)",
    )


def serve(arguments: Namespace) -> int:
    """Serve until the process is told to stop."""
    gc.disable()  # loading makes thousands of objects that stay: looking for garbage among them takes a quarter of the start
    from scova.server import logs
    from scova.server.hall import Hall
    from scova.server.serving import bound
    from scova.server.serving import serve as serve_on

    gc.freeze()
    gc.enable()
    place = _place(arguments)
    hall = Hall(place, _config(arguments, place))
    taken = bound(hall, arguments.host, arguments.port)
    host, port = taken.getsockname()[:2]
    render.at_once(f"serving on http://{f'[{host}]' if ':' in host else host}:{port}\n")
    logs.configure()
    serve_on(hall, taken)
    return FOUND


def add_token_words(command: ArgumentParser) -> None:
    """One parser an action."""
    command.description = "Tokens of a server: who may use it, for which project, and what for. Changes hold with the next request; where the server has a database, a revoked token opens nothing after a second at the latest."
    command.has_actions = True  # type: ignore[attr-defined]  # it is an Intermixed
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=Intermixed)
    for name, (about, run) in _ACTIONS.items():
        action = actions.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        action.set_defaults(run=run)
        if name == "create":
            _add_create_words(action)
        if name == "revoke":
            action.add_argument("id", metavar="ID", help="the token, as `scova token list` names it")
        _add_place_words(action)
        action.add_argument("--json", action="store_true", help="print one JSON object")


def _add_create_words(action: ArgumentParser) -> None:
    action.add_argument("--project", required=True, metavar="P", help="the project it is for; `*` for all")
    action.add_argument(
        "--scope",
        required=True,
        choices=[scope.name.lower() for scope in Scope],
        help="read: questions; write: to index, delete and sync too; admin: to make and remove projects too",
    )
    action.add_argument("--name", default="", metavar="N", help="whose it is, for people")


def _add_place_words(command: ArgumentParser) -> None:
    command.add_argument(
        "--data", metavar="DIR", help="where the server keeps everything (default: in the user's state folder)"
    )
    command.add_argument(
        "--store",
        metavar="URL",
        help="the database that holds everything instead, for any number of servers (`postgresql://…`; its password is better "
        "given in SCOVA_SERVE_STORE); DIR then holds what can be made again",
    )


def _place(arguments: Namespace) -> ServerLayout:
    chosen = Path(arguments.data).expanduser().absolute() if arguments.data else settings.state_folder() / "server"
    return ServerLayout(chosen)


def _config(arguments: Namespace, place: ServerLayout) -> settings.Config:
    vectors = getattr(arguments, "vectors", None)  # of `serve` alone
    return settings.load_server(place.root, {"serve_store": arguments.store, "serve_vectors": vectors})


@contextmanager
def _tokens(arguments: Namespace) -> Iterator[Tokens]:
    """The tokens of the server that is meant."""
    place = _place(arguments)
    with token_ledger(place, _config(arguments, place).serve_store) as ledger:
        yield Tokens(ledger)


def _create(arguments: Namespace) -> int:
    with _tokens(arguments) as tokens:
        made, secret = tokens.create(arguments.project, arguments.scope, arguments.name)
    if arguments.json:
        _say(json.dumps({**_fields(made), "token": secret}))
    else:
        _say(secret)
        every = arguments.project == EVERY_PROJECT
        render.talk(f"{made.id}: {made.scope}, {'all projects' if every else made.project}; it is shown this once")
    return FOUND


def _list(arguments: Namespace) -> int:
    with _tokens(arguments) as tokens:
        found = tokens.list()
    if arguments.json:
        _say(json.dumps({"tokens": [_fields(token) for token in found]}))
        return FOUND if found else NOTHING
    for token in found:
        gone = f"  revoked {token.revoked_at}" if token.revoked_at else ""
        _say(
            render.clean(
                f"{token.id}  {token.scope:<5}  {token.project}  {token.created_at}  {token.name}{gone}".rstrip()
            )
        )
    if not found:
        render.talk("no tokens: the server asks for none, and serves this machine only")
    return FOUND if found else NOTHING


def _revoke(arguments: Namespace) -> int:
    with _tokens(arguments) as tokens:
        gone = tokens.revoke(arguments.id)
    _say(json.dumps(_fields(gone)) if arguments.json else f"{gone.id} opens nothing any more")
    return FOUND


def _say(text: str) -> None:
    render.data(f"{text}\n")


def _fields(token: KeptToken) -> dict[str, str]:
    """What may be told of a token."""
    return {name: value for name, value in token._asdict().items() if name != "sha256"}


_ACTIONS = {
    "create": ("make a token; it is shown only now", _create),
    "list": ("list tokens, without their secrets", _list),
    "revoke": ("revoke a token", _revoke),
}


WORDS: Words = {"serve": (add_serve_words, serve), "token": (add_token_words, lambda arguments: FOUND)}
