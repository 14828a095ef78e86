"""Starts a Python process of our own, at the other end of a connection.

It runs one function of ours and nothing of the caller: not the script that was started (which `multiprocessing` imports in each of
its processes, and so runs again where it has no main guard), and no module of the working folder. Modules are found where the
caller finds them, and paths mean the same bytes. Knows nothing of what is said on the connection.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[3]); "
    "from scova.core.python_process import enter; enter(sys.argv[1], int(sys.argv[2]))"
)

_worker = False  # whether this process was made to work for another one of ours


def start(entry: str, theirs: "Connection", *, quiet: bool = True) -> "subprocess.Popen[bytes]":
    """A process that calls `entry` (`module:function`) with the descriptor of its end of a connection, which is closed here.

    Nothing but errors comes out of it, nor these when it is `quiet`: stdout may carry a protocol. Raises OSError.
    """
    from multiprocessing.spawn import get_executable  # who embeds Python tells it which program that is

    # Without -P, a module of the folder one works in would be run in the place of Python's own.
    flags = ["-P", f"-Xutf8={sys.flags.utf8_mode}", *(["-E"] if sys.flags.ignore_environment else [])]
    executable = get_executable() or sys.executable
    command = [executable, *flags, "-c", _BEGIN, entry, str(theirs.fileno()), json.dumps(_paths())]
    nothing = subprocess.DEVNULL
    try:
        with _without_interrupts():
            return subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=nothing, stdout=nothing, stderr=nothing if quiet else None
            )
    finally:
        theirs.close()


def is_worker() -> bool:
    """Whether this process was made to work for another one of ours, beside others like it."""
    return _worker


def become_worker() -> None:
    """From here on, `is_worker`."""
    global _worker
    _worker = True


def _paths() -> list[str]:
    """Where modules are looked for: as here, but not in whatever folder is the working one, and with the folder of this package."""
    here = str(Path(__file__).parents[2])
    found = [os.path.abspath(each) for each in sys.path if each]  # noqa: PTH100 - they need not be folders
    return found if here in found else [*found, here]


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """A process that starts in this block does not end by Ctrl-C before it says what that means to it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in the other process


def enter(entry: str, descriptor: int) -> None:
    """Call the function that was named."""
    from importlib import import_module

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    module, _, name = entry.partition(":")
    getattr(import_module(module), name)(descriptor)
