"""The `scova` command: reads the words, calls one function of `commands`, turns errors into messages and exit codes.

0  found, or done                     2  wrong usage, or an error
1  nothing found                      3  done, but not with everything: files that could not be read, or no index yet
"""

import os
import sys
from collections.abc import Sequence

from scova.cli import render
from scova.cli.parser import parser
from scova.errors import IndexBusy, IndexMissing, ScovaError

EXIT_ERROR = 2
EXIT_INCOMPLETE = 3


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        arguments = parser().parse_args(words)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except ScovaError as error:
        render.error(error.message, error.hint)
        return EXIT_INCOMPLETE if isinstance(error, IndexMissing | IndexBusy) else EXIT_ERROR
    except KeyboardInterrupt:
        render.error("interrupted", "what was committed is kept; run the same command to go on")
        return EXIT_ERROR
    except BrokenPipeError:
        # The reader (`head`, a pager) has seen enough. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        render.error(
            f"{error.strerror or error}{f': `{error.filename}`' if error.filename else ''}", _system_hint(error)
        )
        return EXIT_ERROR


def _system_hint(error: OSError) -> str:
    import errno

    if error.errno == errno.ENOSPC:
        return "free some disk space and run it again; what was committed is kept"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "the index folder must be writable; choose another with --data or SCOVA_DATA"
    return "if this goes on, report it with the command you ran"


if __name__ == "__main__":
    sys.exit(main())
