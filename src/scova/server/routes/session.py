"""Who asks, as this server sees them: what a page wants to know before it shows anything."""

from importlib.metadata import version

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from scova.server.routes.words import Who, answering, sent
from scova.server.schemas import reading
from scova.server.tokens import Scope

router = APIRouter(tags=["server"])


@router.get("/session", **answering(reading.Session, has_body=False))
def session(who: Who) -> JSONResponse:
    """Whether tokens are asked for here, and what the one that was brought allows."""
    principal, home = who.principal, who.hall.parts.home
    said = {"auth": bool(principal.id), "version": version("scova"), "local": bool(home), "home": home}
    if not principal.id:
        return sent({**said, "token": None})
    named = next((token.name for token in who.hall.tokens.list() if token.id == principal.id), "")
    scopes = [scope.name.lower() for scope in Scope if scope <= principal.scope]
    return sent(
        {**said, "token": {"id": principal.id, "name": named, "scopes": scopes, "projects": [principal.project]}}
    )
