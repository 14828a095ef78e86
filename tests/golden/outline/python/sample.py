"""A module docstring is not a definition's."""

from __future__ import annotations

import os.path as osp
from collections.abc import (
    Iterator,
    Mapping,
)

LIMIT = 10  # a trailing comment is no doc
default_name: str = "x"
Undeclared: int
first, second = 1, 2
__all__ = ["Store"]

try:
    import fast
    HAS_FAST = True
except ImportError:
    HAS_FAST = False


# Above the decorator,
# on two lines.
@register("store", size=LIMIT)
@final
class Store(Base, abc.Reader[int], metaclass=Meta):
    """Keeps things.

    For long.
    """

    width = 3
    height: int = 4
    label: str

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(osp.abspath(path))
        local = 1

    @property
    def size(self) -> int:
        r"""Raw docstring."""
        return len(self.items)

    @staticmethod
    async def fetch(url: str, *, retries: int = 3) -> bytes:
        async with session.get(url) as response:
            return await response.read()

    class Inner:
        def run(self):
            def helper(x): return x
            return [helper(i) for i in range(3)]


# A blank line ends a comment.

def generic[T: int](
    first: T,
    second: Mapping[str, T],
) -> Iterator[T]:
    # Not a doc: inside.
    yield from (transform(v)(v) for v in second.values())


square = lambda x: x * x

type Pair = tuple[int, int]

if __name__ == "__main__":
    Store("größe").Inner().run()
    def late(): ...


from .client import Client as Remote, connect
from .shapes import *


class Bound(Store):
    client: "Remote | None" = None
    pool = Pool(4)
    table: dict[str, Remote] = {}

    def __init__(self, remote: typing.Optional[Remote], either: Remote | Store) -> None:
        self.remote = remote
        self.store = Store("x")
        self.other: osp.Other = make_other()
        self.cache = collections.OrderedDict()
        made = make_other()

    def chained(self) -> typing.Self:
        from .late import Late

        local = Late()
        with connect() as plain, Session(local) as session:
            session.run(plain)
        try:
            if found := Match(local):
                found.go()
        except errors.Broken as broken:
            broken.log()
