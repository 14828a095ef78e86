"""Nothing that is not public is reached through a project, in whatever form it is named, unless the settings allow it."""

import pytest

import served
from projected import build, build_all, findings, make, paths
from scova.errors import UsageError
from scova.projects import read_spec
from unit.sources.pdf.pdfs import Words, write_pdf

INWARD = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST.",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.2",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "[fe80::1]",
    "[fd00::1]",
]


@pytest.mark.parametrize("kind", ["url", "sitemap", "pdf"])
def test_no_form_of_an_inward_address_is_reached(site, monkeypatch, tmp_path, kind):
    """Each is a failure that says why, of its own source; the server, which is there, hears nothing at all."""
    monkeypatch.delenv("SCOVA_FETCH_ALLOW")
    path = {"url": "/page/1", "sitemap": "/map.xml", "pdf": "/x.pdf"}[kind]
    site.put("/page/1", served.html(1))
    site.sitemap("/map.xml", [site.url("/page/1")])
    site.put(
        "/x.pdf", write_pdf(tmp_path / "x.pdf", [[Words("secret", 700)]]).read_bytes(), media_type="application/pdf"
    )
    ids = make("p", [f"{kind}:http://{host}:{site.port}{path}" for host in INWARD])
    assert len({*ids}) == len(ids)
    result = build("p", options={"max_sources_per_build": 50})
    told = {error["source_id"]: error["error"] for error in result.errors}
    assert set(told) == set(ids)
    for source_id, error in told.items():
        is_malformed = "not a URL" in error  # some forms are not even read as addresses
        assert is_malformed or ("public" in error and "allow" in error), (source_id, error)
    assert not result.success
    assert site.log == []
    assert paths("p") == set()


@pytest.mark.parametrize(
    "words",
    [
        "url:file:///etc/passwd",
        "sitemap:file:///etc/passwd",
        "url:ftp://example.invalid/x",
        "url:gopher://127.0.0.1/",
        "url:javascript:alert(1)",
        "url:data:text/html,hello",
        "url:///etc/passwd",
        "url:http://",
        "url:http://user:secret@example.invalid/",
        "sitemap:http://secret@example.invalid/",
        "url:http://example.invalid:99999/",
        "url:http://[::1/",
        "ftp:http://example.invalid/",
        "pdf:file:///etc/passwd",
        "pdf:https://",
        "url:",
        "url",
        "",
    ],
)
def test_other_schemes_and_malformed_places_cannot_even_be_added(tmp_path, words):
    with pytest.raises(UsageError) as refused:
        read_spec(words, base=tmp_path)
    assert refused.value.hint
    assert "secret" not in refused.value.message


def test_what_the_settings_allow_is_fetched_and_nothing_beside_it(site, monkeypatch):
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", f"127.0.0.3:{site.port}, 127.0.0.5")
    urls = [site.put(f"/page/{host}", served.html(host), host=host) for host in range(6)]
    ids = make("p", [f"url:{url}" for url in urls])
    result = build("p")
    assert {error["source_id"] for error in result.errors} == {ids[0], ids[1], ids[3], ids[5]}
    assert {url for url in urls if site.counts[url]} == {urls[2], urls[4]}


def test_pages_that_a_sitemap_lists_are_judged_one_by_one(site, monkeypatch):
    """The sitemap may be fetched, the inward pages and sitemaps it lists may not; what may is there."""
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", "127.0.0.1")
    good = site.put("/page/1", served.html(1))
    inward = [
        site.put("/page/2", served.html(2), host=1),
        f"http://127.7:{site.port}/page/3",
        "http://169.254.169.254/latest",
        "http://[::ffff:127.0.0.2]/",
    ]
    site.put("/page/3", served.html(3))
    site.sitemap("/hidden.xml", [good])
    hidden = site.url("/hidden.xml", 3)
    index = site.sitemap_index("/index.xml", [site.sitemap("/map.xml", [good, *inward, "file:///etc/passwd"]), hidden])
    (source_id,) = make("p", [f"sitemap:{index}"])
    results = build_all("p")
    assert paths("p") == {f"{source_id}/{good}"}
    assert {one.url.partition(f":{site.port}")[0] for one in site.log} == {"http://127.0.0.1"}
    assert "public" in results[0].errors[0]["error"]
    assert findings("p") == []


def test_a_redirect_inward_is_not_followed(site, monkeypatch, tmp_path):
    """Of a page, of a sitemap, of a PDF and of robots.txt; also by way of a host that may be reached."""
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", "127.0.0.1, 127.0.0.2")
    secret = site.put("/page/secret", served.html(1), host=5)
    site.sitemap("/secret.xml", [secret])
    site.put("/secret.pdf", write_pdf(tmp_path / "x.pdf", [[Words("secret", 700)]]).read_bytes())
    specs = [
        f"url:{site.put('/page/a', b'', location=secret)}",
        f"url:{site.put('/page/b', b'', location=site.url('/page/c', 1))}",
        f"sitemap:{site.put('/m.xml', b'', location=site.url('/secret.xml', 5))}",
        f"pdf:{site.put('/x.pdf', b'', location=site.url('/secret.pdf', 5))}",
        f"url:{site.put('/page/d', b'', location='file:///etc/passwd')}",
    ]
    site.put("/page/c", b"", location=secret)
    ids = make("p", specs)
    result = build("p")
    told = {error["source_id"]: error["error"] for error in result.errors}
    assert set(told) == set(ids)
    assert all("public" in told[source_id] for source_id in ids[:4]), told
    assert "file" in told[ids[4]]
    assert not [one for one in site.log if one.url.startswith("http://127.0.0.6")]
    assert paths("p") == set()


def test_a_robots_txt_that_redirects_inward_brings_nothing_from_there(site, monkeypatch):
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", "127.0.0.1")
    site.put("/robots.txt", b"", location=site.url("/rules", 5))
    site.put("/rules", "User-agent: *\nDisallow:\n", media_type="text/plain")
    make("p", [f"url:{site.put('/page/1', served.html(1))}"])
    build("p")
    assert not [one for one in site.log if one.url.startswith("http://127.0.0.6")]
