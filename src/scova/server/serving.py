"""A server process: binds, serves until it is told to stop, and lets requests under way finish.

Whoever can reach it from another machine must bring a token: without any it binds to this machine only.
"""

import errno
import logging
import signal
import socket
from types import FrameType

import uvicorn

from scova.errors import UsageError
from scova.server.app import application
from scova.server.hall import Hall
from scova.server.middleware.guard import is_loopback

GRACE_SECONDS = 60  # for requests under way, once told to stop

_log = logging.getLogger("scova.server")


def bound(hall: Hall, host: str, port: int) -> socket.socket:
    """The socket to serve on. UsageError when it cannot be had, or when others could reach it and nobody would be asked who they are."""
    if not is_loopback(host) and not hall.tokens.are_asked_for:
        raise UsageError(
            f"`{host}` is open to other machines, and this server has no tokens to ask for",
            f"make one with `scova token create --data {hall.place.root} --project P --scope S`, or serve on 127.0.0.1",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        taken = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        in_use = getattr(error, "errno", 0) == errno.EADDRINUSE
        hint = (
            "another process has it: choose another with --port" if in_use else "choose another with --host and --port"
        )
        raise UsageError(f"cannot serve on {host}:{port}: {error}", hint) from error
    # What is accepted inherits it; without, an answer in two pieces waits 40 ms for the client's word on the first.
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return taken


def serve(hall: Hall, taken: socket.socket) -> None:
    """Serve on this socket until SIGTERM or SIGINT; requests under way are finished first."""
    host, port = taken.getsockname()[:2]
    app = application(hall, asks_always=not is_loopback(host))
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=64 * 1024,
    )
    # It raises the signal once more when it is done; by then everything is closed, and there is nothing left to die of.
    before = {number: signal.signal(number, _nothing) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        where = f"[{host}]" if ":" in host else host
        _log.info("serving on http://%s:%d", where, port)
        _Server(config, hall).run(sockets=[taken])
        _log.info("stopped")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _nothing(number: int, frame: FrameType | None) -> None:
    pass


class _Server(uvicorn.Server):
    """Says that it is stopping to those who would otherwise keep a connection for as long as they like."""

    def __init__(self, config: uvicorn.Config, hall: Hall) -> None:
        super().__init__(config)
        self._hall = hall

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._hall.stopping.set()
        super().handle_exit(sig, frame)
