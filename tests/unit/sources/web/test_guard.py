"""Nothing but the public internet can be reached, however it is asked for, unless it is allowed."""

import socket
import threading

import httpcore2
import pytest

from scova.errors import UsageError
from scova.sources.web.addresses import literal, why_closed
from scova.sources.web.fetch import Fetcher
from scova.sources.web.fetched import Limits, Status
from scova.sources.web.guard import Guard, Refused
from unit.sources.website import Site, serving

QUICK = Limits(seconds=2.0, attempts=2, first_wait=0.01, delay=0.0)
PUBLIC = "93.184.216.34"


def fetched(url, *, allow=(), resolve=None):
    with Fetcher(QUICK, allow=allow, resolve=resolve) as fetcher:
        return fetcher.get(url)


CLOSED_HOSTS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7F.1",
    "017700000001",
    "0177.0.0.1",
    "0177.1",
    "127.0.0.1.",
    "0",
    "0.0.0.0",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:0:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[2002:a00:1::1]",
    "[2001::1]",
    "[2001:db8::1]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[fe80::1%25lo]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fec0::1]",
    "[ff02::1]",
    "[100::1]",
    "[2606:4700::5efe:7f00:1]",
    "[::ffff:169.254.169.254]",
    "[4000::1]",
    "[3fff::1]",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "127。0。0。1",
]


@pytest.mark.parametrize("host", CLOSED_HOSTS)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_address_that_is_not_public_is_refused_in_every_spelling(host, scheme):
    found = fetched(f"{scheme}://{host}/")
    assert (found.status, found.http_status) == (Status.FAILED, 0)
    assert found.attempts == 1, "what is refused must not be tried again"
    assert "not a public address" in found.error or "not a URL" in found.error, found.error


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "localhost", "127.0.0.1."])
def test_a_server_that_does_listen_on_loopback_is_not_connected_to(host):
    """The refusal is no failure to connect: the server is there, and hears nothing."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    found = fetched(f"http://{host}:{port}/")
    listener.setblocking(False)
    with listener, pytest.raises(BlockingIOError):
        listener.accept()
    assert "not a public address" in found.error


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "gopher://127.0.0.1:70/",
        "ftp://example.com/",
        "data:text/html,x",
        "javascript:alert(1)",
        "ws://example.com/",
        "unix:///run/x.sock",
        "about:blank",
        "jar:http://x!/y",
        "//example.com/",
        "/etc/passwd",
        "example.com",
        "http:",
        "http://",
        "http:///x",
        "https://:443/",
        "blob:http://x",
        "view-source:http://x",
        "dict://x:11111/",
        "ldap://x",
        "netdoc:///etc/passwd",
    ],
)
def test_other_schemes_and_urls_without_a_host_are_refused(url):
    found = fetched(url, resolve=lambda host, port: pytest.fail("nothing may be looked up"))
    assert (found.status, found.http_status, found.attempts) == (Status.FAILED, 0, 1)
    assert found.error


@pytest.mark.parametrize(
    "url",
    [
        "http://public.example@127.0.0.1/",
        "http://user:secret@public.example/",
        "http://public.example%40127.0.0.1/",
        "http://public.example\\@127.0.0.1/",
        "http://127.0.0.1\\@public.example/",
        "http://127.0.0.1#@public.example/",
        "http://127.0.0.1?@public.example/",
        "http://public.example:80@127.0.0.1:80/",
        "http://127.0.0.1%2f@public.example/",
        "http://public.example\t@127.0.0.1/",
        "http://public.example\r\nHost: x/",
        "http://public .example/",
        "http://[::1",
        "http://[v1.x]/",
        "http://①②⑦.0.0.1/",
        "http://1.2.3.4.5/",
        "http://256.256.256.256/",
        "http://public.127/",
        "http://99999999999999999999999999/",
        "http://0x" + "f" * 5000 + "/",
    ],
)
def test_tricks_with_user_names_and_separators_lead_nowhere(url):
    """Whatever a URL is taken to mean, no closed address is reached and no name but the public one is looked up."""
    asked = []

    def resolve(host, port):
        asked.append(host)
        return ["127.0.0.1"]

    found = fetched(url, resolve=resolve)
    assert (found.status, found.http_status) == (Status.FAILED, 0)
    assert set(asked) <= {"public.example"}


@pytest.mark.parametrize(
    "url", ["http://public.example:0/", "http://public.example:65536/", "http://public.example:-1/"]
)
def test_a_number_that_is_no_port_is_refused(url):
    assert fetched(url, resolve=lambda host, port: [PUBLIC]).status is Status.FAILED


@pytest.mark.parametrize("port", [21, 22, 23, 25, 53, 110, 143, 389, 445, 587, 993])
def test_ports_of_other_services_are_refused_unless_allowed(port):
    with pytest.raises(Refused, match="port"):
        Guard().target(f"http://public.example:{port}/")
    with pytest.raises(Refused, match="port"):
        Guard().addresses("public.example", port)
    assert Guard([f"public.example:{port}"]).target(f"http://public.example:{port}/").port == port


@pytest.mark.parametrize(
    "answers",
    [["127.0.0.1"], ["::1"], ["10.1.2.3", "192.168.0.1"], ["169.254.169.254"], ["::ffff:127.0.0.1"], ["fe80::1%lo"]],
)
def test_a_name_that_resolves_inwards_is_refused(answers):
    found = fetched("http://innocent.example/", resolve=lambda host, port: answers)
    assert "innocent.example is" in found.error
    assert "not a public address" in found.error


def test_the_system_resolver_is_judged_too():
    """`localhost` by way of the real resolver."""
    assert "not a public address" in fetched("http://localhost:8765/").error


def test_a_name_that_points_elsewhere_the_second_time_is_judged_again(site, monkeypatch):
    """Rebinding: the address that was judged is the one that is connected to, and the next connection is judged anew."""
    site.page("/", b"secret")
    answers = iter([[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]])
    connected = []

    def connect(self, host, port, *rest):
        connected.append(host)
        raise httpcore2.ConnectError("no test goes out")

    monkeypatch.setattr(httpcore2.SyncBackend, "connect_tcp", connect)
    with Fetcher(Limits(seconds=2.0, attempts=1, delay=0.0), resolve=lambda host, port: next(answers)) as fetcher:
        first = fetcher.get(f"http://rebinding.example:{site.port}/")
        second = fetcher.get(f"http://rebinding.example:{site.port}/")
    assert "no test goes out" in first.error
    assert "not a public address" in second.error
    assert connected == [PUBLIC]


def test_of_several_addresses_only_the_public_are_tried(site):
    """A public address that does not answer is no reason to go to the private one beside it."""
    site.page("/", b"secret")
    found = Guard(resolve=lambda host, port: ["127.0.0.1", PUBLIC, "::1"]).addresses("mixed.example", site.port)
    assert [str(address) for address in found] == [PUBLIC]


@pytest.mark.parametrize(
    "to",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://0x7f.2/",
        "//192.168.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "data:text/plain,x",
        "http://user@127.0.0.1/",
        "http://inward.example/",
        "https://inward.example:8443/",
        "http://[",
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_inwards_is_refused(site, to, status):
    site.redirect("/", to, status=status)
    allowed = [f"127.0.0.1:{site.port}"]
    found = fetched(site.url("/"), allow=allowed, resolve=lambda host, port: ["127.0.0.5"])
    assert found.status is Status.FAILED
    assert found.content == b""
    assert found.attempts == 1
    assert len(site.asked) == 1


def test_a_redirect_to_another_server_on_an_allowed_host_needs_its_port_allowed(site):
    with serving(Site()) as other:
        other.page("/secret", b"secret")
        site.redirect("/", other.url("/secret"))
        found = fetched(site.url("/"), allow=[f"127.0.0.1:{site.port}"])
        assert "not a public address" in found.error
        assert other.asked == []


@pytest.mark.parametrize(
    "entry",
    ["127.0.0.1", "127.0.0.1:{port}", "127.0.0.0/8", "127.0.0.1/32", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"],
)
def test_what_is_allowed_is_fetched(site, entry):
    site.page("/", b"hello")
    host = "localhost" if entry == "localhost" else "[::ffff:127.0.0.1]" if ":ffff" in entry else "127.0.0.1"
    found = fetched(
        f"http://{host}:{site.port}/", allow=[entry.format(port=site.port)], resolve=lambda host, port: ["127.0.0.1"]
    )
    assert found.content == b"hello", found.error


@pytest.mark.parametrize("entry", ["10.0.0.0/8", "127.0.0.2", "127.0.0.1:1", "::1", "localhost", "example.com"])
def test_allowing_something_else_does_not_help(site, entry):
    assert fetched(site.url("/"), allow=[entry]).status is Status.FAILED
    assert site.asked == []


@pytest.mark.parametrize("entry", ["", "10.0.0.0/99", "host:port", "host:99999", ":80", "a/b", "http://x/"])
def test_what_cannot_be_allowed_is_said_at_once(entry):
    with pytest.raises(UsageError) as problem:
        Guard([entry])
    assert problem.value.hint


def test_a_resolver_that_hangs_costs_the_time_of_the_request_only():
    release = threading.Event()
    with Fetcher(
        Limits(seconds=0.2, attempts=1, delay=0.0), resolve=lambda host, port: [PUBLIC] if release.wait(120) else []
    ) as fetcher:
        found = fetcher.get("http://slow.example/")
    release.set()
    assert "too long" in found.error


@pytest.mark.parametrize(
    "address", [PUBLIC, "8.8.8.8", "2606:4700::1111", "64:ff9b::8.8.8.8", "2002:808:808::1", "::ffff:8.8.8.8"]
)
def test_public_addresses_are_open(address):
    assert why_closed(literal(address)) == ""


def test_a_host_is_compared_in_one_form():
    target = Guard().target("HTTP://BÜCHER.example.:80/a?b#c")
    assert (target.host, target.port, str(target.url)) == (
        "xn--bcher-kva.example",
        80,
        "http://xn--bcher-kva.example./a?b",
    )
