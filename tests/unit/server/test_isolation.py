"""No token opens anything but what it is for. Generated from the API's own description, so that a new route cannot be forgotten."""

from contextlib import ExitStack
from typing import Any

import pytest

from scova.projects.spec import SourceSpec, SourceType
from scova.server import access
from scova.server.tokens import Scope
from serving import described, served

MINE, THEIRS = "mine", "theirs"
MARK = "zanzibar_treasure"
TREASURE = f"def {MARK}():\n    return 'buried under the old oak'\n"

SOURCE = "https://example.org/treasure.html"
SOURCE_ID = SourceSpec(SourceType.URL, SOURCE).source_id

# Routes that name no project. Each with the reason why that is right, and checked below.
WITHOUT_PROJECT = {
    ("get", "/healthz"): "says only that the server is up",
    ("get", "/readyz"): "says only whether it takes requests",
    ("get", "/projects"): "lists those projects only that the token is for",
    ("get", "/session"): "says what the token itself allows",
    ("get", "/metrics"): "is about the whole server: refused to a token for one project",
}
ADMIN = {("post", "/projects"), ("delete", "/projects/{project_id}")}


def operations(schema):
    return {(method, path): one for path, methods in schema["paths"].items() for method, one in methods.items()}


SCHEMA = described()
OPERATIONS = operations(SCHEMA)


def sample(schema: dict[str, Any], name: str = "") -> Any:
    """The smallest value that a schema allows, about the other's project where it names one."""
    if "$ref" in schema:
        return sample(SCHEMA["components"]["schemas"][schema["$ref"].rpartition("/")[2]], name)
    if name == "project_id":
        return THEIRS
    if name in ("path", "subject", "name", "query", "text", "pattern"):
        return "treasure.py" if name == "path" else MARK
    if name == "uri":
        return SOURCE
    if "anyOf" in schema:
        return sample(schema["anyOf"][0], name)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    return {
        "object": an_object,
        "array": an_array,
        "string": a_string,
        "integer": a_number,
        "boolean": lambda *_: True,
    }[schema["type"]](schema, name)


def an_object(schema, name):
    if "properties" not in schema:
        return {"treasure.py": sample(schema["additionalProperties"])}
    known = schema["properties"]
    wanted = {*schema.get("required", ()), *({"project_id", "prune", "text", "path", "name"} & known.keys())}
    if "text" in wanted:
        wanted.discard("path")  # one or the other
    made = {key: sample(known[key], key) for key in sorted(wanted)}
    return {**made, "prune": True} if "prune" in made else made


def an_array(schema, name):
    return [sample(schema["items"], "path" if name == "paths" else "")]


def a_string(schema, name):
    return "0" * 64 if "[0-9a-f]{64}" in schema.get("pattern", "") else MARK


def a_number(schema, name):
    return schema.get("minimum", 1)


def request_for(key, operation, job_id):
    """A request of this kind that is about the other's project."""
    method, path = key
    path = path.replace("{project_id}", THEIRS).replace("{job_id}", job_id).replace("{source_id}", SOURCE_ID)
    assert "{" not in path, f"{path} has a parameter this test does not know: say how it names a project"
    query = {
        one["name"]: sample(one["schema"], one["name"])
        for one in operation.get("parameters", ())
        if one["in"] == "query" and (one.get("required") or one["name"] == "project_id")
    }
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    body = sample(content["schema"]) if content else None
    assert THEIRS in (path, *query.values(), *(body or {}).values()) or THEIRS in path or "job_id" in key[1]
    return {"method": method, "url": path, "params": query, "json": body}


@pytest.fixture(scope="module", params=["embedded", "postgresql"])
def two(request, tmp_path_factory):
    """A server with two projects, and a token for one that may do everything there; on either store."""
    with ExitStack() as stack:
        is_shared = request.param == "postgresql"
        url = stack.enter_context(request.getfixturevalue("postgres").database()) if is_shared else ""
        one = stack.enter_context(served(tmp_path_factory.mktemp("two") / "data", serve_store=url))
        for name in (MINE, THEIRS):
            one.post("/projects", project_id=name)
        one.index(THEIRS, {"treasure.py": TREASURE})
        one.post(f"/projects/{THEIRS}/sources", sources=[{"type": "url", "uri": SOURCE}])
        job = one.post("/jobs", project_id=THEIRS, kind="audit").json()["job_id"]
        one.hall.jobs.wait(job, 120)
        one.headers = one.with_token(MINE, "admin")
        one.theirs = one.with_token(THEIRS, "admin")
        one.job = job
        yield one


@pytest.mark.parametrize("key", sorted(OPERATIONS.keys() - WITHOUT_PROJECT.keys()), ids="-".join)
def test_another_project_is_out_of_reach_on_every_route(two, key):
    asked = request_for(key, OPERATIONS[key], two.job)
    answer = two.client.request(**asked, headers=two.headers)
    assert answer.status_code in (403, 404), (asked, answer.text)
    for word in ("buried", "treasure.py"):
        assert word not in answer.text
    # The same request with the other's own token is a good one: it was refused for whose it is, and nothing else.
    if asked["method"] != "delete" and asked["url"] != "/projects":
        good = two.client.request(**asked, headers=two.theirs)
        assert good.status_code in (200, 202), (asked, good.text)
        if asked["url"].endswith("/file"):
            assert "buried" in good.text
        if "treasure" in str(asked["json"]) and asked["url"] not in ("/index", "/delete", "/sync"):
            assert good.json()
    two.client.post(
        "/index",
        json={"project_id": THEIRS, "files": [{"path": "treasure.py", "content": TREASURE}]},
        headers=two.theirs,
    )


def test_after_all_that_the_other_project_is_as_it_was(two):
    """Runs behind the others, in this file's order."""
    found = two.client.post("/search", json={"project_id": THEIRS, "query": MARK}, headers=two.theirs).json()
    assert "buried" in found["results"][0]["text"]
    assert two.client.get(f"/projects/{THEIRS}", headers=two.theirs).json()["files"] == 1
    assert two.client.get(f"/jobs/{two.job}", headers=two.theirs).json()["status"] == "done"


def test_a_project_that_is_not_there_is_refused_as_one_that_is(two):
    """So that nobody learns which there are."""
    there = two.client.post("/search", json={"project_id": THEIRS, "query": "x"}, headers=two.headers)
    nowhere = two.client.post("/search", json={"project_id": "nowhere", "query": "x"}, headers=two.headers)
    assert there.status_code == nowhere.status_code == 403
    assert there.json()["error"].replace(THEIRS, "X") == nowhere.json()["error"].replace("nowhere", "X")


@pytest.mark.parametrize("key", sorted(WITHOUT_PROJECT), ids="-".join)
def test_routes_without_a_project_tell_nothing_of_others(two, key):
    method, path = key
    answer = two.client.request(method, path, headers=two.headers)
    assert THEIRS not in answer.text
    assert MARK not in answer.text
    assert answer.status_code == (403 if path == "/metrics" else 200)


def test_jobs_are_listed_for_ones_own_projects_only(two):
    assert two.client.get("/jobs", headers=two.headers).json() == {"jobs": []}
    assert two.client.get("/jobs", headers=two.theirs).json()["jobs"]


@pytest.mark.parametrize("key", sorted(OPERATIONS), ids="-".join)
def test_without_a_token_nothing_answers_but_what_is_open(two, key):
    asked = (
        request_for(key, OPERATIONS[key], two.job) if key not in WITHOUT_PROJECT else {"method": key[0], "url": key[1]}
    )
    answer = two.client.request(**asked)
    is_open = (key[0].upper(), key[1].strip("/")) in access.OPEN
    assert answer.status_code == (200 if is_open else 401), answer.text
    if not is_open:
        assert answer.headers["www-authenticate"] == "Bearer"
        for wrong in ("Bearer", "Bearer x", "Basic eDp5", two.theirs["authorization"] + "x", "bearer  "):
            assert two.client.request(**asked, headers={"authorization": wrong}).status_code == 401


@pytest.mark.parametrize("key", sorted(OPERATIONS), ids="-".join)
def test_every_route_has_a_scope_and_a_lower_one_is_refused(two, key):
    method, path = key[0].upper(), key[1]
    if (method, path.strip("/")) in access.OPEN:
        return
    needed = access.needed(method, path)
    listed = (method, access.name_of(path)) in access.NEEDED
    assert listed or key in ADMIN, f"{method} {path}: give it a scope in access.py, or list it here"
    for scope in Scope:
        if scope < needed:
            headers = two.with_token("*", scope.name.lower())
            asked = request_for(key, OPERATIONS[key], two.job)
            answer = two.client.request(**asked, headers=headers)
            assert answer.status_code == 403
            assert needed.name.lower() in answer.json()["error"]


def test_every_operation_says_that_it_needs_a_token():
    for (method, path), operation in OPERATIONS.items():
        is_open = (method.upper(), path.strip("/")) in access.OPEN
        assert ("security" in operation) != is_open, (method, path)


@pytest.mark.parametrize("method, path", [("GET", "/def"), ("POST", "/def"), ("GET", "/projects/mine/nothing")])
def test_where_nothing_is_no_token_would_help_and_nobody_is_told_to_get_one(two, method, path):
    reader = two.with_token(MINE, "read")
    answer = two.client.request(method, path, headers=reader)
    assert answer.status_code == 404, answer.text
    assert answer.json()["hint"] == "GET /openapi.json lists every route"
    assert two.client.request(method, path).status_code == 401, "without a token nothing is said"
    assert two.client.request("PUT", "/search", headers=reader).status_code == 403, "there is something"
