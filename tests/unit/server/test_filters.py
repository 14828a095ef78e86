"""What a question is limited to is the same on every route, and the same as of an index on this machine."""

import pytest

from scova.filters import chunk_passes
from scova.index import Index
from scova.remote import reading
from scova.search.similar import MOST
from scova.types import ChunkType, Filters
from serving import HELLO, OTHER, served

FILES = {
    "hello.py": HELLO,
    "src/door.py": OTHER,
    "src/hello.ts": "export function hello(name: string) {\n  return `hello ${name}`;\n}\n",
    "docs/hello.md": "# Hello\n\nSay hello to the door.\n",
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A server and a local index of the same files."""
    place = tmp_path_factory.mktemp("both")
    for path, text in FILES.items():
        (place / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (place / "tree" / path).write_text(text)
    with served(place / "data") as one, Index.open(place / "tree", data=str(place / "index")) as index:
        index.refresh()
        one.post("/projects", project_id="p")
        one.index("p", FILES)
        yield one, index


LIMITS = [
    {"paths": ["src"]},
    {"paths": ["src/**", "*.md"], "not_paths": ["*.ts"]},
    {"not_paths": ["src"]},
    {"languages": ["typescript", "markdown"]},
    {"chunk_types": ["documentation"]},
    {"kinds": ["class"]},
    {"tags": ["docs"]},
    {"paths": [""]},
]


def filters(limits):
    given = {name: tuple(values) for name, values in limits.items()}
    return Filters(**{**given, "chunk_types": tuple(ChunkType(one) for one in given.get("chunk_types", ()))})


def asked(one, route, **body):
    answer = one.post(route, project_id="p", **body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def is_about_files(limits):
    return not limits.keys() & {"chunk_types", "kinds", "tags"}


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_each_route_is_limited_as_the_index_is(both, limits):
    one, index = both
    wanted = filters(limits)
    usages = asked(one, "/usages", name="hello", **limits)
    assert [(use["path"], use["line"]) for use in usages["usages"]] == [
        (use.path, use.line) for use in index.usages("hello", filters=wanted).usages
    ]
    defined = asked(one, "/definitions", name="h*", **limits)
    assert [found["path"] for found in defined["definitions"]] == [
        found.path for found in index.definitions("h*", filters=wanted).definitions
    ]
    outlined = asked(one, "/outline", **limits)
    assert [file["path"] for file in outlined["files"]] == [file.path for file in index.outline(filters=wanted).files]
    if is_about_files(limits):
        matched = asked(one, "/grep", pattern="hello", **limits)
        assert [file["path"] for file in matched["files"]] == [
            file.path for file in index.grep("hello", filters=wanted).files
        ]
        listed = asked(one, "/files", **limits)
        assert {file["path"]: file["language"] for file in listed["files"]} == index.files(wanted)
        assert (listed["total"], listed["truncated"]) == (len(listed["files"]), False)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_what_is_similar_is_limited_too(both, limits):
    one, _ = both
    everything = asked(one, "/similar", text="say hello", limit=MOST)
    some = asked(one, "/similar", text="say hello", limit=MOST, **limits)
    passes = chunk_passes(filters(limits))
    expected = [result.chunk.id for result in reading.answer(everything).results if passes(result.chunk)]
    assert [result["id"] for result in some["results"]] == expected
    assert some["total"] == len(expected)
    assert everything["total"] == len(everything["results"])


def test_lines_and_files_have_no_chunk_type(both):
    one, _ = both
    for route, more in (("/grep", {"pattern": "x"}), ("/files", {})):
        refused = one.post(route, project_id="p", kinds=["class"], **more)
        assert refused.status_code == 422
        assert "kinds" in refused.json()["error"]


def test_what_is_shown_at_most_can_be_chosen(both):
    one, _ = both
    assert asked(one, "/files", limit=1) | {"change_seq": 0} == {
        "files": [{"path": "docs/hello.md", "language": "markdown"}], "total": 4, "truncated": True, "change_seq": 0
    }  # fmt: skip
    outlined = asked(one, "/outline", files=2, definitions=1)
    assert outlined["truncated"] and outlined["caps"] == {"files": 2, "definitions": 1}
    tree = asked(one, "/callers", name="hello", per_level=1, total=1)
    assert tree["caps"] == {"per_level": 1, "total": 1} and tree["total"] == 1


@pytest.mark.parametrize("route", ["/files", "/search", "/grep", "/outline"])
def test_patterns_that_are_too_long_are_refused(both, route):
    words = {"/search": {"query": "x"}, "/grep": {"pattern": "x"}}.get(route, {})
    for globs, said in ((["a" * 1025], "must have at most 1024 characters"), (["a" * 1000] * 66, "65,536 characters")):
        answer = both[0].post(route, project_id="p", paths=globs, **words)
        assert answer.status_code == 422
        assert said in answer.json()["error"]
