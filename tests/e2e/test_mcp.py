"""The MCP server as an agent meets it: the real command over stdio and HTTP, driven by the protocol's own client."""

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

from conftest import SCOVA
from scova.mcp.server import tools
from until import until

QUESTIONS = {
    "search": {"query": "how are passwords hashed"},
    "grep": {"pattern": "hash_password"},
    "definitions": {"name": "hash_password", "body": True},
    "callers": {"name": "hash_password"},
    "usages": {"name": "hash_password"},
    "context": {"subject": "hash_password"},
    "outline": {"path": "src"},
    "files": {"paths": ["src"]},
    "index": {},
    "status": {},
}


def on_stdio(project: Path, *words: str) -> StdioServerParameters:
    return StdioServerParameters(command=str(SCOVA), args=["mcp", *words], cwd=str(project), env=dict(os.environ))


def talk(server, conversation):
    """Run a conversation with a server; what it returns comes back."""

    async def run():
        with anyio.fail_after(100):
            async with Client(server) as client:
                return await conversation(client)

    return anyio.run(run)


def call(server, tool, **arguments):
    """One call in a session of its own."""
    return talk(server, lambda client: client.call_tool(tool, arguments))


@pytest.fixture
def indexed(project, scova):
    assert scova("index", project).code == 0
    return project


def test_every_tool_is_listed_and_answers(indexed):
    async def conversation(client):
        listed = (await client.list_tools()).tools
        answers = {tool.name: await client.call_tool(tool.name, QUESTIONS[tool.name]) for tool in listed}
        return listed, answers

    listed, answers = talk(on_stdio(indexed), conversation)
    assert [tool.name for tool in listed] == list(QUESTIONS)
    assert {tool.name: tool.annotations.read_only_hint for tool in listed} == {
        name: name != "index" for name in QUESTIONS
    }
    for name, answer in answers.items():
        assert not answer.is_error, (name, answer)
        assert json.loads(answer.content[0].text) == answer.structured_content, name
    found = {name: answer.structured_content for name, answer in answers.items()}
    assert found["search"]["results"][0]["path"] == "src/auth.py"
    assert any(line.startswith("src/auth.py:8:def hash_password") for line in found["grep"]["matches"])
    assert found["definitions"]["definitions"][0]["name"] == "hash_password"
    assert any("Session.check_password" in line for line in found["callers"]["tree"])
    assert found["usages"]["counts"]["call"] >= 2
    assert found["outline"]["outline"][0].startswith("src/auth.py (python")
    assert found["files"]["files"] == ["src/auth.py (python)", "src/cart.ts (typescript)"]
    assert found["status"]["files"] == 5
    assert found["index"]["job_id"]


def test_the_first_question_in_a_fresh_folder_is_answered(project):
    answer = call(on_stdio(project), "search", query="hash_password")
    assert answer.structured_content["results"][0]["symbol"] == "hash_password"


def test_handshake_and_tools_need_no_index(tmp_path):
    """Not even a folder that could be indexed."""
    gone = tmp_path / "gone"
    gone.mkdir()

    async def conversation(client):
        gone.rmdir()
        return client.server_info.name, len((await client.list_tools()).tools)

    assert talk(on_stdio(gone), conversation) == ("scova", 10)


WRONG = [
    ("search", {}, "`query` is missing"),
    ("search", {"query": "x", "limt": 3}, "did you mean `limit`?"),
    ("search", {"query": 3}, "must be a string, not an integer"),
    ("search", {"query": "x", "limit": True}, "must be an integer, not a boolean"),
    ("search", {"query": "x", "limit": 0}, "between 1 and 100"),
    ("search", {"query": "x", "budget": 0}, "between 1 and 100000"),
    ("search", {"query": "x", "mode": "best"}, "must be one of hybrid"),
    ("search", {"query": "x", "next": "-1"}, "is no handle"),
    ("search", {"query": "x", "project": "/"}, "is not a project of this server"),
    ("grep", {"pattern": "("}, "("),
    ("grep", {"pattern": "x\0"}, "zero bytes"),
    ("grep", {"pattern": "x{1,9000}y"}, "write `+` instead of `{1,9000}`"),
    ("definitions", {}, "either `name` or `at`"),
    ("callers", {"name": "hash_password", "depth": 11}, "between 1 and 10"),
    ("outline", {"path": "../.."}, "hint"),
    ("context", {"subject": "/etc/passwd:1"}, "hint"),
    ("index", {"cancel": "nonsense"}, "no job"),
    ("status", {"job_id": "nonsense"}, "no job"),
]


def test_wrong_arguments_get_an_answer_that_helps(indexed):
    async def conversation(client):
        return [await client.call_tool(name, arguments) for name, arguments, _ in WRONG]

    for answer, (name, arguments, said) in zip(talk(on_stdio(indexed), conversation), WRONG, strict=True):
        assert answer.is_error, (name, arguments, answer)
        assert said in answer.content[0].text


def test_an_unknown_tool_is_refused(indexed):
    async def conversation(client):
        with pytest.raises(MCPError, match="no tool `serch`"):
            await client.call_tool("serch", {"query": "x"})

    talk(on_stdio(indexed), conversation)


def test_an_unknown_name_brings_the_nearest(indexed):
    answer = call(on_stdio(indexed), "definitions", name="hash_pasword")
    assert "hash_password" in answer.structured_content["did_you_mean"]


def test_lines_already_sent_are_named_not_sent(indexed):
    async def conversation(client):
        asked = {"query": "hash_password"}
        return [
            (await client.call_tool("search", given)).structured_content["results"][0]
            for given in (asked, asked, asked | {"resend": True})
        ]

    first, second, third = talk(on_stdio(indexed), conversation)
    assert first["text"] == third["text"]
    assert "text" not in second and second["already_sent"]
    assert (second["path"], second["lines"]) == (first["path"], first["lines"])


def test_a_changed_text_is_sent_again(indexed):
    async def conversation(client):
        await client.call_tool("definitions", {"name": "hash_password", "body": True})
        path = indexed / "src/auth.py"
        path.write_text(path.read_text().replace('"sha256"', '"sha512"'))
        with anyio.fail_after(120):
            while True:
                answer = await client.call_tool("definitions", {"name": "hash_password", "body": True})
                found = answer.structured_content["definitions"]
                if found and "sha512" in found[0].get("text", ""):
                    return True
                await anyio.sleep(0.1)

    assert talk(on_stdio(indexed), conversation)  # and the watcher inside brought it in


def test_a_long_answer_comes_in_pages_that_lose_nothing(project):
    (project / "many.py").write_text("".join(f"needle_{number} = {number}\n" for number in range(3000)))

    async def conversation(client):
        lines, pages, handle = [], 0, {}
        while True:
            answer = await client.call_tool("grep", {"pattern": "^needle_", "max_bytes": 10_000, **handle})
            assert len(answer.content[0].text.encode()) <= 10_000
            found = answer.structured_content
            lines += found["matches"]
            pages += 1
            assert found["count"] == found["total"] == 3000
            if not found["truncated"]:
                return lines, pages
            handle = {"next": found["next"]}

    lines, pages = talk(on_stdio(project), conversation)
    assert lines == [f"many.py:{number + 1}:needle_{number} = {number}" for number in range(3000)]
    assert pages > 5


def test_one_line_longer_than_a_page_is_cut_and_passed(project):
    (project / "long.txt").write_text("needle " + "x" * 50_000 + "\nneedle\n")
    first = call(on_stdio(project), "grep", pattern="needle", max_bytes=2000)
    assert len(first.content[0].text.encode()) <= 2000
    second = call(on_stdio(project), "grep", pattern="needle", max_bytes=2000, next=first.structured_content["next"])
    assert second.structured_content["matches"] == ["long.txt:2:needle"]


def test_outlines_are_resources_and_prompts_are_filled_in(indexed):
    async def conversation(client):
        template = (await client.list_resource_templates()).resource_templates[0].uri_template
        text = (await client.read_resource(template.replace("{+path}", "src/auth.py"))).contents[0].text
        prompts = (await client.list_prompts()).prompts
        filled = await client.get_prompt("understand", {"topic": "logging in"})
        return text, [prompt.name for prompt in prompts], filled.messages[0].content.text

    text, names, filled = talk(on_stdio(indexed), conversation)
    assert "def hash_password" in text
    assert names == ["understand", "before_changing"]
    assert "how logging in works" in filled


def test_no_other_resource_can_be_read(indexed):
    async def conversation(client):
        for uri in ("scova://outline/../../etc/passwd", "file:///etc/passwd", "scova://other/x"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)

    talk(on_stdio(indexed), conversation)


def large_project(root: Path, copies: int) -> Path:
    here = Path(__file__).parents[2] / "src"
    for number in range(copies):
        shutil.copytree(here, root / f"copy{number}", ignore=shutil.ignore_patterns("__pycache__", "*.npz", "*.bin"))
    return root


def test_index_answers_at_once_and_tells_its_progress(tmp_path):
    project = large_project(tmp_path / "large", 4)
    heard = []

    async def listen(progress, total, message):
        heard.append((progress, total, message))

    async def conversation(client):
        began = (await client.call_tool("index", {})).structured_content
        ended = await client.call_tool("index", {"wait_seconds": 90}, progress_callback=listen)
        return began, ended.structured_content

    began, ended = talk(on_stdio(project), conversation)
    assert began["status"] == "indexing_started"
    assert ended["status"] == "done"
    assert ended["job_id"] == began["job_id"]
    assert heard and any(total for _, total, _ in heard)
    assert [progress for progress, _, _ in heard] == sorted(progress for progress, _, _ in heard)


def test_cancelling_the_call_cancels_the_job(tmp_path):
    project = large_project(tmp_path / "large", 8)

    async def conversation(client):
        with anyio.move_on_after(1.5):
            await client.call_tool("index", {"wait_seconds": 90})
        with anyio.fail_after(120):
            while True:
                jobs = (await client.call_tool("status", {})).structured_content["jobs"]
                if {job["status"] for job in jobs.values()} == {"cancelled"}:
                    return True
                await anyio.sleep(0.1)

    assert talk(on_stdio(project), conversation)


def test_two_agents_share_one_index(indexed):
    """One watches, the other follows; both see what is saved."""

    async def run():
        with anyio.fail_after(120):
            async with Client(on_stdio(indexed)) as one, Client(on_stdio(indexed)) as other:
                for client in (one, other):
                    await client.call_tool("search", {"query": "x"})
                (indexed / "src/new.py").write_text("def aubergine():\n    return 1\n")
                for client in (one, other):
                    while not (await client.call_tool("definitions", {"name": "aubergine"})).structured_content[
                        "total"
                    ]:
                        await anyio.sleep(0.1)
                states = [(await client.call_tool("status", {})).structured_content for client in (one, other)]
                return sorted(state["watching_here"] for state in states), [s["watcher_alive"] for s in states]

    assert anyio.run(run) == ([False, True], [True, True])


def test_stdout_carries_the_protocol_only(indexed):
    """Every line is a JSON-RPC message, whatever is said meanwhile."""
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "hash"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nothing", "arguments": {}}},
    ]  # fmt: skip
    pipe = subprocess.PIPE
    with subprocess.Popen([str(SCOVA), "mcp"], cwd=indexed, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
        heard = []
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            if "id" in message:
                heard.append(json.loads(server.stdout.readline()))
        rest, said = server.communicate(timeout=120)
    assert server.returncode == 0
    assert [message["id"] for message in heard] == [1, 2, 3]
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert "Traceback" not in said


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def test_over_http_with_two_clients_at_once(indexed):
    port = free_port()
    words = [str(SCOVA), "mcp", "--http", "--port", str(port)]
    with subprocess.Popen(words, cwd=indexed, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:

        def listens():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        until(listens, "a server that listens")

        async def run():
            async with Client(f"http://127.0.0.1:{port}/mcp") as one, Client(f"http://127.0.0.1:{port}/mcp") as other:
                return [
                    (await client.call_tool("search", {"query": "hash_password"})).structured_content["results"][0][
                        "symbol"
                    ]
                    for client in (one, other, one)
                ]

        assert anyio.run(run) == ["hash_password"] * 3
        server.terminate()
        written, _ = server.communicate(timeout=120)
    assert server.returncode in (0, -15)
    assert written == b""


def test_http_is_not_opened_to_other_machines(scova, project):
    done = scova("mcp", "--http", "--host", "0.0.0.0", cwd=project)
    assert done.code == 2
    assert "open to other machines" in done.err


def test_all_tools_together_are_small():
    """What every conversation pays: four characters are about one token."""
    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools(has_builds=True)]
    assert len(listed) <= 12
    assert len(json.dumps(listed)) / 4 <= 4000


def test_a_typical_answer_is_small():
    """On this project itself: at most 1,500 tokens."""
    here = Path(__file__).parents[2]
    answer = call(on_stdio(here), "search", query="how does a refresh find out which files changed")
    assert len(answer.content[0].text) / 4 <= 1500
