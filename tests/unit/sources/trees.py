"""What the tests of sources share: trees, walks, real git, and a process without privileges."""

import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scova.sources.folder import FolderSource
from scova.sources.git.controls import UNSETTLED
from scova.types import Item, Skip

NOBODY = 65534


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """Make files, and the folders they need."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def offered(root: Path, **options: Any) -> list[str]:
    """The paths a walk offers, in its order."""
    return [each.path for each in FolderSource(root, **options).items() if isinstance(each, Item)]


def skipped(root: Path, **options: Any) -> dict[str, Skip]:
    """What a walk leaves out, by path."""
    return {each.path: each for each in FolderSource(root, **options).items() if isinstance(each, Skip)}


def reasons(root: Path, **options: Any) -> dict[str, str]:
    return {path: skip.reason for path, skip in skipped(root, **options).items()}


def git(folder: Path, *words: str, given: str = "") -> str:
    """Run git; the environment is the clean one of the test."""
    done = subprocess.run(["git", *words], cwd=folder, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def repository(folder: Path, files: dict[str, str | bytes] | None = None, *options: str) -> Path:
    """A new repository with these files, none of them tracked."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", *options)
    return write(folder, files or {})


def walked(source: FolderSource) -> FolderSource:
    """The source after a pass whose trail has no time too fresh to be trusted."""
    while True:
        list(source.items())
        trail = source.trail()
        controls = (seen[1] for seen in trail.controls.values() if seen)
        times = [*trail.folders.values(), *trail.stuck.values(), *controls]
        if UNSETTLED not in times:
            return source


def without_privileges(function: Callable[[], Any]) -> Any:
    """What a function returns when it runs as a user for whom file modes count."""
    if os.geteuid() != 0:
        return function()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            answer: Any = function()
        except Exception as problem:
            answer = problem
        os.write(writer, pickle.dumps(answer))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pickle.load(pipe)
    os.waitpid(child, 0)
    if isinstance(answer, Exception):
        raise answer
    return answer
