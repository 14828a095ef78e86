"""The House that a URL names: none is the data folder itself. What only one of them needs is loaded when it is wanted."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scova.server.housing.tokenfile import TokenFile

if TYPE_CHECKING:
    from scova.protocols import TokenLedger
    from scova.server.housing.house import House
    from scova.server.layout import ServerLayout


def opened(place: "ServerLayout", url: str) -> "House":
    """Where this server keeps everything; StoreAway when a database does not answer."""
    if not url:
        from scova.server.housing.folder import FolderHouse

        return FolderHouse(place)
    from scova.server.housing.database import DatabaseHouse

    return DatabaseHouse(url, place)


@contextmanager
def token_ledger(place: "ServerLayout", url: str) -> "Iterator[TokenLedger]":
    """Where this server keeps its tokens, for whoever wants nothing else."""
    if not url:
        yield TokenFile(place)
        return
    house = opened(place, url)
    try:
        yield house.tokens
    finally:
        house.close()
