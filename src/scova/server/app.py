"""The application: routes behind middleware, over one Hall. The only place where the HTTP side is put together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio.to_thread
from fastapi import FastAPI

from scova.server.hall import Hall
from scova.server.limits import Rate
from scova.server.middleware.guard import Guard
from scova.server.middleware.intake import Intake
from scova.server.middleware.record import Record
from scova.server.problems import add_handlers
from scova.server.routes import asking, builds, jobs, page, probes, projects, pushing, reading, session, structure

THREADS = 128  # the engine is not asynchronous; who waits for another writer waits in one of them


def application(hall: Hall, *, asks_always: bool = False) -> FastAPI:
    """The API. With `asks_always`, tokens are asked for though there are none: others can reach it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        hall.open()
        try:
            yield
        finally:
            await anyio.to_thread.run_sync(hall.close)

    app = FastAPI(
        title="scova",
        version=version("scova"),
        description="Code search over pushed content.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # The framework would hand what requests say to whatever listens in this process: nothing of them is told to anyone.
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    app.state.hall = hall
    for router in (probes, session, projects, builds, pushing, asking, structure, reading, jobs, page):
        app.include_router(router.router)
    add_handlers(app)
    # The last is the outermost.
    app.add_middleware(Intake, limits=hall.limits, metrics=hall.metrics)
    app.add_middleware(Guard, tokens=hall.tokens, rate=Rate(hall.limits.rate), always=asks_always)
    app.add_middleware(Record, metrics=hall.metrics)
    return app
