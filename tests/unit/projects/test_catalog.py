"""Projects and their sources: names, batches, what makes two sources the same, what is wanted of one, removing and deleting."""

import json
import threading

import pytest

import served
from projected import build, build_all, catalog, findings, make, paths, state, text_of
from scova.errors import ProjectError, QueryError, UsageError
from scova.projects import Library, chosen, read_spec
from scova.projects.removal import remove_source
from scova.sources.web.spool import Spool
from scova.types import Filters, Query
from unit.sources.pdf.pdfs import Words, write_pdf


@pytest.mark.parametrize("name", ["", "..", ".", "a/b", "../x", "-x", ".hidden", "a b", "x" * 65, "a\n", "é", "a\0b"])
def test_what_cannot_be_a_name_is_refused(name, cache):
    for call in (catalog().create, catalog().get, catalog().delete):
        with pytest.raises(UsageError):
            call(name)
    assert name not in catalog()
    assert list(cache.iterdir()) == []


def test_projects_are_created_listed_and_deleted(cache):
    for name in ("docs", "A.b-c_1"):
        catalog().create(name)
    assert catalog().names() == ["A.b-c_1", "docs"]
    for same in ("docs", "DOCS"):
        with pytest.raises(UsageError):
            catalog().create(same)
    catalog().delete("docs")
    assert catalog().names() == ["A.b-c_1"]
    assert "docs" not in catalog()
    with pytest.raises(UsageError) as refused:
        catalog().get("docs")
    assert "A.b-c_1" in refused.value.hint
    assert not list(cache.rglob("docs"))


def test_of_several_who_create_the_same_project_one_does():
    outcomes = []

    def create(name):
        try:
            outcomes.append(catalog().create(name).name)
        except UsageError:
            outcomes.append("")

    threads = [threading.Thread(target=create, args=(name,)) for name in ("Docs", "docs", "DOCS", "docs")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(map(bool, outcomes)) == 1
    assert len(catalog().names()) == 1


def test_deleting_removes_everything_that_was_built_and_nothing_else(folder, cache):
    root = folder("f", 2)
    make("p", [f"folder:{root}"])
    make("q", [f"folder:{root}"])
    build("p")
    build("q")
    catalog().delete("p")
    assert len(list(root.iterdir())) == 2
    assert len(paths("q")) == 2
    make("p", [])
    assert catalog().get("p").sources == ()
    assert not catalog().layout("p").data.store_db.exists()


def test_at_most_fifty_sources_are_added_at_once(tmp_path):
    catalog().create("p")
    specs = [read_spec(f"url:http://example.invalid/{n}", base=tmp_path) for n in range(51)]
    with pytest.raises(UsageError) as refused:
        catalog().add("p", specs)
    assert "50" in refused.value.hint
    assert catalog().get("p").sources == ()
    catalog().add("p", specs[:50])
    catalog().add("p", specs[40:])
    assert len(catalog().get("p").sources) == 51


def test_sources_are_the_same_when_type_and_place_are(tmp_path, folder):
    root = folder("f", 1)
    catalog().create("p")
    same = [
        "http://Example.invalid",
        "http://example.invalid:80/",
        "http://example.invalid/#part",
        "HTTP://EXAMPLE.invalid/",
    ]
    added, there = catalog().add("p", [read_spec(f"url:{url}", base=tmp_path) for url in same])
    assert (len(added), len(there)) == (1, 0)
    added, there = catalog().add("p", [read_spec(f"sitemap:{same[0]}", base=tmp_path)])
    assert len(added) == 1
    added, _ = catalog().add(
        "p", [read_spec("folder:f", base=tmp_path), read_spec(f"folder:{root}/../f/", base=tmp_path)]
    )
    assert len(added) == 1
    added, there = catalog().add("p", [chosen(read_spec("folder:f", base=tmp_path), tags=["new"])])
    assert (len(added), len(there)) == (0, 1)
    assert [spec.tags for spec in catalog().get("p").sources if spec.type == "folder"] == [("new",)]
    assert len({spec.source_id for spec in catalog().get("p").sources}) == 3


def test_sources_added_by_several_at_once_are_all_there(tmp_path):
    catalog().create("p")

    def add(number):
        for n in range(5):
            catalog().add("p", [read_spec(f"url:http://example.invalid/{number}/{n}", base=tmp_path)])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(catalog().get("p").sources) == 30


@pytest.mark.parametrize("tags", [["a b"], ["a,b"], [""], ["x" * 65], ["a\n"]])
def test_what_cannot_be_a_tag_is_refused(tmp_path, tags):
    with pytest.raises(UsageError):
        chosen(read_spec("url:http://example.invalid/", base=tmp_path), tags=tags)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"version": 1}', b"\xff\xfe"])
def test_a_damaged_manifest_is_an_error_that_names_the_file(damage):
    make("p", [])
    path = catalog().layout("p").manifest
    path.write_bytes(damage)
    with pytest.raises(ProjectError) as refused:
        catalog().get("p")
    assert str(path) in refused.value.message


def test_a_manifest_of_a_newer_scova_is_refused():
    make("p", [])
    path = catalog().layout("p").manifest
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    with pytest.raises(ProjectError) as refused:
        catalog().get("p")
    assert "newer" in refused.value.message


# --- what is wanted of a source


def found(name, text, **filters):
    with Library.open(name) as library:
        return {result.chunk.file_path for result in library.search(Query(text, filters=Filters(**filters))).results}


def test_tags_reach_the_chunks_and_can_be_filtered_by(site, folder, pages):
    (url,) = pages(1)
    page = make("p", [f"url:{url}"], tags=["web", "guide"])[0]
    notes = make("p", [f"folder:{folder('f', 2)}"], tags=["notes"])[0]
    build_all("p")
    assert {path.partition("/")[0] for path in found("p", "note page", tags=("guide",))} == {page}
    assert {path.partition("/")[0] for path in found("p", "note page", tags=("notes",))} == {notes}
    assert {path.partition("/")[0] for path in found("p", "note page")} == {page, notes}
    assert found("p", "note page", tags=("none",)) == set()


def test_other_tags_of_a_source_replace_those_of_its_chunks_without_fetching(site, pages):
    urls = pages(3)
    spec = f"sitemap:{site.sitemap('/map.xml', urls)}"
    make("p", [spec], tags=["old"])
    build_all("p")
    make("p", [spec], tags=["new"])
    mark = site.mark
    build_all("p")
    assert found("p", "page", tags=("old",)) == set()
    assert len(found("p", "page", tags=("new",))) == 3
    assert {one.sent for one in site.since(mark) if "/page/" in one.url} == {0}
    assert findings("p") == []


def test_patterns_choose_files_of_a_folder(folder):
    root = folder("f", 3)
    (root / "deep").mkdir()
    for name in ("a.py", "b.txt"):
        (root / "deep" / name).write_text("x = 1\n")
    (source_id,) = make("p", [f"folder:{root}"], include=["**/*.md", "deep/**"], exclude=["deep/b.txt", "note_0001.md"])
    build("p")
    assert paths("p") == {f"{source_id}/{name}" for name in ("note_0000.md", "note_0002.md", "deep/a.py")}
    make("p", [f"folder:{root}"], include=["deep/**"])
    build("p")
    assert paths("p") == {f"{source_id}/deep/{name}" for name in ("a.py", "b.txt")}
    assert findings("p") == []


def test_patterns_choose_pages_of_a_sitemap_and_others_are_not_even_asked_for(site, pages):
    urls = pages(6)
    spec = f"sitemap:{site.sitemap('/map.xml', urls)}"
    (source_id,) = make("p", [spec], include=["*/page/[0-3]"], exclude=["/page/2"])
    build("p")
    assert paths("p") == {f"{source_id}/{urls[n]}" for n in (0, 1, 3)}
    assert not site.asked_for("/page/2")
    assert not site.asked_for("/page/5")


def test_max_pages_cuts_a_sitemap_and_says_so(site, pages):
    urls = pages(6)
    (source_id,) = make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"], max_pages=4)
    result = build("p")
    assert paths("p") == {f"{source_id}/{url}" for url in urls[:4]}
    assert "4 pages" in result.message
    assert not site.asked_for("/page/4")


def test_max_pages_cuts_a_pdf_and_says_so(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", [[Words(f"Page number {n}", 700)] for n in range(5)])
    make("p", [f"pdf:{path}"], max_pages=2)
    result = build("p")
    assert len(paths("p")) == 2
    assert "2 of 5" in result.message


@pytest.mark.parametrize("most", [-1, 50_001])
def test_max_pages_out_of_range_is_an_error(tmp_path, most):
    with pytest.raises(UsageError):
        chosen(read_spec("sitemap:http://example.invalid/", base=tmp_path), max_pages=most)


@pytest.mark.parametrize("host", ["a\0b", "\u202e", "a..b", ".a", "a b", "a" * 64, "a/\x01", "\ud800"])
def test_what_no_host_can_be_called_is_no_address(tmp_path, host):
    for kind in ("url", "sitemap", "pdf"):
        with pytest.raises(UsageError, match="is no URL"):
            read_spec(f"{kind}:http://{host}/", base=tmp_path)


@pytest.mark.parametrize("host", ["a.", "localhost:8000", "[::1]:3", "bücher.example", "my_host", "127.0.0.1"])
def test_what_a_host_can_be_called_is_an_address(tmp_path, host):
    assert read_spec(f"url:http://{host}/ü?q=1", base=tmp_path).uri == f"http://{host}/ü?q=1"


def test_patterns_that_are_too_long_are_refused_when_a_source_is_added(tmp_path):
    sitemap = read_spec("sitemap:http://example.invalid/", base=tmp_path)
    for wrong in ({"include": ["a" * 1025]}, {"exclude": ["a" * 1025]}, {"include": ["a" * 1000] * 66}):
        with pytest.raises(QueryError, match="characters"):
            chosen(sitemap, **wrong)


def test_what_is_not_for_a_kind_of_source_is_refused_and_not_ignored(tmp_path, folder):
    page = read_spec("url:http://example.invalid/", base=tmp_path)
    for wrong in ({"include": ["*"]}, {"exclude": ["*"]}, {"max_pages": 3}):
        with pytest.raises(UsageError):
            chosen(page, **wrong)
    with pytest.raises(UsageError):
        chosen(read_spec(f"folder:{folder('f', 1)}", base=tmp_path), max_pages=3)


# --- provenance


def test_every_chunk_tells_where_it_comes_from(site, folder, tmp_path):
    url = site.put("/page/guide", served.html(3))
    pdf = write_pdf(tmp_path / "manual.pdf", [[Words("First", 700)], [Words("Second page words", 700)]])
    root = folder("f", 1)
    ids = make("p", [f"url:{url}", f"pdf:{pdf}", f"folder:{root}"])
    build("p")
    assert paths("p") == {
        f"{ids[0]}/{url}", f"{ids[1]}/manual.pdf#page=1", f"{ids[1]}/manual.pdf#page=2", f"{ids[2]}/note_0000.md"
    }  # fmt: skip
    symbols = {row[8] for row in state("p")["chunks"] if row[0] == f"{ids[0]}/{url}"}
    assert any("How to use" in symbol for symbol in symbols), symbols
    text = text_of("p", f"{ids[0]}/{url}")
    assert "def " in text
    assert "| name" in text
    assert "home" not in text


def test_the_same_text_at_two_places_is_there_twice(site):
    urls = [site.put(f"/page/{n}", served.html(1), host=n) for n in range(2)]
    make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    build("p")
    assert len(paths("p")) == 2
    assert findings("p") == []


# --- removing


def test_a_removed_source_leaves_nothing_behind(site, pages, folder, tmp_path):
    urls = pages(3)
    pdf = write_pdf(tmp_path / "m.pdf", [[Words("First", 700)]]).read_bytes()
    specs = [
        f"sitemap:{site.sitemap('/map.xml', urls)}",
        f"folder:{folder('f', 2)}",
        f"pdf:{site.put('/m.pdf', pdf, media_type='application/pdf')}",
    ]
    ids = make("p", specs)
    build("p")
    assert len(paths("p")) == 6
    remove_source("p", ids[0])
    remove_source("p", specs[2])
    assert {path.partition("/")[0] for path in paths("p")} == {ids[1]}
    assert [spec.source_id for spec in catalog().get("p").sources] == [ids[1]]
    with Spool(catalog().layout("p").pages_db) as spool:
        assert spool.source_ids() == []
    root = catalog().layout("p").root
    assert not [path for path in root.rglob("*") if ids[2] in path.name or ids[0] in path.name]
    assert findings("p") == []
    assert found("p", "harbour lantern") <= paths("p")
    with pytest.raises(UsageError) as refused:
        remove_source("p", ids[0])
    assert ids[1] in refused.value.hint
    assert not build("p").progress.has_more


def test_removing_a_source_before_anything_was_built_is_fine(tmp_path):
    (source_id,) = make("p", ["url:http://example.invalid/"])
    remove_source("p", source_id)
    assert catalog().get("p").sources == ()


def test_a_source_that_is_removed_between_two_slices_is_not_waited_for(folder):
    ids = make("p", [f"folder:{folder(f'f{n}', 1)}" for n in range(3)])
    build("p", options={"max_sources_per_build": 1})
    remove_source("p", ids[0])
    remove_source("p", ids[2])
    result = build("p")
    assert (result.progress.total_sources, result.progress.remaining, result.progress.has_more) == (1, 0, False)
    assert paths("p") == {f"{ids[1]}/note_0000.md"}
