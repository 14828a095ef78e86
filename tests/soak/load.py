"""Who works with the processes: someone who edits, agents that ask, and clients of two servers. Each is a thread, and counts what it met."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

SCOVA = str(Path(sys.executable).with_name("scova"))
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}
EDITED, SWITCHED, BULK = 60, 300, 400  # files
KINDS = (
    ("search", {"query": "where is a line parsed"}),
    ("search", {"query": "soak_{n}"}),
    ("grep", {"pattern": "soak_{n}"}),
    ("definitions", {"name": "soak_{n}"}),
    ("callers", {"name": "soak_{n}"}),
    ("usages", {"name": "soak_{n}"}),
    ("context", {"subject": "soak_{n}"}),
    ("outline", {"path": "edited"}),
    ("files", {"paths": ["edited"]}),
    ("status", {}),
)


class Worker:
    """One thread that does something again and again until it is told to stop. What it did not expect is a problem."""

    def __init__(self, name: str, every: float, work: Callable[[int], None]) -> None:
        self.name = name
        self.problems: list[str] = []
        self.done = 0
        self.took: list[tuple[float, float]] = []  # when it was done, and how long it took
        self._every, self._work = every, work
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> "Worker":
        self._thread.start()
        return self

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._every):
            began = time.monotonic()
            try:
                self._work(self.done)
            except Exception as error:  # it goes on, and the verdict tells
                self.problems.append(f"{self.name}: {type(error).__name__}: {error}"[:300])
            self.done += 1
            self.took.append((began, time.monotonic() - began))


class Editor:
    """A tree on two branches, and what is done to it."""

    def __init__(self, root: Path, files: int) -> None:
        self.root, self.newest = root, 0
        self.counts: Counter[str] = Counter()
        self._chance = random.Random(7)
        for made, source in enumerate(islice(_code(), files)):
            target = root / f"part{made // 500}" / f"{made}_{source.name}"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        for number in range(EDITED):
            self._save(number, 0)
        for words in (
            ["init", "-q", "-b", "main"],
            ["add", "-A"],
            ["commit", "-qm", "main"],
            ["checkout", "-qb", "other"],
        ):
            self._git(*words)
        for path in sorted(root.glob("part*/*.py"))[:SWITCHED]:
            path.write_text(path.read_text(errors="replace") + "\n\ndef on_the_other_branch():\n    return 1\n")
        for words in (["commit", "-qam", "other"], ["checkout", "-q", "main"]):
            self._git(*words)

    def save(self, step: int) -> None:
        self.newest += 1
        self._save(self._chance.randrange(EDITED), self.newest)
        self.counts["saves"] += 1

    def switch(self, step: int) -> None:
        self._git("stash", "-q")
        self._git("checkout", "-q", "main" if step % 2 else "other")
        self.counts["switches"] += 1

    def bulk(self, step: int) -> None:
        folder = self.root / "bulk"
        if folder.exists():
            shutil.rmtree(folder)
            return
        folder.mkdir()
        for number in range(BULK):
            (folder / f"b{number}.py").write_text(f"def bulk_{step}_{number}():\n    return soak_{self.newest}()\n")
        self.counts["bulks"] += 1

    def _save(self, place: int, number: int) -> None:
        path = self.root / "edited" / f"e{place}.py"
        path.parent.mkdir(exist_ok=True)
        lines = [
            f"def soak_{number}(value):\n    return used_{place}(value)\n",
            f"def used_{place}(value):\n    return value + {number}\n",
        ]
        lines += [f"class Holder{one}:\n    def call(self):\n        return soak_{number}({one})\n" for one in range(5)]
        path.write_text("\n\n".join(lines))

    def _git(self, *words: str) -> None:
        settings = ["-c", "user.name=soak", "-c", "user.email=soak@example.invalid"]
        subprocess.run(["git", "-C", str(self.root), *settings, *words], check=False, capture_output=True)


class Agent:
    """`scova mcp`, and whoever talks to it."""

    def __init__(self, root: Path, log: Path) -> None:
        with log.open("ab") as talk:
            self.process = subprocess.Popen(
                [SCOVA, "mcp", "--project", str(root)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=talk, start_new_session=True,
            )  # fmt: skip
        self._number = 0
        self.ask("initialize", **HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: object) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server is gone")
            answer = json.loads(line)
            if answer.get("id") == self._number:
                return answer["result"]

    def question(self, editor: Editor) -> Callable[[int], None]:
        def ask(step: int) -> None:
            tool, arguments = KINDS[step % len(KINDS)]
            filled = {
                key: value.format(n=editor.newest) if isinstance(value, str) else value
                for key, value in arguments.items()
            }
            found = self.ask("tools/call", name=tool, arguments=filled)
            if found.get("isError"):
                raise RuntimeError(f"{tool}: {found['content'][0]['text']}")

        return ask

    def _send(self, message: object) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


class Served:
    """`scova serve` or `scova ui`, and whoever asks it."""

    def __init__(self, words: list[str], log: Path) -> None:
        with log.open("ab") as talk:
            self.process = subprocess.Popen(
                [SCOVA, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=talk,
                start_new_session=True,
                text=True,
            )
        self.url = re.sub(r"/$", "", self.process.stdout.readline().split()[-1])

    def post(self, route: str, method: str = "POST", **body: object) -> Any:
        data = None if method in ("GET", "DELETE") else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + route, data=data, method=method, headers={"Content-Type": "application/json", "Origin": self.url}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")


def ui_question(ui: Served, editor: Editor) -> Callable[[int], None]:
    """What the page asks."""
    home = ui.post("/projects", "GET")["projects"][0]
    name = home["project_id"] if isinstance(home, dict) else home

    def ask(step: int) -> None:
        soak = f"soak_{editor.newest}"
        if step % 4 == 0:
            ui.post("/search", project_id=name, query="where is a line parsed")
        elif step % 4 == 1:
            ui.post("/callers", project_id=name, name=soak)
        elif step % 4 == 2:
            ui.post("/grep", project_id=name, pattern=soak)
        else:
            ui.post(f"/projects/{name}/health", "GET")

    return ask


def server_work(server: Served, editor: Editor) -> Callable[[int], None]:
    """Pushes, questions of every kind, and projects that are made and deleted."""
    server.post("/projects", project_id="main")
    files = sorted(editor.root.glob("part0/*.py"))
    for start in range(0, len(files), 50):
        some = [
            {"path": f"src/{path.name}", "content": path.read_text(errors="replace")}
            for path in files[start : start + 50]
        ]
        server.post("/index", project_id="main", files=some)

    def work(step: int) -> None:
        content = (
            f"def soak_{step}(value):\n    return value + {step}\n\n\ndef call_{step}():\n    return soak_{step}(1)\n"
            * 3
        )
        server.post("/index", project_id="main", files=[{"path": f"edited/e{step % 40}.py", "content": content}])
        for route, body in (
            ("/search", {"query": f"soak_{step}"}), ("/grep", {"pattern": f"soak_{step}"}), ("/usages", {"name": f"soak_{step}"}),
            ("/callers", {"name": f"soak_{step}"}), ("/context", {"subject": f"soak_{step}"}),
        ):  # fmt: skip
            server.post(route, project_id="main", **body)
        if step % 5 == 0:
            name = f"p{step}"
            server.post("/projects", project_id=name)
            server.post("/index", project_id=name, files=[{"path": "a.py", "content": content}])
            server.post("/search", project_id=name, query="soak")
            server.post(f"/projects/{name}", "DELETE")
        if step % 7 == 0:
            with contextlib.suppress(urllib.error.HTTPError):
                server.post("/search", project_id="main", query="x", unknown=step)

    return work


def killed_again(root: Path, log: Path) -> Callable[[int], None]:
    """An agent that comes, asks, and is killed without a word."""

    def work(step: int) -> None:
        agent = Agent(root, log)
        agent.ask("tools/call", name="callers", arguments={"name": "soak_1"})
        os.killpg(agent.process.pid, signal.SIGKILL)
        agent.process.communicate()

    return work


def one_shot(root: Path) -> Callable[[int], None]:
    """Commands that come and go."""

    def work(step: int) -> None:
        words = (["search", "parse a line"], ["status"], ["callers", "soak_1"], ["grep", "soak_1"])[step % 4]
        done = subprocess.run(
            [SCOVA, *words, str(root)] if words[0] == "status" else [SCOVA, *words],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1) or "Traceback" in done.stderr:
            raise RuntimeError(f"{words[0]}: {done.returncode} {done.stderr[-200:]}")

    return work


def _code() -> Iterator[Path]:
    """Real code that lies at hand: the standard library, and the packages beside it."""
    import sysconfig

    for name in ("stdlib", "purelib"):
        for path in sorted(Path(sysconfig.get_paths()[name]).rglob("*.py")):
            if 200 < path.stat().st_size < 60_000:
                yield path
