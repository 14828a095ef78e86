"""An embedding endpoint on loopback: behaves as OpenAI's does, and misbehaves as it is told to, call by call."""

import hashlib
import json
import random
import socket
import struct
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-secret-Zq81xyz"


class Endpoint:
    """What was asked, and how the next calls are answered. `script` holds one trick per call; none is left: it behaves."""

    def __init__(self, width=32):
        self.width = width
        self.key = ""
        self.script = []
        self.usage = True
        self.longest = 0  # characters of a text it takes; 0: any
        self.most_texts = 0  # it takes at a time; 0: any
        self.batches = []  # texts of each call, in order, whatever came of it
        self.bodies = []
        self.times = []
        self.busy = self.most_busy = 0  # calls at once
        self.released = threading.Event()  # what slow calls wait for
        self.lock = threading.Lock()
        self.address = ""

    @property
    def texts(self):
        return [text for batch in self.batches for text in batch]

    def vector(self, text):
        """Always the same for the same words, whatever their order; near for texts that share many."""
        total = [0.0] * self.width
        for word in text.lower().split() or [""]:
            seed = random.Random(hashlib.sha256(word.encode()).digest())
            total = [one + seed.uniform(-1.0, 1.0) for one in total]
        return total

    def reply(self, texts):
        data = [
            {"object": "embedding", "index": number, "embedding": self.vector(text)}
            for number, text in enumerate(texts)
        ]
        usage = {"usage": {"prompt_tokens": 7 * len(texts), "total_tokens": 7 * len(texts)}} if self.usage else {}
        return {"object": "list", "model": "m", "data": data, **usage}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_POST(self):
        endpoint = self.server.endpoint
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"]
        with endpoint.lock:
            endpoint.batches.append(texts)
            endpoint.bodies.append(asked)
            endpoint.times.append(time.monotonic())
            trick = endpoint.script.pop(0) if endpoint.script else None
            endpoint.busy += 1
            endpoint.most_busy = max(endpoint.busy, endpoint.most_busy)
        try:
            self.answer(endpoint, texts, trick)
        finally:
            with endpoint.lock:
                endpoint.busy -= 1

    def answer(self, endpoint, texts, trick):
        if self.path != "/v1/embeddings":
            return self.say(404, {"error": {"message": f"no {self.path}"}})
        if endpoint.key and self.headers["Authorization"] != f"Bearer {endpoint.key}":
            return self.say(401, {"error": {"message": f"Incorrect API key provided: {self.headers['Authorization']}"}})
        if trick is not None:
            return trick(self, texts)
        too_many = endpoint.most_texts and len(texts) > endpoint.most_texts
        if too_many or (endpoint.longest and max(map(len, texts)) > endpoint.longest):
            return self.say(400, {"error": {"message": "This model's maximum context length is exceeded"}})
        return self.say(200, endpoint.reply(texts))

    def say(self, status, body, **headers):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def status(code, message="not now", **headers):
    return lambda handler, texts: handler.say(code, {"error": {"message": message}}, **headers)


def body(content):
    return lambda handler, texts: handler.say(200, content)


def changed(change):
    """A good reply after `change` was made to it."""

    def trick(handler, texts):
        reply = handler.server.endpoint.reply(texts)
        handler.say(200, change(reply) or reply)

    return trick


def slow(handler, texts):
    """Says nothing until it is released."""
    handler.server.endpoint.released.wait(120)
    handler.close_connection = True


def cut(handler, texts):
    """Ends in the middle of the body."""
    content = json.dumps(handler.server.endpoint.reply(texts)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True


def dripping(handler, texts):
    """Goes on and on, a byte at a time, until it is released."""
    handler.send_response(200)
    handler.end_headers()
    handler.close_connection = True
    while not handler.server.endpoint.released.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def dropped(handler, texts):
    """Hangs up without a word."""
    handler.close_connection = True


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Whoever was cut off has gone away: nothing to tell."""


@contextmanager
def serving(endpoint, port=0):
    """The endpoint at an address, for as long as the block lasts."""
    server = _Server(("127.0.0.1", port), _Handler)
    server.endpoint = endpoint
    endpoint.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
