"""What is wrong with a field is said in plain words, and of which field: no validator's words, no patterns."""

import re

import pytest

from serving import served

VALIDATOR = re.compile(
    r"Input should|String should|List should|Field required|Extra inputs|instance of|pattern|after validation"
)
SEARCH = {"project_id": "p", "query": "x"}
SHA = "must be 64 hexadecimal digits in lower case, the SHA-256 of the content"
WRONG = [
    ("/search", {}, "project_id: is missing (and 1 more)"),
    ("/search", [], "the body: must be an object"),
    ("/search", SEARCH | {"query": 3}, "query: must be a text"),
    ("/search", SEARCH | {"limit": 0}, "limit: must be at least 1"),
    ("/search", SEARCH | {"limit": 1001}, "limit: must be at most 1000"),
    ("/search", SEARCH | {"limit": "1"}, "limit: must be a whole number"),
    ("/search", SEARCH | {"limit": 1.5}, "limit: must be a whole number"),
    ("/search", SEARCH | {"explain": 1}, "explain: must be true or false"),
    ("/search", SEARCH | {"zork": 1}, "zork: is no field of this request"),
    ("/search", SEARCH | {"mode": "z"}, "mode: must be one of hybrid, text, vector, symbol, regex"),
    ("/search", SEARCH | {"paths": "src"}, "paths: must be a list"),
    ("/search", SEARCH | {"query": "x" * 10_001}, "query: must have at most 10000 characters"),
    ("/callers", {"project_id": "p", "name": "n", "direction": "up"}, "direction: must be 'callers' or 'callees'"),
    ("/callers", {"project_id": "p", "name": ""}, "name: must not be empty"),
    ("/sync", {"project_id": "p", "files": {"a.py": "z"}}, f"files.a.py: {SHA}"),
    ("/sync", {"project_id": "p", "files": []}, "files: must be an object"),
    ("/index", {"project_id": "p", "files": []}, "files: must not be empty"),
    ("/projects", {"project_id": "a b"}, "project_id: must be letters, digits, dots, dashes and underscores, and begin with a letter or a digit"),
    ("/projects/p/sources", {"sources": [{"type": "url", "uri": "ftp://example.org"}]}, "sources.0.uri: must begin with http:// or https://"),
    ("/projects/p/sources", {"sources": [{"type": "url", "uri": "http:"}]}, "sources.0.uri: must have at least 8 characters"),
    ("/projects/p/sources", {"sources": [{"type": "url", "uri": "http://example.org", "tags": ["a b"]}]}, "sources.0.tags.0: must be 1 to 64 characters without spaces and commas"),
]  # fmt: skip


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    with served(tmp_path_factory.mktemp("plain") / "data") as server:
        server.post("/projects", project_id="p")
        yield server


@pytest.mark.parametrize("route, body, said", WRONG, ids=[said for _, _, said in WRONG])
def test_a_wrong_field_is_named_in_plain_words(one, route, body, said):
    answer = one.client.post(route, json=body)
    assert (answer.status_code, answer.json()["error"]) == (422, said)


def test_so_it_is_in_an_address(one):
    said = one.client.get("/search", params={"project_id": "p", "limit": "x"}).json()["error"]
    assert said == "query: is missing (and 1 more)"


def test_and_of_each_file_of_a_batch(one):
    files = [{"path": "a.py", "content": "x", "hash": "zz"}, {"path": "", "content": ""}, {"path": "b.py"}, 3]
    results = one.post("/index", project_id="p", files=files).json()["results"]
    assert [file["error"] for file in results] == [
        f"hash: {SHA}",
        "path: must not be empty",
        "content: is missing",
        "file: must be an object",
    ]


def test_whatever_type_a_field_has_the_validator_is_not_heard(one):
    """Every body of the API, with a value in each field that no field takes."""
    schema = one.client.get("/openapi.json").json()
    heard = {}
    for path, methods in schema["paths"].items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        if not content or "$ref" not in content["schema"]:
            continue
        form = schema["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
        for name in form["properties"]:
            said = one.client.post(path.replace("{project_id}", "p"), json={name: {"1": [None]}}).json()["error"]
            if VALIDATOR.search(said):
                heard[path, name] = said
    assert heard == {}


def test_of_a_name_that_a_client_made_up_only_the_beginning_is_said_again(one):
    name = "k" * 100_000
    for route, body in (
        ("/search", SEARCH | {name: 1}),
        ("/index", {"project_id": "p", "files": [{"path": "a", "content": "", name: 1}]}),
    ):
        answer = one.post(route, **body)
        assert answer.status_code == 422
        assert "kkk…: is no field of this request" in answer.text
        assert len(answer.text) < 1000
