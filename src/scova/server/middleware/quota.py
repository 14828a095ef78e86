"""So much for everybody, and a part of it for each client. Knows numbers and names, and nothing of requests."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from scova.server.problems import Problem

_SHARES = 4  # one client has one of so many
_AGAIN = "wait as long as Retry-After says, and ask again"


class Quota:
    """So much for everybody, and a quarter of it for one client: a token, or an address where there is none. For one thread only."""

    def __init__(self, most: int, name: str) -> None:
        """`name` says what there is so much of."""
        self._left = most
        self._share = max(1, most // _SHARES)
        self._held: Counter[str] = Counter()
        self._name = name

    @contextmanager
    def holding(self, client: str) -> Iterator["Held"]:
        """What a client takes inside is given back at the end."""
        held = Held(self, client)
        try:
            yield held
        finally:
            self._left += held.amount
            self._held[client] -= held.amount
            if not self._held[client]:
                del self._held[client]

    def take(self, client: str, amount: int) -> None:
        """So much more is held by a client; Problem where there is no room for it."""
        if self._left < amount:
            raise Problem(503, f"this server has enough to do: {self._name}", _AGAIN, retry_seconds=1)
        if self._held[client] + amount > self._share:
            raise Problem(429, f"{self._name} from here: a quarter of what there is", _AGAIN, retry_seconds=1)
        self._left -= amount
        self._held[client] += amount


class Held:
    """What one request holds of a quota."""

    def __init__(self, quota: Quota, client: str) -> None:
        self._quota = quota
        self._client = client
        self.amount = 0

    def take(self, amount: int) -> None:
        """So much more; Problem where there is no room for it."""
        self._quota.take(self._client, amount)
        self.amount += amount
