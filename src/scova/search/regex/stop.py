"""Whether a search by pattern is still wanted: whoever takes requests says so, and the work asks between its pieces.

It is told beside the question and not with it: a question is the same whoever waits for its answer. Knows neither clocks nor requests.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Stop = Callable[[], None]  # raises, in any thread, once the work is not wanted any more


def never() -> None:
    """The work is wanted to its end."""


_in_force: ContextVar[Stop] = ContextVar("stop", default=never)


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """Every search by pattern that begins inside ends with what `stop` raises, soon after it does."""
    token = _in_force.set(stop)
    try:
        yield
    finally:
        _in_force.reset(token)


def in_force() -> Stop:
    """What a search that begins now has to ask."""
    return _in_force.get()
