"""The API keeps to its own description, whatever it is sent: no 5xx, no answer that is not described. By schemathesis, from the OpenAPI."""

import os
import re

import httpx2
import pytest
import schemathesis
from hypothesis import Phase, settings
from schemathesis.specs.openapi import checks

from scova.server.housing.opening import token_ledger
from scova.server.housing.tokenfile import TokenFile
from scova.server.layout import PROJECT_ID, ServerLayout
from scova.server.tokens import Tokens
from serving import HELLO, OTHER, described, running

EXAMPLES = int(os.environ.get("FUZZ", "10"))  # of each route, each way; `FUZZ=300` sends more
# A batch with a bad file in it is taken, less that file: by design, and tested elsewhere.
TAKEN_IN_PART = ("/index",)

bounded = settings(
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.generate),
)


def _filled(url, headers):
    with httpx2.Client(base_url=url, headers=headers, timeout=120) as client:
        assert client.post("/projects", json={"project_id": "p"}).status_code == 201
        files = [{"path": "hello.py", "content": HELLO}, {"path": "src/door.py", "content": OTHER}]
        assert client.post("/index", json={"project_id": "p", "files": files}).status_code == 200
    return url


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A server that asks for no tokens."""
    with running(tmp_path_factory.mktemp("open") / "data", environment=NO_RATE) as server:
        yield _filled(server.url, {})


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """One that does, and a token for everything."""
    data = tmp_path_factory.mktemp("closed") / "data"
    _, secret = Tokens(TokenFile(ServerLayout(data))).create("*", "admin")
    headers = {"authorization": f"Bearer {secret}"}
    with running(data, environment=NO_RATE) as server:
        yield _filled(server.url, headers), headers


@pytest.fixture(scope="module")
def shared(tmp_path_factory, postgres):
    """One that keeps everything in a database, and a token for everything."""
    data = tmp_path_factory.mktemp("shared") / "data"
    with postgres.database() as store, running(data, store=store, environment=NO_RATE) as server:
        with token_ledger(ServerLayout(data), store) as ledger:
            _, secret = Tokens(ledger).create("*", "admin")
        headers = {"authorization": f"Bearer {secret}"}
        yield _filled(server.url, headers), headers


def _without_tokens(description):
    """The description of a server that asks for none: the same but for who may ask."""
    paths = {
        path: {
            method: {key: value for key, value in one.items() if key != "security"} for method, one in methods.items()
        }
        for path, methods in description["paths"].items()
    }
    return {**description, "paths": paths}


DESCRIPTION = described()
SCHEMA = schemathesis.openapi.from_dict(DESCRIPTION)
OPEN_SCHEMA = schemathesis.openapi.from_dict(_without_tokens(DESCRIPTION))
NO_RATE = {"SCOVA_SERVE_RATE": "0"}


def about_p(case):
    """The same about the project that is there, where any project that could be is named: most others are not."""
    looked_at = case.path_parameters if case.method == "GET" else None  # what else is done to one would be done to this
    for part in (case.body, case.query, looked_at):
        if (
            isinstance(part, dict)
            and isinstance(named := part.get("project_id"), str)
            and re.fullmatch(PROJECT_ID, named)
        ):
            part["project_id"] = "p"
    return case


def excluded(case, *more):
    """Checks that do not hold for this case."""
    unsent = any(
        value in ([], {}) for value in (case.query or {}).values()
    )  # what is wrong with it does not reach the wire
    return [*more, *([checks.negative_data_rejection] if unsent or case.path in TAKEN_IN_PART else [])]


@OPEN_SCHEMA.parametrize()
@bounded
def test_nothing_breaks_the_description_where_no_token_is_asked_for(case, opened):
    answer = about_p(case).call(base_url=opened)
    case.validate_response(answer, excluded_checks=excluded(case, checks.positive_data_acceptance, checks.ignored_auth))


@OPEN_SCHEMA.parametrize()  # the token is ours: one that was left out on purpose would be put back
@bounded
def test_nothing_breaks_the_description_with_a_token(case, closed):
    url, headers = closed
    answer = about_p(case).call(base_url=url, headers=headers)
    case.validate_response(answer, excluded_checks=excluded(case, checks.positive_data_acceptance, checks.ignored_auth))


@OPEN_SCHEMA.parametrize()
@settings(bounded, max_examples=max(3, EXAMPLES // 3))
def test_nothing_breaks_the_description_on_a_database(case, shared):
    url, headers = shared
    answer = about_p(case).call(base_url=url, headers=headers)
    case.validate_response(answer, excluded_checks=excluded(case, checks.positive_data_acceptance, checks.ignored_auth))


@SCHEMA.parametrize()
@settings(bounded, max_examples=3)
def test_without_its_token_every_request_is_401_whatever_is_in_it(case, closed):
    answer = case.call(base_url=closed[0])
    assert answer.status_code == 401 or case.path in ("/healthz", "/readyz"), (case, answer.status_code)
