"""What a host's robots.txt lets us fetch."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from scova.errors import Cancelled
from scova.sources.web.fetch import Fetcher
from scova.sources.web.fetched import Fetched, Limits, Status
from scova.sources.web.robots import MAX_ROBOTS_BYTES, Robots

QUICK = Limits(seconds=5.0, attempts=2, first_wait=0.01, longest_wait=1.0, delay=0.0)


@pytest.fixture
def robots(site):
    with Fetcher(QUICK, allow=["127.0.0.1"]) as fetcher:
        yield Robots(lambda url: fetcher.get(url, max_bytes=MAX_ROBOTS_BYTES))


def test_rules_for_us_are_kept_wildcards_included(site, robots):
    site.page(
        "/robots.txt",
        b"User-agent: *\nDisallow: /\n\nUser-agent: Scova\nDisallow: /private\nDisallow: /*.zip$\nAllow: /private/open\n",
    )
    allowed = {
        path: robots.verdict(site.url(path)).allowed
        for path in ("/", "/private/x", "/private/open", "/a.zip", "/a.zip?x")
    }
    assert allowed == {"/": True, "/private/x": False, "/private/open": True, "/a.zip": False, "/a.zip?x": True}
    assert "robots.txt" in robots.verdict(site.url("/private/x")).reason


def test_rules_for_everyone_hold_for_us_too(site, robots):
    site.page("/robots.txt", b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /\r\n")
    assert not robots.verdict(site.url("/x")).allowed


@pytest.mark.parametrize("status", [401, 403, 404, 410, 451])
def test_without_rules_everything_is_allowed(site, robots, status):
    site.page("/robots.txt", status=status)
    assert robots.verdict(site.url("/x")).allowed


@pytest.mark.parametrize("status", [429, 500, 503])
def test_while_the_rules_cannot_be_had_nothing_is_allowed(site, robots, status):
    site.page("/robots.txt", status=status)
    verdict = robots.verdict(site.url("/x"))
    assert not verdict.allowed
    assert str(status) in verdict.reason


def test_a_host_that_does_not_answer_allows_nothing(site, robots):
    site.pages["/robots.txt"] = lambda handler: handler.cut()
    assert not robots.verdict(site.url("/x")).allowed


def test_each_host_is_asked_once_whoever_asks(site, robots):
    site.page("/robots.txt", b"User-agent: *\nDisallow: /no\n")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: robots.verdict(site.url(f"/{number}")).allowed, range(50)))
    assert all(found)
    assert site.asked == ["/robots.txt"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("Crawl-delay: 2", 2.0),
        ("Crawl-delay: 9999", 30.0),
        ("Crawl-delay: x", 0.0),
        ("Crawl-delay: nan", 0.0),
        ("Crawl-delay: -3", 0.0),
        ("Crawl-delay: inf", 0.0),
        ("Request-rate: 1/5", 5.0),
    ],
)
def test_the_distance_a_host_wants_is_known_up_to_a_cap(site, robots, rule, expected):
    site.page("/robots.txt", f"User-agent: *\n{rule}\n".encode())
    assert robots.delay(site.url("/x")) == expected


def test_a_huge_file_is_read_as_far_as_the_standard_asks(site, robots):
    site.page("/robots.txt", b"User-agent: *\nDisallow: /no\n" + b"# filling\n" * 100_000 + b"Disallow: /late\n")
    assert not robots.verdict(site.url("/no")).allowed
    assert robots.verdict(site.url("/late")).allowed


def test_being_stopped_while_asking_leaves_the_question_open(site):
    answers = iter([Cancelled("stopped"), Fetched(Status.GONE, "x")])

    def fetch(url):
        answer = next(answers)
        if isinstance(answer, Cancelled):
            raise answer
        return answer

    robots = Robots(fetch)
    with pytest.raises(Cancelled):
        robots.verdict("http://public.example/x")
    assert robots.verdict("http://public.example/x").allowed


@pytest.mark.parametrize("url", ["http://[", "", "nonsense", "http://"])
def test_what_is_no_url_is_not_allowed(site, url):
    with Fetcher(QUICK) as fetcher:
        robots = Robots(fetcher.get)
        assert not robots.verdict(url).allowed
        assert robots.delay(url) == 0.0
        fetcher.slow(url, 1.0)
