"""`scova ui`, the real command: one folder, its own index, the user's named projects; on this machine only, and gone when it is told to go."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

import httpx2
import pytest

import projected
from desk_page import SCOVA, ui
from scova.config import cache_folder
from scova.index import Index
from scova.stores.layout import layouts
from serving import HELLO, OTHER
from until import until


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "hello.py").write_text(HELLO)
    (root / "src" / "door.py").write_text(OTHER)
    return root


def refused(*words, **how):
    done = subprocess.run([str(SCOVA), "ui", "--no-open", *words], capture_output=True, text=True, timeout=120, **how)
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_one_command_shows_a_folder_builds_its_index_and_sees_every_edit(folder):
    with ui(folder) as page:
        assert page.home == "shop"
        assert "<title>" in page.client.get("/").text
        page.built()
        assert page.paths("greet_all")[0] == "hello.py"
        (folder / "fresh.py").write_text("def brand_new_lighthouse(): pass\n")
        until(lambda: page.paths("brand_new_lighthouse")[:1] == ["fresh.py"], "the new file")
        (folder / "hello.py").unlink()
        until(lambda: "hello.py" not in page.paths("greet_all"), "the removal")
        with Index.open(folder) as index:
            status = index.status()
            assert index.audit() == []
        health = page.health()
        for name in ("files", "chunks", "symbols", "calls"):
            assert health[name] == getattr(status, name)
        assert health["watcher"]["pid"] == page.process.pid == status.watcher.pid
    assert [layout.owner() for layout in layouts(cache_folder())] == [str(folder)]


def test_an_index_that_is_there_is_used_as_it_is(folder, scova):
    scova("index", folder)
    with Index.open(folder) as index:
        before = index.status()
    with ui(folder) as page:
        until(lambda: page.health()["watcher"], "watching")
        assert page.client.get("/jobs").json() == {"jobs": []}
        found = page.search("greet_all")
        assert found["freshness"]["change_seq"] == before.freshness.change_seq
        assert found["freshness"]["verified"] > 0
    with Index.open(folder) as index:
        assert index.status().indexed_at == before.indexed_at


def test_it_is_reached_from_this_machine_only_and_by_no_page_of_others(folder):
    with ui(folder) as page:
        port = int(page.url.rstrip("/").rpartition(":")[2])
        assert "127.0.0.1" in page.url
        listening = subprocess.run(["cat", "/proc/net/tcp"], capture_output=True, text=True).stdout
        bound = {line.split()[1] for line in listening.splitlines()[1:] if line.split()[3] == "0A"}
        assert f"0100007F:{port:04X}" in bound and f"00000000:{port:04X}" not in bound
        for path in ("/", "/session", f"/projects/{page.home}/health", f"/projects/{page.home}/file?path=hello.py"):
            assert page.client.get(path).status_code == 200
            for headers in ({"host": f"evil.example:{port}"}, {"origin": "https://evil.example"}):
                answer = page.client.get(path, headers=headers)
                assert answer.status_code == 403 and "hello" not in answer.text
        for headers in ({"host": "evil.example"}, {"origin": "http://127.0.0.1:1"}, {"sec-fetch-site": "cross-site"}):
            asked = page.client.post("/search", json={"project_id": page.home, "query": "hello"}, headers=headers)
            assert asked.status_code == 403
            assert page.client.post("/projects", json={"project_id": "x"}, headers=headers).status_code == 403
        policy = page.client.get("/").headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_ends_and_leaves_nothing_behind(folder, number):
    with ui(folder) as page:
        page.built()
        page.process.send_signal(number)
        assert page.process.wait(120) == 0
        assert page.process.stderr.read() == ""
    with Index.open(folder) as index:
        status = index.status()
        assert (status.watcher_alive, status.writer) == (False, "")
        assert index.audit() == []


def test_killed_in_a_first_build_the_next_one_goes_on(tmp_path):
    root = tmp_path / "large"
    for number in range(400):
        path = root / f"d{number % 20}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"def f_{number}_{one}(x):\n    return x + {one}\n\n" for one in range(40)))
    with ui(root) as page:
        until(lambda: page.client.get(f"/projects/{page.home}").json()["files"], "the first files", 120)
        page.process.kill()
        page.process.wait()
    with ui(root) as page:
        until(lambda: page.client.get(f"/projects/{page.home}").json()["files"] == 400, "all files", 120)
        until(lambda: page.client.get("/jobs").json()["jobs"][0]["status"] == "done", "the job", 120)
        assert page.paths("f_399_39")[0] == "d19/m399.py"


def test_two_on_one_folder_share_its_index_and_the_second_takes_over(folder):
    with ui(folder) as first:
        first.built()
        with ui(folder) as second:
            assert first.url != second.url
            assert second.paths("greet_all") == first.paths("greet_all")
            (folder / "fresh.py").write_text("def brand_new_lighthouse(): pass\n")
            for page in (first, second):
                until(lambda page=page: page.paths("brand_new_lighthouse")[:1] == ["fresh.py"], "the edit")
            assert second.health()["watcher"]["pid"] == first.process.pid
            first.process.kill()
            first.process.wait()
            until(lambda: (second.health()["watcher"] or {}).get("pid") == second.process.pid, "the takeover")
            (folder / "later.py").write_text("def much_later_harbour(): pass\n")
            until(lambda: second.paths("much_later_harbour")[:1] == ["later.py"], "the second edit")
    assert len(layouts(cache_folder())) == 1


def test_a_port_is_kept_and_a_taken_one_is_an_error(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = refused(str(folder), "--port", str(port))
        assert code == 2 and str(port) in said and "--port" in said
    with ui(folder, "--port", str(port)) as page:
        assert page.url == f"http://127.0.0.1:{port}/"


def test_what_is_no_folder_is_an_error(folder, tmp_path):
    for path in (tmp_path / "none", folder / "hello.py"):
        code, said = refused(str(path))
        assert code == 2 and str(path) in said and "Traceback" not in said
    for port in ("70000", "-1"):
        code, said = refused(str(folder), "--port", port)
        assert code == 2 and "port" in said and "Traceback" not in said


def test_named_projects_are_listed_searched_and_built(folder, tmp_path):
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "notes.md").write_text("# Harbour\n\nThe lantern stands at the harbour.\n")
    projected.make("papers", [f"folder:{papers}"])
    with ui(folder) as page:
        assert page.client.get("/projects").json()["projects"] == ["shop", "papers"]
        assert page.client.get("/projects/papers/health").json()["files"] == 0
        job = page.client.post("/projects/papers/build", json={"whole": True}).json()
        with page.client.stream("GET", f"/jobs/{job['job_id']}/events") as events:
            said = "".join(events.iter_text())
        assert "event: end" in said
        assert page.client.get(f"/jobs/{job['job_id']}").json()["status"] == "done"
        assert page.paths("lantern", project_id="papers")


def test_the_browser_is_opened_at_the_address(folder, tmp_path):
    """BROWSER names a program that writes down what it was asked to open."""
    note, program = tmp_path / "opened", tmp_path / "browser.py"
    program.write_text(f"#!{sys.executable}\nimport sys\nopen({str(note)!r}, 'w').write(sys.argv[1])\n")
    program.chmod(0o755)
    process = subprocess.Popen(
        [str(SCOVA), "ui", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": str(program)},
    )
    try:
        address = process.stdout.readline().split()[-1]
        assert until(lambda: note.exists() and note.read_text(), "the browser") == address
        assert httpx2.get(address).status_code == 200
    finally:
        process.kill()
        process.communicate()


def test_told_twice_to_stop_it_waits_for_no_question(folder):
    """A pattern that takes minutes on one long line: who asked is gone, and nobody is kept from their prompt by it."""
    (folder / "long.txt").write_text("x" * 1_000_000 + "\n")
    with ui(folder) as page:
        page.built()
        asked = {"project_id": page.home, "query": "(x{1,300}){1,300}y", "mode": "regex"}
        with suppress(httpx2.ReadTimeout):
            page.client.post("/search", json=asked, timeout=2)
        for _ in range(2):
            page.process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        assert page.process.wait(120) == 0
    with Index.open(folder) as index:
        assert index.audit() == []
