"""A handle that many threads use, and that one of them closes: closed is closed, and what is under way ends well.

Once `close` was called, every method says that the handle is closed. Whatever was under way goes on to its end with all that it
uses, and the last to leave lets everything go. Knows nothing of what is held.
"""

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from scova.errors import IndexClosed

Class = TypeVar("Class", bound=type)

_ALWAYS = frozenset(("close", "is_closed", "open", "repair", "of"))  # what makes a handle, and what ends it


class Uses:
    """Who is using a handle, and whether it was closed.

    The handle says with each use, and as it closes, how everything is let go of (`release`): kept here, that would be a way back
    to the handle, and none of what it holds would go with it. It is called once, when nobody uses anything any more.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mine = threading.local()
        self._under_way = 0
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether nothing more can be asked."""
        return self._is_closed

    @contextmanager
    def one(self, what: str, release: Callable[[], None]) -> Iterator[None]:
        """A use of the handle; IndexClosed, naming it, when that was closed. What is done within another use belongs to that."""
        depth: int = getattr(self._mine, "depth", 0)
        with self._lock:
            if self._is_closed and not depth:
                hint = "open it again with `Index.open`; whoever closes an index has to be its last user"
                raise IndexClosed(f"{what} was closed", hint)
            self._under_way += 1
        self._mine.depth = depth + 1
        try:
            yield
        finally:
            self._mine.depth = depth
            self._leave(release)

    def close(self, release: Callable[[], None]) -> None:
        """No new use from here on. Doing it twice is fine."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._under_way += 1
        self._leave(release)

    def _leave(self, release: Callable[[], None]) -> None:
        with self._lock:
            self._under_way -= 1
            is_last = self._is_closed and not self._under_way
        if is_last:
            release()


def closable(cls: Class) -> Class:
    """Make every public method and property of a class a use of its `_uses`, those that it inherits among them."""
    for name in dir(cls):
        found = next(vars(base)[name] for base in cls.__mro__ if name in vars(base))
        if name.startswith("_") or name in _ALWAYS:
            continue
        if isinstance(found, property) and found.fget is not None:
            setattr(cls, name, property(_used(found.fget), doc=found.__doc__))
        elif callable(found) and not isinstance(found, type):
            setattr(cls, name, _used(found))
    return cls


def _used(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def used(self: Any, *values: Any, **named: Any) -> Any:
        with self._uses.one(f"the index of `{self.root}`", self._release):
            return method(self, *values, **named)

    return used
