"""Builds of one project by servers that share a database, and nothing else: each has a data folder of its own, and so what it fetched."""

import pytest

import served as web
from scova import config
from scova.errors import Cancelled, IndexBusy
from scova.projects.spec import SourceSpec, SourceType
from scova.server.hall import Hall
from scova.server.layout import ServerLayout
from scova.server.limits import Limits
from scova.server.tenants import builds
from scova.types import Job


@pytest.fixture
def site():
    with web.serving() as site:
        yield site


@pytest.fixture
def two(tmp_path, postgres_url):
    """Two servers, which do jobs only when they are told to."""
    settings = {"fetch_allow": web.ALLOWED, "serve_store": postgres_url, "embedder": "none", "workers": 1}
    halls = [
        Hall(ServerLayout(tmp_path / name), config.load(tmp_path, settings), Limits(rate=0)) for name in ("a", "b")
    ]
    halls[0].tenants.create("p")
    yield halls
    for hall in halls:
        hall.close()


def page(site, number):
    return site.put(f"/page/{number}", web.html(number), host=number)


def add(hall, *specs):
    with hall.tenants.lease("p") as tenant:
        return [spec.source_id for spec in builds.add_sources(tenant, specs)[0]]


def single(url):
    return SourceSpec(SourceType.URL, url)


def build(hall, *, stop_after=None, **options):
    """A build by this server; with `stop_after` it is cancelled once it told of so many pages."""

    def tell(progress):
        if stop_after is not None and progress.done >= stop_after:
            raise Cancelled("enough", "")

    job = Job("job-1", "build", "p", "", "running", attempts=1, options=options)
    with hall.tenants.lease("p") as tenant:
        try:
            return builds.build_job(tenant, job, tell)
        except Cancelled:
            return {}


def remove(hall, source_id):
    with hall.tenants.lease("p") as tenant:
        builds.remove_source(tenant, source_id)


def state(hall):
    with hall.tenants.lease("p") as tenant:
        return builds.status_of(tenant, "").to_json()


def files(hall):
    with hall.tenants.lease("p") as tenant:
        return {path.partition("/")[2] for path in tenant.files()}


def test_a_source_that_another_removed_and_added_anew_is_built(two, site):
    """What this server remembers of it is not so any more."""
    urls = [page(site, number) for number in range(3)]
    ids = add(two[0], *map(single, urls))
    build(two[0], chunk_options={"max_sources_per_build": 2})
    assert files(two[1]) == set(urls[:2])
    remove(two[1], ids[0])
    add(two[1], single(urls[0]))
    assert state(two[0]) == state(two[1])
    assert state(two[0])["pending_sources"] == 2
    build(two[0], whole=True)
    assert files(two[0]) == files(two[1]) == set(urls)


def test_what_one_left_another_finishes_and_both_tell_the_same_of_it(two, site):
    """Sources that are done stay done; a page that is done there and was not fetched here is neither lost nor left out."""
    urls = [page(site, number) for number in range(30)]
    add(two[0], single(page(site, 40)), SourceSpec(SourceType.SITEMAP, site.sitemap("/map.xml", urls)))
    build(two[0], stop_after=20)
    there = state(two[1])
    assert (there, there["state"], there["pending_sources"]) == (state(two[0]), "checkpoint_available", 1)
    begun = files(two[1])
    assert 20 <= len(begun) < 31
    mark = site.mark
    assert not build(two[1])["errors"]
    assert not [asked for asked in site.since(mark) if asked.url.endswith("/page/40")], "that source was done"
    assert files(two[0]) == {*urls, site.url("/page/40", 40)}
    assert (state(two[0]), state(two[1])["state"]) == (state(two[1]), "idle")
    with two[0].tenants.lease("p") as tenant:
        assert tenant.audit() == []


def test_slices_come_to_an_end_whichever_server_does_the_next(two, site, monkeypatch):
    from scova.projects.building import slice as room

    monkeypatch.setitem(room.PART, "urls", 10)
    urls = [page(site, number) for number in range(25)]
    add(two[0], SourceSpec(SourceType.SITEMAP, site.sitemap("/map.xml", urls)))
    turns = 0
    while turns == 0 or state(two[0])["state"] != "idle":
        build(two[turns % 2])
        turns += 1
        assert turns <= 6
    assert files(two[0]) == set(urls)


def test_what_was_fetched_for_an_earlier_build_is_not_taken_for_this_one(two, site):
    """The first server has a list of pages, and pages, of a build that the second gave up for a new one."""
    urls = [page(site, number) for number in range(30)]
    add(two[0], SourceSpec(SourceType.SITEMAP, site.sitemap("/map.xml", urls)))
    build(two[0], stop_after=20)
    new, changed = page(site, 30), site.put("/page/0", "<h1>Otherwise</h1><p>changed since</p>", host=0)
    site.sitemap("/map.xml", [new, *urls])
    build(two[1], stop_after=20, resume_from_checkpoint=False)
    build(two[0])
    assert files(two[0]) == {new, *urls}
    with two[0].tenants.lease("p") as tenant:
        found = tenant.search("otherwise changed since").results[0].chunk
    assert found.file_path.endswith(changed)


def test_one_builds_at_a_time_and_none_is_removed_meanwhile(two, site):
    add(two[0], single(page(site, 1)))
    with two[0].tenants.lease("p") as tenant, tenant.building():
        with pytest.raises(IndexBusy, match="being built"):
            build(two[1])
        with pytest.raises(IndexBusy, match="being built"):
            two[1].tenants.remove("p")
    assert not build(two[1])["errors"]
    assert len(files(two[0])) == 1
