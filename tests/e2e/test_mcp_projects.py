"""Named projects as an agent meets them: tools that are there when projects are, and questions to a project by its name."""

import json

import anyio
import pytest

import served
from e2e.test_mcp import on_stdio, talk
from scova.config import cache_folder
from scova.projects import Catalog


@pytest.fixture
def named(project, scova):
    for number in range(3):
        part = project.parent / f"part{number}"
        part.mkdir()
        (part / f"guide{number}.md").write_text(f"# Walrus {number}\n\nHow to feed walrus number {number}.\n")
        (part / f"code{number}.py").write_text(f"def feed_walrus_{number}():\n    return {number}\n")
    assert scova("project", "create", "zoo").code == 0
    specs = [f"folder:{project.parent}/part{number}" for number in range(3)]
    assert scova("project", "add", "zoo", *specs, "--tag", "animals").code == 0
    return project


def test_a_project_is_built_slice_by_slice_and_asked_by_its_name(named):
    heard = []

    async def listen(progress, total, message):
        heard.append((progress, total, message))

    async def conversation(client):
        names = [tool.name for tool in (await client.list_tools()).tools]
        slices = []
        while not slices or slices[-1]["progress"]["has_more"]:
            given = {"project_id": "zoo", "chunk_options": {"max_sources_per_build": 1}}
            built = await client.call_tool("project_build", given, progress_callback=listen)
            slices.append(built.structured_content)
            state = (await client.call_tool("project_build_status", {"project_id": "zoo"})).structured_content
            assert state["pending_sources"] == slices[-1]["progress"]["remaining"]
        found = await client.call_tool("search", {"query": "feed walrus 2", "project": "zoo"})
        defined = await client.call_tool("definitions", {"name": "feed_walrus_1", "project": "zoo"})
        lines = await client.call_tool("grep", {"pattern": "walrus number", "project": "zoo"})
        return names, slices, state, found.structured_content, defined.structured_content, lines.structured_content

    names, slices, state, found, defined, lines = talk(on_stdio(named), conversation)
    assert names[-2:] == ["project_build", "project_build_status"] and len(names) <= 12
    assert [one["sources_processed"] for one in slices] == [1, 1, 1]
    assert [one["progress"]["remaining"] for one in slices] == [2, 1, 0]
    assert state["state"] == "idle"
    assert heard
    assert found["results"][0]["path"].endswith(("guide2.md", "code2.py"))
    assert defined["definitions"][0]["name"] == "feed_walrus_1"
    matches = sorted(line.partition("/")[2] for line in lines["matches"])
    assert matches == [f"guide{number}.md:3:How to feed walrus number {number}." for number in range(3)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "`project_id` is missing"),
        ({"project_id": "nobody"}, "there is no project `nobody`"),
        ({"project_id": "../zoo"}, "cannot be the name of a project"),
        ({"project_id": "zoo", "chunk_options": {"fetch_concurrency": 11}}, "between 1 and 10"),
        ({"project_id": "zoo", "chunk_options": {"fetch": 3}}, "no argument `fetch`"),
        ({"project_id": "zoo", "chunk_options": 3}, "must be an object"),
        ({"project_id": "zoo", "checkpoint_id": "x"}, "there is no checkpoint"),
    ],
)
def test_wrong_arguments_get_an_answer_that_helps(named, given, said):
    answer = talk(on_stdio(named), lambda client: client.call_tool("project_build", given))
    assert answer.is_error and said in answer.content[0].text, answer


def test_all_tools_together_stay_small(named):
    async def conversation(client):
        return (await client.list_tools()).tools

    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in talk(on_stdio(named), conversation)]
    assert len(json.dumps(listed)) / 4 <= 4000


def test_cancelling_the_call_stops_the_build_in_good_order(named, scova, monkeypatch):
    """The page would take an hour; the build is over long before, and has said that it was stopped."""
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", served.ALLOWED)
    with served.serving() as site:
        slow = site.put("/page/slow", served.html(1), seconds=3600.0)
        assert scova("project", "create", "slow").code == 0
        assert scova("project", "add", "slow", f"url:{slow}").code == 0

        async def conversation(client):
            with anyio.move_on_after(2.0) as waiting:
                await client.call_tool("project_build", {"project_id": "slow"})
            state = {"state": "in_progress"}
            while state["state"] == "in_progress":
                await anyio.sleep(0.1)
                state = (await client.call_tool("project_build_status", {"project_id": "slow"})).structured_content
            return waiting.cancelled_caught, state

        was_cancelled, state = talk(on_stdio(named), conversation)
        assert was_cancelled
    assert state["pending_sources"] == 1
    logs = sorted(Catalog(cache_folder()).layout("slow").logs.iterdir())
    assert "stopped" in json.loads(logs[-1].read_text().splitlines()[-1])["result"]["message"]
