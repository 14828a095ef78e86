"""Questions in words: ranked results, what is alike, what explains something."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import JSONResponse

from scova.search.similar import Request
from scova.server import shapes
from scova.server.middleware.bodies import routes
from scova.server.routes.patience import QUESTIONED
from scova.server.routes.words import Who, answering, filters_of, sent
from scova.server.schemas import answers, requests
from scova.server.tenants.sources import origins
from scova.types import Query as Asked

router = routes("questions", dependencies=[QUESTIONED])


@router.post("/search", **answering(answers.Found))
def search(asked: requests.SearchRequest, who: Who) -> JSONResponse:
    """Find code and documentation."""
    query = Asked(asked.query, asked.mode, asked.limit, asked.after, filters_of(asked), asked.budget)
    with who.project(asked.project_id) as tenant:
        with who.hall.latency.measured(tenant.address):
            found = tenant.search(query)
        places = origins(found, lambda: tenant.sources)
    return sent(shapes.searched(found, places, query=asked.query, mode=asked.mode.value, explain=asked.explain))


@router.get("/search", **answering(answers.Found, has_body=False))
def search_simply(asked: Annotated[requests.SearchParameters, Query()], who: Who) -> JSONResponse:
    """The same, asked in an address."""
    with who.project(asked.project_id) as tenant:
        with who.hall.latency.measured(tenant.address):
            found = tenant.search(Asked(asked.query, limit=asked.limit))
        places = origins(found, lambda: tenant.sources)
    return sent(shapes.searched(found, places, query=asked.query, mode="hybrid", explain=False))


@router.post("/similar", **answering(answers.Found))
def similar(asked: requests.SimilarRequest, who: Who) -> JSONResponse:
    """Chunks nearest in meaning to a text, or to what stands at a line of a file."""
    with who.project(asked.project_id) as tenant:
        found = tenant.similar(Request(asked.text, asked.path, asked.line, asked.limit, filters_of(asked)))
        places = origins(found, lambda: tenant.sources)
    named = asked.text or f"{asked.path}:{asked.line}"
    return sent(shapes.searched(found, places, query=named, mode="vector", explain=False))


@router.post("/context", **answering(answers.Context))
def context(asked: requests.ContextRequest, who: Who) -> JSONResponse:
    """What explains a symbol, or the place FILE:LINE, within a budget of tokens."""
    with who.project(asked.project_id) as tenant:
        return sent(shapes.plain(tenant.context(asked.subject, budget=asked.budget)))
