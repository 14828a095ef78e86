"""`scova mcp --server`: the tools of agents over a real `scova serve`, by the protocol's own client. They answer as they do on this
machine, follow what is saved in the folder, and say what to do when the server does not answer."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import StdioServerParameters

import served as web
from conftest import SCOVA
from e2e.test_mcp import QUESTIONS, WRONG, call, on_stdio, talk
from real_server import RealServer

SOURCE = Path(__file__).parents[2] / "src" / "scova"


@pytest.fixture
def server(tmp_path):
    with RealServer(tmp_path / "data") as running:
        yield running


def afar(project, server, *words, name="shop", token="", url=""):
    environment = {**os.environ, **({"SCOVA_TOKEN": token} if token else {})}
    named = ["--project", name] if name else []
    args = ["mcp", "--server", url or server.url, *named, *words]
    return StdioServerParameters(command=str(SCOVA), args=args, cwd=str(project), env=environment)


def token(server, scope, project="shop"):
    words = ["token", "create", "--project", project, "--scope", scope, "--data", str(server.data), "--json"]
    done = subprocess.run([str(SCOVA), *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["token"]


def push(project, server, token=""):
    words = ["push", str(project), "--server", server.url, "--project", "shop", "--rate", "1000"]
    environment = {**os.environ, **({"SCOVA_TOKEN": token} if token else {})}
    subprocess.run([str(SCOVA), *words], check=True, capture_output=True, env=environment)


def said(answer):
    """The words of an error."""
    assert answer.is_error, answer
    return answer.content[0].text


async def settled(client, tool, **arguments):
    """The first answer that does not say of itself that something is not in it yet: on a busy machine a push takes longer than a
    question waits."""
    while True:
        answer = await client.call_tool(tool, arguments)
        found = answer.structured_content
        if "indexing" not in found and not found.get("freshness", {}).get("pending_files"):
            return answer
        await anyio.sleep(0.1)


def ask(server, tool, **arguments):
    """The same in a session of its own."""
    return talk(server, lambda client: settled(client, tool, **arguments))


# --- the same answers

MANY = [
    ("search", {"query": "how does a refresh find out which files changed"}),
    ("search", {"query": "SqliteStore", "limit": 20, "explain": True}),
    ("search", {"query": "writer lock", "mode": "text", "paths": ["index", "!index/questions.py"], "limit": 8}),
    ("search", {"query": "def refresh\\(", "mode": "regex", "languages": ["python"]}),
    ("search", {"query": "hash", "type": "definitions", "budget": 800}),
    ("search", {"query": "nearest chunks", "mode": "vector", "resend": True}),
    ("search", {"query": "Settling", "mode": "symbol", "next": "2", "limit": 3}),
    ("grep", {"pattern": "class \\w+\\(Protocol\\)", "context": 2}),
    ("grep", {"pattern": "SUFFIX", "ignore_case": True, "word": True, "literal": True, "paths": ["!*.md"]}),
    ("grep", {"pattern": "import", "max_bytes": 3000, "next": "40", "languages": ["python"]}),
    ("definitions", {"name": "refresh", "body": True}),
    ("definitions", {"at": "index/questions.py:40"}),
    ("definitions", {"name": "S*", "limit": 7, "paths": ["index"], "languages": ["python"]}),
    ("definitions", {"name": "refrehs"}),
    ("callers", {"name": "refresh", "depth": 3}),
    ("callers", {"name": "Index.refresh", "direction": "callees"}),
    ("callers", {"name": "no_such_name_here"}),
    ("usages", {"name": "Filters", "limit": 30}),
    ("usages", {"name": "Query", "paths": ["search"]}),
    ("context", {"subject": "Questions", "budget": 1500}),
    ("context", {"subject": "index/handle.py:60"}),
    ("outline", {"path": "index/handle.py"}),
    ("outline", {"path": "", "depth": 1, "max_bytes": 6000}),
    ("files", {"paths": ["index", "*.toml"]}),
    ("files", {"languages": ["python"], "max_bytes": 2000}),
    ("outline", {"path": "no/such/file.py"}),
    ("grep", {"pattern": "("}),
    ("search", {"query": "x", "after": "y"}),
]
TIMELESS = ("freshness", "indexed_at", "server", "project", "watching_here", "watcher_alive", "jobs")


def timeless(answer):
    return {name: value for name, value in answer.structured_content.items() if name not in TIMELESS}


def test_every_answer_equals_that_of_an_index_on_this_machine(server, tmp_path, scova):
    project = tmp_path / "shop"
    for part in ("index", "search", "live", "push", "jobs"):
        shutil.copytree(SOURCE / part, project / part, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "NOTES.md").write_text("# Notes\n\n## The writer lock\n\nOne writer at a time, see `lock.py`.\n")
    (project / "latin.py").write_bytes("# caf\xe9\r\ndef latin():\r\n    return 2\r\n".encode("latin-1"))
    (project / "settings.toml").write_text('[shop]\nname = "tiny"\n')
    (project / ".env").write_text("PASSWORD=1\n")
    assert scova("index", project).code == 0
    push(project, server)

    async def conversation(client):
        listed = [tool.model_dump() for tool in (await client.list_tools()).tools]
        answers = [await client.call_tool(name, arguments) for name, arguments in MANY]
        state = await client.call_tool("status", {})
        outline = await client.read_resource("scova://outline/index/handle.py")
        return listed, answers, timeless(state), outline.contents[0].text

    here = talk(on_stdio(project), conversation)
    there = talk(afar(project, server), conversation)
    assert there[0] == here[0]
    for (name, arguments), mine, theirs in zip(MANY, here[1], there[1], strict=True):
        assert timeless(theirs) == timeless(mine), (name, arguments)
        assert theirs.is_error == mine.is_error
    assert sum(not answer.is_error for answer in there[1]) == len(MANY) - 3
    assert there[2:] == here[2:]


def test_wrong_arguments_get_an_answer_that_helps(project, server):
    async def conversation(client):
        return [await client.call_tool(name, arguments) for name, arguments, _ in WRONG]

    for answer, (name, arguments, words) in zip(talk(afar(project, server), conversation), WRONG, strict=True):
        assert words in said(answer), (name, arguments)


# --- the folder is followed


def test_a_fresh_folder_is_pushed_and_every_tool_answers(project, server):
    async def conversation(client):
        return {name: await settled(client, name, **given) for name, given in QUESTIONS.items()}

    answers = talk(afar(project, server), conversation)
    for name, answer in answers.items():
        assert not answer.is_error, (name, answer)
    assert answers["search"].structured_content["results"][0]["path"] == "src/auth.py"
    status = answers["status"].structured_content
    assert (status["files"], status["indexed"], status["watching_here"]) == (5, True, True)
    assert server.files("shop") == 5
    assert not server.findings("shop")


def test_what_was_saved_is_in_the_next_answer(project, server):
    async def conversation(client):
        async def defined(name):
            found = (await settled(client, "definitions", name=name)).structured_content
            return [one["path"] for one in found["definitions"]]

        assert await defined("hash_password") == ["src/auth.py"]
        auth = project / "src/auth.py"
        auth.write_text(auth.read_text() + "\n\ndef aubergine():\n    return 1\n")
        assert await defined("aubergine") == ["src/auth.py"]
        auth.rename(project / "src/login.py")
        assert await defined("aubergine") == ["src/login.py"]
        (project / "src/login.py").unlink()
        assert await defined("aubergine") == []
        (project / "deep/er").mkdir(parents=True)
        (project / "deep/er/new.py").write_text("def courgette():\n    return aubergine()\n")
        assert await defined("courgette") == ["deep/er/new.py"]
        (project / ".gitignore").write_text("deep/\n")
        (project / ".git").mkdir()
        assert await defined("courgette") == []

    talk(afar(project, server), conversation)
    assert not server.findings("shop")


def test_what_another_wrote_to_the_project_is_put_right(project, server, tmp_path):
    """Another folder was pushed over it, or it was removed: the next answer is about this folder all the same."""

    async def conversation(client):
        async def paths():
            await settled(client, "search", query="x")
            return (await client.call_tool("files", {})).structured_content["files"]

        before = await paths()
        other = tmp_path / "other"
        shutil.copytree(project, other)
        (other / "src/auth.py").unlink()
        (other / "more.py").write_text("x = 1\n")
        push(other, server)
        assert await paths() == before
        push(other, server)
        (project / "mine.py").write_text("y = 1\n")
        assert await paths() == sorted([*before, "mine.py (python)"])
        assert httpx2.delete(f"{server.url}/projects/shop").status_code == 200
        found = (await settled(client, "search", query="hash_password")).structured_content
        assert found["results"][0]["path"] == "src/auth.py"

    talk(afar(project, server), conversation)


def test_a_server_that_was_killed_and_came_back_is_asked_again(project, server):
    async def conversation(client):
        asked = ("search", {"query": "hash_password", "resend": True})
        first = await settled(client, "search", query="hash_password")
        server.kill()
        refused = await client.call_tool(*asked)
        (project / "src/new.py").write_text("def aubergine():\n    return 1\n")
        refused_too = await client.call_tool(*asked)
        server.start()
        again = await client.call_tool(*asked)
        found = await settled(client, "definitions", name="aubergine")
        return first, refused, refused_too, again, found.structured_content

    first, refused, refused_too, again, found = talk(afar(project, server), conversation)
    for answer in (refused, refused_too):
        assert "cannot be reached" in said(answer) and "hint: see that the server is running" in said(answer)
        assert "push again" not in said(answer)
    assert again.structured_content["results"][0]["path"] == first.structured_content["results"][0]["path"]
    assert found["definitions"][0]["path"] == "src/new.py"


def test_index_is_a_job_with_progress(tmp_path, server):
    project = tmp_path / "large"
    for number in range(400):
        path = project / f"part{number % 7}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def function_{number}():\n    return {number}\n")
    heard = []

    async def listen(progress, total, message):
        heard.append((progress, total, message))

    async def conversation(client):
        began = (await client.call_tool("index", {})).structured_content
        ended = await client.call_tool("index", {"wait_seconds": 90}, progress_callback=listen)
        forced = await client.call_tool("index", {"wait_seconds": 90, "force": True})
        job = await client.call_tool("status", {"job_id": began["job_id"]})
        return began, ended.structured_content, forced.structured_content, job.structured_content

    began, ended, forced, job = talk(afar(project, server), conversation)
    assert began["status"] == "indexing_started"
    assert (ended["status"], ended["job_id"]) == ("done", began["job_id"])
    assert ended["job"]["result"]["report"]["sent"] == 400
    assert any(total == 400 for _, total, _ in heard)
    assert forced["status"] == "done" and forced["job"]["result"]["report"]["sent"] == 0
    assert job["jobs"][began["job_id"]]["status"] == "done"


def test_projects_of_sources_are_built_at_the_server(project, tmp_path, monkeypatch):
    """The tools of builds are there when the server has such a project, and answer as they do here; what was built is not pushed away."""
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", web.ALLOWED)
    with web.serving() as site, RealServer(tmp_path / "data") as server:
        urls = [site.put(f"/walrus/{number}", web.html(number), host=number) for number in range(3)]
        with httpx2.Client(base_url=server.url, timeout=120) as client:
            for name in ("docs", "shop"):
                client.post("/projects", json={"project_id": name})
                sources = [{"type": "url", "uri": url} for url in urls]
                assert client.post(f"/projects/{name}/sources", json={"sources": sources}).status_code == 200
        heard = []

        async def listen(progress, total, message):
            heard.append(message)

        async def conversation(client):
            names = [tool.name for tool in (await client.list_tools()).tools]
            dry = await client.call_tool("project_build", {"project_id": "docs", "dry_run": True})
            slices = []
            while not slices or slices[-1]["progress"]["has_more"]:
                given = {"project_id": "docs", "chunk_options": {"max_sources_per_build": 2}}
                built = await client.call_tool("project_build", given, progress_callback=listen)
                slices.append(built.structured_content)
            state = await client.call_tool("project_build_status", {"project_id": "docs"})
            found = await client.call_tool("search", {"query": "page 1", "project": "docs"})
            await client.call_tool("project_build", {"project_id": "shop"})
            mixed = (await settled(client, "search", query="hash_password")).structured_content
            files = (await client.call_tool("files", {})).structured_content["files"]
            absent = await client.call_tool("project_build", {"project_id": "nowhere"})
            return names, dry.structured_content, slices, state.structured_content, found, mixed, files, absent

        names, dry, slices, state, found, mixed, files, absent = talk(afar(project, server), conversation)
    assert names[-2:] == ["project_build", "project_build_status"]
    assert (dry["success"] and dry["sources_processed"] == 0) or dry["progress"]["total_sources"] == 3
    assert [one["sources_processed"] for one in slices] == [2, 1] and "failed" not in slices[0]
    assert (state["state"], state["pending_sources"]) == ("idle", 0)
    assert heard
    assert found.structured_content["results"][0]["place"] in urls
    assert mixed["results"][0]["path"] == "src/auth.py" and "place" not in mixed["results"][0]
    assert len(files) == 5 + 3
    assert "there is no project `nowhere`" in said(absent)


def test_a_source_that_is_added_later_is_told_where_it_is(project, tmp_path, monkeypatch):
    """Without a restart, though its project was asked before it had any."""
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", web.ALLOWED)
    with web.serving() as site, RealServer(tmp_path / "data") as server:
        first, second = (site.put(f"/walrus/{number}", web.html(number), host=number) for number in (1, 2))
        with httpx2.Client(base_url=server.url, timeout=120) as http:
            http.post("/projects", json={"project_id": "docs"})

            def add(url):
                body = {"sources": [{"type": "url", "uri": url}]}
                assert http.post("/projects/docs/sources", json=body).status_code == 200

            async def conversation(client):
                before = await client.call_tool("search", {"query": "page", "project": "docs"})
                places = []
                for url in (first, second):
                    await anyio.to_thread.run_sync(add, url)
                    await client.call_tool("project_build", {"project_id": "docs"})
                    found = await client.call_tool("search", {"query": "page", "project": "docs"})
                    places.append({one.get("place") for one in found.structured_content["results"]})
                return before.structured_content["results"], places

            before, places = talk(afar(project, server), conversation)
    assert (before, places) == ([], [{first}, {first, second}])


# --- what is in the way


def test_a_folder_that_has_nothing_in_common_with_the_project_does_not_replace_it(project, server, tmp_path):
    push(project, server)
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.py").write_text("x = 1\n")
    words = said(ask(afar(other, server), "search", query="x"))
    assert "none of them is in this folder" in words and "--no-push" in words
    assert server.files("shop") == 5
    asked = call(afar(other, server, "--no-push"), "search", query="hash_password")
    assert asked.structured_content["results"][0]["path"] == "src/auth.py"
    assert "not pushed from here" in said(call(afar(other, server, "--no-push"), "index"))


def test_a_token_decides_what_is_pushed_and_asked(project, server):
    read, write, admin = (token(server, scope) for scope in ("read", "write", "admin"))
    other = token(server, "admin", "other")
    query = {"query": "hash_password"}
    assert "wants a token (401)" in said(ask(afar(project, server), "search", **query))
    refused = said(ask(afar(project, server, token="made-up"), "search", **query))
    assert "refuses the token (401)" in refused and "SCOVA_TOKEN" in refused and "made-up" not in refused
    for weak in (read, write):
        absent = said(ask(afar(project, server, token=weak), "search", **query))
        assert "there is no project `shop`" in absent and "scova push" in absent
    made = ask(afar(project, server, token=admin), "search", **query).structured_content
    assert made["results"][0]["path"] == "src/auth.py" and "not_pushed" not in made
    (project / "src/new.py").write_text("def aubergine():\n    return 1\n")
    behind = ask(afar(project, server, token=read), "search", **query).structured_content
    assert behind["results"][0]["path"] == "src/auth.py"
    assert "403" in behind["not_pushed"] and read not in json.dumps(behind)
    brought = ask(afar(project, server, token=write), "definitions", name="aubergine").structured_content
    assert brought["total"] == 1 and "not_pushed" not in brought
    assert "403" in said(ask(afar(project, server, token=other), "search", **query))
    failed = call(afar(project, server, token=read), "index", wait_seconds=20).structured_content
    assert failed["status"] == "failed" and "403" in failed["message"]


def test_other_projects_of_the_server_are_asked_by_name(project, server, tmp_path):
    push(project, server)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "x.py").write_text("def mine():\n    return 1\n")

    async def conversation(client):
        there = await client.call_tool("search", {"query": "hash_password", "project": "shop"})
        await settled(client, "search", query="mine")
        here = await client.call_tool("files", {})
        absent = await client.call_tool("files", {"project": "nowhere"})
        state = await client.call_tool("status", {"project": "shop"})
        return there, here, absent, state

    there, here, absent, state = talk(afar(mine, server, name=""), conversation)
    assert there.structured_content["results"][0]["path"] == "src/auth.py"
    assert here.structured_content["files"] == ["x.py (python)"]
    assert "there is no project `nowhere`" in said(absent)
    assert (state.structured_content["files"], state.structured_content["watching_here"]) == (5, False)
    assert server.files("mine") == 1


def test_no_server_at_all_is_one_clear_error(project):
    async def conversation(client):
        listed = (await client.list_tools()).tools
        return len(listed), await client.call_tool("search", {"query": "x"})

    listed, answer = talk(afar(project, None, url="http://127.0.0.1:9"), conversation)
    assert listed == 10
    assert "cannot be reached" in said(answer) and "see that the server is running" in said(answer)


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (["--server", "ftp://x"], "is not the address of a server"),
        (["--server", "http://127.0.0.1:9", "--project", "a/b"], "cannot be the name of a project"),
        (["--server", "http://127.0.0.1:9", "--project", "a", "--project", "b"], "one project at a time"),
        (["--server", "http://127.0.0.1:9", "--token-env", "NOT_SET"], "`NOT_SET` is not set"),
        (["--no-push"], "--no-push is about a server"),
        (["--token-env", "X"], "--token-env is about a server"),
    ],
)
def test_words_that_make_no_sense_are_refused(scova, project, words, about):
    done = scova("mcp", *words, cwd=project)
    assert done.code == 2 and done.out == ""
    assert about in done.err


def test_a_home_folder_is_no_project_unless_one_is_named(scova, tmp_path):
    done = scova("mcp", "--server", "http://127.0.0.1:9", cwd=os.environ["HOME"])
    assert done.code == 2 and "is not the folder of a project" in done.err


def test_stdout_carries_the_protocol_only(project, server):
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "hash"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nothing", "arguments": {}}},
    ]  # fmt: skip
    pipe = subprocess.PIPE
    words = [str(SCOVA), "mcp", "--server", server.url]
    with subprocess.Popen(words, cwd=project, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:
        heard = []
        for message in messages:
            running.stdin.write(json.dumps(message) + "\n")
            running.stdin.flush()
            if "id" in message:
                heard.append(json.loads(running.stdout.readline()))
        rest, talked = running.communicate(timeout=120)
    assert running.returncode == 0
    assert [message["id"] for message in heard] == [1, 2, 3]
    assert not rest and "Traceback" not in talked
