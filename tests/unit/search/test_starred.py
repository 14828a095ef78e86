"""Words with a star: found by every word that fits, in the text, in names and in paths."""

import pytest

from indexed import view_of
from scova.search.answer import answer
from scova.search.searchers import kernels
from scova.types import ChunkType, Filters, Mode, Query

FILES = {
    "web/sitemap.py": "def read_sitemap(url):\n    return fetch(url)\n",
    "web/page.py": "def page(url):\n    '''One of those that a sitemap lists.'''\n    return fetch(url)\n",
    "web/other.py": "def site(url):\n    return url\n",
    "store/table.py": "def rows(connection):\n    return connection\n",
}


@pytest.mark.parametrize("mode", [Mode.TEXT, Mode.HYBRID])
@pytest.mark.parametrize("asked", ["sitem*", "SITEM*", "*itema*", "sitem* url", "+sitem*"])
def test_a_star_alone_finds_what_fits(asked, mode):
    found = answer(view_of(FILES), Query(asked, mode=mode))
    paths = [result.chunk.file_path for result in found.results]
    assert set(paths) == {"web/sitemap.py", "web/page.py"}
    assert paths[0] == "web/sitemap.py", "which is about it"
    assert found.total >= 2 and not found.nothing_relevant


def test_what_a_star_stands_for_counts_among_other_words():
    found = answer(view_of(FILES), Query("conn* rows", mode=Mode.TEXT))
    assert {result.chunk.file_path for result in found.results} == {"store/table.py"}


@pytest.fixture(params=["python", "numpy"])
def kernel(request, monkeypatch):
    """Run with one kernel and then with the other, whatever the size."""
    monkeypatch.setattr(kernels, "has_numpy", lambda: request.param == "numpy")
    monkeypatch.setattr(kernels, "_FEW", 0)


def found(asked, mode=Mode.TEXT, files=FILES):
    """The files whose definitions are found; their maps of symbols are texts of their own."""
    query = Query(asked, mode=mode, limit=50, filters=Filters(chunk_types=(ChunkType.DEFINITIONS,)))
    return {result.chunk.file_path for result in answer(view_of(files), query).results}


@pytest.mark.parametrize("mode", [Mode.TEXT, Mode.HYBRID])
@pytest.mark.parametrize(
    ("asked", "paths"),
    [
        ("connection OR sitem*", {"store/table.py", "web/sitemap.py", "web/page.py"}),
        ("conn* OR *itema*", {"store/table.py", "web/sitemap.py", "web/page.py"}),
        ("zzz OR sitem*", {"web/sitemap.py", "web/page.py"}),
        ("zzz* OR connection", {"store/table.py"}),
        ('"return connection" OR sitem*', {"store/table.py", "web/sitemap.py", "web/page.py"}),
        ("url AND site* OR connection", {"web/sitemap.py", "web/page.py", "web/other.py"}),
        ("url -sitem*", {"web/other.py"}),
        ("url NOT *itema*", {"web/other.py"}),
        ("url -item*", {"web/sitemap.py", "web/page.py", "web/other.py"}),  # no word begins so
        ("fetch -site* page", set()),
        ('url -"return url"', {"web/sitemap.py", "web/page.py"}),
        ('url -"a sitemap"', {"web/sitemap.py", "web/other.py"}),
        ('url -"map"', {"web/sitemap.py", "web/page.py", "web/other.py"}),  # as written, no part of a word
        ("url -map", {"web/other.py"}),
        ('"(url):" -sitem*', {"web/other.py"}),
        ('"=>" OR connection', {"store/table.py"}),
        ('"=>" OR "\'\'\'"', {"web/page.py"}),
    ],
)
def test_stars_and_phrases_are_joined_and_negated(asked, paths, mode, kernel):
    assert found(asked, mode) == paths


def test_a_star_in_a_group_is_ranked_by_what_fits():
    ranked = answer(view_of(FILES), Query("zzz OR sitem*", mode=Mode.HYBRID)).results
    assert ranked[0].chunk.file_path == "web/sitemap.py", "which is about it"


def test_underscores_at_the_edges_count_as_they_are_written():
    files = {"a.py": "class A:\n    def __init__(self):\n        pass\n", "b.py": "def init(self):\n    pass\n"}
    assert found("+__init__ self", files=files) == {"a.py"}
    assert found("__ini* self", files=files) == {"a.py"}
    assert found("self -__init__", files=files) == {"b.py"}
    assert found("self -init", files=files) == set()


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("*itema*", {"read_sitemap"}),
        ("*ITEMA*", {"read_sitemap"}),
        ("*ite*", {"read_sitemap", "site"}),
        ("read* OR *ow*", {"read_sitemap", "rows"}),
        ("*ite* -*map*", {"site"}),
        ("*zzz*", set()),
    ],
)
def test_parts_are_completed_over_names(asked, names):
    results = answer(view_of(FILES), Query(asked, mode=Mode.SYMBOL)).results
    assert {result.chunk.symbol for result in results} == names


def test_a_star_that_nothing_fits_finds_nothing():
    for mode in (Mode.TEXT, Mode.HYBRID):
        assert answer(view_of(FILES), Query("zzz*", mode=mode)).results == ()
