"""A scova server for tests: in this process behind a client that needs no socket, or as the real command."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from starlette.testclient import TestClient

from scova import config
from scova.server.app import application
from scova.server.hall import Hall
from scova.server.layout import ServerLayout
from scova.server.limits import Limits

SCOVA = Path(sys.executable).with_name("scova")
HELLO = "def hello(name):\n    return f'hello {name}'\n\n\ndef greet_all(names):\n    return [hello(name) for name in names]\n"
OTHER = "from hello import hello\n\n\nclass Door:\n    def knock(self):\n        return hello('door')\n"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def files(**named: str) -> list[dict[str, str]]:
    return [{"path": path, "content": content} for path, content in named.items()]


@dataclass
class Served:
    """A server and someone who asks it."""

    hall: Hall
    client: TestClient

    def post(self, route: str, /, **body: object) -> httpx2.Response:
        return self.client.post(route, json=body)

    def index(self, project_id: str, contents: dict[str, str]) -> dict:
        answer = self.post("/index", project_id=project_id, files=files(**contents))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def with_token(self, project: str, scope: str) -> dict[str, str]:
        _, secret = self.hall.tokens.create(project, scope)
        return {"authorization": f"Bearer {secret}"}


@contextmanager
def served(
    data: Path, *, limits: Limits | None = None, asks_always: bool = False, **settings: object
) -> Iterator[Served]:
    """A server over a data folder, in this process."""
    data.mkdir(parents=True, exist_ok=True)
    hall = Hall(ServerLayout(data), config.load(data, settings), limits or Limits(rate=0))
    app = application(hall, asks_always=asks_always)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield Served(hall, client)


@dataclass
class Running:
    """The real command, serving."""

    process: subprocess.Popen
    url: str
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def running(data: Path, *words: str, environment: dict[str, str] | None = None, store: str = "") -> Iterator[Running]:
    """The real command on a port that is free, killed at the end if it still runs."""
    import os

    log = data.with_name(f"{data.name}.log")
    command = [str(SCOVA), "serve", "--port", "0", "--data", str(data), *(["--store", store] if store else []), *words]
    with log.open("ab") as talk:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=talk, text=True, env={**os.environ, **(environment or {})}
        )
    try:
        said = process.stdout.readline()
        assert said.startswith("serving on http://"), log.read_text()
        url = said.split()[-1]
        with httpx2.Client(timeout=120) as client:
            assert client.get(f"{url}/healthz").json() == {"status": "ok"}
        yield Running(process, url, log)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def lines_of(log: Path) -> list[dict]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def described() -> dict:
    """The API as it describes itself."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, served(Path(folder) / "data") as one:
        return one.client.get("/openapi.json").json()
