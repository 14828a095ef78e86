"""A real HTTP server on loopback that behaves as a test says, well or badly, and remembers what it was asked."""

import ssl
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Respond = Callable[["Handler"], None]


@dataclass
class Site:
    """What is served, by path, and what was asked for."""

    pages: dict[str, Respond] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    port: int = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        return self.origin + path

    def page(self, path: str, body: bytes = b"", *, status: int = 200, **headers: str) -> str:
        """Serve this at a path; returns its URL."""
        self.pages[path] = lambda handler: handler.answer(status, body, headers)
        return self.url(path)

    def redirect(self, path: str, to: str, *, status: int = 302) -> str:
        self.pages[path] = lambda handler: handler.answer(status, b"", {"Location": to})
        return self.url(path)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        site: Site = self.server.site
        site.asked.append(self.path)
        site.times.append(time.monotonic())
        site.headers.append({name.lower(): value for name, value in self.headers.items()})
        respond = site.pages.get(self.path)
        if respond is None:
            self.answer(404, b"no", {})
        else:
            respond(self)

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cut(self):
        """End the connection now."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(2)

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        """A client that goes away is what many tests are about."""


@contextmanager
def serving(site: Site | None = None, context: ssl.SSLContext | None = None):
    """A site that is up inside the block; with a context, over TLS."""
    site = site or Site()
    server = _Server(("127.0.0.1", 0), Handler)
    server.site = site
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
