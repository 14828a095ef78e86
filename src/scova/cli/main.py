"""The `scova` command: reads the words, runs what `parser` chose for them, turns errors into messages and exit codes.

0  found, or done                     2  wrong usage, or an error
1  nothing found                      3  done, but not with everything: files that could not be read, or no index yet
"""

import gc
import sys
from collections.abc import Sequence

EXIT_ERROR = 2
EXIT_INCOMPLETE = 3


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    # Loading the program makes thousands of objects that all stay: looking for garbage among them takes a tenth of the time
    # a search needs. That is also why the rest of it is not imported above.
    gc.set_threshold(100_000)
    from scova.cli import render
    from scova.cli.intermixed import shielded, unshielded
    from scova.cli.parser import COMMANDS, parser
    from scova.errors import IndexBusy, IndexMissing, ScovaError

    render.prepare()
    if words is None:
        _be_told_to_end()
    given = shielded(_typed() if words is None else words)
    try:
        arguments = unshielded(parser(given).parse_args(given))
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        if words is None:  # the process ends with this: no need to look for garbage in all of it once more
            gc.freeze()
        return code
    except ScovaError as error:
        render.error(error.message, error.hint)
        if not isinstance(error, IndexMissing | IndexBusy):
            return EXIT_ERROR
        if "--json" in given:
            render.refused(error.message, error.hint)
        return EXIT_INCOMPLETE
    except KeyboardInterrupt:
        goes_on = bool(given) and given[0] in COMMANDS and COMMANDS[given[0]].goes_on
        render.error("interrupted", "what was committed is kept; run the same command to go on" if goes_on else "")
        return EXIT_ERROR
    except BrokenPipeError:
        render.close_output()
        return 0
    except OSError as error:
        where = f": `{error.filename}`" if error.filename else ""
        render.error(f"{error.strerror or error}{where}", _system_hint(error))
        return EXIT_ERROR


def _be_told_to_end() -> None:
    """SIGTERM and a hang-up end a command as Ctrl-C does: in good order, with nothing left behind."""
    import signal

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # else it is ignored, as under `nohup`
            signal.signal(number, signal.default_int_handler)


def _typed() -> list[str]:
    """The words of the command line. Where the locale is not UTF-8, the C library and Python do not agree on every character of
    it: Python takes the bytes as they were given, since only these name a file."""
    words = sys.argv[1:]
    if sys.getfilesystemencoding() == "utf-8" or sys.orig_argv[len(sys.orig_argv) - len(words) :] != words:
        return words
    import os

    try:
        with open("/proc/self/cmdline", "rb") as file:  # noqa: PTH123 - as everything here, it must be there quickly
            given = file.read().split(b"\0")[:-1]
    except OSError:
        return words
    return [os.fsdecode(word) for word in given[len(given) - len(words) :]]


def _system_hint(error: OSError) -> str:
    import errno

    if error.errno == errno.ENOSPC:
        return "free some disk space and run it again; what was committed is kept"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "the index folder must be writable; choose another with --data or SCOVA_DATA"
    return "if this goes on, report it with the command you ran"


if __name__ == "__main__":
    sys.exit(main())
