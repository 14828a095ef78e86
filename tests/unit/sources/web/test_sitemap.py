"""Which pages a sitemap lists."""

import gzip
import tracemalloc

import pytest

from scova.sources.web.fetched import Fetched, Status
from scova.sources.web.sitemap import Patterns, pages

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
HOME = "http://h.example/sitemap.xml"


def urlset(*urls):
    body = "".join(f"<url><loc>{url}</loc><lastmod>2024-01-01</lastmod></url>" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>{body}</urlset>'.encode()


def index(*urls):
    body = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex {NAMESPACE}>{body}</sitemapindex>".encode()


def listed(files, limit=1000, url=HOME, **options):
    """The list of the first of some files, by URL; a file that is a text is an error."""
    files = files if isinstance(files, dict) else {HOME: files}

    def fetch(place):
        content = files.get(place, "it is not there")
        if isinstance(content, str):
            return Fetched(Status.FAILED, place, error=content)
        return Fetched(Status.OK, place, place, content=content)

    return pages(fetch, url, limit=limit, **options)


def test_pages_come_once_in_order_and_only_from_the_web():
    found = listed(
        urlset(
            " http://h.example/b?x=1&amp;y=2 \n", "http://h.example/a", "ftp://h.example/", "file:///etc/passwd", "javascript:x",
            "http://h.example/a", "http://h.example/a#part", "/relative", "",
        )
    )  # fmt: skip
    assert found.urls[:3] == ("http://h.example/b?x=1&y=2", "http://h.example/a", "http://h.example/relative")
    assert (found.cut, found.errors) == ("", ())


def test_only_the_addresses_of_pages_count():
    content = """<x:urlset xmlns:x="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">
    <x:url><x:loc><![CDATA[http://h.example/a]]></x:loc><i:image><i:loc>http://h.example/i.png</i:loc></i:image></x:url></x:urlset>"""
    assert listed(content.encode()).urls == ("http://h.example/a",)


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_packed_files_are_known_by_their_content(pack):
    assert listed(pack(urlset("http://h.example/a"))).urls == ("http://h.example/a",)
    assert listed(pack(b"http://h.example/a\r\nhttps://h.example/b\n")).urls == (
        "http://h.example/a",
        "https://h.example/b",
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_files_in_other_encodings_are_read(encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?><urlset><url><loc>http://h.example/ä</loc></url></urlset>'
    assert listed(content.encode(encoding)).urls == ("http://h.example/ä",)


def test_index_files_are_followed_in_their_place_each_once():
    files = {
        HOME: index("http://h.example/1.xml", "http://h.example/2.xml.gz", HOME, "http://h.example/1.xml"),
        "http://h.example/1.xml": index("http://h.example/1a.xml", HOME),
        "http://h.example/1a.xml": urlset("http://h.example/a"),
        "http://h.example/2.xml.gz": gzip.compress(urlset("http://h.example/b", "http://h.example/a")),
    }
    assert listed(files).urls == ("http://h.example/a", "http://h.example/b")


def test_nesting_ends_at_three_and_says_so():
    files = {f"http://h.example/{number}": index(f"http://h.example/{number + 1}") for number in range(1, 6)}
    found = listed(files, url="http://h.example/1")
    assert len(found.notes) == 1
    assert "http://h.example/3: " in found.notes[0]


def test_a_list_that_is_cut_says_so_and_a_whole_one_does_not():
    urls = [f"http://h.example/{number}" for number in range(10)]
    assert listed(urlset(*urls), limit=10).cut == ""
    found = listed(urlset(*urls), limit=9)
    assert (len(found.urls), "first 9" in found.cut) == (9, True)


def test_nothing_more_is_fetched_once_there_is_enough():
    files = {
        HOME: index("http://h.example/1", "http://h.example/2"),
        "http://h.example/1": urlset("http://h.example/a", "http://h.example/b"),
    }
    found = listed(files, limit=1)
    assert (found.urls, found.errors) == (("http://h.example/a",), ())


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (("http://h.example/docs/*",), (), {"/docs/a", "/docs/b?v=1"}),
        (("/docs/*",), (), {"/docs/a", "/docs/b?v=1"}),
        ((), ("*?v=*",), {"/docs/a", "/blog"}),
        (("/docs/*", "/blog"), ("*/b[?]*",), {"/docs/a", "/blog"}),
        (("/DOCS/*",), (), set()),
    ],
)
def test_patterns_choose_pages(include, exclude, expected):
    content = urlset("http://h.example/docs/a", "http://h.example/docs/b?v=1", "http://h.example/blog")
    found = listed(content, patterns=Patterns(include, exclude))
    assert {url.removeprefix("http://h.example") for url in found.urls} == expected
    assert found.left_out == 3 - len(expected)


def test_patterns_do_not_use_up_the_limit():
    content = urlset(*(f"http://h.example/no/{number}" for number in range(50)), "http://h.example/yes")
    found = listed(content, limit=1, patterns=Patterns(exclude=("/no/*",)))
    assert (found.urls, found.cut) == (("http://h.example/yes",), "")


@pytest.mark.parametrize(
    "content",
    [
        "the server answered 500",
        b"",
        b"<html><body>not found</body></html>",
        b"<rss><channel/></rss>",
        b"\x89PNG\r\n\x1a\n\0\0",
        b"just words\n",
        b"x" * 100_000,
        gzip.compress(urlset("http://h.example/a") * 100, mtime=0)[:60],
        b"\x1f\x8bnot gzip",
        b'<?xml version="1.0" encoding="no-such-thing"?><urlset/>',
        urlset("http://h.example/a")[:-20] + b"<",
        b"<urlset>" * 100,
    ],
)
def test_a_broken_file_is_an_error_that_names_it(content):
    found = listed(content)
    (error,) = found.errors
    assert error.startswith(f"{HOME}: ")
    assert len(error) > len(HOME) + 5


def test_what_stood_before_the_break_is_kept_and_other_files_too():
    files = {
        HOME: index("http://h.example/1", "http://h.example/2", "http://h.example/3"),
        "http://h.example/1": urlset("http://h.example/a", "http://h.example/b")[:-60],
        "http://h.example/2": "the server answered 500",
        "http://h.example/3": urlset("http://h.example/c"),
    }
    found = listed(files)
    assert found.urls == ("http://h.example/a", "http://h.example/c")
    assert len(found.errors) == 2


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">',
        '<!ENTITY c SYSTEM "file:///etc/passwd">',
        '<!ENTITY % c SYSTEM "http://127.0.0.1/x">',
    ],
)
def test_entities_are_refused(declared):
    content = f"<!DOCTYPE urlset [{declared}]><urlset><url><loc>http://h.example/&c;</loc></url></urlset>"
    found = listed(content.encode())
    assert found.urls == ()
    assert "entities" in found.errors[0]


def test_a_bomb_is_refused():
    found = listed(gzip.compress(b" " * 60_000_000 + urlset("http://h.example/a")))
    assert "times its size" in found.errors[0]


def test_fifty_thousand_pages_take_little_memory():
    content = gzip.compress(urlset(*(f"http://h.example/some/folder/page-{number}.html" for number in range(50_000))))
    tracemalloc.start()
    found = listed(content, limit=100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.urls) == 50_000
    assert peak < 20_000_000
