"""A real `scova serve` in a process of its own, which can be killed and come back at the same address; and what it keeps, read without asking it."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from projected import _SKIPS, _SYMBOLS, CHUNKS, Peak
from scova.build.inspect import inspect
from scova.config import load
from scova.index.embedder import embedder_of
from scova.server.housing.house import Home
from scova.server.housing.opening import opened
from scova.server.layout import ServerLayout

if TYPE_CHECKING:
    import psycopg

SCOVA = Path(sys.executable).with_name("scova")
_GENERATIONS = "SELECT file_path, generation FROM indexed_files ORDER BY 1"
_FILES = "SELECT count(*) FROM indexed_files"

# The same of a database, where every table has the projects of all; the order is that of SQLite.
_OF_PROJECT = "WITH p AS (SELECT project_id FROM projects WHERE name = %s) "
_IN_DATABASE = {
    CHUNKS: """SELECT file_path, ordinal, id, chunk_type, a.word, b.word, c.word, title, symbol, names, start_line, end_line,
        upper(encode(k.content_hash, 'hex')), text FROM p JOIN chunks k USING (project_id)
        JOIN indexed_files f USING (project_id, file_id, generation) JOIN chunk_texts USING (project_id, row)
        JOIN vocabulary a ON (a.project_id, a.number) = (k.project_id, k.language)
        JOIN vocabulary b ON (b.project_id, b.number) = (k.project_id, k.kind)
        JOIN vocabulary c ON (c.project_id, c.number) = (k.project_id, k.tags) ORDER BY 1, 2, 3""",
    _SYMBOLS: """SELECT file_path, ordinal, name, qualified, start_line, end_line FROM p JOIN symbols USING (project_id)
        JOIN indexed_files USING (project_id, file_id, generation) ORDER BY 1, 2""",
    _SKIPS: "SELECT path, reason FROM p JOIN skips USING (project_id) ORDER BY 1",
    _GENERATIONS: "SELECT file_path, generation FROM p JOIN indexed_files USING (project_id) ORDER BY 1",
    _FILES: "SELECT count(*) FROM p JOIN indexed_files USING (project_id)",
}


class RealServer:
    """One data folder, or with `store` one database, served at one address. `peak_mb` is the most that any of its processes took."""

    def __init__(self, data: Path, store: str = "") -> None:
        self.data = data
        self.store = store
        self.url = ""
        self.peak_mb = 0.0
        self._database: psycopg.Connection | None = None
        self.start()

    def __enter__(self) -> "RealServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        if self._database is not None:
            self._database.close()

    def start(self) -> None:
        """Serve, at the address of last time if there was one."""
        port = self.url.rpartition(":")[2] or "0"
        self.process = subprocess.Popen(
            [str(SCOVA), "serve", "--port", port, "--data", str(self.data), *self.words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        said = self.process.stdout.readline()
        self.url = re.search(r"http://\S+", said)[0]
        self._peak = Peak(self.process.pid)

    @property
    def words(self) -> list[str]:
        """How a command is told to use the same store."""
        return ["--store", self.store] if self.store else []

    def kill(self) -> None:
        """As the kernel does it; whatever it started ends with it."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        self.peak_mb = max(self.peak_mb, self._peak.end())

    def paths(self, project: str) -> set[str]:
        """Every file of a project."""
        with self._home(project) as home:
            return set(home.store.files())

    def rows(self, project: str, query: str) -> list[tuple]:
        """What the store of a project answers to one of the queries above, or SQLite to any."""
        if self.store:
            return self._connected().execute(_OF_PROJECT + _IN_DATABASE[query], (project,)).fetchall()
        store = ServerLayout(self.data).tenant(project).store_db
        if not store.exists():
            return []
        with closing(sqlite3.connect(store)) as connection:
            return connection.execute(query).fetchall()

    def files(self, project: str) -> int:
        found = self.rows(project, _FILES)
        return found[0][0] if found else 0

    def state(self, project: str) -> dict[str, list[tuple]]:
        """All chunks, symbols and skips, and the generation of every file."""
        asked = {"chunks": CHUNKS, "symbols": _SYMBOLS, "skips": _SKIPS, "generations": _GENERATIONS}
        return {part: self.rows(project, query) for part, query in asked.items()}

    def findings(self, project: str) -> list[object]:
        """What does not agree in the index of a project."""
        with self._home(project) as home:
            return [*inspect(home.store, home.layout, home.cache, embedder_of(load(self.data)))]

    def _connected(self) -> "psycopg.Connection":
        """To the database, beside the server."""
        import psycopg

        if self._database is None or self._database.closed:
            self._database = psycopg.connect(self.store, autocommit=True, options="-c search_path=scova")
        return self._database

    @contextmanager
    def _home(self, project: str) -> Iterator[Home]:
        house = opened(ServerLayout(self.data), self.store)
        home = house.open(project)
        try:
            yield home
        finally:
            home.close()
            house.close()
