"""The deadline of every question that comes by HTTP: until it has had its time, whoever asked has gone, or the server is to stop."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator

from fastapi import Depends, Request

from scova.core.deadline import Deadline, Stop, asking
from scova.server.hall import Hall
from scova.server.problems import RETRY_SECONDS, Problem
from scova.server.routes.words import Who

STOPPING_SECONDS = (
    0.2  # that a question may still take once the server is to stop: nearly every one is answered by then
)


async def questioned(request: Request, who: Who) -> AsyncIterator[None]:
    """For routers: every question has its deadline, which ends it when the client is gone or the server stops."""
    gone = threading.Event()
    limits = who.hall.limits
    deadline = Deadline(limits.question_seconds, most_bytes=limits.answer_bytes, stop=_stop(who.hall, gone))
    listening = asyncio.create_task(_listen(request, gone))
    try:
        with asking(deadline):  # and for the thread that the route runs in
            yield
    finally:
        listening.cancel()


QUESTIONED = Depends(questioned)


def _stop(hall: Hall, gone: threading.Event) -> Stop:
    """What raises once nobody waits for the answer, or soon nobody can."""
    ends = 0.0

    def stop() -> None:
        nonlocal ends
        if gone.is_set():
            raise Problem(400, "the connection was cut", "ask again")
        if hall.stopping.is_set():
            ends = ends or time.monotonic() + STOPPING_SECONDS
            if time.monotonic() >= ends:
                raise Problem(503, "this server is about to stop", "ask again in a moment", retry_seconds=RETRY_SECONDS)

    return stop


async def _listen(request: Request, gone: threading.Event) -> None:
    """The body has been read: what comes now is the end of the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    gone.set()
