"""The network under the HTTP client: connects through the guard only, and ends every wait when the request's time is over.

A server that sends one byte now and then cannot hold a request, since each wait is shortened to what is left of the whole.
Waits are cut into short ones, so that whoever wants to stop does not wait for a slow server. Knows nothing of HTTP.
"""

import ssl
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2

from scova.errors import Cancelled
from scova.sources.web.guard import Guard

Stop = Callable[[], bool]
SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]

_LONGEST_WAIT = 0.25  # before `stop` is asked again


class Patience:
    """How long the present thread's request may still take, and whether anyone wants it."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._thread = threading.local()

    def begin(self, seconds: float) -> None:
        """The request of this thread has this long from now on."""
        self._thread.deadline = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; never negative. Cancelled if nobody wants the request any more."""
        self.check()
        deadline: float = getattr(self._thread, "deadline", float("inf"))
        return max(deadline - time.monotonic(), 0.0)

    def check(self) -> None:
        """Raises Cancelled if nobody wants the request any more."""
        if self._stop():
            raise Cancelled("fetching was stopped", "run the command again: what is fetched already is kept")

    def pause(self, seconds: float) -> None:
        """Wait, unless stopped."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.check()
            time.sleep(min(left, _LONGEST_WAIT))
        self.check()


class GuardedBackend(httpcore2.NetworkBackend):
    """Connects to addresses that the guard gives, and to no other."""

    def __init__(self, guard: Guard, patience: Patience) -> None:
        self._guard = guard
        self._patience = patience
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(  # noqa: PLR0917 - the signature is the library's
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection to the first judged address that answers."""
        addresses = self._addresses(host, port)
        for place, address in enumerate(addresses):
            share = self._patience.left() / (len(addresses) - place)  # one that is silent must not use up all the time
            if share <= 0:
                break
            try:
                stream = self._inner.connect_tcp(str(address), port, share, local_address, socket_options)
                return _PatientStream(stream, self._patience)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if place == len(addresses) - 1:
                    raise
        raise httpcore2.ConnectTimeout("the host did not answer in time")

    def _addresses(self, host: str, port: int) -> list[Any]:
        try:
            return self._guard.addresses(host, port, self._patience.left())
        except TimeoutError as problem:
            raise httpcore2.ConnectTimeout(str(problem)) from None
        except OSError as problem:
            raise httpcore2.ConnectError(f"{host} was not found: {problem.strerror or problem}") from None

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[SocketOption] | None = None
    ) -> httpcore2.NetworkStream:
        """Never: a socket of this machine is no page."""
        raise httpcore2.ConnectError("sockets of this machine are not fetched from")


class _PatientStream(httpcore2.NetworkStream):
    """A connection whose waits end with the request of the thread that uses it."""

    def __init__(self, inner: httpcore2.NetworkStream, patience: Patience) -> None:
        self._inner = inner
        self._patience = patience

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while (left := self._patience.left()) > 0:
            try:
                return self._inner.read(max_bytes, min(left, _LONGEST_WAIT))
            except httpcore2.ReadTimeout:
                continue
        raise httpcore2.ReadTimeout("the server took too long")

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = self._patience.left()
        if left <= 0:
            raise httpcore2.WriteTimeout("the server took too long")
        self._inner.write(buffer, left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = self._patience.left()
        if left <= 0:
            raise httpcore2.ConnectTimeout("the server took too long")
        return _PatientStream(self._inner.start_tls(ssl_context, server_hostname, left), self._patience)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
