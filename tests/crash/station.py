"""Processes that can be killed at a chosen step: forked from one that has everything loaded, so that a thousand deaths take minutes.

Two halves. `Station` is the test's: it starts the other half under the layer of disk.c and asks it to start and to wait for
processes. The other half (`python -m crash.station`) forks them; each is a process of its own, in a group of its own, that
calls one function by name.
"""

import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from crash.disk import Mode, Steering, library

TESTS = Path(__file__).parents[1]
PATIENCE_SECONDS = 60.0
_RAISED = 70  # exit status of a process whose function raised


class Aim(NamedTuple):
    """Which steps of a process are counted, and what happens at which."""

    under: Path
    mode: Mode = Mode.COUNT
    stop_at: int = 0
    log: Path | None = None


class End(NamedTuple):
    """How a process ended: its status (negative when killed), what its function returned, and what it said on stderr."""

    status: int
    value: Any
    err: str
    steps: int

    @property
    def was_killed(self) -> bool:
        return self.status == -signal.SIGKILL


class Station:
    """Starts processes under the layer, and waits for them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._steering = Steering(folder / "steering")
        paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **os.environ, "LD_PRELOAD": str(library()), "DISK_STATE": str(self._steering.path), "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(paths), "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
        }  # fmt: skip
        command = [sys.executable, "-m", "crash.station", str(self._steering.path)]
        self._server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True, cwd=folder
        )

    def start(self, function: str, *arguments: object, aim: Aim | None = None) -> int:
        """Start `function` ("module:name") with JSON-like arguments in a process of its own; returns its number."""
        if aim:
            self._steering.begin()
        how = [str(aim.under), int(aim.mode), aim.stop_at, str(aim.log or "")] if aim else None
        return int(self._ask({"start": function, "arguments": arguments, "aim": how})["pid"])

    def wait(self, pid: int) -> End:
        """The end of a process; one that does not come to it in time is killed and fails the test."""
        answer = self._ask({"wait": pid})
        err = (self.folder / f"{pid}.err").read_text(errors="replace")
        assert answer["in_time"], f"process {pid} did not end: {err}"
        assert answer["status"] != _RAISED, err
        value = self.folder / f"{pid}.value"
        returned = json.loads(value.read_text()) if value.exists() else None
        end = End(answer["status"], returned, err, self._steering.steps)
        for path in (value, self.folder / f"{pid}.err"):
            path.unlink(missing_ok=True)
        return end

    def wait_for_step(self, number: int) -> None:
        """Wait until the process that is aimed at has come so far, or does not come any further."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._steering.steps < number and time.monotonic() < deadline:
            time.sleep(0.0005)

    def run(self, function: str, *arguments: object, aim: Aim | None = None) -> End:
        """Start a process and wait for its end."""
        return self.wait(self.start(function, *arguments, aim=aim))

    def close(self) -> None:
        """Send the other half home."""
        assert self._server.stdin and self._server.stdout
        self._server.stdin.close()
        self._server.wait(timeout=PATIENCE_SECONDS)
        self._server.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._server.stdin and self._server.stdout
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        line = self._server.stdout.readline()
        assert line, "the other half is gone"
        return json.loads(line)


# --- the other half


def _serve(steering: Steering) -> None:
    importlib.import_module("crash.acting").warm_up()
    started: set[int] = set()
    for line in sys.stdin:
        request = json.loads(line)
        if "start" in request:
            started.add(pid := _forked(request, steering))
            answer = {"pid": pid}
        else:
            answer = _waited(request["wait"])
            started.discard(request["wait"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    for pid in started:  # of a test that failed
        os.kill(pid, signal.SIGKILL)


def _forked(request: dict[str, Any], steering: Steering) -> int:
    pid = os.fork()
    if pid == 0:
        status = _RAISED
        try:
            os.setpgid(0, 0)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(os.open(f"{os.getpid()}.err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 2)
            os.dup2(2, 1)
            status = _called(request, steering)
        except SystemExit as end:
            status = int(end.code or 0)
        except BaseException:  # the top of a process
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    return pid


def _called(request: dict[str, Any], steering: Steering) -> int:
    module, _, name = request["start"].partition(":")
    function = getattr(importlib.import_module(module), name)
    mine = Path(f"{os.getpid()}.value").absolute()
    if request["aim"]:
        under, mode, stop_at, log = request["aim"]
        steering.aim(Path(under), mode=Mode(mode), stop_at=stop_at, log=Path(log) if log else None)
    value = function(*request["arguments"])
    if request["aim"]:
        steering.stop()
    mine.write_text(json.dumps(value))
    return 0


def _waited(pid: int) -> dict[str, Any]:
    descriptor = os.pidfd_open(pid)
    in_time = bool(select.select([descriptor], [], [], PATIENCE_SECONDS)[0])
    os.close(descriptor)
    if not in_time:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return {"status": os.waitstatus_to_exitcode(status), "in_time": in_time}


if __name__ == "__main__":
    # One module only: what this half imports must be what it is.
    sys.modules["crash.station"] = sys.modules["__main__"]
    _serve(Steering(Path(sys.argv[1])))
