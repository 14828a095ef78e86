"""A generated web site on loopback: sitemaps in an index, redirects, pages that are gone, broken, slow, alike or forbidden; and a log.

Scova leaves a pause between two calls to one host, so the site answers at several addresses of the loopback network: what is
tested is then what is done and not how long the pauses are. `allowed` is what a project must be allowed for it.
"""

import gzip
import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

HOSTS = 12
ALLOWED = "127.0.0.0/8"
WORDS = [
    "harbour",
    "lantern",
    "orchard",
    "quarry",
    "ledger",
    "parcel",
    "compass",
    "anchor",
    "meadow",
    "furnace",
    "cellar",
    "bridge",
]


class Asked(NamedTuple):
    """One request and what became of it."""

    url: str
    status: int
    sent: int  # bytes of the body
    is_conditional: bool


@dataclass
class Page:
    """What is at a path."""

    body: bytes
    media_type: str = "text/html; charset=utf-8"
    etag: str = ""
    last_modified: str = ""
    status: int = 200
    location: str = ""
    broken: int = 0  # so many requests are answered with 500 before it is there; -1: all of them
    seconds: float = 0.0  # it takes


@dataclass
class Site:
    """What is served, and what was asked for. The log is the test's own: it outlives any client that is killed."""

    pages: dict[str, Page] = field(default_factory=dict)
    log: list[Asked] = field(default_factory=list)
    busy: int = 0  # requests for pages being answered
    most_busy: int = 0
    gathering: int = 0  # requests for pages wait until so many are there, or will never be
    before: Callable[[str], None] = lambda path: None  # called with the path of every request
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    came: threading.Condition = field(default_factory=threading.Condition)

    def url(self, path: str, host: int = 0) -> str:
        return f"http://127.0.0.{1 + host % HOSTS}:{self.port}{path}"

    def put(self, path: str, body: str | bytes, *, host: int = 0, **how: object) -> str:
        """Serve this at a path, with an ETag that follows from its content unless `etag` says otherwise; returns its URL."""
        content = body.encode() if isinstance(body, str) else body
        how.setdefault("etag", f'"{hashlib.sha256(content).hexdigest()[:16]}"')
        self.pages[path] = Page(content, **how)
        return self.url(path, host)

    def sitemap(self, path: str, urls: Iterable[str], *, packed: bool = False, **how: object) -> str:
        body = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
        text = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'
        content = gzip.compress(text.encode(), mtime=0) if packed else text
        return self.put(path, content, media_type="application/gzip" if packed else "application/xml", **how)

    def sitemap_index(self, path: str, sitemaps: Iterable[str]) -> str:
        body = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in sitemaps)
        return self.put(path, f"<sitemapindex>{body}</sitemapindex>", media_type="application/xml")

    @property
    def counts(self) -> Counter[str]:
        """How often each URL was asked for."""
        with self.lock:
            return Counter(asked.url for asked in self.log)

    def asked_for(self, path: str) -> list[Asked]:
        with self.lock:
            return [asked for asked in self.log if asked.url.endswith(f":{self.port}{path}")]

    def since(self, mark: int) -> list[Asked]:
        with self.lock:
            return self.log[mark:]

    @property
    def mark(self) -> int:
        with self.lock:
            return len(self.log)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_GET(self):
        site: Site = self.server.site
        site.before(self.path)
        is_page = self.path.startswith("/page/")
        with site.lock:
            page = site.pages.get(self.path)
            status = self._status(page)
            body = page.body if page and status == 200 else b""
            conditional = "If-None-Match" in self.headers or "If-Modified-Since" in self.headers
            url = f"http://{self.headers['Host']}{self.path}"
            site.log.append(Asked(url, status, len(body), conditional))
            site.busy += is_page
            site.most_busy = max(site.most_busy, site.busy)
        if is_page:
            self._linger(site, page)
        with site.lock:
            site.busy -= is_page  # before it is answered: whoever has the answer may ask the next at once
        self._answer(status, body, page)

    def _status(self, page: Page | None) -> int:
        if page is None:
            return 404
        if page.broken:
            page.broken -= page.broken > 0
            return 500
        if page.location:
            return 301
        tagged = page.etag and self.headers.get("If-None-Match") == page.etag
        dated = page.last_modified and self.headers.get("If-Modified-Since") == page.last_modified
        return 304 if page.status == 200 and (tagged or dated) else page.status

    def _linger(self, site: Site, page: Page | None) -> None:
        if page and page.seconds:
            threading.Event().wait(page.seconds)
        if site.gathering:
            with site.came:
                site.came.notify_all()
                site.came.wait_for(lambda: site.most_busy >= site.gathering, timeout=60.0)

    def _answer(self, status: int, body: bytes, page: Page | None) -> None:
        self.send_response(status)
        if page:
            self.send_header("Content-Type", page.media_type)
            for name, value in (
                ("ETag", page.etag),
                ("Last-Modified", page.last_modified),
                ("Location", page.location),
            ):
                if value:
                    self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """Whoever asked was killed: nothing to tell."""


@contextmanager
def serving(site: Site | None = None) -> Iterator[Site]:
    """A site that is up inside the block, at every one of its addresses."""
    site = site or Site()
    with ExitStack() as up:
        for server in _bound():
            server.site = site
            site.port = server.server_port
            thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
            thread.start()
            up.callback(thread.join)
            up.callback(server.server_close)
            up.callback(server.shutdown)
        yield site


def _bound() -> list[_Server]:
    """One server an address, all at the same port."""
    for _ in range(20):
        servers = [_Server(("127.0.0.1", 0), _Handler)]
        try:
            for host in range(1, HOSTS):
                servers.append(_Server((f"127.0.0.{1 + host}", servers[0].server_port), _Handler))
        except OSError:
            for server in servers:
                server.server_close()
        else:
            return servers
    raise AssertionError("no port is free at every address")


# --- what stands on it


def html(number: int, *, more: str = "") -> str:
    """A page with headings, prose, code and a table: no two numbers give the same."""
    first, second, third = (WORDS[(number * step + step) % len(WORDS)] for step in (1, 5, 7))
    return f"""<!doctype html><html><head><title>Page {number}</title></head><body><nav><a href="/">home</a></nav><main>
<h1>The {first} of page {number}</h1><p>Every {first} has a {second}, and page{number} tells of both.</p>
<h2>How to use the {second}</h2><p>Call it with a {third} that nobody else holds. {more}</p>
<pre><code class="language-python">def {first}_{number}(value):
    return {second}(value, {number})
</code></pre>
<h2>Table of {third}s</h2><table><tr><th>name</th><th>size</th></tr><tr><td>{third}{number}</td><td>{number * 7}</td></tr></table>
</main><footer>about us</footer></body></html>"""


class Built(NamedTuple):
    """A site's sources, as specs, and what is to be expected of them."""

    specs: list[str]
    pages: frozenset[str]  # URLs whose text is to be found in the end
    left_out: frozenset[str]  # gone, forbidden or broken for good
    broken: frozenset[str]


def furnish(site: Site, count: int, *, sources: int = 20) -> Built:
    """Put `count` pages on a site, in `sources` sitemaps and single pages, one of them with more than fit into one slice.

    Among them are redirects, pages that are gone, forbidden, slow, alike, broken for good or for some requests.
    """
    site.put("/robots.txt", "User-agent: *\nDisallow: /page/private/\n", media_type="text/plain")
    paths = [_place(site, number) for number in range(count)]
    urls = [site.url(path, number) for number, path in enumerate(paths)]
    single = sources // 2
    large = max(count * 2 // 5, min(120, count - 2 * sources))
    groups = _split(urls[single + large :], sources - single - 1)
    specs = [f"url:{url}" for url in urls[:single]]
    thirds = _split(urls[single : single + large], 3)
    children = [site.sitemap(f"/maps/large-{n}.xml.gz", part, packed=True) for n, part in enumerate(thirds)]
    specs.append(f"sitemap:{site.sitemap_index('/maps/index.xml', children)}")
    specs += [f"sitemap:{site.sitemap(f'/maps/{n}.xml', group)}" for n, group in enumerate(groups)]
    left_out = {url for url, path in zip(urls, paths, strict=True) if _is_left_out(site, path)}
    broken = {url for url, path in zip(urls, paths, strict=True) if path in site.pages and site.pages[path].broken < 0}
    return Built(specs, frozenset(urls) - left_out, frozenset(left_out), frozenset(broken))


def _split(urls: list[str], parts: int) -> list[list[str]]:
    return [urls[part::parts] for part in range(parts)]


def _place(site: Site, number: int) -> str:
    """Serve one page in a way that its number decides; returns its path."""
    path = f"/page/{number}"
    kind = number % 50
    if kind == 41:
        return f"/page/gone/{number}"
    if kind == 42:
        path = f"/page/private/{number}"
    if kind == 43:
        site.put(f"/moved/{number}", html(number))
        site.put(path, b"", location=f"/moved/{number}", etag="")
    elif kind == 44:
        site.put(path, html(44), etag="")  # alike, and nothing to compare with
    elif kind == 45:
        site.put(path, html(number), broken=2)
    elif kind == 46:
        site.put(path, html(number), seconds=0.2)
    elif kind == 47:
        site.put(path, html(number), etag="", last_modified="Mon, 03 Nov 2025 10:00:00 GMT")
    elif number == 48:
        site.put(path, html(number), broken=-1)
    else:
        site.put(path, html(number))
    return path


def _is_left_out(site: Site, path: str) -> bool:
    return path not in site.pages or path.startswith("/page/private/") or site.pages[path].broken < 0
