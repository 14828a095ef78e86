"""`scova push` as a person runs it: killed, interrupted, and with a server that is killed; what it prints, and what it never prints."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import pushed_server
from conftest import SCOVA
from pushed_server import TOKEN, Server, serving, status
from until import until

SCHEMAS = Path(__file__).parents[2] / "docs/reference/json.md"


@pytest.fixture
def server():
    with serving(Server()) as kept:
        yield kept


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for number in range(60):
        path = root / f"part{number % 4}" / f"file{number:02}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def f{number}():\n    return {number}\n")
    return root


def texts(root):
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def words(tree, url, *more):
    return ["push", str(tree), "--server", url, "--project", "p", *more]


def started(tree, url, *more):
    return subprocess.Popen(
        [str(SCOVA), *words(tree, url, *more)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_the_command_says_what_it_did_and_every_key_is_documented(scova, server, tree):
    done = scova(*words(tree, server.url, "--rate", 1000))
    assert (done.code, done.err) == (0, "")
    assert "left out" not in done.out
    assert re.search(r"60 files, 0 unchanged, 60 sent, 0 deleted", done.out)
    server.refused = {"part0/file00.py": "no"}
    (tree / "part0/file00.py").write_text("new = 1\n")
    (tree / "picture.py").write_bytes(b"\0\1\2" * 100)
    assert "\nleft out here: binary 1\n" in scova(*words(tree, server.url, "--dry-run")).out
    told = scova(*words(tree, server.url, "--json"))
    assert told.json["left_out"] == {"binary": 1}
    assert told.code == 3
    assert (told.json["status"], told.json["sent"], told.json["unchanged"]) == ("partial", 0, 59)
    assert told.json["failed"] == [{"path": "part0/file00.py", "error": "no", "hint": ""}]
    section = SCHEMAS.read_text().split("## push")[1].split("\n## ")[0]
    for key in (*told.json, *told.json["failed"][0]):
        assert f"`{key}`" in section, key
    people = scova(*words(tree, server.url))
    assert people.code == 3
    assert "failed  part0/file00.py: no" in people.out


def test_a_dry_run_lists_what_would_be_done(scova, server, tree):
    done = scova(*words(tree, server.url, "--dry-run"))
    assert done.code == 0
    assert "60 would be sent, 0 deleted" in done.out
    assert "  … and 10 more" in done.out
    assert not server.projects


@pytest.mark.parametrize(
    "wrong",
    [["--rate", "0"], ["--rate", "x"], ["--rate", "nan"], ["--token", "x"], ["--token-env", "NOT_SET_ANYWHERE"]],
)
def test_wrong_words_are_refused(scova, server, tree, wrong):
    done = scova(*words(tree, server.url, *wrong))
    assert done.code == 2
    assert not server.log


def test_a_folder_that_is_not_there_is_an_error(scova, server, tmp_path):
    done = scova(*words(tmp_path / "nowhere", server.url))
    assert done.code == 2
    assert "hint:" in done.err


def test_the_token_comes_from_the_environment_and_is_never_shown(scova, server, tree, monkeypatch):
    server.token = TOKEN
    refused = scova(*words(tree, server.url))
    assert refused.code == 2
    assert "SCOVA_TOKEN" in refused.err
    monkeypatch.setenv("SCOVA_TOKEN", "wrong-Xy77")
    wrong = scova(*words(tree, server.url))
    assert wrong.code == 2
    assert "wrong-Xy77" not in wrong.out + wrong.err
    monkeypatch.setenv("OTHER", TOKEN)
    server.script["/index"] = [status(500, {"error": f"I got {TOKEN}"})] * 2 + [status(422, {"error": TOKEN})] * 60
    done = scova(*words(tree, server.url, "--token-env", "OTHER", "--json", "--rate", 1000))
    assert TOKEN not in done.out + done.err
    server.script, server.refused = {}, {"part0/file00.py": f"not with {TOKEN}"}
    done = scova(*words(tree, server.url, "--token-env", "OTHER", "--rate", 1000))
    assert "not with …" in done.out
    assert {asked.token for asked in server.log[2:]} == {TOKEN}


def test_a_server_that_is_not_there_is_an_error_that_names_it(scova, tree):
    with serving(Server()) as kept:
        url = kept.url
    done = scova(*words(tree, url))
    assert done.code == 2
    assert url in done.err
    assert "hint:" in done.err


@pytest.mark.parametrize("after", [1, 3, 5])
def test_killed_in_the_middle_the_next_push_comes_to_the_same_state_and_sends_nothing_twice(scova, server, tree, after):
    server.projects["p"] = {"gone.py": "1"}
    victim = started(tree, server.url, "--rate", "20")
    until(lambda: server.count("/index") >= after, "some batches")
    victim.kill()
    victim.communicate()
    assert victim.returncode == -signal.SIGKILL
    assert server.projects["p"] != texts(tree)
    assert scova(*words(tree, server.url, "--rate", 1000)).code == 0
    assert server.projects["p"] == texts(tree)
    assert len(server.taken) == len(set(server.taken)) == 60


def test_interrupted_it_ends_in_good_order_and_says_how_to_go_on(scova, server, tree):
    victim = started(tree, server.url, "--rate", "20", "--json")
    until(lambda: server.count("/index") >= 2, "some batches")
    victim.send_signal(signal.SIGINT)
    out, err = victim.communicate(timeout=120)
    assert victim.returncode == 3
    assert '"status": "partial"' in out
    assert "push again to go on" in err
    assert "Traceback" not in err
    assert scova(*words(tree, server.url)).code == 0
    assert server.projects["p"] == texts(tree)
    assert len(server.taken) == 60


def test_interrupted_while_it_waits_for_a_busy_server_it_does_not_wait_longer(server, tree):
    server.projects["p"] = {}
    server.script["/index"] = [status(503, Retry_After=60)]
    victim = started(tree, server.url)
    until(lambda: server.count("/index") == 1, "the first batch")
    victim.send_signal(signal.SIGTERM)
    victim.communicate(timeout=120)
    assert victim.returncode == 3


class Process:
    """The server in a process of its own, which can be killed and come back."""

    def __init__(self, folder):
        self.folder = folder
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, pushed_server.__file__, str(self.folder), str(self.port)],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def kept(self):
        return Server(self.folder).projects.get("p", {})


def test_a_server_that_is_killed_and_comes_back_gets_everything_once(tree, tmp_path):
    running = Process(tmp_path / "kept")
    try:
        victim = started(tree, f"http://127.0.0.1:{running.port}", "--rate", "20", "--json")
        for count in (10, 30):
            until(lambda count=count: len(running.kept()) >= count, "some files")
            running.kill()
            running.start()
        out, err = victim.communicate(timeout=120)
        assert victim.returncode == 0, err
        assert running.kept() == texts(tree)
        puts = re.findall(r'"put": \{(.*?)\}\n', (tmp_path / "kept/journal").read_text())
        assert len(re.findall(r'"part\d/file\d\d\.py": ', "".join(puts))) == 60
        assert '"retries": 0' not in out
    finally:
        running.kill()


def test_a_push_leaves_nothing_on_this_machine(scova, server, tree, tmp_path):
    cache = tmp_path / "cache"
    assert scova(*words(tree, server.url), env={**os.environ, "SCOVA_CACHE": str(cache)}).code == 0
    assert not cache.exists()
