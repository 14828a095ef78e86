"""Projects of a server built from pages, sitemaps and PDFs: the same build as at the command line, as a job."""

import json
import threading

import pytest

import served as web
from endpoint import Endpoint
from endpoint import serving as embedding
from scova.server.tenants.caretaker import Caretaker
from serving import served
from unit.sources.pdf.pdfs import Words, write_pdf
from until import until


@pytest.fixture
def site():
    with web.serving() as site:
        yield site


@pytest.fixture
def one(tmp_path):
    """A server with an empty project that may fetch from this machine."""
    with served(tmp_path / "data", fetch_allow=web.ALLOWED) as one:
        one.post("/projects", project_id="p")
        yield one


@pytest.fixture
def each(store_url, one):
    """The same, on either store."""
    assert isinstance(one.hall.parts.upkeep, Caretaker) == bool(store_url)
    return one


def pages(site, count):
    return [site.put(f"/page/{n}", web.html(n), host=n) for n in range(count)]


def add(one, *sources):
    answer = one.post("/projects/p/sources", sources=list(sources))
    assert answer.status_code == 200, answer.text
    return answer.json()


def sitemap(site, urls, **more):
    return {"type": "sitemap", "uri": site.sitemap("/map.xml", urls), **more}


def build(one, *, seconds=60, **how):
    """A build, waited for; the job as it ended."""
    answer = one.client.post("/projects/p/build", json=how)
    assert answer.status_code == 202, answer.text
    job_id = answer.json()["job_id"]
    one.hall.jobs.wait(job_id, seconds)
    return one.client.get(f"/jobs/{job_id}").json()


def state(one):
    return one.client.get("/projects/p/build").json()


def files(one):
    return one.client.get("/projects/p").json()["files"]


def test_a_project_is_built_from_pages_a_sitemap_and_a_pdf_and_found(each, site, tmp_path):
    write_pdf(tmp_path / "manual.pdf", [[Words("The valve of page one", 18), Words("turns left", 10)]])
    single = site.put("/page/single", web.html(99))
    manual = site.put("/manual.pdf", (tmp_path / "manual.pdf").read_bytes(), media_type="application/pdf")
    add(
        each,
        sitemap(site, pages(site, 6), tags=["docs"]),
        {"type": "url", "uri": single},
        {"type": "pdf", "uri": manual},
    )
    job = build(each)
    assert (job["status"], job["kind"], job["files_processed"] > 0) == ("done", "build", True), job
    result = job["result"]
    assert (result["success"], result["sources_processed"], result["errors"]) == (True, 3, [])
    assert result["progress"]["has_more"] is False
    assert files(each) == 8
    found = each.post("/search", project_id="p", query="valve").json()["results"][0]
    assert found["provenance"]["place"] == manual
    assert (found["provenance"]["type"], found["provenance"]["page"]) == ("pdf", 1)
    tagged = each.post("/search", project_id="p", query="page3 tells", tags=["docs"]).json()["results"]
    assert tagged[0]["provenance"]["place"] == site.url("/page/3", 3)
    assert all("docs" in each["tags"] for each in tagged)


def test_sources_are_listed_added_once_and_removed_with_all_they_brought(each, site):
    urls = pages(site, 3)
    first = add(each, sitemap(site, urls), {"type": "url", "uri": urls[0]})
    assert len(first["added"]) == 2
    again = add(each, sitemap(site, urls, tags=["new"]))
    assert (again["added"], again["there"]) == ([], first["added"][:1])
    listed = each.client.get("/projects/p/sources").json()["sources"]
    assert [(each["source_id"], each["tags"]) for each in listed] == [
        (first["added"][0], ["new"]),
        (first["added"][1], []),
    ]
    build(each)
    assert files(each) == 4
    assert each.client.delete(f"/projects/p/sources/{first['added'][0]}").json() == {"deleted": first["added"][0]}
    assert files(each) == 1
    assert each.client.delete(f"/projects/p/sources/{first['added'][0]}").status_code == 422
    audit = each.post("/jobs", project_id="p", kind="audit").json()["job_id"]
    assert each.hall.jobs.wait(audit, 120).result["clean"]


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ({"type": "folder", "uri": "/etc"}, "type"),
        ({"type": "pdf", "uri": "/etc/passwd"}, "uri"),
        ({"type": "url", "uri": "file:///etc/passwd"}, "uri"),
        ({"type": "url", "uri": "https://user:secret@example.org/"}, "password"),
        ({"type": "url", "uri": "https://example.org/", "max_pages": 3}, "max_pages"),
        ({"type": "sitemap", "uri": "https://example.org/", "tags": ["a b"]}, "tags"),
        ({"type": "sitemap", "uri": "https://["}, "URL"),
    ],
)
def test_what_cannot_be_a_source_is_refused_and_nothing_is_added(one, source, word):
    answer = one.post("/projects/p/sources", sources=[{"type": "url", "uri": "https://example.org/good"}, source])
    assert answer.status_code == 422, answer.text
    assert word in answer.json()["error"]
    assert "secret" not in answer.text
    assert one.client.get("/projects/p/sources").json() == {"sources": []}


def test_fifty_sources_at_once_and_no_more(one):
    many = [{"type": "url", "uri": f"https://example.org/{n}"} for n in range(51)]
    assert one.post("/projects/p/sources", sources=many).status_code == 422
    assert len(add(one, *many[:50])["added"]) == 50


def test_addresses_of_the_servers_own_network_are_refused_unless_its_owner_allows_them(tmp_path, site):
    url = site.put("/page/1", web.html(1))
    with served(tmp_path / "data") as closed:
        closed.post("/projects", project_id="p")
        add(closed, {"type": "url", "uri": url}, {"type": "url", "uri": "http://[::1]/"})
        job = build(closed)
    assert job["status"] == "partial"
    assert all("not a public address" in each["error"] for each in job["result"]["errors"])
    assert site.log == []


def test_a_slice_takes_so_many_sources_and_whole_goes_on_to_the_end(each, site):
    add(each, *({"type": "url", "uri": url} for url in pages(site, 5)))
    few = {"max_sources_per_build": 2}
    first = build(each, chunk_options=few)["result"]
    assert (first["sources_processed"], first["progress"]["has_more"], files(each)) == (2, True, 2)
    assert state(each)["state"] == "checkpoint_available"
    assert state(each)["pending_sources"] == 3
    rest = build(each, chunk_options=few, whole=True)["result"]
    assert (rest["sources_processed"], rest["progress"]["has_more"], files(each)) == (3, False, 5)
    assert (state(each)["state"], state(each)["pending_sources"]) == ("idle", 0)


def test_a_dry_run_says_what_would_be_done_and_fetches_nothing(one, site):
    add(one, *({"type": "url", "uri": url} for url in pages(site, 3)))
    answer = one.client.post("/projects/p/build", json={"dry_run": True})
    assert answer.status_code == 200
    assert "3 of 3 sources would be built" in answer.json()["message"]
    assert (site.log, files(one), one.client.get("/jobs").json()["jobs"]) == ([], 0, [])


def test_a_build_that_is_to_begin_anew_does_not_go_on_from_the_checkpoint(one, site):
    add(one, *({"type": "url", "uri": url} for url in pages(site, 3)))
    few = {"max_sources_per_build": 2}
    assert build(one, chunk_options=few)["result"]["progress"]["remaining"] == 1
    assert build(one, chunk_options=few, resume_from_checkpoint=False)["result"]["progress"]["remaining"] == 1
    assert build(one, chunk_options=few, resume_from_checkpoint=True)["result"]["progress"]["remaining"] == 0


def test_force_fetches_and_replaces_and_without_it_nothing_is_transferred(one, site):
    add(one, sitemap(site, pages(site, 4)))
    build(one)
    mark = site.mark
    build(one)
    assert {each.status for each in site.since(mark) if "/page/" in each.url} == {304}
    mark = site.mark
    build(one, force=True)
    assert {each.status for each in site.since(mark) if "/page/" in each.url} == {200}


def test_options_reach_the_build(one, site):
    """Concurrency as the site sees it."""
    site.gathering = 5
    urls = [site.put(f"/page/{n}", web.html(n), host=n, seconds=0.1) for n in range(12)]
    add(one, sitemap(site, urls))
    build(one, chunk_options={"fetch_concurrency": 5})
    assert site.most_busy == 5


def test_the_size_of_embedding_batches_reaches_the_embedder(tmp_path, site):
    with (
        embedding(Endpoint()) as endpoint,
        served(tmp_path / "data", fetch_allow=web.ALLOWED, embedder=endpoint.address, embedder_model="m") as one,
    ):
        one.post("/projects", project_id="p")
        add(one, sitemap(site, pages(site, 25)))
        job = build(one, chunk_options={"embedding_batch_size": 10})
        sizes = [len(batch) for batch in endpoint.batches if len(batch) > 1]
        assert job["status"] == "done", job
    assert max(sizes) == 10
    assert sum(sizes) >= 25


@pytest.mark.parametrize(
    "wrong",
    [
        {"chunk_options": {"fetch_concurrency": 11}},
        {"chunk_options": {"max_sources_per_build": 0}},
        {"chunk_options": {"timeout_strategy": "wait"}},
        {"chunk_options": {"speed": 1}},
        {"depth": 1},
        {"force": "yes"},
    ],
)
def test_options_out_of_range_or_unknown_are_refused(one, wrong):
    assert one.client.post("/projects/p/build", json=wrong).status_code == 422


def test_a_checkpoint_that_is_not_there_fails_with_its_name(one, site):
    add(one, {"type": "url", "uri": pages(site, 1)[0]})
    dry = one.client.post("/projects/p/build", json={"checkpoint_id": "nowhere", "dry_run": True})
    assert (dry.status_code, "nowhere" in dry.json()["error"]) == (422, True)
    job = build(one, checkpoint_id="nowhere")
    assert (job["status"], "nowhere" in job["message"]) == ("failed", True)


def test_a_source_that_fails_is_told_with_its_attempts_and_the_others_are_built(one, site):
    good, bad = site.put("/page/1", web.html(1)), site.put("/page/2", web.html(2), status=403, host=1)
    ids = add(one, {"type": "url", "uri": good}, {"type": "sitemap", "uri": f"{bad}/none.xml"})["added"]
    job = build(one)
    assert (job["status"], [each["source_id"] for each in job["result"]["errors"]]) == ("partial", [ids[1]])
    told = state(one)
    assert (told["failed_sources"], told["failures"][0]["attempts"], files(one)) == (1, 1, 1)
    assert told["recommendation"]


def test_sources_that_failed_are_built_without_the_others(each, site):
    good, bad = site.put("/page/1", web.html(1)), site.put("/page/2", web.html(2), status=403, host=1)
    add(each, {"type": "url", "uri": good}, {"type": "url", "uri": bad})
    assert build(each, whole=True)["status"] == "partial"
    assert (state(each)["state"], state(each)["failed_sources"]) == ("idle", 1)
    site.pages["/page/2"].status = 200
    done = build(each, whole=True, failed_only=True)
    assert (done["status"], done["result"]["sources_processed"]) == ("done", 1)
    assert (state(each)["failed_sources"], files(each)) == (0, 2)
    assert len(site.asked_for("/page/1")) == 1
    refused = each.client.post("/projects/p/build", json={"failed_only": True, "resume_from_checkpoint": False})
    assert refused.status_code == 422


def test_the_same_build_is_not_begun_twice_and_a_cancelled_one_goes_on_later(each, site):
    add(each, sitemap(site, [site.put(f"/page/{n}", web.html(n), host=n) for n in range(60)]))
    reached, go = threading.Event(), threading.Event()

    def before(path):
        if path == "/page/30":
            reached.set()
            go.wait(120)

    site.before = before
    first = each.client.post("/projects/p/build", json={}).json()
    assert each.client.post("/projects/p/build", json={}).json()["job_id"] == first["job_id"]
    assert reached.wait(120)
    told = state(each)
    assert told["state"] == "in_progress"
    assert told["builder"] == f"job {first['job_id']}"
    assert each.client.delete(f"/jobs/{first['job_id']}").status_code == 200
    go.set()
    assert each.hall.jobs.wait(first["job_id"], 120).status == "cancelled"
    assert state(each)["state"] == "checkpoint_available"
    with each.hall.tenants.lease("p") as tenant:
        latest = tenant.builds.checkpoints / "latest.json"
    settled = set(json.loads(latest.read_bytes())["in_progress_source"]["urls_completed"])
    assert settled
    mark = site.mark
    assert build(each)["status"] == "done"
    assert files(each) == 60
    assert not {each.url for each in site.since(mark)} & settled


def test_a_project_is_not_removed_under_a_build_and_its_name_is_free_afterwards(each, site):
    """What a build writes down would otherwise lie where the next project of this name is to be."""
    add(each, {"type": "url", "uri": site.put("/page/0", web.html(0))})
    reached, go = threading.Event(), threading.Event()

    def before(path):
        if path == "/page/0":
            reached.set()
            go.wait(120)

    site.before = before
    job_id = each.client.post("/projects/p/build", json={}).json()["job_id"]
    assert reached.wait(120)
    refused = each.client.delete("/projects/p")
    go.set()
    assert (refused.status_code, "being built" in refused.json()["error"]) == (503, True), refused.text
    assert "/jobs" in refused.json()["hint"], "a word for clients of a server"
    assert "process" not in refused.text
    assert each.hall.jobs.wait(job_id, 120).status == "done"
    assert each.client.delete("/projects/p").status_code == 200
    assert each.client.delete("/projects/p").status_code == 404
    assert each.post("/projects", project_id="p").status_code == 201
    assert (files(each), state(each)["state"]) == (0, "idle")


def test_a_push_beside_sources_does_not_touch_what_they_brought(one, site):
    """A client's manifest is about what it pushed: pruning leaves pages alone, and pages are not told as extra."""
    add(one, sitemap(site, pages(site, 3)))
    build(one)
    one.index("p", {"a.py": "def a():\n    return 1\n"})
    said = one.post("/sync", project_id="p", files={}, prune=True).json()
    assert (said["extra"], said["deleted"], files(one)) == (["a.py"], 1, 3)
    assert one.post("/search", project_id="p", query="page1 tells").json()["results"]


def test_progress_is_told_as_events(one, site):
    add(one, sitemap(site, pages(site, 30)))
    job_id = one.client.post("/projects/p/build", json={}).json()["job_id"]
    with one.client.stream("GET", f"/jobs/{job_id}/events") as stream:
        told = [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line.startswith("data: ")]
    assert told[-1]["status"] == "done"
    assert told[-1]["files_total"] == 30


def test_a_job_says_that_it_fetches_while_it_does_and_how_far_it_is(one, site):
    """One page is held back, the others have come, and none of them is put yet: that is what the job tells meanwhile."""
    add(one, sitemap(site, pages(site, 12)))
    go = threading.Event()
    site.before = lambda path: go.wait(120) if path == "/page/11" else None
    job_id = one.client.post("/projects/p/build", json={}).json()["job_id"]

    def told():
        job = one.client.get(f"/jobs/{job_id}").json()
        return job if job["files_processed"] == 11 else None

    job = until(told, "eleven of twelve")
    go.set()
    assert (job["stage"], job["files_total"], job["chunks_processed"], files(one)) == ("fetch", 12, 0, 0)
    ended = one.hall.jobs.wait(job_id, 120)
    assert (ended.status, ended.files_processed, ended.chunks_processed) == ("done", 12, ended.result["chunks_added"])


def test_paths_of_a_source_are_neither_pushed_to_nor_deleted(one, site):
    """They are the build's: a client that pushed there would have its file replaced, and one that deletes would undo a build."""
    (source_id,) = add(one, sitemap(site, pages(site, 2)))["added"]
    build(one)
    page = f"{source_id}/{site.url('/page/0', 0)}"
    assert page in [each["path"] for each in one.post("/files", project_id="p").json()["files"]]
    files_sent = [{"path": f"{source_id}/mine.md", "content": "mine"}, {"path": "a.py", "content": "a = 1\n"}]
    said = one.post("/index", project_id="p", files=files_sent).json()
    assert (said["status"], [each["status"] for each in said["results"]]) == ("partial", ["failed", "indexed"])
    assert "source" in said["results"][0]["error"]
    alone = one.post("/index", project_id="p", files=files_sent[:1])
    assert (alone.status_code, alone.json()["results"][0]["status"]) == (422, "failed")
    gone = one.post("/delete", project_id="p", paths=[page, "a.py", "b.py"]).json()
    assert (gone["deleted"], gone["unknown"], [*gone["refused"]]) == (["a.py"], ["b.py"], [page])
    assert files(one) == 2


def test_what_a_source_fails_with_on_this_machine_is_not_told(one, site, caplog):
    add(one, {"type": "pdf", "uri": site.put("/manual.pdf", b"%PDF", media_type="application/pdf")})
    with one.hall.tenants.lease("p") as tenant:
        tenant.builds.root.mkdir(parents=True)
        (tenant.builds.root / "downloads").write_text("in the way of what is fetched")
        place = str(tenant.builds.root)
    job = build(one)
    assert job["status"] == "partial"
    assert "log" in job["result"]["errors"][0]["error"]
    assert place not in json.dumps(job) + json.dumps(state(one))
    assert place in caplog.text


def test_the_address_of_a_name_is_not_told(tmp_path):
    """Who may add sources would learn the server's network from it, name by name."""
    with served(tmp_path / "data") as closed:
        closed.post("/projects", project_id="p")
        add(closed, {"type": "url", "uri": "http://localhost:8999/"})
        job = build(closed)
    assert "localhost is not a public address" in job["result"]["errors"][0]["error"]
    assert not {"127.0.0.1", "::1", "loopback"} & set(job["result"]["errors"][0]["error"].replace(",", " ").split())
    assert "127.0.0.1" not in json.dumps(job)
