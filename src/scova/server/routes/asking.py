"""Questions in words: ranked results, what is alike, what explains something."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from scova.search.similar import Request
from scova.server import shapes
from scova.server.routes.words import Who, answering, sent
from scova.server.schemas import answers, requests
from scova.types import Filters
from scova.types import Query as Asked

router = APIRouter(tags=["questions"])


@router.post("/search", **answering(answers.Found))
def search(asked: requests.SearchRequest, who: Who) -> JSONResponse:
    """Find code and documentation."""
    query = Asked(asked.query, asked.mode, asked.limit, asked.after, _filters(asked), asked.budget)
    with who.project(asked.project_id) as tenant:
        found = tenant.search(query)
    return sent(shapes.searched(found, query=asked.query, mode=asked.mode.value, explain=asked.explain))


@router.get("/search", **answering(answers.Found, has_body=False))
def search_simply(asked: Annotated[requests.SearchParameters, Query()], who: Who) -> JSONResponse:
    """The same, asked in an address."""
    with who.project(asked.project_id) as tenant:
        found = tenant.search(Asked(asked.query, limit=asked.limit))
    return sent(shapes.searched(found, query=asked.query, mode="hybrid", explain=False))


@router.post("/similar", **answering(answers.Found))
def similar(asked: requests.SimilarRequest, who: Who) -> JSONResponse:
    """Chunks nearest in meaning to a text, or to what stands at a line of a file."""
    with who.project(asked.project_id) as tenant:
        found = tenant.similar(Request(asked.text, asked.path, asked.line, asked.limit))
    return sent(shapes.searched(found, query=asked.text or f"{asked.path}:{asked.line}", mode="vector", explain=False))


@router.post("/context", **answering(answers.Context))
def context(asked: requests.ContextRequest, who: Who) -> JSONResponse:
    """What explains a symbol, or the place FILE:LINE, within a budget of tokens."""
    with who.project(asked.project_id) as tenant:
        return sent(shapes.plain(tenant.context(asked.subject, budget=asked.budget)))


def _filters(asked: requests.Filtered) -> Filters:
    return Filters(
        tuple(asked.paths),
        tuple(asked.not_paths),
        tuple(asked.languages),
        tuple(asked.chunk_types),
        tuple(asked.tags),
        tuple(asked.kinds),
    )
