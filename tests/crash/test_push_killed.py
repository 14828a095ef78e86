"""A push to a real server, client and server killed in the middle: the same state as without, nothing sent twice, memory bounded."""

import json
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from projected import Peak
from real_server import SCOVA, RealServer
from until import until

EVERYTHING = os.environ.get("CRASH") == "all"
FILES, SERVER_KILLS, CLIENT_KILLS = (10_000, 5, 2) if EVERYTHING else (300, 2, 1)
CLIENT_MB = 100  # whatever is pushed
SERVER_MB = 400

WORDS = ["parcel", "ledger", "harbour", "lantern", "orchard", "quarry", "compass", "anchor"]


def write_tree(root: Path, files: int) -> Path:
    """Small files, no two alike."""
    chance = random.Random(7)
    for number in range(files):
        path = root / f"area{number % 40:02}" / f"{chance.choice(WORDS)}_{number:05}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        one, other = chance.choice(WORDS), chance.choice(WORDS)
        path.write_text(
            f'"""The {one} of number {number}."""\n\nLIMIT = {chance.randrange(1000)}\n\n\n'
            f'def {one}_{number}(value):\n    """Turn a {other} into a {one}."""\n    return {other}_{number}(value) % LIMIT\n\n\n'
            f"def {other}_{number}(value):\n    return value + {number}\n"
        )
    return root


class Client:
    """A `scova push` in a process of its own."""

    def __init__(self, tree: Path, url: str) -> None:
        words = ["push", str(tree), "--server", url, "--project", "p", "--rate", "1000", "--json"]
        self.process = subprocess.Popen(
            [str(SCOVA), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        self._peak = Peak(self.process.pid)

    def kill(self) -> float:
        self.process.kill()
        self.process.communicate()
        assert self.process.returncode == -signal.SIGKILL, "it had come to its end before"
        return self._peak.end()

    def end(self) -> tuple[dict, float]:
        out, err = self.process.communicate(timeout=1200)
        assert self.process.returncode == 0, err
        return json.loads(out), self._peak.end()


def reach(server: RealServer, client: Client, files: int) -> None:
    """Return when the server has so many files."""

    def reached():
        assert client.process.poll() is None, client.process.communicate()
        return server.files("p") >= files

    until(reached, f"{files} files", 1200)


@pytest.fixture(params=["embedded", "postgresql"])
def stores(request):
    """Two empty places for what servers keep: their data folders (nothing), or a database each (its address)."""
    if request.param == "embedded":
        yield "", ""
        return
    postgres = request.getfixturevalue("postgres")
    with postgres.database() as one, postgres.database() as other:
        yield one, other


@pytest.mark.timeout(3600)
def test_client_and_server_killed_come_to_the_same_state_as_if_nothing_had_happened(tmp_path, capsys, stores):
    tree = write_tree(tmp_path / "tree", FILES)
    with RealServer(tmp_path / "undisturbed", stores[0]) as server:
        done, client_mb = Client(tree, server.url).end()
        assert (done["status"], done["sent"]) == ("ok", FILES)
        again, unchanged_mb = Client(tree, server.url).end()
        assert (again["sent"], again["bytes_sent"], again["requests"]) == (0, 0, 1), (
            "an unchanged push sends hashes only"
        )
        expected = server.state("p")
    assert len(expected["generations"]) == FILES
    assert len(expected["chunks"]) > FILES
    assert not server.findings("p")
    server_mb = server.peak_mb

    kills = ["server"] * SERVER_KILLS + ["client"] * CLIENT_KILLS
    random.Random(3).shuffle(kills)
    sent, peaks = [], [client_mb, unchanged_mb]
    with RealServer(tmp_path / "killed", stores[1]) as server:
        client = Client(tree, server.url)
        for number, who in enumerate(kills, 1):
            reach(server, client, FILES * number // (len(kills) + 1))
            if who == "server":
                server.kill()
                server.start()
            else:
                peaks.append(client.kill())
                client = Client(tree, server.url)
        done, peak = client.end()
        peaks.append(peak)
        sent.append(done)
        assert done["status"] == "ok"
        assert server.state("p") == expected, "generations included: nothing that was taken was taken again"
    assert not server.findings("p")
    assert done["unchanged"] + done["sent"] == FILES
    assert done["unchanged"] > 0
    assert max(peaks) < CLIENT_MB, peaks
    assert max(server_mb, server.peak_mb) < SERVER_MB
    with capsys.disabled():
        if EVERYTHING:
            said = f"client {max(peaks):.0f} MB, server {max(server_mb, server.peak_mb):.0f} MB at most"
            kept = "PostgreSQL" if stores[0] else "embedded"
            os.write(1, f"\n{FILES} files pushed ({kept}) with {len(kills)} kills: {said}\n".encode())
