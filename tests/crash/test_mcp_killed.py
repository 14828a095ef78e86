"""An MCP server that is killed while it indexes: the next one goes on where it was, with the same job, and parses no file again that
was committed. In the end the index is what one server would have made of it, and no server grew large on the way.

`make crash` does it with 10,000 files and four kills, `make test` with a sample. Servers are stopped at a certain file, not after a
certain time: something slipped into their workers counts what is parsed, and holds them there until the kill.
"""

import hashlib
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from conftest import SCOVA
from crash.place import module, state_of
from scova import Index
from scova.config import cache_folder
from scova.jobs import Jobs, index_runner
from scova.stores.jobs import SqliteJobs
from scova.stores.layout import jobs_db, mcp_state
from scova.stores.sqlite import SqliteStore
from until import until

EVERYTHING = os.environ.get("CRASH") == "all"
FILES = 10_000 if EVERYTHING else 600
KILLED_AT = (2100, 1500, 3000, 900) if EVERYTHING else (450, 120)  # files that the server has parsed by then
MOST_MEMORY_MB = 500 if EVERYTHING else 400  # of the server and its workers together, each page counted once

COUNTING = """
import hashlib, os, time
import scova.parse.document as work

_log = os.open(os.environ["PARSED"], os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
_most = int(os.environ["MOST"])
_parse = work.outline

def counted(text, language):
    server = os.getppid()
    while os.fstat(_log).st_size >= 41 * _most:
        if os.getppid() != server:
            os._exit(1)
        time.sleep(0.005)
    os.write(_log, hashlib.sha1(text.encode()).hexdigest().encode() + b"\\n")
    return _parse(text, language)

work.outline = counted
"""

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "killer", "version": "1"}}


class Server:
    """`scova mcp`, the leader of a session of its own; it is held where it has parsed `most` files."""

    def __init__(self, root: Path, folder: Path, most: int) -> None:
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(COUNTING)
        self._log = folder / "parsed"
        path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "PARSED": str(self._log), "MOST": str(most)}
        with (folder / "stderr").open("wb") as talk:
            self.process = subprocess.Popen(
                [str(SCOVA), "mcp", "--project", str(root)],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=talk,
                start_new_session=True,
            )
        self.peak_mb = 0.0
        self._over = threading.Event()
        self._sampler = threading.Thread(target=self._sample)
        self._sampler.start()
        self.ask("initialize", **HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: object) -> dict:
        self._send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, tool: str, **arguments: object) -> dict:
        return self.ask("tools/call", name=tool, arguments=arguments)["structuredContent"]

    def parsed(self) -> list[str]:
        """The digest of each text, as often as it was parsed."""
        return self._log.read_text().split() if self._log.exists() else []

    def members(self) -> list[int]:
        """The server and its workers, those too that outlived it."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                found.append(int(entry.name))
        return found

    def kill(self) -> None:
        """As the kernel does it when memory is short: the server alone, without a word."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.end()
        until(lambda: not self.members(), "the end of the workers", 120)

    def end(self) -> None:
        self._over.set()
        self._sampler.join()
        self.process.communicate(timeout=120)

    def _send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _sample(self) -> None:
        while not self._over.wait(0.05):
            self.peak_mb = max(self.peak_mb, sum(map(_share_mb, self.members())))


def _share_mb(pid: int) -> float:
    """The proportional share of memory of a process; none when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


@pytest.fixture
def jobs():
    """An engine that is not started: it only asks."""
    made = Jobs(SqliteJobs(jobs_db(cache_folder())), {"index": index_runner()})
    yield made
    made.stop()


@pytest.fixture
def serve(tmp_path):
    begun: list[Server] = []

    def start(root: Path, most: int = 10 * FILES) -> Server:
        begun.append(Server(root, tmp_path / f"server-{len(begun)}", most))
        return begun[-1]

    yield start
    for server in begun:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture
def state_reader(tmp_path):
    """Reads `mcp-state.json` over and over while the test runs; it must be whole each time, from the first time it is there."""
    path, over, bad, reads = mcp_state(cache_folder()), threading.Event(), [], []

    def read():
        while not over.wait(0.001):
            try:
                said = json.loads(path.read_bytes())
                assert {"current_jobs", "recent_jobs", "recent_paths", "last_sync", "updated_at"} <= set(said)
                reads.append([job["files_processed"] for job in said["current_jobs"].values()])
            except Exception as error:
                if reads or not isinstance(error, FileNotFoundError):
                    bad.append(error)
                    return

    reader = threading.Thread(target=read)
    reader.start()
    yield reads
    over.set()
    reader.join()
    assert bad == []
    assert len(reads) > 10


def write_files(root: Path) -> dict[str, str]:
    """A project of so many files, no two alike: path by digest."""
    digests = {}
    for number in range(FILES):
        path = root / f"part_{number % 23}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(module(number))
        digests[hashlib.sha1(module(number).encode()).hexdigest()] = str(path.relative_to(root))
    assert len(digests) == FILES
    return digests


def committed(root: Path) -> dict[str, int]:
    """The files that are in the store, with their generations."""
    with Index.open(root) as index, SqliteStore.open(index.layout.store_db, root.name) as store:
        return {path: file.generation for path, file in store.files().items()}


@pytest.mark.timeout(600 if EVERYTHING else 120)
def test_an_index_survives_every_kill_of_the_server_that_makes_it(jobs, serve, state_reader, tmp_path, capsys):
    root = tmp_path / "tree"
    digests = write_files(root)
    server = serve(root, KILLED_AT[0])
    started = server.call("index")
    assert started["status"] == "indexing_started"
    job_id, processed, kept, servers = started["job_id"], [], set(), [server]
    for turn, most in enumerate(KILLED_AT):
        until(lambda s=server, n=most: len(s.parsed()) >= n, f"{most} files parsed", 120)
        if turn == 0:
            until(lambda: jobs.get(job_id).files_processed, "the first commit", 120)
        processed.append(jobs.get(job_id).files_processed)
        server.kill()
        assert not {digests[one] for one in server.parsed()} & kept, "what was committed is not parsed again"
        before, kept = kept, set(committed(root))
        assert before <= kept and len(kept) < FILES
        assert kept, "something was committed by the first"
        server = serve(root, KILLED_AT[turn + 1] if turn + 1 < len(KILLED_AT) else 10 * FILES)
        servers.append(server)
        assert job_id in server.call("status")["jobs"], "the next server knows of it, and takes it up"
    done = until(lambda: (job := jobs.get(job_id)).is_over and job, "the end of the job", 200)
    assert done.status == "done" and done.attempts == len(KILLED_AT) + 1
    assert (done.files_processed, done.files_total) == (FILES, FILES)
    assert processed == sorted(processed) and processed[0] > 0, "it goes on from where it was"
    assert {digests[one] for one in server.parsed()} == set(digests.values()) - kept, (
        "the last parsed only what was left"
    )
    assert len(server.parsed()) == FILES - len(kept)
    assert len(server.call("status")["jobs"]) == 1
    told = [count for counts in list(state_reader) for count in counts]
    assert told == sorted(told) and set(told) >= set(processed), "outside readers see it go on too"
    server.end()
    assert server.process.returncode == 0
    peaks = [round(one.peak_mb) for one in servers]
    with capsys.disabled():
        print(f"\n{FILES} files, killed after {processed} of them; peak memory of each server: {peaks} MB")  # noqa: T201
    assert max(peaks) < MOST_MEMORY_MB
    check_equal_to_one_that_was_never_killed(root, tmp_path / "whole")


def check_equal_to_one_that_was_never_killed(root: Path, data: Path) -> None:
    generations = committed(root)
    assert len(generations) == FILES and set(generations.values()) == {1}, "each file was committed once"
    with Index.open(root) as index, Index.open(root, data=str(data)) as whole:
        assert index.audit() == []
        whole.refresh()
        assert state_of(index) == state_of(whole)
