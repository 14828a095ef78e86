"""Named projects through the real command: code, pages, a sitemap and a PDF in one project, built in slices, asked, stopped, changed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

import served
from conftest import SCOVA
from projected import findings, use_cache
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import embeddings_db
from unit.sources.pdf.pdfs import Words, paragraph, write_pdf
from until import until


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    return use_cache(monkeypatch, tmp_path / "cache")


@pytest.fixture
def site():
    with served.serving() as site:
        yield site


@pytest.fixture
def mixed(site, project, tmp_path, scova):
    """A project of a folder, a page, a sitemap and a PDF; the specs of its sources."""
    urls = [site.put(f"/page/{n}", served.html(n), host=n) for n in range(5)]
    body = paragraph(
        ["The turbine has to be oiled", "before it is started, each time.", "Nobody forgets it twice."], y=700
    )
    pdf = write_pdf(tmp_path / "turbine.pdf", [[Words("Maintenance of the turbine", 780, 22, "bold"), *body], body])
    children = [site.sitemap("/a.xml", urls[:2]), site.sitemap("/b.xml.gz", urls[2:], packed=True)]
    specs = [
        f"folder:{project}",
        f"sitemap:{site.sitemap_index('/index.xml', children)}",
        f"pdf:{pdf}",
        f"url:{site.put('/page/single', served.html(40))}",
    ]
    assert scova("project", "create", "docs").code == 0
    added = scova("project", "add", "docs", *specs, "--tag", "all", "--json")
    assert added.code == 0, added.err
    return specs


def test_code_and_documentation_are_found_together_and_say_where_they_come_from(mixed, scova, site):
    assert scova("project", "build", "docs", "--all").code == 0
    assert findings("docs") == []
    for question, place, more in (
        ("hash_password slow on purpose", "auth.py", ""),
        ("how to use page3", site.url("/page/3", 3), ""),
        ("oil the turbine before starting", "turbine.pdf", "page=1"),
    ):
        done = scova("search", question, "--project", "docs", "--json")
        assert done.code == 0, done.err
        best = [json.dumps(result) for result in done.json["results"][:3]]
        assert any(place in each and more in each for each in best), (question, best)
    words = scova("search", "oil the turbine", "--project", "docs")
    assert "turbine.pdf" in words.out


def test_a_project_is_built_in_slices_and_the_doors_agree_on_how_it_stands(mixed, scova):
    from scova.projects import project_build_status

    def status():
        done = scova("project", "status", "docs", "--json")
        assert done.code == 0, done.err
        python = json.loads(json.dumps(project_build_status("docs").to_json()))
        assert {key: done.json[key] for key in python} == python
        return done.json

    assert status()["state"] == "idle"
    planned = scova("project", "build", "docs", "--dry-run", "--json")
    assert (planned.code, planned.json["progress"]["remaining"]) == (0, 4)
    slices = []
    while not slices or slices[-1]["progress"]["has_more"]:
        done = scova("project", "build", "docs", "--max-sources-per-build", "2", "--json")
        slices.append(done.json)
        assert done.code == (3 if done.json["progress"]["has_more"] else 0)
        assert status()["state"] == ("checkpoint_available" if done.json["progress"]["has_more"] else "idle")
    assert [one["sources_processed"] for one in slices] == [2, 2]


def test_a_project_without_sources_says_so_and_how_to_add_one(scova):
    scova("project", "create", "empty")
    built = scova("project", "build", "empty")
    assert "everything is built" not in built.out and "no sources" in built.out
    asked = scova("search", "--project", "empty", "x")
    assert (asked.code, asked.out) == (3, "") and "has no sources yet" in asked.err
    for said in (built.out, asked.err):
        assert "scova project add empty folder:PATH" in said


def test_an_answer_says_when_its_project_was_built_and_how_to_bring_in_what_changed(scova, project):
    scova("project", "create", "docs")
    scova("project", "add", "docs", f"folder:{project}")
    assert "last build" not in scova("project", "status", "docs").out
    scova("project", "build", "docs", "--no-checkpointing")
    (project / "src/late.py").write_text("def aubergine():\n    return 1\n")
    done = scova("search", "--project", "docs", "password")
    year = time.strftime("%Y")
    assert f"docs is as of its last build, {year}-" in done.err and "scova project build docs" in done.err
    assert "last build" not in scova("search", "--project", "docs", "password", "--json").err
    for action in ("status", "show"):
        assert f"as of the last build, {year}-" in scova("project", action, "docs").out


def test_ctrl_c_writes_a_checkpoint_says_how_to_go_on_and_nothing_is_fetched_twice(scova, site):
    urls = [site.put(f"/page/{n}", served.html(n), host=n) for n in range(50)]
    site.put("/page/40", served.html(40), seconds=600.0, host=40)
    scova("project", "create", "docs")
    scova("project", "add", "docs", f"sitemap:{site.sitemap('/map.xml', urls)}")
    build = subprocess.Popen(
        [str(SCOVA), "project", "build", "docs", "--all"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until(lambda: len(site.asked_for("/page/40")) and len({one.url for one in site.log}) > 50, "most of the pages")
    build.send_signal(signal.SIGINT)
    out, err = build.communicate(timeout=120)
    assert "Traceback" not in err
    assert build.returncode in (3, 130), (out, err)
    assert "build again to go on" in out + err or "scova project build docs" in out + err
    stopped = scova("project", "status", "docs", "--json").json
    assert stopped["state"] == "checkpoint_available"
    latest = next(Path(os.environ["SCOVA_CACHE"]).rglob("latest.json"))
    done = json.loads(latest.read_bytes())["in_progress_source"]["urls_completed"]
    assert len(done) >= 20
    site.pages["/page/40"].seconds = 0.0
    mark = site.mark
    assert scova("project", "build", "docs").code == 0
    assert not {one.url for one in site.since(mark)} & {*done}
    assert scova("project", "status", "docs", "--json").json["state"] == "idle"


@pytest.mark.parametrize(
    "words",
    [
        ["--max-sources-per-build", "0"],
        ["--max-sources-per-build", "51"],
        ["--fetch-concurrency", "11"],
        ["--embedding-batch-size", "9"],
        ["--build-timeout-ms", "59999"],
        ["--timeout-strategy", "hurry"],
        ["--checkpoint", "ckpt_none"],
    ],
)
def test_what_is_out_of_range_is_an_error_of_the_command(scova, words):
    scova("project", "create", "docs")
    done = scova("project", "build", "docs", *words)
    assert done.code == 2, done
    assert done.err


def test_an_address_without_its_type_is_answered_with_what_to_write(scova):
    assert scova("project", "create", "docs").code == 0
    done = scova("project", "add", "docs", "https://docs.example.org/a")
    assert done.code == 2
    assert "hint: write url:https://docs.example.org/a" in done.err


def test_a_folder_beside_a_project_is_refused(scova, project):
    done = scova("search", "--project", "docs", "anything", project)
    assert (done.code, done.out) == (2, "")
    assert "error: PATH, --data and --no-refresh do not go with --project" in done.err


def test_a_loopback_address_is_refused_with_the_setting_that_allows_it(scova, site, monkeypatch):
    monkeypatch.delenv("SCOVA_FETCH_ALLOW")
    where = site.sitemap("/map.xml", [site.put("/page/1", served.html(1))])
    assert scova("project", "create", "docs").code == 0
    assert scova("project", "add", "docs", f"sitemap:{where}").code == 0
    done = scova("project", "build", "docs", "--all")
    assert done.code == 3
    assert "to fetch from it, set SCOVA_FETCH_ALLOW=127.0.0.1, or `fetch_allow` in the settings\n" in done.out
    status = scova("project", "status", "docs").out
    assert "SCOVA_FETCH_ALLOW=127.0.0.1" in status and "mend what is said of each" in status
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", "127.0.0.1")
    done = scova("project", "build", "docs", "--all", "--failed-only", "--json")
    assert (done.code, done.json["sources_processed"]) == (0, 1)
    done = scova("project", "build", "docs", "--failed-only", "--json")
    assert (done.code, done.json["sources_processed"]) == (0, 0)
    assert "no source has failed" in done.json["message"]


def test_a_second_build_hears_who_is_building(scova, site):
    url = site.put("/page/1", served.html(1), seconds=600.0)
    scova("project", "create", "docs")
    scova("project", "add", "docs", f"url:{url}")
    first = subprocess.Popen([str(SCOVA), "project", "build", "docs"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: site.asked_for("/page/1"), "the first build")
    second = scova("project", "build", "docs")
    assert second.code != 0
    assert str(first.pid) in second.err
    assert scova("project", "status", "docs", "--json").json["state"] == "in_progress"
    first.kill()
    first.communicate()


def test_removing_and_deleting_leave_nothing(mixed, scova, cache):
    scova("project", "build", "docs", "--all")
    assert scova("project", "remove", "docs", mixed[2]).code == 0
    done = scova("search", "oil the turbine", "--project", "docs", "--json")
    assert not [result for result in done.json["results"] if "turbine" in json.dumps(result)]
    assert findings("docs") == []
    assert scova("project", "delete", "docs").code == 0
    assert scova("project", "list", "--json").json == {"projects": []}
    assert not (cache / "named" / "docs").exists()
    assert scova("search", "anything", "--project", "docs").code == 2


def test_a_project_without_web_sources_loads_nothing_that_fetches(tmp_path, scova, project):
    """Asking a project costs no more than asking a folder."""
    scova("project", "create", "docs")
    scova("project", "add", "docs", f"folder:{project}")
    scova("project", "build", "docs")
    code = (
        "import sys; from scova.cli.main import main; main(['search', 'password', '--project', 'docs']);"
        "bad = {'httpcore2', 'httpx2', 'selectolax', 'pypdfium2', 'protego', 'numpy'} & set(sys.modules); sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_clearing_up_keeps_projects_and_their_vectors(scova, project, cache):
    """`scova gc --embeddings` forgets what no index uses: a project is one that does."""
    scova("project", "create", "docs")
    scova("project", "add", "docs", f"folder:{project}")
    scova("project", "build", "docs")
    with EmbeddingCache(embeddings_db(cache)) as vectors:
        before = vectors.counts()
    assert sum(before.values()) > 0
    assert scova("gc", "--embeddings").code == 0
    with EmbeddingCache(embeddings_db(cache)) as vectors:
        assert vectors.counts() == before
    assert findings("docs") == []


def test_on_a_terminal_it_is_told_what_is_being_done_and_pages_are_counted_as_they_come(site, scova):
    """One page of three is held back until two are told of: nothing is put meanwhile."""
    urls = [site.put(f"/page/{n}", served.html(n), host=n) for n in range(3)]
    assert scova("project", "create", "docs").code == 0
    assert scova("project", "add", "docs", f"sitemap:{site.sitemap('/map.xml', urls)}").code == 0
    go = threading.Event()
    site.before = lambda path: go.wait(120) if path == "/page/2" else None
    ours, theirs = os.openpty()
    env = os.environ | {"COLUMNS": "200", "TERM": "xterm"}
    with subprocess.Popen([SCOVA, "project", "build", "docs"], stdout=subprocess.PIPE, stderr=theirs, env=env) as run:
        os.close(theirs)
        seen = ""
        while "2/3" not in seen:
            seen += os.read(ours, 4096).decode(errors="replace")
        go.set()
        with suppress(OSError):  # when the other end is closed
            while more := os.read(ours, 4096):
                seen += more.decode(errors="replace")
        assert run.wait(120) == 0
    os.close(ours)
    until_held = seen[: seen.index("2/3")]
    assert "fetching, 0 chunks" in until_held
    assert "parsing" not in until_held
    assert "reading and parsing" in seen
