"""What a review found, one test each: builds that never ended, pages in each other's way, leftovers, options taken and ignored."""

import json

import pytest

import served
from projected import build, build_all, make, paths
from scova.config import cache_folder
from scova.errors import IndexBusy, ProjectError, ScovaError, UsageError
from scova.lock import writer_lock
from scova.mcp.desk import Desk
from scova.projects import Catalog, chosen, library, project_build_status, read_spec
from scova.projects.removal import remove_source
from unit.sources.pdf.pdfs import Words, write_pdf


def catalog():
    return Catalog(cache_folder())


def test_without_checkpoints_nothing_promises_to_go_on(folder):
    make("p", [f"folder:{folder(f'part{number}', 1)}" for number in range(12)])
    first = build("p", options={"enable_checkpointing": False})
    assert (first.progress.remaining, first.progress.has_more) == (2, False)
    assert "build with checkpointing" in first.message


def test_pages_that_fail_do_not_stand_in_the_way_of_others(site, pages, monkeypatch):
    from scova.projects.building import slice as room
    from scova.sources.web import fetched

    quick = tuple(0.01 if value == 0.5 else value for value in fetched.Limits.__init__.__defaults__)
    monkeypatch.setattr(fetched.Limits.__init__, "__defaults__", quick)
    monkeypatch.setitem(room.PART, "urls", 4)
    broken, healthy = pages(6, first=1000, broken=-1), pages(6)
    (source_id,) = make("p", [f"sitemap:{site.sitemap('/map.xml', [*broken, *healthy])}"])
    results = build_all("p", options={"timeout_strategy": "split"})
    assert paths("p") == {f"{source_id}/{url}" for url in healthy}
    assert "6 could not be fetched" in results[-1].errors[0]["error"]


def test_a_download_that_is_no_pdf_is_asked_for_again(site, tmp_path):
    write_pdf(tmp_path / "right.pdf", [[Words("Tides of the harbour", 700)]])
    url = site.put("/a.pdf", "<html>wait</html>")
    (source_id,) = make("p", [f"pdf:{url}"])
    assert build("p").errors
    site.put("/a.pdf", (tmp_path / "right.pdf").read_bytes(), media_type="application/pdf")
    assert not build("p").errors
    assert paths("p") == {f"{source_id}/a.pdf#page=1"}


def test_robots_are_asked_about_pdfs_too(site, tmp_path):
    write_pdf(tmp_path / "a.pdf", [[Words("Tides", 700)]])
    site.put("/robots.txt", "User-agent: *\nDisallow: /private/", media_type="text/plain")
    make("p", [f"pdf:{site.put('/private/a.pdf', (tmp_path / 'a.pdf').read_bytes(), media_type='application/pdf')}"])
    assert "robots.txt" in build("p").errors[0]["error"]
    assert not [one for one in site.log if one.url.endswith("a.pdf")]


def test_damaged_pages_are_an_error_in_words(site, pages):
    make("p", [f"sitemap:{site.sitemap('/map.xml', pages(3))}"])
    build("p")
    path = catalog().layout("p").pages_db
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    for companion in ("-wal", "-shm"):
        path.with_name(path.name + companion).unlink(missing_ok=True)
    assert "cannot be used" in build("p").errors[0]["error"]


def test_another_writer_costs_a_source_no_attempt(folder, monkeypatch):
    """No source is to blame: the build ends with the word, and goes on where it was."""
    monkeypatch.setattr(library, "_PATIENCE", 0.05)
    make("p", [f"folder:{folder('part', 2)}", f"folder:{folder('other', 2)}"])
    build("p", options={"max_sources_per_build": 1})
    with writer_lock(catalog().layout("p").data.lock), pytest.raises(IndexBusy, match="writing"):
        build("p")
    status = project_build_status("p")
    assert (status.state, status.failed_sources, status.pending_sources) == ("checkpoint_available", 0, 1)
    assert build("p").progress.remaining == 0
    assert len(paths("p")) == 4


def test_what_a_deleted_project_left_behind_is_not_the_next_ones(folder):
    make("p", [f"folder:{folder('part', 2)}"])
    build("p")
    catalog().layout("p").manifest.unlink()  # as far as a `delete` comes that is killed
    catalog().create("p")
    assert not catalog().layout("p").data.store_db.exists()
    assert project_build_status("p").state == "idle"


def test_a_sitemap_with_a_part_that_is_gone_is_completed(site, pages):
    urls = pages(4)
    child = site.sitemap("/child.xml", urls)
    gone = site.url("/gone.xml")
    index = f"<sitemapindex><sitemap><loc>{child}</loc></sitemap><sitemap><loc>{gone}</loc></sitemap></sitemapindex>"
    make("p", [f"sitemap:{site.put('/index.xml', index, media_type='application/xml')}"])
    result = build("p")
    assert (result.progress.remaining, list(result.errors)) == (0, [])
    assert "gone.xml" in result.message
    site.sitemap("/child.xml", urls[:1])
    build("p")
    assert len(paths("p")) == 1


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("url:http://h.example/", {"include": ["x"]}),
        ("url:http://h.example/", {"max_pages": 3}),
        ("pdf:http://h.example/a.pdf", {"exclude": ["x"]}),
    ],
)
def test_what_a_source_cannot_heed_is_refused(spec, options, tmp_path):
    with pytest.raises(UsageError):
        chosen(read_spec(spec, base=tmp_path), **options)


def test_a_source_is_removed_by_the_words_it_was_added_with(folder, tmp_path, monkeypatch):
    make("p", [f"folder:{folder('part', 1)}"])
    monkeypatch.chdir(tmp_path)
    assert remove_source("p", "folder:part").uri == str(tmp_path / "part")


def test_other_patterns_make_another_list_in_the_middle_of_a_build(site, pages):
    urls = pages(130)
    spec = read_spec(f"sitemap:{site.sitemap('/map.xml', urls)}", base=cache_folder())
    catalog().create("p")
    catalog().add("p", [spec])
    assert build("p", options={"timeout_strategy": "split"}).progress.has_more
    catalog().add("p", [chosen(spec, max_pages=5)])
    build_all("p")
    assert len(paths("p")) == 5


def test_one_damaged_project_does_not_hide_the_others(folder, capsys):
    from scova.cli.main import main

    make("good", [f"folder:{folder('part', 1)}"])
    catalog().create("bad")
    catalog().layout("bad").manifest.write_text("{")
    with pytest.raises(ProjectError):
        catalog().get("bad")
    assert main(["project", "list", "--json"]) == 0
    said = capsys.readouterr()
    assert [one["project"] for one in json.loads(said.out)["projects"]] == ["good"]
    assert "is damaged" in said.err


def test_a_project_is_opened_once_and_has_the_sources_it_has_now(folder):
    make("p", [f"folder:{folder('part', 1)}"])
    build("p")
    desk = Desk([])
    try:
        first = desk.ask("p").index
        catalog().add("p", [read_spec(f"folder:{folder('more', 1)}", base=cache_folder())])
        asked = desk.ask("p")
        assert asked.index is first
        assert len(asked.manifest().sources) == 2
        with pytest.raises(ScovaError, match="named project"):
            desk.index("p")
    finally:
        desk.close()


def test_a_page_that_is_too_large_is_refused_whatever_it_is(site, monkeypatch):
    from scova.projects.feeds import pages as room

    monkeypatch.setattr(room, "MAX_PAGE_BYTES", 1000)
    make("p", [f"url:{site.put('/large', 'word ' * 1000, media_type='text/plain')}"])
    assert "too large" in build("p").errors[0]["error"]


def test_answers_say_where_a_chunk_is_in_the_world(site):
    from scova.projects.asking import search_projects
    from scova.types import Query

    url = site.put("/page/1", served.html(1))
    make("p", [f"url:{url}"])
    build("p")
    asked = search_projects(["p"], Query("harbour"))
    assert asked.origin(asked.answer.results[0].chunk).place == url


def test_an_emptied_folder_removes_nothing(folder):
    root = folder("part", 3)
    make("p", [f"folder:{root}"])
    build("p")
    for path in root.iterdir():
        path.unlink()
    assert "nothing of it is removed" in build("p").errors[0]["error"]
    assert len(paths("p")) == 3


def test_a_tag_that_is_no_text_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no tag"):
        chosen(read_spec("url:http://h.example/", base=tmp_path), tags=["\udcff"])


def test_a_damaged_project_can_be_deleted_and_its_name_used_again():
    catalog().create("bad")
    catalog().layout("bad").manifest.write_text("{")
    with pytest.raises(UsageError, match="`bad` already"):
        catalog().create("BAD")
    catalog().delete("bad")
    assert catalog().create("BAD").name == "BAD"


def test_what_cannot_be_read_is_told(folder):
    root = folder("part", 1)
    (root / "code.py").write_bytes(b"\x00\x01\x02" * 100)
    make("p", [f"folder:{root}"])
    built = build("p")
    assert "not read: code.py (it has zero bytes)" in built.message
    assert built.not_read == 1


def test_who_asked_for_json_gets_it_while_there_is_no_index(folder, capsys):
    from scova.cli.main import main

    make("p", [f"folder:{folder('part', 1)}"])
    assert main(["search", "--project", "p", "word", "--json"]) == 3
    assert set(json.loads(capsys.readouterr().out)) == {"error", "hint"}
