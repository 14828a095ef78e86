"""Building again: only what changed is fetched and replaced, what is gone is removed, and what fails keeps its old text."""

from functools import partial

import pytest

import served
from endpoint import Endpoint, status
from endpoint import serving as embedding
from projected import build, build_all, findings, generations, make, paths, text_of
from scova.projects import project_build_status
from scova.projects.building.slice import MOST_ATTEMPTS, PART
from scova.sources.web import fetch
from unit.sources.pdf.pdfs import Words, write_pdf


@pytest.fixture
def quick(monkeypatch):
    """Pauses between attempts at one request are not what is tested here."""
    monkeypatch.setattr(fetch, "Limits", partial(fetch.Limits, first_wait=0.01))


def asked_pages(site, mark=0):
    return [one for one in site.since(mark) if "/page/" in one.url]


def test_a_rebuild_of_an_unchanged_site_transfers_no_body(site, pages):
    """With ETags and with dates alike; every request is conditional, and nothing in the index changes."""
    urls = pages(6) + [
        site.put(f"/page/{n}", served.html(n), host=n, etag="", last_modified="Mon, 03 Nov 2025 10:00:00 GMT")
        for n in range(6, 9)
    ]
    make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}", f"url:{site.put('/page/single', served.html(77))}"])
    build_all("p")
    before, mark = generations("p"), site.mark
    again = build_all("p")[-1]
    asked = asked_pages(site, mark)
    assert len(asked) == 10
    assert {(one.status, one.sent, one.is_conditional) for one in asked} == {(304, 0, True)}
    assert generations("p") == before
    assert again.chunks_added == 0


def test_a_page_that_changed_is_replaced_by_its_next_generation_and_the_others_stay(site, pages):
    urls = pages(5)
    (source_id,) = make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    build("p")
    before = generations("p")
    site.put("/page/2", served.html(2, more="Nowadays it is made of glass."))
    build("p")
    changed = f"{source_id}/{urls[2]}"
    after = generations("p")
    assert after[changed] == before[changed] + 1
    assert {path for path in after if after[path] != before[path]} == {changed}
    assert "made of glass" in text_of("p", changed)
    assert findings("p") == []


def test_pages_that_left_the_sitemap_or_are_gone_are_removed(site, pages):
    urls = pages(6)
    (source_id,) = make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    build("p")
    assert len(paths("p")) == 6
    site.sitemap("/map.xml", urls[:5])
    del site.pages["/page/1"]
    site.put("/page/2", b"", status=410, etag="")
    site.put("/robots.txt", "User-agent: *\nDisallow: /page/3\n", media_type="text/plain", host=3)
    build("p")
    assert paths("p") == {f"{source_id}/{url}" for url in (urls[0], urls[4])}
    assert findings("p") == []


def test_pages_of_a_host_whose_robots_txt_fails_for_a_while_stay_and_are_tried_again(site, pages, quick):
    urls = pages(3)
    (source_id,) = make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    site.put("/robots.txt", "User-agent: *\nDisallow:\n", media_type="text/plain", broken=-1)
    result = build("p")
    assert "robots.txt" in result.errors[0]["error"]
    assert (paths("p"), asked_pages(site)) == (set(), [])
    site.pages["/robots.txt"].broken = 0
    build("p")
    everything = {f"{source_id}/{url}" for url in urls}
    assert paths("p") == everything
    site.pages["/robots.txt"].broken = -1
    assert build("p").errors
    assert paths("p") == everything, "a host that is down for a while has not taken back its pages"


def test_a_single_page_that_is_gone_is_removed_and_told(site):
    url = site.put("/page/only", served.html(1))
    (source_id,) = make("p", [f"url:{url}"])
    build("p")
    assert paths("p") == {f"{source_id}/{url}"}
    del site.pages["/page/only"]
    result = build("p")
    assert paths("p") == set()
    assert "404" in result.errors[0]["error"]
    assert not result.success
    assert findings("p") == []


def test_a_page_that_fails_for_a_while_keeps_its_text_and_its_source_is_tried_again(site, pages, quick):
    urls = pages(4)
    (source_id,) = make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    build("p")
    site.put(
        "/page/3", served.html(3, more="Brand new."), broken=4
    )  # three attempts of the first slice, one of the second
    before = text_of("p", f"{source_id}/{urls[3]}")
    first = build("p")
    assert [error["source_id"] for error in first.errors] == [source_id]
    assert urls[3] in first.errors[0]["error"]
    assert "500" in first.errors[0]["error"]
    assert first.progress.has_more
    status = project_build_status("p")
    assert (status.state, status.failed_sources, status.pending_sources) == ("checkpoint_available", 1, 0)
    assert [(one["source_id"], one["attempts"]) for one in status.failures] == [(source_id, 1)]
    assert text_of("p", f"{source_id}/{urls[3]}") == before
    mark = site.mark
    second = build("p")
    assert {one.url for one in asked_pages(site, mark)} == {urls[3]}, "the others were settled"
    assert second.errors == ()
    assert not second.progress.has_more
    assert "Brand new" in text_of("p", f"{source_id}/{urls[3]}")
    assert project_build_status("p").failed_sources == 0


def test_a_source_that_keeps_failing_is_tried_three_times_and_then_told_as_failed(site, pages, quick):
    urls = pages(3)
    bad = site.put("/page/bad", served.html(9), broken=-1)
    (source_id,) = make("p", [f"sitemap:{site.sitemap('/map.xml', [*urls, bad])}"])
    results = build_all("p")
    assert len(results) == MOST_ATTEMPTS == 3
    assert [len(result.errors) for result in results] == [1, 1, 1]
    assert len(site.asked_for("/page/bad")) == 3 * 3
    assert {count for url, count in site.counts.items() if url in urls} == {1}
    last = results[-1]
    assert (last.progress.has_more, last.progress.remaining) == (False, 1)
    assert "fail" in last.message
    status = project_build_status("p")
    assert (status.state, status.failed_sources) == ("idle", 1)
    assert status.failures[0]["attempts"] == 3
    assert "500" in str(status.failures[0]["error"])
    assert "fail" in status.recommendation
    assert paths("p") == {f"{source_id}/{url}" for url in urls}
    site.pages["/page/bad"].broken = 0
    build_all("p")
    assert f"{source_id}/{bad}" in paths("p"), "a new build counts from the beginning"


def test_a_failed_source_does_not_stop_the_others(site, pages, folder):
    urls = pages(1)
    make("p", [f"sitemap:{site.url('/nowhere.xml')}", f"url:{urls[0]}", f"folder:{folder('f', 1)}"])
    result = build("p")
    assert len(result.errors) == 1
    assert "nowhere.xml" in result.errors[0]["error"]
    assert result.success
    assert len(paths("p")) == 2


@pytest.mark.parametrize("strategy", ["split", "checkpoint", "skip"])
def test_a_build_comes_to_an_end_when_more_pages_fail_than_a_slice_takes(site, pages, quick, strategy, monkeypatch):
    """A whole slice of pages that fail brings nothing further: that counts as an attempt, whatever the strategy."""
    monkeypatch.setitem(PART, "urls", 5)
    bad = [site.put(f"/page/bad/{n}", served.html(n), host=n, broken=-1) for n in range(7)]
    make("p", [f"sitemap:{site.sitemap('/map.xml', [*bad, *pages(3)])}"])
    results = build_all("p", options={"timeout_strategy": strategy, "fetch_concurrency": 10}, most=8)
    assert project_build_status("p").failed_sources == 1
    assert results[-1].errors


def test_a_folder_that_is_gone_is_a_failure_and_its_files_stay(folder, tmp_path):
    root = folder("f", 3)
    make("p", [f"folder:{root}"])
    build("p")
    root.rename(tmp_path / "elsewhere")
    result = build("p")
    assert len(result.errors) == 1
    assert str(root) in result.errors[0]["error"]
    assert len(paths("p")) == 3, "a folder that is not mounted today is not an empty one"
    (tmp_path / "elsewhere").rename(root)
    (root / "note_0000.md").unlink()
    build_all("p")
    assert len(paths("p")) == 2
    assert findings("p") == []


def test_a_sitemap_of_which_a_part_cannot_be_read_keeps_its_pages_and_is_tried_again(site, pages, quick):
    urls = pages(4)
    children = [site.sitemap("/a.xml", urls[:2]), site.sitemap("/b.xml.gz", urls[2:], packed=True)]
    (source_id,) = make("p", [f"sitemap:{site.sitemap_index('/index.xml', children)}"])
    build("p")
    everything = {f"{source_id}/{url}" for url in urls}
    assert paths("p") == everything
    site.pages["/b.xml.gz"].broken = -1
    result = build("p")
    assert "b.xml.gz" in result.errors[0]["error"]
    assert paths("p") == everything
    site.pages["/b.xml.gz"].broken = 0
    assert build_all("p")[-1].errors == ()
    assert paths("p") == everything


def test_a_pdf_on_the_web_is_downloaded_again_only_when_it_changed(site, tmp_path):
    def written(pages):
        path = write_pdf(tmp_path / "x.pdf", [[Words(f"Page number {n} of {pages}", 700)] for n in range(1, pages + 1)])
        return path.read_bytes()

    url = site.put("/manual.pdf", written(5), media_type="application/pdf")
    (source_id,) = make("p", [f"pdf:{url}"])
    build("p")
    assert paths("p") == {f"{source_id}/manual.pdf#page={n}" for n in range(1, 6)}
    build("p")
    assert [(one.status, one.is_conditional) for one in site.asked_for("/manual.pdf")] == [(200, False), (304, True)]
    site.put("/manual.pdf", written(3), media_type="application/pdf")
    build("p")
    assert paths("p") == {f"{source_id}/manual.pdf#page={n}" for n in range(1, 4)}
    assert "Page number 2 of 3" in text_of("p", f"{source_id}/manual.pdf#page=2")
    assert findings("p") == []


def test_a_pdf_that_robots_txt_forbids_is_not_asked_for(site):
    site.put("/robots.txt", "User-agent: *\nDisallow: /papers/\n", media_type="text/plain")
    make("p", [f"pdf:{site.put('/papers/x.pdf', b'%PDF', media_type='application/pdf')}"])
    result = build("p")
    assert "robots.txt" in result.errors[0]["error"]
    assert not site.asked_for("/papers/x.pdf")


def test_what_was_downloaded_and_is_no_pdf_is_a_failure_and_asked_for_anew_next_time(site, tmp_path):
    """Not as a question whether it changed: it was never any good."""
    url = site.put("/x.pdf", b"<html>please log in</html>", media_type="application/pdf", etag='"same"')
    make("p", [f"pdf:{url}"])
    result = build("p")
    assert "PDF" in result.errors[0]["error"]
    assert result.progress.has_more
    good = write_pdf(tmp_path / "good.pdf", [[Words("A page", 700)]]).read_bytes()
    site.put("/x.pdf", good, media_type="application/pdf", etag='"same"')
    assert build("p").errors == ()
    assert len(paths("p")) == 1


def test_other_patterns_while_a_sitemap_is_half_built_count_at_once(site, pages):
    urls = pages(60)
    spec = f"sitemap:{site.sitemap('/map.xml', urls)}"
    (source_id,) = make("p", [spec])
    stopping = []
    build("p", stop=lambda: bool(stopping), put=stopping.append)
    make("p", [spec], include=["*/page/5?"])
    build_all("p")
    assert paths("p") == {f"{source_id}/{url}" for url in urls[50:]}
    assert findings("p") == []


def test_chunks_that_an_embedder_refused_wait_for_their_vectors_and_get_them_next_time(folder, monkeypatch):
    """Everything else is built meanwhile; result and checkpoint say how many wait."""
    make("p", [f"folder:{folder('f', 12)}", f"folder:{folder('g', 3)}"])
    with embedding(Endpoint()) as endpoint:
        monkeypatch.setenv("SCOVA_EMBEDDER", endpoint.address)
        monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
        endpoint.script = [None, *[status(403, "not you")] * 50]
        first = build("p")
        assert len(paths("p")) == 15
        assert first.vectors_added == 0
        assert "15 chunks wait for their vectors" in first.message
        endpoint.script = []
        second = build_all("p")[-1]
        assert "wait" not in second.message
        assert second.vectors_added == 15
        assert findings("p") == []
