"""What a build tells on its way: what it is doing just then, and how many documents are there so far."""

import pytest

from endpoint import Endpoint
from endpoint import serving as embedding
from projected import build, make, paths
from scova.projects.feeds.pages import BATCH
from unit.sources.pdf.pdfs import Words, write_pdf


@pytest.fixture
def told():
    return []


def stages(told):
    """What was done, in order, each named once for as long as it lasted."""
    steps = [one.step.stage for one in told]
    return [step for before, step in zip([None, *steps], steps, strict=False) if step != before]


def test_while_pages_are_fetched_that_is_told_page_by_page_before_any_is_put(site, pages, told):
    make("p", [f"sitemap:{site.sitemap('/map.xml', pages(30))}"])
    build("p", tell=told.append)
    assert told[0].step == ("fetch", 0, 0, 0, 0), "the sitemap is being read, and how many there are is not known"
    first = [one for one in told[1:] if one.chunks == 0 and one.step.stage == "fetch"]
    assert [(one.done, one.total) for one in first] == [(count, 30) for count in range(BATCH + 1)]
    assert stages(told)[:3] == ["fetch", "scan", "parse"]
    assert stages(told).count("fetch") == 3, "it goes on fetching after the first batch, and after the second"
    assert [one.step.done for one in told if one.step.stage == "fetch"][-1] == 30


def test_documents_are_counted_once_and_never_go_down(site, pages, told):
    make("p", [f"sitemap:{site.sitemap('/map.xml', pages(50))}"])
    build("p", tell=told.append)
    counts = [one.done for one in told]
    assert counts == sorted(counts)
    assert counts[-1] == len(paths("p")) == 50
    chunks = [one.step.chunks for one in told]
    assert chunks == sorted(chunks)


def test_a_build_that_goes_on_counts_what_was_put_before(site, pages, told):
    make("p", [f"sitemap:{site.sitemap('/map.xml', pages(60))}"])
    stopping = []
    build("p", stop=lambda: bool(stopping), put=stopping.append)
    put = len(paths("p"))
    assert put >= BATCH
    build("p", tell=told.append)
    assert next(one.done for one in told if one.total) == put


def test_a_page_that_could_not_be_had_is_not_counted(site, pages, told):
    urls = [*pages(3), site.put("/page/broken", "", broken=-1)]
    make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    build("p", tell=told.append)
    assert (told[-1].done, told[-1].total) == (3, 4)


def test_files_of_a_folder_are_looked_for_and_parsed_and_nothing_is_fetched(folder, told):
    make("p", [f"folder:{folder('f', 150)}"])
    build("p", tell=told.append)
    assert stages(told)[:2] == ["scan", "parse"]
    assert "fetch" not in stages(told)
    parsed = [one for one in told if one.step.stage == "parse"]
    assert (parsed[0].done, parsed[-1].done) == (0, 150)
    assert {one.total for one in parsed} == {150}


def test_a_pdf_of_the_web_is_fetched_and_then_its_pages_are_parsed(site, tmp_path, told):
    file = write_pdf(tmp_path / "m.pdf", [[Words(f"Page {n} of the manual", 700)] for n in range(3)])
    make("p", [f"pdf:{site.put('/m.pdf', file.read_bytes(), media_type='application/pdf')}"])
    build("p", tell=told.append)
    assert stages(told)[:2] == ["fetch", "parse"]
    assert (told[-1].done, told[-1].total) == (3, 3)


def test_while_vectors_are_computed_that_is_told_with_how_many(folder, told, monkeypatch):
    make("p", [f"folder:{folder('f', 30)}"])
    with embedding(Endpoint()) as endpoint:
        monkeypatch.setenv("SCOVA_EMBEDDER", endpoint.address)
        monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
        build("p", options={"embedding_batch_size": 10}, tell=told.append)
    embedded = [(one.step.done, one.step.total) for one in told if one.step.stage == "embed"]
    assert embedded == [(10, 30), (20, 30), (30, 30)]
    assert {one.done for one in told if one.step.stage == "embed"} == {30}, "documents are not counted down"


def test_each_source_is_counted_by_itself_among_the_others(folder, told):
    ids = make("p", [f"folder:{folder('a', 2)}", f"folder:{folder('b', 3)}"])
    build("p", tell=told.append)
    ends = {one.source_id: (one.done, one.total, one.sources_done, one.sources_total) for one in told}
    assert ends == {ids[0]: (2, 2, 0, 2), ids[1]: (3, 3, 1, 2)}
