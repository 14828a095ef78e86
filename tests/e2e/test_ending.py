"""Whatever tells a process that goes on to end it in good order: exit code 0, at once, and nothing left behind."""

import json
import os
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from conftest import SCOVA
from scova import Index
from until import until

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "ending", "version": "1"}}
SOON = 30.0  # generous: whether it takes two seconds or three depends on the machine; that it ends does not
SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


def begun(words: list[str], cwd: Path, temporary: Path, **pipes) -> subprocess.Popen:
    temporary.mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(temporary)}
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **pipes}
    return subprocess.Popen(
        [str(SCOVA), *words], cwd=cwd, env=environment, start_new_session=True, text=True, **options
    )


def of_session(process: subprocess.Popen) -> list[int]:
    """Processes of its session that are still there, itself among them."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == process.pid and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def left_in(temporary: Path) -> list[str]:
    """What is left there, but for the socket of a fork server of Python's: that goes when workers are started without one."""
    return [one.name for one in temporary.iterdir() if not one.name.startswith("pymp-")]


def ended(process: subprocess.Popen, layout, temporary: Path, *, code: int = 0) -> None:
    """It ends, with everything it began."""
    _, err = process.communicate(timeout=SOON)
    assert "Traceback" not in err, err
    assert process.returncode == code, err
    until(lambda: not of_session(process), "the end of its children")
    assert left_in(temporary) == []
    assert not layout.watch_state.exists()
    assert layout.watch_lock.read_text() == "", "nobody is named who is gone"


class Agent:
    """Whoever talks to `scova mcp` over its pipes."""

    def __init__(self, root: Path, temporary: Path) -> None:
        self.process = begun(["mcp", "--project", str(root)], root, temporary)
        self.ask("initialize", **HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: object) -> dict:
        self._send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())["result"]

    def _send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    return tmp_path / "temporary"


@pytest.fixture
def layout(project, scova):
    assert scova("index", project).code == 0
    with Index.open(project) as index:
        return index.layout


def leads(layout) -> bool:
    return layout.watch_state.exists() and bool(layout.watch_lock.read_text())


@pytest.mark.parametrize("how", [*SIGNALS, "end of stdin"], ids=str)
def test_an_mcp_server_that_leads_ends_in_good_order(how, project, layout, temporary):
    agent = Agent(project, temporary)
    agent.ask("tools/call", name="search", arguments={"query": "password"})
    until(lambda: leads(layout), "watching")
    # Something that takes long is under way: a build in the background.
    for number in range(200):
        (project / f"more_{number}.py").write_text(f"def more_{number}():\n    return {number}\n" * 50)
    agent.ask("tools/call", name="index", arguments={"force": True, "wait_seconds": 0})
    if isinstance(how, signal.Signals):
        agent.process.send_signal(how)
    else:
        agent.process.stdin.close()
        agent.process.stdin = None
    ended(agent.process, layout, temporary)


def test_an_mcp_server_over_http_ends_in_good_order(project, layout, temporary):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = begun(["mcp", "--http", "--port", str(port)], project, temporary)

    def reached() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return False
        return True

    until(reached, "serving")
    with socket.create_connection(("127.0.0.1", port)):  # one that says nothing must not keep it
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SOON)
    assert process.returncode == 0
    until(lambda: not of_session(process), "the end of its children")


def is_answering(address):
    try:
        with urllib.request.urlopen(f"{address}/healthz", timeout=10) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP], ids=str)
@pytest.mark.parametrize(
    "words", [["watch"], ["ui", "--no-open"], ["serve", "--port", "0", "--data", "served"]], ids=lambda words: words[0]
)
def test_what_serves_or_watches_ends_in_good_order(how, words, project, layout, temporary, tmp_path):
    process = begun([str(tmp_path / word) if word == "served" else word for word in words], project, temporary)
    if words[0] == "watch":
        until(lambda: leads(layout), "watching")
    else:
        line = process.stdout.readline()
        assert line.startswith("serving on http://")
        if words[0] == "ui":
            until(lambda: leads(layout), "watching")
        # A signal before it listens is a proper end as well, with another code.
        until(lambda: is_answering(line.split()[2].rstrip("/")), "it listens")
    process.send_signal(how)
    if words[0] == "serve":
        process.communicate(timeout=SOON)
        assert process.returncode == 0
        assert left_in(temporary) == []
    else:
        ended(process, layout, temporary)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP], ids=str)
def test_a_build_that_is_told_to_end_keeps_what_was_committed_and_leaves_nothing_behind(how, tmp_path, temporary):
    root = tmp_path / "many"
    root.mkdir()
    for number in range(3000):
        (root / f"file_{number}.py").write_text(f"def made_{number}():\n    return {number}\n" * 20)
    process = begun(["index", str(root), "--workers", "2"], root, temporary)
    with Index.open(root) as index:
        until(lambda: index.layout.lock.exists() and index.layout.lock.read_text(), "a build")
        process.send_signal(how)
        _, err = process.communicate(timeout=SOON)
        assert process.returncode == 2 and "interrupted" in err and "Traceback" not in err, err
        until(lambda: not of_session(process), "the end of its workers")
        assert left_in(temporary) == []
        assert index.layout.lock.read_text() == ""
        index.refresh()
        assert index.audit() == []


def test_a_hang_up_that_is_ignored_stays_ignored(project, layout, temporary):
    """As under `nohup`."""
    process = begun(["watch"], project, temporary, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    until(lambda: leads(layout), "watching")
    process.send_signal(signal.SIGHUP)
    (project / "late.py").write_text("def late():\n    return 1\n")
    with Index.open(project) as index:
        until(lambda: index.definitions("late").definitions, "watching goes on")
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    ended(process, layout, temporary)
