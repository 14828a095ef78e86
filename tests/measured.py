"""A command, and what it alone costs: memory as the system counts it is also what its parent held when it was started.

So it is started by a process that holds next to nothing: this file, run as a script. Of the processes that the command starts
and waits for, the time is counted too, and the memory of the largest.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Measured(NamedTuple):
    """What a command ended with, and its cost."""

    code: int
    seconds: float  # of processor time
    most_bytes: int  # at one time


def measured(
    words: Sequence[str | Path], said: int, *, patience: float, env: Mapping[str, str], cwd: str | Path
) -> Measured:
    """Run a command that says everything to the descriptor `said`; it and its session are killed after `patience` seconds."""
    launcher = [sys.executable, "-I", "-S", __file__, str(said), str(patience), *map(str, words)]
    done = subprocess.run(launcher, env=env, cwd=cwd, pass_fds=[said], stdout=subprocess.PIPE, check=True)
    return Measured(*json.loads(done.stdout))


def _launch(said: int, patience: float, words: list[str]) -> None:
    process = subprocess.Popen(words, stdout=said, stderr=said, start_new_session=True)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, patience)
    _, state, usage = os.wait4(process.pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    figures = os.waitstatus_to_exitcode(state), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    json.dump(figures, sys.stdout)


if __name__ == "__main__":
    _launch(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
