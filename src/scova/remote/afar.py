"""One server, asked in JSON: what it answers, or one clear error that says what to do. Never longer than it is given.

A server that is away for a moment, or busy, is asked again, for a bounded time. Knows no question.
"""

import json
import threading
from collections.abc import Mapping
from typing import Any

from scova.errors import IndexMissing, PushError, QueryError
from scova.push.address import Address
from scova.push.pace import Patience, TokenBucket, pausing
from scova.push.server import SILENT, Reply, Server

QUESTION = Patience(
    attempts=4, answered=1, seconds=30.0, first_pause=0.25, longest_pause=2.0, longest_asked=10.0, total=30.0
)
RATE = 50.0  # requests in a second: half of what a server allows, as pushes want to go on beside
NEEDS = "questions need a token of this project, of any scope; `scova token create` makes one on the server"

_LONGEST = 2000  # characters of an error
_REFUSED = (400, 413, 422)  # for what is in the question


class Afar:
    """One server. Threads may ask at the same time."""

    def __init__(self, address: Address, *, patience: Patience = QUESTION) -> None:
        self.address = address
        self._closing = threading.Event()
        bucket = TokenBucket(RATE, pausing(self._closing.is_set))
        self._server = Server(address, bucket, patience=patience, needs=NEEDS)

    def post(self, route: str, body: Mapping[str, object]) -> Mapping[str, Any]:
        """The answer to a question; IndexMissing when there is nothing of that name, QueryError when it cannot be read, PushError else."""
        return self._body(self._server.post(route, json.dumps(body).encode()))

    def get(self, route: str, *, patience: Patience | None = None) -> Mapping[str, Any]:
        """The same for what is only looked at."""
        return self._body(self._server.get(route, patience=patience))

    def remove(self, route: str) -> Mapping[str, Any]:
        """The same for what is to go."""
        return self._body(self._server.remove(route))

    def strange(self) -> PushError:
        """What is said of an answer that nobody can make sense of."""
        return PushError(
            f"{self.address.url} answered with something else than expected",
            "see that it is a scova server, of the same version as this one (`scova --version`)",
        )

    def close(self) -> None:
        """Let go of it; who waits for it waits no longer."""
        self._closing.set()
        self._server.close()

    def _body(self, reply: Reply) -> Mapping[str, Any]:
        if reply.is_ok:
            return reply.body
        url = self.address.url
        if reply.status == SILENT:
            raise PushError(
                f"{url} {reply.said}", "see that the server is running and that the address is right, and ask again"
            )
        if reply.status == 404 and "openapi.json" in reply.hint:
            raise PushError(f"{url} does not know this question", "have the server updated to the version of this one")
        if reply.status == 404:
            raise IndexMissing(reply.said, reply.hint)
        if reply.status in _REFUSED:
            # As it was said there, line by line: it is about what was asked, and goes to whoever asked.
            message = str(reply.body.get("error") or reply.said)[:_LONGEST]
            raise QueryError(self.address.without_token(message), reply.hint)
        if reply.is_busy:
            wait = f"wait {reply.wait:,.0f} s" if reply.wait else "wait a moment"
            raise PushError(f"{url} is too busy ({reply.status}): {reply.said}", f"{wait}, and ask again")
        raise PushError(
            f"{url} failed at this ({reply.status}): {reply.said}", reply.hint or "the server's log has the details"
        )
