"""Builds in a real browser: begun, watched, killed, gone on with, cancelled, resumed, retried."""

import re
import threading
from contextlib import ExitStack

import httpx2
import pytest

import served as web
from desk_page import ui
from real_server import RealServer
from scova.index import Index
from scova.lock import make_folder, writer_lock
from web.browser import every, visiting

pytestmark = [every, pytest.mark.timeout(180)]
PAGES = 60


@pytest.fixture
def site():
    with web.serving() as site:
        yield site


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server that may fetch from this machine."""
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", web.ALLOWED)
    with RealServer(tmp_path / "data") as server:
        yield server


class Held:
    """A site that holds one page back until it is let go."""

    def __init__(self, site, path):
        self.reached, self.go = threading.Event(), threading.Event()
        site.before = lambda asked: self._hold() if asked == path else None

    def _hold(self):
        self.reached.set()
        self.go.wait(120)


def sitemap(site, name, begin, end):
    urls = [site.put(f"/page/{number}", web.html(number), host=number) for number in range(begin, end)]
    return site.sitemap(f"/{name}.xml", urls)


def make_project(visit, source, kind="sitemap"):
    """By the forms of the page."""
    visit.go("#/builds")
    visit.page.get_by_label("Name (letters").fill("docs")
    visit.page.get_by_role("button", name="Make it").click()
    add_source(visit, source, kind)


def add_source(visit, source, kind="sitemap"):
    visit.page.get_by_role("combobox", name="What").select_option(kind)
    visit.page.get_by_label("Address", exact=True).fill(source)
    visit.page.get_by_role("button", name="Add", exact=True).click()
    visit.locator(".source-item", has_text=source).wait_for()


def newest(visit):
    return visit.locator(".job").first


def test_a_build_is_begun_watched_and_finished_and_what_it_brought_is_found(browser, site, server):
    held = Held(site, "/page/40")
    with visiting(browser, server.url) as visit:
        make_project(visit, sitemap(site, "map", 0, PAGES))
        visit.page.get_by_role("button", name="Build", exact=True).click()
        newest(visit).locator(".badge-running").wait_for()
        assert held.reached.wait(120)
        newest(visit).locator(".progress[role=progressbar]").wait_for()
        newest(visit).locator(".job-facts", has_text=re.compile(rf"^fetching · \d+ of {PAGES} documents")).wait_for()
        assert visit.page.get_by_role("button", name="Cancel").count() == 1
        held.go.set()
        newest(visit).locator(".badge-done").wait_for(timeout=120_000)
        assert newest(visit).locator(".job-facts").inner_text().startswith(f"1 source · {PAGES} chunks added")
        assert visit.text(".standing-says") == "No build is under way."
        visit.go("#/p/docs/search?q=page17")
        visit.locator(".hit .origin a").first.wait_for()
        assert "/page/17" in visit.text(".hit .origin")
        visit.go("#/p/docs/health")
        visit.locator("figure", has_text="Builds").locator("rect.span").wait_for()


def test_a_build_whose_server_is_killed_goes_on_under_the_eyes_of_the_page(browser, site, server):
    held = Held(site, "/page/45")
    with visiting(browser, server.url, away=True) as visit:
        make_project(visit, sitemap(site, "map", 0, PAGES))
        visit.page.get_by_role("button", name="Build", exact=True).click()
        assert held.reached.wait(120)
        server.kill()
        held.go.set()
        visit.locator("#banner", has_text="does not answer").wait_for()
        server.start()
        newest(visit).locator(".badge-done").wait_for(timeout=120_000)
        assert "begun 2 times" in newest(visit).inner_text()
        visit.until("document.getElementById('banner').textContent === ''")
        visit.go("#/p/docs/search?q=page59")
        visit.locator(".hit .origin", has_text="/page/59").first.wait_for()


def test_a_cancelled_build_leaves_a_checkpoint_and_is_resumed(browser, site, server):
    first, second = sitemap(site, "first", 0, 10), sitemap(site, "second", 10, 40)
    held = Held(site, "/page/25")
    with visiting(browser, server.url) as visit:
        make_project(visit, first)
        add_source(visit, second)
        visit.page.get_by_role("button", name="Build", exact=True).click()
        assert held.reached.wait(120)
        visit.page.get_by_role("button", name="Cancel").click()
        newest(visit).locator(".badge-cancelled").wait_for(timeout=120_000)
        visit.page.get_by_role("button", name="Resume").wait_for()
        held.go.set()
        assert "Checkpoint of" in visit.text(".standing")
        visit.page.get_by_role("button", name="Resume").click()
        newest(visit).locator(".badge-done").wait_for(timeout=120_000)
        assert visit.page.get_by_role("button", name="Resume").count() == 0
        assert len(site.asked_for("/page/3")) == 1, "what was done was not fetched again"


def test_a_build_that_another_begins_is_shown_without_asking(browser, site, server):
    held = Held(site, "/page/5")
    with visiting(browser, server.url) as visit:
        make_project(visit, sitemap(site, "map", 0, 10))
        httpx2.post(f"{server.url}/projects/docs/build", json={"whole": True}).raise_for_status()
        newest(visit).locator(".badge-running").wait_for()
        held.go.set()
        newest(visit).locator(".badge-done").wait_for(timeout=120_000)


def test_a_job_is_followed_where_too_many_listen_already(browser, site, server):
    """Its events are refused, so it is asked for now and then."""
    gates = {"/page/5": threading.Event(), "/page/15": threading.Event()}
    site.before = lambda asked: gates[asked].wait(120) if asked in gates else None
    with visiting(browser, server.url) as visit, ExitStack() as streams:
        client = streams.enter_context(httpx2.Client(base_url=server.url, timeout=120))
        streams.callback(gates["/page/5"].set)
        other = begun(client, "other", sitemap(site, "first", 0, 10))
        while streams.enter_context(client.stream("GET", f"/jobs/{other}/events")).status_code == 200:
            pass
        begun(client, "docs", sitemap(site, "second", 10, 20))
        visit.go("#/p/docs/build")
        newest(visit).locator(".badge-running").wait_for()
        gates["/page/15"].set()
        newest(visit).locator(".badge-done").wait_for(timeout=120_000)
        assert client.get(f"/jobs/{other}").json()["status"] == "running"


def begun(client, project, source):
    """The job of a build of a new project, begun elsewhere."""
    client.post("/projects", json={"project_id": project}).raise_for_status()
    client.post(
        f"/projects/{project}/sources", json={"sources": [{"type": "sitemap", "uri": source}]}
    ).raise_for_status()
    return client.post(f"/projects/{project}/build", json={"whole": True}).raise_for_status().json()["job_id"]


def test_a_source_that_fails_is_named_with_the_reason_and_tried_again(browser, site, server):
    page, good = site.put("/page/1", web.html(1), broken=-1), site.put("/page/2", web.html(2), host=1)
    with visiting(browser, server.url) as visit:
        make_project(visit, page, kind="url")
        add_source(visit, good, kind="url")
        visit.page.get_by_role("button", name="Build", exact=True).click()
        visit.locator(".failure", has_text="Failed").wait_for(timeout=120_000)
        retry = visit.page.get_by_role("button", name="Retry 1 failed source")
        retry.wait_for()
        site.pages["/page/1"].broken = 0
        retry.click()
        newest(visit).locator(".badge-done").wait_for(timeout=120_000)
        visit.until("document.querySelectorAll('.failure').length === 0")
        assert len(site.asked_for("/page/2")) == 1, "what was built was not fetched again"
        visit.go("#/p/docs/files")
        visit.locator(".folder-list a").first.wait_for()


def test_a_first_index_of_a_folder_that_was_cancelled_is_gone_on_with(browser, tmp_path):
    """Another process writes to it at first, so that there is time to cancel."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / "bell.py").write_text("def ring_the_bell(times):\n    return times\n")
    with Index.open(root) as index:
        make_folder(index.layout.root)
    with ExitStack() as stack:
        other = stack.enter_context(ExitStack())
        other.enter_context(writer_lock(index.layout.lock))
        page = stack.enter_context(ui(root))
        visit = stack.enter_context(visiting(browser, page.url.rstrip("/")))
        visit.go("#/p/shop/build")
        visit.locator(".standing-says", has_text="is being indexed").wait_for()
        visit.page.get_by_role("button", name="Cancel").click()
        newest(visit).locator(".badge-cancelled").wait_for(timeout=120_000)
        other.close()
        visit.locator(".standing-says", has_text="not indexed to the end").wait_for()
        visit.page.get_by_role("button", name="Resume").click()
        newest(visit).locator(".badge-done").wait_for(timeout=120_000)
        visit.locator(".standing-says", has_text="followed by itself").wait_for()
        visit.page.get_by_role("button", name="Look at all files again").wait_for()
