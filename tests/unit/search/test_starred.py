"""Words with a star: found by every word that fits, in the text, in names and in paths."""

import pytest

from indexed import view_of
from scova.search.answer import answer
from scova.types import Mode, Query

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


def test_a_star_that_nothing_fits_finds_nothing():
    for mode in (Mode.TEXT, Mode.HYBRID):
        assert answer(view_of(FILES), Query("zzz*", mode=mode)).results == ()
