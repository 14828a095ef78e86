"""Who may hold a connection open, and for how long: at most so many at once, the longest idle goes first, then one whose body hardly
arrives; a head that does not arrive, and an answer that nobody takes, end it. Beyond that number there are a few spare places, in which only
probes are answered. Knows bytes and a clock; what a request says is for others.
"""

import asyncio
import fcntl
import logging
import struct
import termios
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import h11
from uvicorn._types import ASGI3Application
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from scova.server.access import is_probe
from scova.server.limits import Limits

_FULL = b'{"error":"too many connections are open","hint":"wait as long as Retry-After says, and ask again"}'
_HEADERS = ((b"content-type", b"application/json"), (b"retry-after", b"1"), (b"content-length", b"%d" % len(_FULL)))
SPARE = 16  # places beyond the limit, for probes
_SLOWEST = 1024  # bytes of a body in a second: one that arrives more slowly hardly arrives
_LEAST = 16_384  # bytes of an answer: whoever takes less in the time given takes nothing
_TOLD_EVERY = 60.0  # seconds between two lines in the log about the same

_log = logging.getLogger("scova.server")


class Connections(ServerState):
    """All that are open. Belongs to the thread of the event loop."""

    def __init__(self, limits: Limits, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.now = clock
        self._limits = limits
        self._most = most
        self._told = -_TOLD_EVERY
        self._spare: deque[Connection] = deque()  # beyond the limit, the oldest first
        self.is_stopping = False  # whoever comes now was on the way when the others were told to go

    def came(self, connection: "Connection") -> None:
        """One more: if that is one too many, the longest idle of the others goes; if none is idle, it goes itself."""
        if self.is_stopping:
            connection.drop()
            return
        self._spare = deque(one for one in self._spare if not one.is_gone and one in self.connections)
        if len(self.connections) - len(self._spare) > self._most and not self._makes_room(connection):
            self._take_in(connection)

    def sweep(self) -> None:
        """Close those that keep the server waiting."""
        for one in self._all():
            if one.is_overdue(self._limits.head_seconds) or one.is_stalled(self._limits.stalled_seconds):
                one.drop()

    def _makes_room(self, connection: "Connection") -> bool:
        """Whether another could be closed for this one."""
        if self.now() - self._told >= _TOLD_EVERY:
            self._told = self.now()
            _log.warning("%d connections are open, as many as there may be: idle ones are closed", self._most)
        others = [one for one in self._all() if one is not connection and one not in self._spare]
        closed = [one for one in others if one.is_idle] or [
            one for one in others if one.is_slow(self._limits.pause_seconds)
        ]
        if closed:
            min(closed, key=lambda one: one.since).drop()
        return bool(closed)

    def _take_in(self, connection: "Connection") -> None:
        """Have a connection beyond the limit for one request; the oldest of those goes if they are too many."""
        connection.app = ProbesOnly(connection.app)
        connection.is_spare = True
        self._spare.append(connection)
        if len(self._spare) > SPARE:
            self._spare.popleft().drop()

    def _all(self) -> "list[Connection]":
        return [one for one in self.connections if isinstance(one, Connection) and not one.is_gone]


class Connection(H11Protocol):
    """One connection, which knows since when it is idle, since when its next head is awaited, and whether its answer is taken."""

    def __init__(
        self,
        config: Config,
        server_state: Connections,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._all = server_state
        self.is_gone = False
        self.is_spare = False
        self.since = 0.0  # idle, or open, or with a request that began to arrive
        self._arrived = 0  # bytes since then
        self._head_since: float | None = None
        self._left, self._moved = 0, 0.0  # of an answer, and since when it is no less

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the one above has it
        """Somebody connected: a head has to follow."""
        super().connection_made(transport)
        self.since = self._head_since = self._all.now()
        self._all.came(self)

    def data_received(self, data: bytes) -> None:
        """Of a head, of a body, or of what nobody waits for any more."""
        if self.is_gone:
            return
        if self._is_waiting and self._head_since is None:
            self._head_since = self._all.now()
        was_waiting = self._is_waiting
        super().data_received(data)
        if not self._is_waiting:
            self._head_since = None
            if was_waiting:
                self.since, self._arrived = self._all.now(), 0
            self._arrived += len(data)

    def on_response_complete(self) -> None:
        """It is idle now, unless the next request, or a part of it, is here already."""
        self.since = self._all.now()
        self._head_since = None
        super().on_response_complete()
        if self.is_spare:
            self.transport.close()
        if self._is_waiting and self.conn.trailing_data[0]:
            self._head_since = self.since

    @property
    def is_idle(self) -> bool:
        """Whether nothing is lost when it is closed."""
        return self._is_waiting and not self.transport.get_write_buffer_size()

    @property
    def is_receiving(self) -> bool:
        """Whether a request is here, and not all of its body."""
        return not self._is_waiting and self.conn.their_state is h11.SEND_BODY

    def is_slow(self, seconds: float) -> bool:
        """Whether a body has hardly arrived in so many seconds, and not because we do not take it."""
        passed = self._all.now() - self.since
        hardly = passed >= seconds and self._arrived <= _SLOWEST * passed
        return hardly and self.is_receiving and not self.flow.read_paused

    def is_overdue(self, seconds: float) -> bool:
        """Whether a head that began, or the first one, should have been here by now."""
        return self._head_since is not None and self._all.now() - self._head_since > seconds

    def is_stalled(self, seconds: float) -> bool:
        """Whether next to nothing of an answer was taken for so long. To be asked again and again: it remembers what it saw last."""
        left = self._untaken()
        if not left or left > self._left or left <= self._left - _LEAST:
            self._left, self._moved = left, self._all.now()
        return self._all.now() - self._moved > seconds

    def drop(self) -> None:
        """Close it at once, whatever is left to send."""
        self.is_gone = True
        self.transport.abort()

    @property
    def _is_waiting(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _untaken(self) -> int:
        """Bytes that wait here and in the system, where the most of them are."""
        waiting = self.transport.get_write_buffer_size()
        return waiting + _on_the_way(self.transport.get_extra_info("socket").fileno()) if waiting else 0


class ProbesOnly:
    """The application as a connection beyond the limit has it."""

    def __init__(self, app: ASGI3Application) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if is_probe(scope["path"]):
            await self._app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 503, "headers": [*_HEADERS, (b"connection", b"close")]})
        await send({"type": "http.response.body", "body": _FULL})


def _on_the_way(descriptor: int) -> int:
    """Bytes that were handed to the system, and that the other side has not taken; 0 where it does not tell."""
    try:
        return int(struct.unpack("i", fcntl.ioctl(descriptor, termios.TIOCOUTQ, b"\0" * 4))[0])
    except OSError:
        return 0
