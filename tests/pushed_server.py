"""A server that is pushed to, on loopback: keeps what it gets, faithfully, and misbehaves as it is told to, request by request.

It speaks /projects, /sync, /index, /delete and /healthz as a `scova serve` does, but only keeps texts. With a folder it writes everything
down before it answers, so that it can be killed and started again: `python tests/pushed_server.py FOLDER PORT`.
"""

import hashlib
import json
import socket
import struct
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

TOKEN = "scova-secret-Zq81xyz"


class Asked(NamedTuple):
    """One request."""

    path: str
    at: float  # by the monotonic clock
    files: tuple[str, ...]  # that it brought, or named
    size: int
    token: str
    status: int


class Refusal(Exception):
    def __init__(self, code: int, message: str, hint: str = "", **more: Any) -> None:
        super().__init__(message)
        self.code = code
        self.body = {"error": message, "hint": hint, "request_id": "1", **more}


@dataclass
class Server:
    """What is kept, what was asked, and how the next requests are answered."""

    folder: Path | None = None
    projects: dict[str, dict[str, str]] = field(default_factory=dict)  # project -> path -> content
    seq: int = 0
    log: list[Asked] = field(default_factory=list)
    taken: list[tuple[str, str]] = field(
        default_factory=list
    )  # path and content of every file that was taken, in order
    token: str = ""
    script: dict[str, list[Any]] = field(default_factory=dict)  # by path of the request: tricks, one a request
    refused: dict[str, str] = field(default_factory=dict)  # files that fail, and why
    skipped: dict[str, str] = field(default_factory=dict)
    poison: set[str] = field(default_factory=set)  # files at which the whole request ends with 500
    deadly: set[str] = field(default_factory=set)  # files at which the connection is cut
    longest_path: int = 1024
    is_old: bool = False  # it does not tell which change came before
    is_gone: bool = False  # every connection is cut
    most_files: int = 100
    most_bytes: int = 8 << 20
    before: Any = lambda path, asked: None  # called with every request before it is answered
    port: int = 0
    broken: list[BaseException] = field(default_factory=list)  # mistakes of this server itself
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            journal = self.folder / "journal"
            for line in journal.read_text().split("\n")[:-1] if journal.exists() else ():
                self._apply(json.loads(line))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def paths(self, path: str) -> list[str]:
        """What all requests to this path brought or named."""
        return [name for asked in self.log if asked.path == path for name in asked.files]

    def count(self, path: str) -> int:
        return sum(asked.path == path for asked in self.log)

    def forget(self) -> None:
        """Begin a new log."""
        self.log.clear()
        self.taken.clear()

    # --- what is asked

    def answer(self, path: str, asked: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            return {
                "/projects": self._create,
                "/sync": self._sync,
                "/index": self._index,
                "/delete": self._delete,
            }[path](asked)

    def _create(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["project_id"] in self.projects:
            raise Refusal(409, "it is there")
        self._commit({"create": asked["project_id"]})
        return {"project_id": asked["project_id"]}

    def _project(self, asked: dict[str, Any]) -> dict[str, str]:
        if asked["project_id"] not in self.projects:
            raise Refusal(404, f"there is no project `{asked['project_id']}`", "POST /projects makes it")
        return self.projects[asked["project_id"]]

    def _sync(self, asked: dict[str, Any]) -> dict[str, Any]:
        files = asked["files"]
        if long := [path for path in files if len(path) > self.longest_path]:
            raise Refusal(422, f"files.{long[0]}: too long")
        held = self._project(asked)
        missing = [path for path, digest in files.items() if path not in held or sha(held[path]) != digest]
        extra = [path for path in held if path not in files]
        if asked.get("prune") and extra:
            self._commit({"project": asked["project_id"], "delete": extra})
        return {"missing": missing, "extra": extra, "deleted": 0, "change_seq": self.seq}

    def _index(self, asked: dict[str, Any]) -> dict[str, Any]:
        held, files, before = self._project(asked), asked["files"], self.seq
        if len(files) > self.most_files:
            raise Refusal(422, f"a batch has at most {self.most_files} files")
        results, good = [], {}
        for file in files:
            status, error = self._judged(held, file)
            if status == "indexed":
                good[file["path"]] = file["content"]
            results.append({"path": file["path"], "status": status, "chunks": 1, "error": error, "hint": ""})
        if good:
            self._commit({"project": asked["project_id"], "put": good})
            self.taken += good.items()
        status = "ok" if all(one["status"] in ("indexed", "unchanged") for one in results) else "partial"
        body = {"status": status, "project_id": asked["project_id"], "results": results, **self._told(before)}
        if results and all(one["status"] == "failed" for one in results):
            raise Refusal(422, "every file of the batch is bad", **body)
        return body

    def _judged(self, held: dict[str, str], file: dict[str, Any]) -> tuple[str, str]:
        path, content = file["path"], file["content"]
        if path in self.refused:
            return "failed", self.refused[path]
        if path in self.skipped:
            return "skipped", self.skipped[path]
        if "hash" in file and sha(content) != file["hash"]:
            return "failed", "the hash is not that of the content"
        if path.startswith("/") or ".." in path.split("/"):
            return "failed", "no such path"
        return ("unchanged" if held.get(path) == content else "indexed"), ""

    def _delete(self, asked: dict[str, Any]) -> dict[str, Any]:
        held, before = self._project(asked), self.seq
        deleted = [path for path in asked["paths"] if path in held]
        if deleted:
            self._commit({"project": asked["project_id"], "delete": deleted})
        unknown = [path for path in asked["paths"] if path not in deleted]
        return {"deleted": deleted, "unknown": unknown, **self._told(before)}

    def _told(self, before: int) -> dict[str, int]:
        return {"change_seq": self.seq} | ({} if self.is_old else {"change_seq_before": before})

    # --- what is kept

    def _commit(self, change: dict[str, Any]) -> None:
        if self.folder is not None:
            with (self.folder / "journal").open("a") as journal:
                journal.write(json.dumps(change) + "\n")
        self._apply(change)

    def _apply(self, change: dict[str, Any]) -> None:
        self.seq += 1
        if "create" in change:
            self.projects[change["create"]] = {}
            return
        held = self.projects[change["project"]]
        held.update(change.get("put", {}))
        for path in change.get("delete", ()):
            held.pop(path, None)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *words: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.server.kept.is_gone:
            return reset(self, {})
        if self.path.startswith("/projects/"):
            name = self.path.rpartition("/")[2]
            if name not in self.server.kept.projects:
                return self.say(404, {"error": "no project", "hint": "", "request_id": "1"})
            return self.say(200, {"project_id": name, "change_seq": self.server.kept.seq})
        return self.say(200, {"status": "ok"})

    def do_POST(self) -> None:
        server: Server = self.server.kept
        size = int(self.headers["Content-Length"])
        token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
        body = self.rfile.read(size)
        asked = json.loads(body)
        files = asked.get("files", asked.get("paths", ()))
        names = tuple(one["path"] if isinstance(one, dict) else one for one in files)
        tricks = server.script.get(self.path)
        trick = tricks.pop(0) if tricks else None
        self.status = 0
        number = len(server.log)
        server.log.append(Asked(self.path, time.monotonic(), names, size, token, 0))
        server.before(self.path, asked)
        if server.is_gone:
            reset(self, asked)
        elif trick is not None:
            trick(self, asked)
        else:
            self.usual(server, asked, names, size, token)
        if number < len(server.log):
            server.log[number] = server.log[number]._replace(status=self.status)

    def usual(self, server: Server, asked: Any, names: Any, size: int, token: str) -> None:
        if server.token and token != server.token:
            return self.say(401, {"error": f"this token is unknown: {token}"})
        if size > server.most_bytes:
            return self.say(413, {"error": "too large", "hint": "raise max_body_bytes"})
        if self.path == "/index" and server.deadly & set(names):
            return reset(self, asked)
        if self.path == "/index" and server.poison & set(names):
            return self.say(500, {"error": "something went wrong"})
        try:
            return self.say(201 if self.path == "/projects" else 200, server.answer(self.path, asked))
        except Refusal as refusal:
            return self.say(refusal.code, refusal.body)

    def say(self, status: int, body: Any, **headers: Any) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


# --- tricks


def status(code: int, body: Any = None, **headers: Any) -> Any:
    return lambda handler, asked: handler.say(code, {"error": "not now"} if body is None else body, **headers)


def reset(handler: Any, asked: Any) -> None:
    """Cut the connection, nothing done and nothing said."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True


def done_and_cut(handler: Any, asked: Any) -> None:
    """Do what is asked, and cut the connection in the middle of the answer."""
    content = json.dumps(handler.server.kept.answer(handler.path, asked)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.wfile.flush()
    reset(handler, asked)


class _Listening(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever was cut off has gone away: nothing to tell. Anything else is a mistake of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.kept.broken.append(sys.exc_info()[1])


@contextmanager
def serving(kept: Server, port: int = 0):
    """The server at an address, for as long as the block lasts."""
    listening = _Listening(("127.0.0.1", port), _Handler)
    listening.kept = kept
    kept.port = listening.server_address[1]
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
    assert not kept.broken, kept.broken


if __name__ == "__main__":
    with serving(Server(Path(sys.argv[1])), int(sys.argv[2])) as running:
        sys.stdout.write(f"{running.port}\n")
        sys.stdout.flush()
        threading.Event().wait()
