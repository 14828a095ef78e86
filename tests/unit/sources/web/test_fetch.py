"""Fetching from a real server that behaves, and from one that does not."""

import datetime
import gzip
import shutil
import ssl
import subprocess
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from email.utils import format_datetime
from importlib.metadata import version
from itertools import pairwise

import pytest

from clock import Clock
from scova.errors import Cancelled
from scova.sources.web import polite, wire
from scova.sources.web.fetch import Fetcher
from scova.sources.web.fetched import Limits, Status
from scova.sources.web.polite import Gate, retry_after
from unit.sources.website import serving
from until import until

QUICK = Limits(seconds=5.0, download_seconds=5.0, attempts=3, first_wait=0.01, longest_wait=1.0, delay=0.0)
LOOPBACK = ["127.0.0.1"]


@pytest.fixture
def fetcher():
    with Fetcher(QUICK, allow=LOOPBACK) as made:
        yield made


def limited(**changes):
    values = {name: getattr(QUICK, name) for name in QUICK.__slots__} | changes
    return Fetcher(Limits(**values), allow=LOOPBACK)


def test_a_page_comes_with_what_the_server_says_of_it(site, fetcher):
    url = site.page(
        "/a",
        b"hello",
        Content_Type='Text/HTML; Charset="ISO-8859-1"',
        ETag='"1"',
        Last_Modified="Mon, 01 Jan 2024 00:00:00 GMT",
    )
    found = fetcher.get(url)
    assert (found.status, found.content, found.size, found.final_url) == (Status.OK, b"hello", 5, url)
    assert (found.media_type, found.charset) == ("text/html", "iso-8859-1")
    assert (found.etag, found.last_modified) == ('"1"', "Mon, 01 Jan 2024 00:00:00 GMT")
    assert (found.http_status, found.attempts, found.error) == (200, 1, "")
    assert site.headers[0]["user-agent"] == f"scova/{version('scova')}"


def test_validators_are_sent_and_an_unchanged_page_is_not(site, fetcher):
    url = site.page("/a", status=304)
    found = fetcher.get(url, etag='W/"7"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
    assert found.status is Status.UNCHANGED
    assert site.headers[0]["if-none-match"] == 'W/"7"'
    assert site.headers[0]["if-modified-since"] == "Mon, 01 Jan 2024 00:00:00 GMT"


def test_unchanged_without_having_asked_for_it_is_a_failure(site, fetcher):
    assert fetcher.get(site.page("/a", status=304)).status is Status.FAILED


def test_a_validator_cannot_smuggle_in_a_header(site, fetcher):
    assert fetcher.get(site.page("/a", b"x"), etag='"1"\r\nX-Evil: 1').is_ok
    assert "x-evil" not in site.headers[0]
    assert "if-none-match" not in site.headers[0]


@pytest.mark.parametrize(
    ("status", "expected"), [(404, Status.GONE), (410, Status.GONE), (403, Status.FAILED), (206, Status.FAILED)]
)
def test_what_will_not_change_is_asked_for_once(site, fetcher, status, expected):
    found = fetcher.get(site.page("/a", b"x", status=status))
    assert (found.status, found.http_status, len(site.asked)) == (expected, status, 1)
    assert str(status) in found.error


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599, 408])
def test_what_may_pass_is_tried_again(site, fetcher, status):
    found = fetcher.get(site.page("/a", status=status))
    assert (found.status, found.attempts, len(site.asked)) == (Status.FAILED, 3, 3)
    assert "3 times" in found.error


def test_a_page_that_comes_at_the_second_attempt_is_there(site, fetcher):
    answers = iter([(503, b""), (200, b"now")])
    site.pages["/a"] = lambda handler: handler.answer(*next(answers), {})
    found = fetcher.get(site.url("/a"))
    assert (found.content, found.attempts) == (b"now", 2)


@pytest.mark.parametrize("as_date", [False, True])
def test_the_time_a_server_asks_for_is_waited(site, fetcher, as_date):
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=2)
    value = format_datetime(soon, usegmt=True) if as_date else "1"
    answers = iter([(429, b"", {"Retry-After": value}), (200, b"now", {})])
    site.pages["/a"] = lambda handler: handler.answer(*next(answers))
    with limited(longest_wait=3.0) as patient:
        found = patient.get(site.url("/a"))
    assert found.content == b"now"
    assert site.times[1] - site.times[0] >= (0.5 if as_date else 1.0)


def test_a_server_that_asks_for_too_much_is_left_alone(site, fetcher):
    found = fetcher.get(site.page("/a", status=503, Retry_After="3600"))
    assert (found.status, found.attempts) == (Status.FAILED, 1)
    assert "3,600 s" in found.error


def test_other_threads_wait_too_when_a_host_asks_for_it(site):
    answers = iter([(429, b"", {"Retry-After": "1"}), (200, b"", {}), (200, b"", {})])
    site.pages["/a"] = lambda handler: handler.answer(*next(answers))
    with limited() as fetcher, ThreadPoolExecutor(2) as pool:
        first = pool.submit(fetcher.get, site.url("/a"))
        until(lambda: site.times and fetcher._gate._free_at.get("127.0.0.1", 0) > time.monotonic())
        second = pool.submit(fetcher.get, site.url("/a"))
        assert first.result().is_ok and second.result().is_ok
    assert min(site.times[1:]) - site.times[0] >= 0.95


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [("7", 7, 7), ("0", 0, 0), ("Mon, 01 Jan 2001 00:00:00 GMT", 0, 0), ("9" * 400, 1e11, 1e12)],
)
def test_retry_after_is_understood(value, low, high):
    assert low <= retry_after(value) <= high


@pytest.mark.parametrize("value", ["", "soon", "-1", "1.5", "٣", "Mon, 99 Foo 2001"])
def test_nonsense_in_retry_after_says_nothing(value):
    assert retry_after(value) is None


def test_redirects_are_followed_and_the_last_url_is_known(site, fetcher):
    site.redirect("/a", "/b", status=301)
    site.redirect("/b", "c?x=1#there", status=308)
    site.page("/c?x=1", b"end")
    found = fetcher.get(site.url("/a#here"))
    assert (found.content, found.final_url) == (b"end", site.url("/c?x=1"))
    assert site.asked == ["/a", "/b", "/c?x=1"]


def test_a_circle_of_redirects_is_noticed(site, fetcher):
    site.redirect("/a", "/b")
    site.redirect("/b", "/a")
    found = fetcher.get(site.url("/a"))
    assert "circle" in found.error
    assert len(site.asked) == 2


def test_ten_redirects_are_followed_and_no_more(site, fetcher):
    for number in range(11):
        site.redirect(f"/{number}", f"/{number + 1}")
    site.page("/11", b"end")
    assert fetcher.get(site.url("/1")).content == b"end"
    assert "more than 10 times" in fetcher.get(site.url("/0")).error


def test_cookies_are_not_kept(site, fetcher):
    site.page("/a", b"x", Set_Cookie="id=1; Path=/")
    fetcher.get(site.url("/a"))
    fetcher.get(site.url("/a"))
    assert all("cookie" not in headers for headers in site.headers)


def test_an_announced_size_over_the_limit_is_not_read(site):
    with limited(max_bytes=1000) as fetcher:
        found = fetcher.get(site.page("/a", b"x" * 1001))
    assert "too large" in found.error
    assert found.attempts == 1


def test_a_stream_without_an_end_is_cut_at_the_limit(site):
    def endless(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while True:
            handler.wfile.write(b"2000\r\n" + b"x" * 0x2000 + b"\r\n")

    site.pages["/a"] = endless
    with limited(max_bytes=100_000) as fetcher:
        assert "too large" in fetcher.get(site.url("/a")).error


def test_a_lower_limit_for_one_request_holds(site, fetcher):
    assert "too large" in fetcher.get(site.page("/a", b"x" * 101), max_bytes=100).error
    assert fetcher.get(site.page("/b", b"x" * 100), max_bytes=100).is_ok


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", lambda data: zlib.compress(data)[2:-4])],
)
def test_compressed_content_is_unpacked(site, fetcher, encoding, pack):
    body = b"hello " * 10_000
    assert fetcher.get(site.page("/a", pack(body), Content_Encoding=encoding)).content == body


def test_several_gzip_members_are_one_content(site, fetcher):
    body = gzip.compress(b"a" * 100) + gzip.compress(b"b" * 100) + b"\0\0"
    assert fetcher.get(site.page("/a", body, Content_Encoding="gzip")).content == b"a" * 100 + b"b" * 100


def test_a_bomb_is_not_unpacked_beyond_the_limit(site):
    bomb = gzip.compress(b"\0" * 50_000_000)
    with limited(max_bytes=1_000_000) as fetcher:
        found = fetcher.get(site.page("/a", bomb, Content_Encoding="gzip"))
    assert "unpacked" in found.error
    assert found.attempts == 1


def test_a_bomb_under_the_limit_is_known_by_its_ratio(site, fetcher):
    bomb = gzip.compress(b"\0" * 50_000_000)
    assert "times its size" in fetcher.get(site.page("/a", bomb, Content_Encoding="gzip")).error


@pytest.mark.parametrize("body", [gzip.compress(b"hello" * 1000, mtime=0)[:40], b"not gzip at all"])
def test_damaged_compression_fails_in_words(site, fetcher, body):
    found = fetcher.get(site.page("/a", body, Content_Encoding="gzip"))
    assert (found.status, found.content) == (Status.FAILED, b"")
    assert "compressed content" in found.error


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
def test_a_compression_that_was_not_asked_for_is_refused(site, fetcher, encoding):
    assert "not asked for" in fetcher.get(site.page("/a", b"x", Content_Encoding=encoding)).error


def test_a_connection_cut_in_the_middle_is_tried_again(site, fetcher):
    def cut_once(handler):
        if len(site.asked) == 1:
            handler.answer(200, b"half", {"Content_Length": "8"})
            handler.cut()
        else:
            handler.answer(200, b"complete", {})

    site.pages["/a"] = cut_once
    found = fetcher.get(site.url("/a"))
    assert (found.content, found.attempts) == (b"complete", 2)


def test_a_connection_that_is_always_cut_fails_in_words(site, fetcher):
    site.pages["/a"] = lambda handler: handler.cut()
    found = fetcher.get(site.url("/a"))
    assert (found.status, found.attempts) == (Status.FAILED, 3)
    assert "the connection failed" in found.error


def test_garbage_instead_of_http_fails_in_words(site, fetcher):
    def garbage(handler):
        handler.wfile.write(b"\x00\x01 what?\r\n\r\n")
        handler.cut()

    site.pages["/a"] = garbage
    assert "the connection failed" in fetcher.get(site.url("/a")).error


def test_nobody_listening_fails_in_words(site, fetcher):
    url = site.url("/")
    import socket

    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    found = fetcher.get(url.replace(str(site.port), str(port)))
    assert (found.status, found.attempts) == (Status.FAILED, 3)


@pytest.mark.parametrize("where", ["silent", "headers", "body"])
def test_a_slow_server_costs_the_whole_time_once_and_no_more(site, where):
    """A byte now and then keeps every single wait short; the whole is limited all the same."""
    over = threading.Event()

    def drip(handler):
        if where != "silent":
            handler.wfile.write(
                b"HTTP/1.1 200 OK\r\n" + (b"" if where == "headers" else b"Content-Length: 9999\r\n\r\n")
            )
        while not over.wait(0.05):
            handler.wfile.write(b"" if where == "silent" else b"x")

    site.pages["/a"] = drip
    with limited(seconds=0.4) as fetcher:
        found = fetcher.get(site.url("/a"))  # else it would not return before the test is over
    over.set()
    assert "too long" in found.error
    assert found.attempts == 1


@pytest.fixture
def clock(monkeypatch):
    """The clock by which calls are kept apart and given up."""
    return Clock(monkeypatch, polite, wire)


def test_waiting_for_ones_turn_is_not_counted_as_the_servers_time(site, clock):
    site.page("/a", b"x")
    with limited(seconds=0.4, delay=0.5) as fetcher:
        assert all(fetcher.get(site.url("/a")).is_ok for _ in range(3))
    assert sum(clock.slept) == pytest.approx(1.0)


def test_no_turn_is_taken_inside_the_delay_after_another(clock):
    class Noted(Gate):
        def _seconds_to_turn(self, host):
            with clock.lock:  # so that the moment is the one at which the turn was taken
                if not (left := super()._seconds_to_turn(host)):
                    moments.append(clock.now)
                return left

    gate, moments = Noted(0.02, clock.sleep), []
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: gate.wait("host"), range(12)))
    assert len(moments) == 12
    assert all(later - earlier > 0.019 for earlier, later in pairwise(moments))
    slept = len(clock.slept)
    gate.wait("other")
    assert len(clock.slept) == slept, "another host is nobody's turn"


def test_a_host_that_wants_more_distance_gets_it(site, clock):
    site.page("/a", b"x")
    with limited(delay=0.0) as fetcher:
        fetcher.slow(site.url("/"), 0.2)
        fetcher.get(site.url("/a"))
        fetcher.get(site.url("/a"))
    assert sum(clock.slept) == pytest.approx(0.2)


def test_redirects_and_retries_keep_their_distance_too(site, clock):
    site.redirect("/a", "/b")
    site.page("/b", status=500)
    with limited(delay=0.05, attempts=2) as fetcher:
        fetcher.get(site.url("/a"))
    assert len(site.times) == 4
    assert sum(clock.slept) >= 3 * 0.05 - 1e-9


@pytest.mark.parametrize("where", ["body", "turn"])
def test_stopping_ends_a_request_soon(site, where):
    stopped, over = threading.Event(), threading.Event()

    def slow(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx")
        stopped.set()
        over.wait(3600)

    site.pages["/a"] = slow
    if where == "turn":
        site.page("/a", b"x")
    limits = Limits(seconds=3600.0, delay=0.0 if where == "body" else 3600.0)  # not before the test is over
    with Fetcher(limits, allow=LOOPBACK, stop=stopped.is_set) as fetcher:
        if where == "turn":
            fetcher.get(site.url("/a"))
            threading.Timer(0.1, stopped.set).start()
        with pytest.raises(Cancelled):
            fetcher.get(site.url("/a"))
    over.set()


def test_a_download_lies_in_its_file_when_it_is_whole(site, fetcher, tmp_path):
    path = tmp_path / "a.pdf"
    body = bytes(range(256)) * 10_000
    found = fetcher.download(site.page("/a", body, ETag='"1"'), path)
    assert (found.status, found.size, found.content, found.etag) == (Status.OK, len(body), b"", '"1"')
    assert path.read_bytes() == body
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_or_unchanged_download_leaves_the_file_as_it_was(site, fetcher, tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(b"before")

    def cut(handler):
        handler.answer(200, b"half", {"Content_Length": "8"})
        handler.cut()

    site.pages["/a"] = cut
    assert fetcher.download(site.url("/a"), path).status is Status.FAILED
    assert fetcher.download(site.page("/b", status=304), path, etag="x").status is Status.UNCHANGED
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_download_that_is_tried_again_has_nothing_of_the_first_try(site, fetcher, tmp_path):
    def cut_once(handler):
        if len(site.asked) == 1:
            handler.answer(200, b"longer than the rest", {"Content_Length": "99"})
            handler.cut()
        else:
            handler.answer(200, b"short", {})

    site.pages["/a"] = cut_once
    assert fetcher.download(site.url("/a"), tmp_path / "a").attempts == 2
    assert (tmp_path / "a").read_bytes() == b"short"


def test_what_is_not_wanted_is_not_read(site, fetcher):
    found = fetcher.get(
        site.page("/a", b"x" * 1000, Content_Type="image/png"), wanted=lambda kind: f"{kind} is no text"
    )
    assert (found.status, found.error) == (Status.FAILED, "image/png is no text")


def test_the_proxy_of_the_environment_is_not_used(site, monkeypatch):
    """It would reach what the guard refuses."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, site.origin)
    with Fetcher(QUICK) as fetcher:
        assert "not a public address" in fetcher.get("http://127.0.0.1:9999/").error
    assert site.asked == []


def test_many_threads_share_one_fetcher(site):
    for number in range(40):
        site.page(f"/{number}", str(number).encode())
    with limited() as fetcher, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: fetcher.get(site.url(f"/{number}")).content, range(40)))
    assert found == [str(number).encode() for number in range(40)]


@pytest.mark.skipif(not shutil.which("openssl"), reason="a certificate is made with openssl")
def test_a_certificate_that_nobody_vouches_for_is_refused_once_and_a_trusted_one_is_not(site, tmp_path, monkeypatch):
    site.page("/a", b"hello")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(site, context) as secure:
        url = f"https://localhost:{secure.port}/a"
        with Fetcher(QUICK, allow=["localhost"]) as fetcher:
            found = fetcher.get(url)
        assert (found.status, found.attempts) == (Status.FAILED, 1), found.error
        assert "certificate" in found.error.lower()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with Fetcher(QUICK, allow=["localhost"]) as fetcher:
            assert fetcher.get(url).content == b"hello"
        with Fetcher(QUICK) as fetcher:
            assert "not a public address" in fetcher.get(url).error
