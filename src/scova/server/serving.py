"""A server process: binds, serves until it is told to stop, and lets requests under way finish.

Whoever can reach it from another machine must bring a token: without any it binds to this machine only. Connections are limited by what
the system lets it open, so that no number of them keeps others out.
"""

import asyncio
import errno
import logging
import resource
import signal
import socket
import sys
import time
from types import FrameType

import uvicorn

from scova import tokens
from scova.errors import UsageError
from scova.server.app import application
from scova.server.hall import Hall
from scova.server.middleware.connections import Connection, Connections
from scova.server.middleware.guard import is_loopback

GRACE_SECONDS = 60  # for requests under way, once told to stop
_QUEUE = 512  # connections that the system keeps until they are taken
_AT_ONCE = 16  # that are taken in one go; some such goes pass before the first of them is counted
_MOST_FILES = 65_536  # to be open at once: more is not asked for, though the system may allow any number
_LOOK_EVERY = 0.5  # seconds, at all connections
_FORGET_EVERY = 60.0  # seconds that words are remembered which were met

_log = logging.getLogger("scova.server")


def bound(hall: Hall, host: str, port: int) -> socket.socket:
    """The socket to serve on. UsageError when it cannot be had, or when others could reach it and nobody would be asked who they are."""
    if not is_loopback(host) and not hall.tokens.are_asked_for:
        raise UsageError(
            f"`{host}` is open to other machines, and this server has no tokens to ask for",
            f"make one with `scova token create {hall.parts.words} --project P --scope S`, or serve on 127.0.0.1",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        taken = socket.create_server((host, port), family=family, backlog=_QUEUE)
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
    """Serve on this socket until SIGTERM, SIGINT or a hang-up; requests under way are finished first."""
    host, port = taken.getsockname()[:2]
    # It raises the signal once more when it is done; by then everything is closed, and there is nothing left to die of.
    before = {number: signal.signal(number, _nothing) for number in (signal.SIGINT, signal.SIGTERM)}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under `nohup`
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, _end)
    try:
        where = f"[{host}]" if ":" in host else host
        # On a terminal the door has just said so, to the one who reads both.
        is_said = sys.stdout.isatty() and sys.stderr.isatty()
        _log.log(logging.DEBUG if is_said else logging.INFO, "serving on http://%s:%d", where, port)
        server(hall, host, files=allow_files()).run(sockets=[taken])
        _log.info("stopped")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def server(hall: Hall, host: str, *, files: int) -> uvicorn.Server:
    """What serves at an address of this host, in a process that may have so many files open."""
    config = uvicorn.Config(
        application(hall, asks_always=not is_loopback(host)),
        http=Connection,
        ws="none",
        backlog=_AT_ONCE,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=hall.limits.idle_seconds,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=64 * 1024,
    )
    return _Server(config, hall, Connections(hall.limits, min(hall.limits.connections, files // 2)))


def allow_files() -> int:
    """Have as many files open as the system lets this process have, connections among them; how many that is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # some systems have a lower limit than they tell
            return soft
        return wanted
    return _MOST_FILES if soft == resource.RLIM_INFINITY else soft


def _nothing(number: int, frame: FrameType | None) -> None:
    pass


def _end(number: int, frame: FrameType | None) -> None:
    """What it does not listen to itself is passed on as what it does."""
    signal.raise_signal(signal.SIGTERM)


class _Server(uvicorn.Server):
    """Looks after its connections, and says that it is stopping to those who would otherwise keep one for as long as they like."""

    def __init__(self, config: uvicorn.Config, hall: Hall, connections: Connections) -> None:
        super().__init__(config)
        self._hall = hall
        self.server_state = self._connections = connections
        self._forget_at = time.monotonic() + _FORGET_EVERY

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        for taken in sockets or []:
            taken.listen(_QUEUE)  # it has made the queue as short as what it takes at once
        self._look()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, once requests under way are answered."""
        _log.info("stopping; requests under way are finished first")
        self._connections.is_stopping = True
        await super().shutdown(sockets)

    def _look(self) -> None:
        self._connections.sweep()
        if time.monotonic() >= self._forget_at:
            self._forget_at = time.monotonic() + _FORGET_EVERY
            tokens.forget()
        asyncio.get_running_loop().call_later(_LOOK_EVERY, self._look)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._hall.stopping.set()
        super().handle_exit(sig, frame)
