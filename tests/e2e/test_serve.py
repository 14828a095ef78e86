"""`scova serve` and `scova token` as processes, over real sockets: who gets in, how it stops, what it writes down, what it survives."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
from contextlib import suppress

import httpx2
import pytest

from serving import HELLO, SCOVA, lines_of, running, sha
from until import until

pytestmark = pytest.mark.usefixtures("store_url")

BIG = "".join(f"def function_{number}(argument):\n    return argument + {number}\n\n\n" for number in range(400))


def push(client, contents, project_id="p"):
    files = [{"path": path, "content": content} for path, content in contents.items()]
    return client.post("/index", json={"project_id": project_id, "files": files}, timeout=120)


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def test_with_no_configuration_it_serves_this_machine_only(data):
    with running(data) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
        assert server.url.startswith("http://127.0.0.1:")
        assert client.post("/projects", json={"project_id": "p"}).status_code == 201
        assert push(client, {"hello.py": HELLO}).json()["status"] == "ok"
        found = client.get("/search", params={"project_id": "p", "query": "hello"}).json()
        assert found["results"][0]["path"] == "hello.py"
        assert client.get("/openapi.json").json()["openapi"].startswith("3.")


def test_binding_wider_without_tokens_is_refused_with_a_word(data, scova):
    for host in ("0.0.0.0", "::"):
        done = scova("serve", "--host", host, "--port", "0", "--data", data, timeout=30)
        assert done.code == 2
        assert "open to other machines" in done.err
        assert "scova token create" in done.err


def test_with_a_token_it_binds_wider_and_lets_nobody_in_without(data, scova):
    secret = scova("token", "create", "--project", "*", "--scope", "admin", "--data", data).out.strip()
    with running(data, "--host", "0.0.0.0") as server:
        url = f"http://127.0.0.1:{server.port}"
        assert httpx2.get(f"{url}/projects", timeout=120).status_code == 401
        assert (
            httpx2.get(f"{url}/projects", headers={"authorization": f"Bearer {secret}"}, timeout=120).status_code == 200
        )


def test_a_port_that_is_taken_is_a_word_and_no_traceback(data, scova):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = scova("serve", "--port", taken.getsockname()[1], "--data", data, timeout=30)
    assert done.code == 2
    assert "--port" in done.err


def test_tokens_are_made_listed_and_revoked_and_that_holds_at_once(data, scova, store_url):
    made = scova("token", "create", "--project", "p", "--scope", "read", "--name", "ann", "--data", data, "--json").json
    assert made["token"].startswith("scova_")
    listed = scova("token", "list", "--data", data)
    assert "ann" in listed.out
    assert made["token"] not in listed.out
    assert "sha256" not in scova("token", "list", "--data", data, "--json").out
    headers = {"authorization": f"Bearer {made['token']}"}
    with running(data) as server, httpx2.Client(base_url=server.url, headers=headers, timeout=120) as client:
        assert client.get("/projects").status_code == 200
        assert client.post("/projects", json={"project_id": "p"}).status_code == 403
        admin = scova("token", "create", "--project", "p", "--scope", "admin", "--data", data).out.strip()
        made_it = client.post("/projects", json={"project_id": "p"}, headers={"authorization": f"Bearer {admin}"})
        assert made_it.status_code == 201
        assert scova("token", "revoke", made["id"], "--data", data).code == 0
        if store_url:  # other processes have it too: each asks once a second
            until(lambda: client.get("/projects").status_code == 401, "the end of the token", seconds=120)
        assert client.get("/projects").status_code == 401
    assert scova("token", "revoke", "nobody", "--data", data).code == 2
    if not store_url:
        assert scova("token", "list", "--data", data.with_name("empty")).code == 1


def test_a_huge_body_is_refused_by_its_length_before_any_of_it_is_sent(data):
    with running(data) as server, socket.create_connection(("127.0.0.1", server.port), timeout=120) as line:
        head = (
            "POST /index HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {2 << 30}\r\n\r\n"
        )
        line.sendall(head.encode())
        answer = line.recv(65536)
        assert answer.startswith(b"HTTP/1.1 413")
        assert b"8,388,608" in answer or b"8,388,608" in line.recv(65536)


def test_a_huge_body_of_unknown_length_is_refused_soon_and_the_client_gets_to_read_why(data):
    with running(data) as server, socket.create_connection(("127.0.0.1", server.port), timeout=120) as line:
        line.sendall(
            b"POST /index HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        line.setblocking(False)
        sent, answer = 0, b""
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"

        def talk():
            nonlocal sent, answer
            with suppress(BlockingIOError):
                answer += line.recv(65536)
            try:
                sent += line.send(piece)
            except BlockingIOError:
                pass
            except OSError:
                return True
            return b"request_id" in answer

        until(talk, "an answer")
        assert b"413" in answer
        assert sent < 64 << 20


def test_it_finishes_what_is_under_way_when_told_to_stop(data):
    with running(data) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
        client.post("/projects", json={"project_id": "p"})
        answers = []
        contents = {f"src/file_{number}.py": f"# {number}\n{BIG}" for number in range(60)}
        pushing = threading.Thread(target=lambda: answers.append(push(client, contents)))
        pushing.start()
        with httpx2.Client(base_url=server.url, timeout=120) as other:
            until(lambda: "scova_requests_under_way 2.0" in other.get("/metrics").text, "the push to be under way")
        server.process.send_signal(signal.SIGTERM)
        pushing.join(120)
        assert answers[0].status_code == 200
        assert {result["status"] for result in answers[0].json()["results"]} == {"indexed"}
        assert server.process.wait(120) == 0
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", server.port), timeout=120)
    with running(data) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
        manifest = {path: sha(content) for path, content in contents.items()}
        assert client.post("/sync", json={"project_id": "p", "files": manifest}).json()["missing"] == []


def test_someone_who_watches_a_job_does_not_keep_it_from_stopping(data):
    with running(data) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
        client.post("/projects", json={"project_id": "p"})
        push(client, {f"{number}.py": BIG for number in range(20)})
        job = client.post("/jobs", json={"project_id": "p", "kind": "audit"}).json()
        with client.stream("GET", f"/jobs/{job['job_id']}/events") as told:
            next(told.iter_lines())
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(120) == 0


def test_killed_in_the_middle_of_pushes_it_loses_nothing_it_acknowledged(data):
    """Five times; each time some batch is under way."""
    chance = random.Random(7)
    acknowledged: dict[str, str] = {}
    number = 0
    for _ in range(5):
        with running(data) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
            client.post("/projects", json={"project_id": "p"})
            known = client.post("/sync", json={"project_id": "p", "files": acknowledged}).json()
            assert known["missing"] == []
            timer = threading.Timer(chance.uniform(0.0, 0.1), server.kill)
            batches = 0
            try:
                while True:
                    number, batches = number + 1, batches + 1
                    if batches == 5:
                        timer.start()
                    contents = {f"src/{number % 17}_{one}.py": f"# {number}\n{HELLO}" for one in range(5)}
                    answer = push(client, contents)
                    assert answer.json()["status"] == "ok"
                    acknowledged |= {path: sha(content) for path, content in contents.items()}
            except httpx2.TransportError:
                pass  # what was under way may be there or not; it was not acknowledged
            # The next push of the same paths decides; until then either is right.
            acknowledged = {path: digest for path, digest in acknowledged.items() if path not in contents}
            timer.join()
    assert len(acknowledged) > 10
    with running(data) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
        assert client.post("/sync", json={"project_id": "p", "files": acknowledged}).json()["missing"] == []
        job = client.post("/jobs", json={"project_id": "p", "kind": "audit"}).json()["job_id"]
        client.get(f"/jobs/{job}/events")
        ended = client.get(f"/jobs/{job}").json()
        assert ended["result"] == {"clean": True, "count": 0, "findings": []}


def test_nothing_that_is_secret_is_in_the_log(data, scova):
    secret = scova("token", "create", "--project", "*", "--scope", "admin", "--data", data).out.strip()
    words = ["Xylophone-query-71", "Content-word-72", "bearer-guess-73", "path-word-74", "key-word-75"]
    headers = {"authorization": f"Bearer {secret}"}
    with running(data) as server, httpx2.Client(base_url=server.url, headers=headers, timeout=120) as client:
        client.post("/projects", json={"project_id": "p"})
        push(client, {"path-word-74.py": f"x = '{words[1]}'\n", ".env": "KEY=key-word-75"})
        client.get("/search", params={"project_id": "p", "query": words[0]})
        client.post("/search", json={"project_id": "p", "query": words[0], "limit": "x"})
        client.post("/grep", json={"project_id": "p", "pattern": f"({words[0]}"})
        client.get("/projects", headers={"authorization": f"Bearer {words[2]}"})
        client.get(f"/{words[0]}?token={words[2]}")
        client.post(
            "/index",
            content=b'{"project_id": "p", "files": "Content-word-72',
            headers={"content-type": "application/json"},
        )
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(120)
        told = lines_of(server.log)
        text = server.log.read_text()
    assert secret not in text
    assert secret.rpartition("_")[2] not in text
    for word in words:
        assert word not in text
    requests = [line for line in told if line["message"] == "request"]
    assert {line["route"] for line in requests} >= {"/index", "/search", "none"}
    assert all(re.fullmatch(r"[0-9a-f]{16}", line["request_id"]) for line in requests)
    assert {line["token"] for line in requests} == {"", secret.split("_")[1]}


def test_it_loads_no_walker_whatever_it_is_asked(data):
    """The contract says so of the code; this says so of a process that has done everything once."""
    script = """
import json, sys
from serving import HELLO, OTHER, served
from pathlib import Path
if __name__ == "__main__":
    with served(Path(sys.argv[1])) as one:
        one.post("/projects", project_id="p")
        one.index("p", {"hello.py": HELLO, "src/door.py": OTHER, "a.md": "# A\\n\\ntext\\n"})
        for route, body in (("search", {"query": "hello"}), ("search", {"query": "hel+o", "mode": "regex"}), ("grep", {"pattern": "hel+o"}),
                            ("similar", {"text": "door"}), ("context", {"subject": "hello"}), ("usages", {"name": "hello"}),
                            ("definitions", {"name": "hello"}), ("callers", {"name": "hello"}), ("outline", {}),
                            ("sync", {"files": {}, "prune": True}), ("delete", {"paths": ["x"]})):
            assert one.post("/" + route, project_id="p", **body).status_code == 200, route
        assert one.client.get("/status?project_id=p").status_code == 200
        assert one.client.get("/stats?project_id=p").status_code == 200
    print(json.dumps([name for name in sys.modules if name.startswith("scova.")]))
"""
    path = data.with_name("script.py")
    path.write_text(script)
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    done = subprocess.run(
        [str(SCOVA.with_name("python")), str(path), str(data)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stdout))
    assert "scova.server.app" in loaded
    walkers = {"folder", "walk", "raw", "present", "part", "reach", "reading", "ignore", "scope"}
    assert not {f"scova.sources.{name}" for name in walkers} & loaded
    assert not {name for name in loaded if name.startswith(("scova.watch", "scova.live"))}
    assert not {f"scova.projects.{name}" for name in ("feeds.folder", "feeds.opening", "library", "build")} & loaded
