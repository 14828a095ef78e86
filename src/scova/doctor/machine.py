"""What scova stands on: Python, its command, its cache folder, the disk, git, the system's limits, the model."""

import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from scova import __version__
from scova.core.small_files import read_small
from scova.doctor.check import FAIL, OK, WARN, Check
from scova.errors import EmbedderError
from scova.install.command import server_command

_LIMITS = Path("/proc/sys/fs/inotify")
_LITTLE, _TIGHT = 100_000_000, 1_000_000_000  # bytes on a disk: too few to work with, and few
_FEW_WATCHES, _FEW_INSTANCES = 65_536, 64


def machine(cache: Path) -> Iterator[Check]:
    """Every check that needs no project."""
    yield Check("scova", OK, f"scova {__version__}, Python {platform.python_version()} ({sys.executable})")
    yield _command()
    yield _server()
    yield _cache(cache)
    yield _disk(cache)
    git = shutil.which("git")
    yield (
        Check("git", OK, git)
        if git
        else Check("git", WARN, "git is not there", "install it to index by its rules and history")
    )
    yield _watches(_LIMITS)
    yield _model()
    yield from _grammars()


def _command() -> Check:
    own, named = server_command()[0], shutil.which("scova")
    if named is None:
        return Check(
            "command", WARN, f"`scova` is not on the PATH; this is {own}", f"add {Path(own).parent} to the PATH"
        )
    if Path(named).resolve() != Path(own).resolve():
        return Check("command", WARN, f"`scova` on the PATH is {named}, but this is {own}", "remove one of the two")
    return Check("command", OK, named)


def _server() -> Check:
    if find_spec("mcp") is None:
        return Check(
            "mcp", FAIL, "the MCP library is not installed", "install scova again: pip install --force-reinstall scova"
        )
    return Check("mcp", OK, "the MCP library is there")


def _cache(cache: Path) -> Check:
    there = next(folder for folder in (cache, *cache.absolute().parents) if folder.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            return Check("cache", OK, str(cache))
    except OSError as error:
        why = f"{cache} cannot be written ({error.strerror})"
        return Check("cache", FAIL, why, "make it writable, or choose another with SCOVA_CACHE")


def _disk(cache: Path) -> Check:
    there = next(folder for folder in (cache, *cache.absolute().parents) if folder.exists())
    free = shutil.disk_usage(there).free
    state = FAIL if free < _LITTLE else WARN if free < _TIGHT else OK
    hint = "" if state == OK else "free some space: `scova gc` removes indexes of folders that are gone"
    return Check("disk", state, f"{free / 1e9:.1f} GB free", hint)


def _watches(limits: Path) -> Check:
    """How much the system lets a process watch; only Linux has such limits."""
    try:
        watches, instances = (
            int(read_small(limits / name, 64) or b"") for name in ("max_user_watches", "max_user_instances")
        )
    except ValueError:
        return Check("watching", OK, "this system sets no limits to watching files")
    if watches < _FEW_WATCHES or instances < _FEW_INSTANCES:
        words = f"few files can be watched at once: {watches} watches, {instances} instances"
        return Check(
            "watching", WARN, words, "sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512"
        )
    return Check("watching", OK, f"{watches} watches, {instances} instances")


def _model() -> Check:
    from scova.embed.static import StaticEmbedder

    try:
        embedder = StaticEmbedder()
        embedder.embed_query("is it there")
    except (EmbedderError, OSError) as error:
        return Check("model", FAIL, f"the embedding model cannot be loaded: {error}", "install scova again")
    return Check("model", OK, f"{embedder.model}")


def _grammars() -> Iterator[Check]:
    """Whether each language's sample gives what it must; a check for each that does not, or one for all."""
    from scova.parse import grammar_check

    faults = {language: grammar_check.grammar_fault(language) for language in grammar_check.sampled_languages()}
    for language, fault in faults.items():
        if fault:
            yield Check("grammar", FAIL, f"{language}: {fault}", grammar_check.HINT)
    if not any(faults.values()):
        yield Check("grammars", OK, f"{len(faults)} samples give every definition and call that they must")
