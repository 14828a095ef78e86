"""`scova ui` for tests: in this process behind a client that needs no socket, or as the real command."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from starlette.testclient import TestClient

from scova.desk.opening import opened
from scova.server.app import application
from serving import Served
from until import until

SCOVA = Path(sys.executable).with_name("scova")


@contextmanager
def on(folder: Path) -> Iterator[Served]:
    """The page of a folder, in this process."""
    hall = opened(folder)
    with TestClient(application(hall), base_url="http://127.0.0.1") as client:
        yield Served(hall, client)


@dataclass
class Ui:
    """The real command, serving."""

    process: subprocess.Popen
    client: httpx2.Client
    url: str
    home: str

    def search(self, query: str, project_id: str = "", **more: object) -> dict:
        asked = {"project_id": project_id or self.home, "query": query, **more}
        return self.client.post("/search", json=asked).raise_for_status().json()

    def paths(self, query: str, **more: object) -> list[str]:
        return [one["path"] for one in self.search(query, **more)["results"]]

    def health(self) -> dict:
        return self.client.get(f"/projects/{self.home}/health").raise_for_status().json()

    def built(self) -> None:
        """Wait until nothing is being indexed, and the folder is watched."""

        def is_done() -> bool:
            jobs = self.client.get("/jobs").raise_for_status().json()["jobs"]
            return all(job["status"] == "done" for job in jobs) and self.health()["watcher"] is not None

        until(is_done, "the first build", 120)


@contextmanager
def ui(folder: Path, *words: str, environment: dict[str, str] | None = None) -> Iterator[Ui]:
    """The real command on a folder, without a browser, killed at the end if it still runs."""
    process = subprocess.Popen(
        [str(SCOVA), "ui", str(folder), "--no-open", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    try:
        said = process.stdout.readline()
        assert said.startswith("serving on http://127.0.0.1:"), process.stderr.read()
        url = said.split()[-1]
        with httpx2.Client(base_url=url, timeout=120) as client:
            home = client.get("/session").raise_for_status().json()["home"]
            yield Ui(process, client, url, home)
    finally:
        process.kill()
        process.communicate()
