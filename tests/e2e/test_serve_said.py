"""What `scova serve` says of itself: on a terminal one plain line, elsewhere a line of its log too; nothing of what it is made with."""

import os
import pty
import signal
import subprocess

import httpx2

from serving import SCOVA, lines_of, running
from until import until


def answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/healthz").status_code == 200
    except httpx2.TransportError:
        return False


def test_on_a_terminal_it_says_once_where_it_serves(tmp_path):
    ours, theirs = pty.openpty()
    words = [str(SCOVA), "serve", "--port", "0", "--data", str(tmp_path / "data")]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""

    def heard(word: bytes) -> bool:
        nonlocal said
        try:
            said += os.read(ours, 4096)
        except OSError:  # it has ended, and the terminal with it
            return True
        return word in said

    try:
        until(lambda: heard(b"\n"), "it says where")
        until(lambda: answers(said.split()[2].decode()), "it serves")
        process.send_signal(signal.SIGTERM)
        until(lambda: heard(b'"stopped"'), "it has stopped")
        assert process.wait(120) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert said.count(b"serving on http://127.0.0.1:") == 1, said.decode()
    assert said.splitlines()[0].startswith(b"serving on http://"), said.decode()
    assert b"server process" not in said and b"application" not in said and b"Uvicorn" not in said, said.decode()


def test_the_log_has_where_it_serves_and_that_it_ends(tmp_path):
    with running(tmp_path / "data") as server:
        server.process.terminate()
        assert server.process.wait(120) == 0
        said = [line["message"] for line in lines_of(server.log)]
    assert said == [f"serving on {server.url}", "stopping; requests under way are finished first", "stopped"]
