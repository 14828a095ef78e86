"""`failed_only`: a build that takes only sources that failed, whatever else could be built."""

from functools import partial

import pytest

from projected import build, build_all, findings, make, paths
from scova.errors import UsageError
from scova.projects import BuildOptions, project_build, project_build_status
from scova.projects.building.slice import MOST_ATTEMPTS
from scova.projects.job import build_job, wish
from scova.sources.web import fetch
from scova.types import Job


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Pauses between attempts at one request are not what is tested here."""
    monkeypatch.setattr(fetch, "Limits", partial(fetch.Limits, first_wait=0.01))


@pytest.fixture
def half_built(site, pages, folder):
    """A project of a page that failed, a sitemap of which one page did, and a page and a folder that did not; ids and the two URLs."""
    good = pages(4)
    bad = [site.put(f"/bad/{n}", f"<h1>Late {n}</h1><p>but there</p>", host=n, broken=-1) for n in range(2)]
    sitemap = site.sitemap("/map.xml", [*good[1:], bad[1]])
    ids = make("p", [f"url:{good[0]}", f"url:{bad[0]}", f"sitemap:{sitemap}", f"folder:{folder('f', 2)}"])
    build_all("p")
    assert [one["source_id"] for one in project_build_status("p").failures] == ids[1:3]
    assert project_build_status("p").state == "idle"
    return ids, bad


def mend(site):
    for path in ("/bad/0", "/bad/1"):
        site.pages[path].broken = 0


def test_what_was_built_is_not_fetched_again_and_of_a_sitemap_only_what_failed_is(site, half_built):
    _, bad = half_built
    mend(site)
    mark = site.mark
    results = build_all("p", failed_only=True)
    assert sorted(one.url for one in site.since(mark) if not one.url.endswith("/robots.txt")) == sorted(bad)
    assert sum(result.sources_processed for result in results) == 2
    last = results[-1]
    assert (last.success, last.progress.remaining, last.progress.has_more) == (True, 0, False)
    assert len(paths("p")) == 8
    assert findings("p") == []
    status = project_build_status("p")
    assert (status.state, status.failed_sources, status.pending_sources) == ("idle", 0, 0)


def test_one_that_keeps_failing_is_tried_as_often_as_in_a_build_and_each_time_anew(site, half_built):
    ids, _ = half_built
    for _ in range(2):
        results = build_all("p", failed_only=True)
        assert [result.sources_processed for result in results] == [2] * MOST_ATTEMPTS
        failures = project_build_status("p").failures
        assert {one["source_id"]: one["attempts"] for one in failures} == dict.fromkeys(ids[1:3], MOST_ATTEMPTS)
        assert project_build_status("p").state == "idle"


def test_what_no_build_has_come_to_yet_is_left_and_said_to_be(site, half_built, folder):
    make("p", [f"folder:{folder('new', 1)}"])
    mend(site)
    (result,) = build_all("p", failed_only=True)
    assert (result.sources_processed, result.progress.remaining, result.progress.has_more) == (2, 1, False)
    status = project_build_status("p")
    assert (status.state, status.pending_sources, status.failed_sources) == ("checkpoint_available", 1, 0)
    mark = site.mark
    assert build("p").sources_processed == 1
    assert site.mark == mark
    assert project_build_status("p").state == "idle"


def test_between_two_slices_those_that_failed_are_taken_before_their_turn(site, pages, folder):
    bad = site.put("/bad/0", "<h1>Late</h1><p>but there</p>", status=403)
    ids = make("p", [f"url:{bad}", f"folder:{folder('f', 1)}", f"folder:{folder('g', 1)}"])
    build("p", options={"max_sources_per_build": 1})
    site.pages["/bad/0"].status = 200
    taken = []
    result = build("p", failed_only=True, tell=lambda told: taken.append(told.source_id))
    assert ({*taken}, result.progress.has_more, result.progress.remaining) == ({ids[0]}, False, 2)
    assert build("p").progress.remaining == 0
    assert len(site.asked_for("/bad/0")) == 2


def test_where_none_has_failed_nothing_is_done(site, pages):
    make("p", [f"url:{pages(1)[0]}"])
    build_all("p")
    mark = site.mark
    result = build("p", failed_only=True)
    assert (result.success, result.sources_processed, result.progress.has_more) == (True, 0, False)
    assert "no source has failed" in result.message
    assert site.mark == mark
    assert project_build_status("p").state == "idle"


def test_a_dry_run_names_only_those(half_built):
    _, bad = half_built
    told = build("p", dry_run=True, failed_only=True)
    assert "2 of 4 sources would be built" in told.message
    assert bad[0] in told.message and "/page/0" not in told.message


def test_a_job_takes_only_those_too_and_so_does_its_second_attempt(site, half_built):
    mend(site)
    mark = site.mark
    options = {name: value for name, value in wish({"failed_only": True}, whole=True).items() if value is not False}
    job = Job("job-1", "build", "p", "", "running", attempts=2, options=options)
    result = build_job(job, lambda progress: None, lambda options, watcher: project_build("p", options))
    assert (result["sources_processed"], result["failed"]) == (2, [])
    assert not [one for one in site.since(mark) if "/page/" in one.url]


def test_what_contradicts_itself_is_refused_when_it_is_wished_for():
    with pytest.raises(UsageError) as refused:
        wish({"failed_only": True, "resume_from_checkpoint": False}, whole=True)
    assert "failed_only" in refused.value.hint
    with pytest.raises(UsageError):
        BuildOptions(failed_only=True, resume_from_checkpoint=False)
