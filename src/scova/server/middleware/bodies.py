"""The JSON of a request, before its fields are validated: its values are counted, and the first field that nobody knows ends it.

Every route that takes a body is a `CountedRoute`; `tests/unit/server/test_bodies.py` sees to it.
"""

import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.params import Depends
from fastapi.routing import APIRoute

from scova.server.limits import Limits
from scova.server.problems import Problem
from scova.server.schemas.bounds import holds_more_than
from scova.server.schemas.requests import Strict

_SOME_MORE = 1000  # values above what is valid: so few are validated, and named one by one


class CountedRoute(APIRoute):
    """A route whose body is bounded by the form of its request."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        answer = super().get_route_handler()
        model = self.body_field.field_info.annotation if self.body_field else None
        if model is None:
            return answer
        assert isinstance(model, type) and issubclass(model, Strict), f"{self.path}: the form of its body has no bounds"

        async def counted(request: Request) -> Response:
            body = await request.body()
            _check_count(body, model, request.app.state.hall.limits)
            return await answer(_Read(request, body, _read(body, model)))

        return counted


def routes(tag: str, *, dependencies: Sequence[Depends] = ()) -> APIRouter:
    """Routes about one thing; `dependencies` hold for each of them."""
    return APIRouter(tags=[tag], route_class=CountedRoute, dependencies=dependencies)


class _Read(Request):
    """A request whose body was read already."""

    def __init__(self, request: Request, body: bytes, said: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._body = body
        self._said = said

    async def body(self) -> bytes:
        """As it was read."""
        return self._body

    async def json(self) -> Any:
        """What it says."""
        if isinstance(self._said, ValueError | RecursionError):
            raise self._said
        return self._said


def _check_count(body: bytes, model: type[Strict], limits: Limits) -> None:
    most = model.most_values(limits) + _SOME_MORE
    if holds_more_than(body, most):
        hint = "GET /openapi.json has the form of every request; send less at a time"
        raise Problem(413, f"the body holds more than {most:,} values, the most that this request takes", hint)


def _read(body: bytes, model: type[Strict]) -> Any:
    """What a body says, or why it cannot be read."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError) as error:
        return error
    if isinstance(said, dict) and (unknown := next((name for name in said if name not in model.model_fields), None)):
        raise RequestValidationError([{"type": "extra_forbidden", "loc": ("body", unknown), "msg": "", "input": None}])
    return said
