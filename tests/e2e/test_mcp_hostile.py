"""More than a thousand malformed and hostile messages to one MCP server: it neither dies nor hangs, says nothing but the protocol,
stays small, and opens no file outside the project, whatever it is asked.

Every file that the server and its workers open is written down by an audit hook that is slipped into them.
"""

import json
import os
import queue
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import scova.mcp.server as door
from conftest import SCOVA, write_project
from scova.config import cache_folder
from scova.projects import Catalog
from until import until

SEED = 20260
WAIT = 60  # seconds for any answer: generous, as a hang lasts longer than that
MOST_MEMORY_MB = 450  # peak of the server, which has several strings of 10 MB at once in what it reads and answers
CANARY = "canary_5b1e77d0c4"
HUGE = "x" * 10_000_000

HOOK = """
import json, os, sys
_log = os.open(os.environ["OPENED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
_known = set()

def _note(event, arguments):
    if event in ("open", "os.listdir", "os.scandir", "sqlite3.connect") and not isinstance(arguments[0], int):
        path = os.fsencode(arguments[0] if arguments[0] is not None else ".")
        path = os.path.join(os.getcwdb(), path)
        if path not in _known:
            _known.add(path)
            os.write(_log, json.dumps([event, os.fsdecode(path)]).encode() + b"\\n")

sys.addaudithook(_note)
"""

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "hostile", "version": "1"}}


class Server:
    """`scova mcp` on raw pipes. Everything it writes to stdout is kept, line by line."""

    def __init__(self, project: Path, environment: dict[str, str], log: Path) -> None:
        self._log = log.open("wb")
        self.process = subprocess.Popen(
            [str(SCOVA), "mcp"],
            cwd=project,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        self.lines: list[bytes] = []
        self.answered: dict[object, dict] = {}
        self._outgoing: queue.Queue[bytes | None] = queue.Queue()
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._write)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)
            said = json.loads(line) if line.startswith(b"{") else {}
            if "method" not in said and isinstance(said.get("id"), int | str):
                self.answered[said["id"]] = said

    def _write(self) -> None:
        while (message := self._outgoing.get()) is not None:
            try:
                self.process.stdin.write(message + b"\n")
                self.process.stdin.flush()
            except OSError:
                return

    def send(self, message: bytes | dict) -> None:
        self._outgoing.put(message if isinstance(message, bytes) else json.dumps(message).encode())

    def answer(self, number: object) -> dict:
        """What was answered to a request; fails when nothing is, or when the server has died."""
        return until(lambda: self.answered.get(number) or self._alive(), f"an answer to {number}", WAIT)

    def _alive(self) -> None:
        assert self.process.poll() is None, f"the server died with {self.process.returncode}"

    def ask(self, number: object, method: str, **params: object) -> dict:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return self.answer(number)

    def call(self, number: object, tool: str, **arguments: object) -> dict:
        """A proper call that must succeed."""
        result = self.ask(number, "tools/call", name=tool, arguments=arguments)["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    def peak_mb(self) -> float:
        said = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(said.split("VmHWM:")[1].split()[0]) / 1024

    def end(self) -> int:
        self._outgoing.put(None)
        self._threads[1].join(120)
        self.process.stdin.close()
        try:
            return self.process.wait(120)
        finally:
            self.process.kill()
            self._threads[0].join(120)
            self.process.stdout.close()
            self._log.close()


@pytest.fixture
def place(tmp_path):
    """A project with ways out of it: links to a secret beside it, and a name that is no text."""
    project = write_project(tmp_path / "project")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text(f'def {CANARY}():\n    return "{CANARY}"\n')
    (project / "leak.py").symlink_to(outside / "secret.py")
    (project / "linked").symlink_to(outside)
    Path(os.fsdecode(os.fsencode(project) + b"/not\xfftext.py")).write_text("def nameless():\n    return 1\n")
    Catalog(cache_folder()).create("zoo")  # so that the tools of projects are there
    return project


# --- what is sent

Message = bytes | dict


def request(number: object, method: object, params: object = None) -> dict:
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


def call(number: object, tool: object, arguments: object) -> dict:
    return request(number, "tools/call", {"name": tool, "arguments": arguments})


BROKEN = [
    b"", b" ", b"{", b"}", b"null", b"true", b"0", b'"text"', b"[]", b"{}", b"[[]]", b"[{}]", b"nan", b"{'a': 1}", b"\x00", b"\x00" * 1000,
    b"\xff\xfe\x00", b"\xc3\x28" * 100, b"\xed\xa0\x80", b"\xef\xbb\xbf{}", b"GET / HTTP/1.1", b"Content-Length: 10", b'{"jsonrpc": "2.0", "id": 1',
    b'{"jsonrpc": "2.0", "id": 1, "method": }', b'{"jsonrpc": "2.0", "id": 1, "method": "ping",}', b"[" * 100_000, b'{"a":' * 100_000, b"[" * 5000 + b"]" * 5000,
    b'{"jsonrpc": "2.0", "method": "ping", "id": "\\ud800"}', b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}', b"9" * 100_000,
    b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b', "method": "ping"}', b'{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"id":[],"method":"ping"}',
    b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}\r{"x": 1}\r\n', b"\x1b[31mred", b"\x85\xe2\x80\xa8", b'{"jsonrpc": "2.0", "method": "\x00"}',
]  # fmt: skip

ODD_VALUES = [
    None,
    True,
    0,
    -1,
    1.5,
    2**63,
    -(2**70),
    "",
    "x",
    "\x00",
    "💥" * 50,
    [],
    [None],
    [[]],
    {},
    {"a": {"b": []}},
]

WAYS_OUT = [
    "..", "../..", "../outside/secret.py", "../../outside", "src/../../outside/secret.py", "/etc/passwd", "/etc", "/", "//etc//passwd", "~", "~root/.ssh/id_rsa", "~nobody_of_that_name/x",
    "file:///etc/passwd", "file://../outside/secret.py", "%2e%2e/outside/secret.py", "..%2Foutside%2Fsecret.py", "%2Fetc%2Fpasswd", "..%00", "..\\outside\\secret.py",
    "leak.py", "linked", "linked/secret.py", "./linked/../linked/secret.py", "src/auth.py/../../../outside/secret.py", "src\x00/etc/passwd", "/proc/self/environ", "/proc/self/root/etc/passwd",
    "/dev/zero", "/dev/stdin", ".git/../../outside/secret.py", "**/../../outside/*", "{/etc/passwd,x}", "not\ufffdtext.py", "....//....//outside/secret.py", "\u2025/outside/secret.py", "CON", "a" * 5000,
]  # fmt: skip

BOMBS = [
    "(a+)+$", "(a|a)*$", "(.*)*b", "a{1000}{1000}{1000}", "(((((a{50}){50}){50}){50}){50})", "(?:" * 3000 + ")" * 3000, "(" * 4000, "[" * 4000, "(?i)" + "a?" * 2000 + "a" * 2000,
    "\\p{Greek}+\\pN*\\P{L}", "(?P<x>a)(?P=x)", "\\1", "(?<=a)b", "(?!x)", "[^\\x00-\\x{10FFFF}]", "\\C", ".*" * 200, "^$" * 500, "(?s).*", "\\", "*", "a**", "\\Q", "[z-a]", "x{2,1}", "x{99999}",
]  # fmt: skip

NOTES = [
    {"jsonrpc": "2.0", "id": 424242, "result": {}},
    {"jsonrpc": "2.0", "id": "never", "result": {"roots": [{"uri": "file:///etc"}]}},
    {"jsonrpc": "2.0", "id": -7, "error": {"code": -1, "message": "no"}},
    {"jsonrpc": "2.0", "id": None, "error": {"code": "x", "message": None}},
    {"jsonrpc": "2.0", "id": 3, "result": {}, "error": {"code": 1, "message": "both"}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 999_999_999, "reason": "x" * 1000}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {"a": 1}}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": None}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled"},
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "none", "progress": -1e308}},
    {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"x": [1]}},
    {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
    {"jsonrpc": "2.0", "method": "notifications/nonsense", "params": {"a": "b"}},
    {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "search", "arguments": {"query": "no id"}}},
    {"jsonrpc": "2.0", "method": "", "params": []},
]

METHODS = [
    "", "x", "initialise", "tools", "tools/", "tools/list/", "tools/call/../list", "__init__", "rpc.discover", "sampling/createMessage", "roots/list", "completion/complete",
    "resources/subscribe", "logging/setLevel", "tasks/list", "\n", "💥", "x" * 10_000, "shutdown", "exit", "notifications/initialized", "server/discover", "elicitation/create",
]  # fmt: skip


def malformed(chance: random.Random) -> list[Message]:
    """What is no proper message at all, or an improper version of one."""
    made: list[Message] = [*BROKEN, *NOTES]
    proper = json.dumps(call(1, "search", {"query": "hash"})).encode()
    for _ in range(120):
        line = bytearray(proper)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(line))
            chance.choice([line.insert, line.__setitem__])(at, chance.choice(b'\x00\xff"{}[]:,\\ 0e\x80'))
        made.append(bytes(line).replace(b"\n", b" "))
    made += [proper[: chance.randrange(1, len(proper))] for _ in range(30)]
    for field in ("jsonrpc", "id", "method", "params"):
        made += [{**call(1, "search", {"query": "hash"}), field: value} for value in ODD_VALUES]
    made += [json.dumps([call(5, "search", {"query": "x"})] * size).encode() for size in (1, 2, 500)]
    made += [{**request(1, "ping"), "jsonrpc": version} for version in ("1.0", "2", "2.00", 2.0, 3, "")]
    return made


def strange(numbers) -> list[dict]:
    """Proper requests for what is not there, or with what does not belong; each must be answered."""
    made = [request(next(numbers), method) for method in METHODS]
    made += [request(next(numbers), method, {"a": 1}) for method in METHODS]
    for method in ("tools/call", "resources/read", "prompts/get", "initialize"):
        made += [request(next(numbers), method, {"name": value, "uri": value}) for value in ODD_VALUES]
    made += [call(next(numbers), "search", value) for value in ODD_VALUES]
    made += [
        request(next(numbers), "prompts/get", {"name": "understand", "arguments": {"topic": value}})
        for value in ODD_VALUES
    ]
    return made  # fmt: skip


def wrong(numbers) -> list[dict]:
    """Every parameter of every tool, with all kinds of values."""
    proper = {
        "query": "hash",
        "pattern": "hash",
        "name": "hash_password",
        "subject": "hash_password",
        "project_id": "zoo",
    }
    made = []
    for tool in door.tools(has_builds=True):
        schema = tool.input_schema
        needed = {name: proper[name] for name in schema.get("required", [])}
        for name, kind in schema["properties"].items():
            values = (
                [*ODD_VALUES, "y" * 20_000] if kind["type"] != "integer" else [-1, 0, 2**31, 2**70, 1e308, True, "5"]
            )
            made += [call(next(numbers), tool.name, {**needed, name: value}) for value in values]
        made.append(call(next(numbers), tool.name, {**needed, "__class__": 1, "self": 2}))
    return made


def escaping(numbers) -> list[dict]:
    """Every way out of the project, through everything that is or may hold a path."""
    made = []
    for way in WAYS_OUT:
        made += [
            call(next(numbers), "outline", {"path": way}),
            call(next(numbers), "files", {"paths": [way]}),
            call(next(numbers), "grep", {"pattern": ".", "paths": [way], "max_bytes": 1000}),
            call(next(numbers), "search", {"query": CANARY, "paths": [way]}),
            call(next(numbers), "definitions", {"at": f"{way}:1", "body": True}),
            call(next(numbers), "definitions", {"name": f"{way}:nothing"}),
            call(next(numbers), "context", {"subject": f"{way}:1"}),
            call(next(numbers), "usages", {"name": way}),
            call(next(numbers), "status", {"project": way}),
            call(next(numbers), "index", {"project": way}),
            request(next(numbers), "resources/read", {"uri": f"scova://outline/{way}"}),
            request(next(numbers), "resources/read", {"uri": way}),
        ]
    return made


def heavy(numbers) -> list[dict]:
    """Patterns and sizes that would cost a careless server dearly."""
    made = [call(next(numbers), "grep", {"pattern": bomb}) for bomb in BOMBS]
    made += [call(next(numbers), "search", {"query": bomb, "mode": "regex"}) for bomb in BOMBS]
    made += [
        call(next(numbers), tool, {name: HUGE})
        for tool, name in (("search", "query"), ("grep", "pattern"), ("nothing", "x"))
    ]
    made += [request(next(numbers), HUGE), request(next(numbers), "resources/read", {"uri": "scova://outline/" + HUGE})]
    made += [call(next(numbers), "search", {"query": "hash", "x" * 10_000_000: 1})]
    made += [
        call(next(numbers), "search", {"query": query})
        for query in ('"' * 5000, "+a -a " * 1500, "hash " * 1900, "a" * 9999)
    ]
    made += [call(next(numbers), "files", {"paths": ["**/" * 300 + "x", "!" + "*" * 3000, "[" * 2000, "{a," * 500]}),
             call(next(numbers), "files", {"paths": ["*a" * 1000 + "b"] * 20}),
        call(next(numbers), "search", {"query": "hash", "paths": [f"!{number}" for number in range(100_000)]}),
        call(next(numbers), "grep", {"pattern": "hash", "languages": ["x" * 9999] * 1000}),
             call(next(numbers), "search", {"query": "hash", "next": "999999999", "limit": 100}),
             call(next(numbers), "grep", {"pattern": "", "next": "999999999"}),
             call(next(numbers), "context", {"subject": "hash_password", "budget": 50_000, "max_bytes": 1000}),
             call(next(numbers), "callers", {"name": "*", "depth": 10})]  # fmt: skip
    return made


def test_a_thousand_hostile_messages(place, tmp_path):
    chance = random.Random(SEED)
    numbers = iter(range(10_000, 100_000))
    answerable = [*strange(numbers), *wrong(numbers), *escaping(numbers), *heavy(numbers)]
    messages: list[Message] = [*malformed(chance), *answerable]
    assert len(messages) >= 1000
    chance.shuffle(messages)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(HOOK)
    opened = tmp_path / "opened"
    source = os.pathsep.join(filter(None, [str(hooks), os.environ.get("PYTHONPATH")]))
    server = Server(place, {**os.environ, "PYTHONPATH": source, "OPENED": str(opened)}, tmp_path / "stderr")
    try:
        for message in messages[:20]:  # before the handshake
            server.send(message)
        assert "result" in server.ask("hello", "initialize", **HELLO)
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for at in range(20, len(messages), 25):
            for message in messages[at : at + 25]:
                server.send(message)
            assert "result" in server.ask(f"ping {at}", "ping"), "it still answers"
        for message in answerable:
            assert server.answer(message["id"]).keys() & {"result", "error"}
        found = server.call("last", "search", query="how are passwords hashed", resend=True, project=str(place))
        assert found["results"][0]["path"] == "src/auth.py"
        assert server.call("count", "grep", pattern="hash_password")["count"] == 5
        peak = server.peak_mb()
    finally:
        code = server.end()
    assert code == 0
    assert peak < MOST_MEMORY_MB, f"{peak:.0f} MB"
    check_what_was_said(server, tmp_path / "stderr")
    check_what_was_opened(opened, place)


def check_what_was_said(server: Server, log: Path) -> None:
    """Only the protocol, each request answered once, each refusal with what to do, and nothing of the secret."""
    said = [json.loads(line) for line in server.lines]
    assert all(one["jsonrpc"] == "2.0" and one.keys() & {"result", "error", "method"} for one in said)
    numbers = [one["id"] for one in said if isinstance(one.get("id"), int) and 10_000 <= one["id"] < 100_000]
    assert len(numbers) == len(set(numbers))
    refused = [one["result"]["structuredContent"] for one in said if one.get("result", {}).get("isError")]
    assert len(refused) > 500 and [one for one in refused if not one["hint"]] == []
    told = b"".join(server.lines).decode()
    # the messages themselves name the canary; a place or a text that has it would come from the file
    assert f"def {CANARY}" not in told and f'return \\"{CANARY}' not in told
    assert "root:x:0" not in told and "PYTHONPATH" not in told
    assert "scova failed on this question" not in told, log.read_text()[-3000:]
    assert "Traceback" not in log.read_text(errors="replace"), log.read_text(errors="replace")[-3000:]


def check_what_was_opened(log: Path, project: Path) -> None:
    """Nothing but the project, scova's own data and settings, and what Python and its libraries are made of."""
    ours = [project, *(Path(os.environ[f"XDG_{kind}_HOME"]) for kind in ("CACHE", "CONFIG", "STATE"))]
    libraries = [Path(sys.prefix), log.parent / "hooks", *map(Path, filter(None, sys.path))]
    allowed = [str(path.resolve()) for path in [*ours, *libraries]]
    seen = [json.loads(line) for line in log.read_text().splitlines()]
    real = {(event, os.path.realpath(path)) for event, path in seen}
    strays = {one for one in real if not any(one[1] == top or one[1].startswith(f"{top}/") for top in allowed)}
    assert ("open", str(project.resolve() / "src/auth.py")) in real, "the hook does see what is opened"
    settings = {str(Path.home().resolve() / ".gitconfig")}  # where git keeps what it ignores everywhere
    assert {path for _, path in strays} - settings - {"/dev/null", "/dev/urandom"} == set()
