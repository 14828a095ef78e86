"""How long a search by pattern may keep a thread: until it has had its time, whoever asked has gone, or the server is to stop."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from scova.errors import QueryError
from scova.search.regex.stop import Stop
from scova.server.problems import RETRY_SECONDS, Problem
from scova.server.routes.words import Who


async def patience(request: Request, who: Who) -> AsyncIterator[Stop]:
    """For routes: what a search by pattern has to ask."""
    gone = threading.Event()
    seconds = who.hall.limits.pattern_seconds
    ends = time.monotonic() + seconds

    def stop() -> None:
        if who.hall.stopping.is_set():
            raise Problem(503, "this server is about to stop", "ask again in a moment", retry_seconds=RETRY_SECONDS)
        if gone.is_set():
            raise Problem(400, "the connection was cut", "ask again")
        if time.monotonic() > ends:
            raise QueryError(
                f"looking for the pattern takes more than {seconds:g} seconds",
                "repeat less often in it, or look into fewer files: `paths`, `languages`",
            )

    listening = asyncio.create_task(_listen(request, gone))
    try:
        yield stop
    finally:
        listening.cancel()


async def _listen(request: Request, gone: threading.Event) -> None:
    """The body has been read: what comes now is the end of the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    gone.set()


Patience = Annotated[Stop, Depends(patience)]
