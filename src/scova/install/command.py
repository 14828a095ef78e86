"""The command line that a client starts the server with, and how one of ours is known again. Knows no client."""

import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

_PASSING = re.compile(
    r"[\\/]uv[\\/](?:archive-v\d+|environments-v\d+|builds-v\d+)[\\/]"
)  # where `uvx` keeps what it runs once


def server_command() -> list[str]:
    """What starts this scova as a server, wherever it is started from.

    Clients that are started from a desktop have another PATH than a terminal, so it is the whole path of the command that runs now:
    where the PATH leads to it, by that name, which an upgrade (pipx, uv) keeps. One that `uvx` runs is gone tomorrow: there it is `uvx`.
    """
    own = _running()
    if own and _PASSING.search(str(own.resolve())):
        return [shutil.which("uvx") or "uvx", "scova", "mcp"]
    if own is None:
        return [sys.executable, "-P", "-m", "scova.cli.main", "mcp"]
    named = shutil.which("scova")
    if named and Path(named).resolve() == own.resolve():
        own = Path(named).absolute()
    return [str(own), "mcp"]


def is_ours(entry: object) -> bool:
    """Whether an entry starts `scova mcp`, whichever scova it is."""
    words = words_of(entry)
    names = {re.split(r"[\\/]", word)[-1].removesuffix(".exe") for word in words}
    return "mcp" in words and bool(names & {"scova", "scova.cli.main"})


def words_of(entry: object) -> list[str]:
    """The command line in an entry, however it is written there."""
    if not isinstance(entry, Mapping):
        return []
    command, arguments = entry.get("command"), entry.get("args", [])
    words = [
        *(command if isinstance(command, list) else [command]),
        *(arguments if isinstance(arguments, list) else []),
    ]
    return [word for word in words if isinstance(word, str)]


def server_words(entry: object) -> list[str]:
    """What an entry of ours says behind `mcp` where it names a server that answers: that is the user's to say."""
    words = words_of(entry)
    behind = words[words.index("mcp") + 1 :] if "mcp" in words else []
    return behind if any(word.partition("=")[0] == "--server" for word in behind) else []


def start_the_same(entry: object, other: object) -> bool:
    """Whether two entries start the same program in the same way, by whichever name."""
    (first, *rest), (second, *others) = words_of(entry) or [""], words_of(other) or [""]
    programs = {str(Path(found).resolve()) if (found := shutil.which(word)) else word for word in (first, second)}
    return len(programs) == 1 and rest == others


def can_start(entry: object) -> bool:
    """Whether the program that an entry names is there."""
    words = words_of(entry)
    return bool(words) and shutil.which(words[0]) is not None


def _running() -> Path | None:
    """The scova command of this process; None when it was started in another way and there is none beside its Python."""
    for path in (Path(sys.argv[0]), Path(sys.executable).with_name("scova")):
        if path.name in ("scova", "scova.exe") and path.is_file() and os.access(path, os.X_OK):
            return path.absolute()
    return None
