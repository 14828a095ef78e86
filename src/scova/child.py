"""A Python process of our own to talk with over one connection: for what may take too much memory or time, and must be ended then.

Responsible for what is loaded in it being ours, and for it having nothing else of this process. Knows nothing of what is said.
"""

import json
import subprocess
import sys
from multiprocessing.connection import Connection, Pipe

_BEGIN = "import importlib, json, sys; sys.path[:] = json.loads(sys.argv[3]); importlib.import_module(sys.argv[1]).main(int(sys.argv[2]))"


def started(module: str) -> "tuple[subprocess.Popen[bytes], Connection]":
    """A process that runs `main` of a module with the number of its end of the connection, and our end. OSError where there can be none."""
    ours, theirs = Pipe()
    paths = json.dumps([each for each in sys.path if each])
    # Without -P, a `json.py` of the folder one works in would be run in the place of Python's own.
    command = [sys.executable, "-P", "-c", _BEGIN, module, str(theirs.fileno()), paths]
    quiet = subprocess.DEVNULL  # stdout may carry a protocol
    try:
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=quiet, stdout=quiet, stderr=quiet)
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    return process, ours
