"""A build as a job: its options, its slices, what it tells over all of them, and how it hears that it is not wanted any more."""

import pytest

from projected import make, paths
from scova.errors import Cancelled, UsageError
from scova.projects import project_build, project_build_status
from scova.projects.building.slice import PART
from scova.projects.job import build_job, wish
from scova.types import Job


def work(options, *, attempts=1, tell=lambda progress: None, name="p"):
    job = Job("job-1", "build", name, "", "running", attempts=attempts, options=options)
    return build_job(
        job, tell, lambda options, watcher: project_build(name, options, tell=watcher.tell, stop=watcher.stop)
    )


@pytest.fixture
def sources(folder):
    """A project of so many folders with a file each."""

    def put(count):
        return make("p", [f"folder:{folder(f'f{n}', 1)}" for n in range(count)])

    return put


def test_one_slice_and_with_whole_all_of_them_as_one_result(sources):
    sources(5)
    few = {"chunk_options": {"max_sources_per_build": 2}}
    first = work(few)
    assert (first["sources_processed"], first["progress"]["has_more"], first["failed"]) == (2, True, [])
    rest = work(few | {"whole": True})
    assert (rest["sources_processed"], rest["chunks_added"], rest["progress"]["has_more"]) == (3, 3, False)
    assert len(paths("p")) == 5


def test_a_wish_to_begin_anew_is_kept_and_a_second_attempt_goes_on_all_the_same(sources):
    """A job drops what is false, so the wish is written otherwise; what the first attempt did is the job's own."""
    sources(3)
    anew = wish({"resume_from_checkpoint": False, "chunk_options": {"max_sources_per_build": 2}}, whole=False)
    anew = {name: value for name, value in anew.items() if value is not False}
    for _ in range(2):
        assert work(anew)["progress"]["remaining"] == 1
    assert work(anew, attempts=2)["progress"]["remaining"] == 0


def test_an_error_that_a_later_slice_made_good_is_not_told(site, folder):
    page = site.put("/page/0", "<h1>It comes late</h1><p>but it comes</p>", broken=100)
    make("p", [f"url:{page}", f"folder:{folder('f', 1)}", f"folder:{folder('g', 1)}"])
    told = []

    def tell(progress):
        told.append(progress)
        if len(paths("p")) == 2:
            site.pages["/page/0"].broken = 0

    result = work({"whole": True, "chunk_options": {"max_sources_per_build": 1}}, tell=tell)
    assert (result["errors"], result["failed"], len(paths("p"))) == ((), [], 3)


def test_an_error_that_stands_is_told_once_and_names_what_failed(site, folder):
    (bad, _) = make("p", [f"url:{site.put('/page/0', '', status=404)}", f"folder:{folder('f', 1)}"])
    result = work({"whole": True})
    assert [one["source_id"] for one in result["failed"]] == [bad]
    assert "failing" not in result


def test_what_failed_is_told_without_checkpoints_too(site):
    (bad,) = make("p", [f"url:{site.put('/page/0', '', status=404)}"])
    result = work({"chunk_options": {"enable_checkpointing": False}})
    assert [one["source_id"] for one in result["failed"]] == [bad]


def test_what_is_told_goes_on_counting_from_slice_to_slice(site, pages, monkeypatch):
    monkeypatch.setitem(PART, "urls", 10)
    make("p", [f"sitemap:{site.sitemap('/map.xml', pages(25))}"])
    told = []
    result = work({"whole": True}, tell=told.append)
    chunks = [one.chunks for one in told]
    assert chunks == sorted(chunks)
    assert chunks[-1] == result["chunks_added"] == 25
    counts = [one.done for one in told if one.stage in ("fetch", "parse") and one.total]
    assert (counts, counts[-1]) == (sorted(counts), 25)
    embedded = [(one.done, one.total) for one in told if one.stage == "embed"]
    assert embedded == sorted(embedded)
    assert embedded[-1] == (chunks[-1], chunks[-1])


def test_cancelled_while_it_fetches_it_stops_and_keeps_what_it_has(site, pages):
    make("p", [f"sitemap:{site.sitemap('/map.xml', pages(60))}"])

    def tell(progress):
        if progress.stage == "fetch" and progress.done >= 5:
            raise Cancelled("not wanted", "")

    with pytest.raises(Cancelled):
        work({"whole": True}, tell=tell)
    assert 5 <= len(paths("p")) < 20, "what was fetched was put, though it is no whole batch"
    assert project_build_status("p").state == "checkpoint_available"


def test_an_option_that_there_is_not_is_refused(sources):
    sources(1)
    with pytest.raises(UsageError, match="nonsense"):
        work({"nonsense": 1})
    with pytest.raises(UsageError, match="no object"):
        work({"chunk_options": "fast"})
