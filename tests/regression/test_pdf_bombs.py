"""A PDF of a few kilobytes that unpacks to gigabytes took a parser a gigabyte and a minute, and whoever pushed to a server waited for it."""

import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import served as web
from projected import Peak, use_cache
from scova.server.tenants import parser
from serving import SCOVA, served
from unit.sources.pdf.pdfs import Words, bomb, write_pdf
from until import until

WHOLE_MB = 450  # of the command and all it starts, together: 256 for what reads the page, the rest as for any build


def write_bomb(path: Path) -> Path:
    return write_pdf(path, [[Words("The lantern of page one", 700)], bomb(), [Words("The anchor of page three", 700)]])


def test_a_build_leaves_out_the_page_by_name_and_takes_little_memory(tmp_path, monkeypatch, scova):
    """The real command, every process of it counted."""
    use_cache(monkeypatch, tmp_path / "cache")
    path = write_bomb(tmp_path / "manual.pdf")
    assert scova("project", "create", "p").code == 0
    assert scova("project", "add", "p", f"pdf:{path}").code == 0
    build = subprocess.Popen(
        [str(SCOVA), "project", "build", "p", "--json"], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    peak = Peak(build.pid)
    out, _ = build.communicate(timeout=120)
    assert peak.end() < WHOLE_MB
    assert build.returncode == 3, "done, but not with everything"
    assert (
        "manual.pdf#page=2 (page 2 is left out: reading it takes more than 256 MB of memory)"
        in json.loads(out)["message"]
    )
    for words, page in (("lantern", 1), ("anchor", 3)):
        (found, *_) = scova("search", "--project", "p", words, "--json").json["results"]
        assert found["path"].endswith(f"#page={page}")


def below(pid: int) -> set[int]:
    """Every process that this one started, or one of those did."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents.setdefault(int((entry / "stat").read_text().rpartition(")")[2].split()[1]), []).append(
                    int(entry.name)
                )
            except OSError:
                continue
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        fresh = [child for child in parents.get(waiting.pop(), ()) if child not in found]
        found.update(fresh)
        waiting += fresh
    return found


def readers_of_builds() -> set[int]:
    """Processes that read PDFs for a parser; those of the server itself, which count pages, are left alone."""
    ours = os.getpid()
    found = set()
    for pid in below(ours):
        try:
            is_reader = b"scova.sources.pdf.reader" in Path(f"/proc/{pid}/cmdline").read_bytes()
            above = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if is_reader and above != ours:
            found.add(pid)
    return found


@pytest.fixture
def site():
    with web.serving() as site:
        yield site


def test_a_push_is_answered_while_builds_of_others_are_held_up_by_a_page(tmp_path, site, store_url):
    """As many builds as there are parsers for pushes, each with its reader held still at its work: only when the push has been
    answered are they let go."""
    write_bomb(tmp_path / "manual.pdf")
    body = (tmp_path / "manual.pdf").read_bytes()
    names = [f"p{number}" for number in range(min(parser.MOST, os.cpu_count() or 1))]
    held: set[int] = set()

    def hold() -> bool:
        for pid in readers_of_builds() - held:
            os.kill(pid, signal.SIGSTOP)
            held.add(pid)
        return len(held) >= len(names)

    with served(tmp_path / "data", fetch_allow=web.ALLOWED) as one, ThreadPoolExecutor(1) as aside:
        try:
            jobs = []
            for number, name in enumerate(names):
                one.post("/projects", project_id=name)
                uri = site.put(f"/{name}/manual.pdf", body, media_type="application/pdf", host=number)
                one.post(f"/projects/{name}/sources", sources=[{"type": "pdf", "uri": uri}])
                jobs.append(one.client.post(f"/projects/{name}/build", json={}).json()["job_id"])
            until(hold, "a reader for every build", 120)
            one.post("/projects", project_id="other")
            pushed = aside.submit(one.index, "other", {"a.py": "def pushed_meanwhile():\n    return 1\n"})
            assert pushed.result(timeout=120)["results"][0]["status"] == "indexed"
            told = [one.client.get(f"/jobs/{job_id}").json()["status"] for job_id in jobs]
            assert told == ["running"] * len(names), "the pages are still being read"
        finally:
            for pid in held:
                os.kill(pid, signal.SIGCONT)
        for job_id, name in zip(jobs, names, strict=True):
            done = one.hall.jobs.wait(job_id, 120)
            assert "page 2 is left out" in done.result["message"]
            assert one.client.get(f"/projects/{name}").json()["files"] == 2
