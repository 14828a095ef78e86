"""A question that would take minutes ends when it is told to, by whichever door it came: real processes, real signals.

Each is given an hour, so that it is not its deadline that ends it; then it is told by the setting that it is.
"""

import json
import os
import random
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx2
import pytest

from conftest import SCOVA
from e2e.test_mcp import call, on_stdio, talk
from serving import running
from until import until

# Whatever was read may be a part of a match, and no two places have the same past: nothing of it can be remembered.
PATTERN = "x[xz]{1,2400}[yw]"
GRACE = 45  # seconds; it would take minutes
HOUR = 3_600_000  # milliseconds


def letters(count: int) -> str:
    return random.Random(1).randbytes(count).translate(bytes(b"xz"[byte % 2] for byte in range(256))).decode()


def lines(count: int) -> str:
    """Lines that a server keeps: longer ones are left out as minified."""
    text = letters(count * 480)
    return "".join(f"{text[number * 480 : (number + 1) * 480]}\n" for number in range(count))


def children(pid: int) -> list[int]:
    return [int(word) for word in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True).stdout.split()]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """No deadline ends a question."""
    monkeypatch.setenv("SCOVA_DEADLINE_MS", str(HOUR))


@pytest.fixture
def heavy(project, scova):
    """A folder with a line of some megabytes."""
    (project / "long.txt").write_text(letters(8_000_000) + "\n")
    assert scova("index", project).code == 3  # it is left out, but looked through all the same
    return project


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_command_ends_at_a_signal_and_leaves_no_process(heavy, number):
    command = [SCOVA, "grep", "--no-refresh", PATTERN, str(heavy)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        (other,) = until(lambda: children(process.pid), "matching the long line in another process")
        process.send_signal(number)
        out, err = process.communicate(timeout=GRACE)
    finally:
        process.kill()
    assert process.returncode == 2, "it ends in good order at both"
    assert (out, err) == ("", "error: interrupted\n"), "nothing that could be kept"
    until(lambda: not is_alive(other), "the other process to end")


def test_the_command_ends_at_a_signal_while_many_files_are_looked_through(project, scova):
    """By several threads, in this process: no line is long."""
    for number in range(100):
        (project / f"{number}.txt").write_text(lines(800))
    assert scova("index", project).code == 0
    command = [SCOVA, "grep", "--no-refresh", PATTERN, str(project)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: threads(process.pid) > 1, "looking through files")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=GRACE)
    finally:
        process.kill()
    assert (process.returncode, out, "Traceback" in err) == (2, "", False)


def threads(pid: int) -> int:
    done = subprocess.run(["ps", "-o", "nlwp=", "-p", str(pid)], capture_output=True, text=True)
    return int(done.stdout or 0)


@pytest.fixture
def served(tmp_path):
    """A server with texts in which the pattern would be looked for for minutes, and someone who asks how it is."""
    with running(tmp_path / "data") as server, httpx2.Client(base_url=server.url, timeout=120) as client:
        client.post("/projects", json={"project_id": "p"})
        for number in range(8):
            files = [{"path": f"{number}.txt", "content": lines(4000)}]
            pushed = client.post("/index", json={"project_id": "p", "files": files})
            assert pushed.json()["results"][0]["status"] == "indexed", pushed.text
        yield server, client


def under_way(client) -> int:
    """Requests, this one among them."""
    told = client.get("/metrics").text.splitlines()
    return int(float(next(line.split()[1] for line in told if line.startswith("scova_requests_under_way "))))


@pytest.mark.parametrize(
    ("route", "question"), [("/grep", {"pattern": PATTERN}), ("/search", {"query": PATTERN, "mode": "regex"})]
)
def test_a_server_stops_in_its_time_though_a_search_is_under_way(served, route, question):
    server, client = served
    with httpx2.Client(base_url=server.url, timeout=120) as other, ThreadPoolExecutor() as asking:
        asked = asking.submit(other.post, route, json={"project_id": "p", **question})
        until(lambda: under_way(client) == 2, "the search to be under way")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(GRACE) == 0
        answer = asked.result(GRACE)
    assert (answer.status_code, answer.json()["error"]) == (503, "this server is about to stop")
    assert answer.headers["retry-after"]


@pytest.mark.parametrize(
    ("route", "question"), [("/grep", {"pattern": PATTERN}), ("/search", {"query": PATTERN, "mode": "regex"})]
)
def test_a_search_ends_when_whoever_asked_has_gone(served, route, question):
    server, client = served
    body = json.dumps({"project_id": "p", **question}).encode()
    head = f"POST {route} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=GRACE) as line:
        line.sendall(head.encode() + body)
        until(lambda: under_way(client) == 2, "the search to be under way")
    until(lambda: under_way(client) == 1, "the search to end", seconds=GRACE)


def test_a_cancelled_call_of_an_agent_ends_the_search(heavy):
    async def conversation(client):
        found: list[int] = []

        async def ask() -> None:
            await client.call_tool("grep", {"pattern": PATTERN})

        async with anyio.create_task_group() as asked:
            asked.start_soon(ask)
            with anyio.fail_after(GRACE):
                while not (found := apart()):
                    await anyio.sleep(0.02)
            asked.cancel_scope.cancel()
        with anyio.fail_after(GRACE):
            while any(map(is_alive, found)):
                await anyio.sleep(0.02)
        return (await client.call_tool("grep", {"pattern": "hash_password"})).structured_content

    def apart() -> list[int]:
        """Processes that match lines for the server, which is a child of this one."""
        return [pid for child in children(os.getpid()) for pid in children(child) if "regex.apart" in command_of(pid)]

    assert talk(on_stdio(heavy), conversation)["total"]


def test_a_call_of_an_agent_is_answered_at_its_deadline_with_what_was_found_and_what_was_not(heavy, monkeypatch):
    (heavy / "short.txt").write_text("xzy\n")
    monkeypatch.setenv("SCOVA_DEADLINE_MS", "1000")
    found = call(on_stdio(heavy), "grep", pattern=PATTERN).structured_content
    (said,) = found["cut"]
    assert "files were searched within 1 s" in said
    assert not found.get("next"), "what was cut is on no next page"


def test_a_command_is_answered_at_the_deadline_that_was_set(heavy, scova, monkeypatch):
    monkeypatch.setenv("SCOVA_DEADLINE_MS", "500")
    done = scova("grep", "--no-refresh", PATTERN, heavy)
    assert "note: Cut: " in done.err
    assert "within 0.5 s" in done.err
    assert "are shown" not in done.err, "there was no limit"
    asked = scova("grep", "--no-refresh", "--json", PATTERN, heavy)
    assert json.loads(asked.out)["truncated"]
    assert json.loads(asked.out)["cut"]


def command_of(pid: int) -> str:
    return subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True).stdout
