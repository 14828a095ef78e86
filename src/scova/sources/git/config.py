"""The few settings of git that bear on which files it ignores.

Reads git's configuration files in git's order (system, user, repository, worktree, environment) with their includes.
Of conditional includes it knows `gitdir` and `gitdir/i`; others count as not met. It asks no git executable.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from scova.core.path_text import encoded, native, stored
from scova.sources.git.controls import Controls
from scova.sources.git.wildmatch import translate

DEEPEST_INCLUDE = 10  # as in git
MOST_FILES = 100  # that include each other, all together: each may name several

_TRUE = ("true", "yes", "on", "1")
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_ENTRY = re.compile(r"([A-Za-z][\w-]*)[ \t]*(?:=(.*))?", re.DOTALL)
_VALUE_PART = re.compile(r'"((?:[^"\\]|\\.)*)"?|[#;]|((?:[^"\\#;]|\\.)+)|\\', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def parse(content: bytes) -> Iterator[tuple[str, str]]:
    """Every `section.name` or `section.subsection.name` with its value; what is malformed is passed over."""
    section = ""
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    for line in _joined(text):
        rest = line.strip()
        if found := _SECTION.match(rest):
            name, subsection = found[1].lower(), found[2]
            section = name if subsection is None else name + "." + _ESCAPE.sub(r"\1", subsection)
            rest = rest[found.end() :].strip()
        if section and (entry := _ENTRY.match(rest)):
            yield f"{section}.{entry[1].lower()}", "true" if entry[2] is None else _value(entry[2])


def _joined(text: str) -> Iterator[str]:
    """Lines, each with those it continues on after a last backslash."""
    pending = ""
    for line in text.split("\n"):
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2:
            pending += line[:-1]
        else:
            yield pending + line
            pending = ""
    yield pending


def _value(raw: str) -> str:
    """A value without its quotes, escapes, comment and outer blanks."""
    out, kept = "", 0
    for part in _VALUE_PART.finditer(raw.lstrip(" \t")):
        if part[1] is None and part[2] is None:
            break
        out += _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), part[1] or part[2] or "")
        kept = len(out) if part[1] is not None else max(kept, len(out.rstrip(" \t")))
    return out[:kept]


class Settings:
    """Git's settings in force for one repository, or for none."""

    def __init__(self, controls: Controls, environment: Mapping[str, str], git_dir: Path | None = None) -> None:
        self._controls = controls
        self._environment = environment
        self._git_dir = git_dir
        self._values: dict[str, str] = {}
        self._loaded = 0
        for path in _user_files(environment):
            self._load(path)

    def add_repository(self, common_dir: Path) -> None:
        """Read the repository's own files over those of the user."""
        self._load(common_dir / "config")
        if self._git_dir and self.get("extensions.worktreeconfig").lower() in _TRUE:
            self._load(self._git_dir / "config.worktree")

    def get(self, name: str) -> str:
        """A setting's value, empty if it has none."""
        return self._values.get(name, "")

    def excludes_file(self, top: Path) -> Path | None:
        """The user's own ignore file for everything; None if switched off."""
        named = self._from_environment("core.excludesfile")
        if named is None:
            named = self._values.get("core.excludesfile")
        if named is not None:
            return top / native(self._expanded(named)) if named else None
        folder = _xdg(self._environment)
        return folder / "git" / "ignore" if folder else None

    def _from_environment(self, name: str) -> str | None:
        found = None
        count = self._environment.get("GIT_CONFIG_COUNT", "")
        for number in range(int(count) if count.isdecimal() else 0):
            if self._environment.get(f"GIT_CONFIG_KEY_{number}", "").lower() == name:
                found = stored(self._environment.get(f"GIT_CONFIG_VALUE_{number}", ""))
        return found

    def _load(self, path: Path, depth: int = 0) -> None:
        self._loaded += 1
        is_wanted = depth <= DEEPEST_INCLUDE and self._loaded <= MOST_FILES
        content = self._controls.read(path) if is_wanted else None
        for name, value in parse(content or b""):
            self._values[name] = value
            if _is_include(name) and self._is_met(name[len("includeif.") : -len(".path")], path.parent):
                self._load(path.parent / native(self._expanded(value)), depth + 1)

    def _is_met(self, condition: str, folder: Path) -> bool:
        """Whether what a file in this folder includes under a condition is included; an empty condition is met."""
        keyword, _, pattern = condition.partition(":")
        if keyword not in ("gitdir", "gitdir/i") or not self._git_dir:
            return not condition
        pattern = f"{stored(folder)}{pattern[1:]}" if pattern.startswith("./") else self._expanded(pattern)
        pattern = pattern if pattern.startswith("/") else f"**/{pattern}"
        pattern += "**" if pattern.endswith("/") else ""
        regex = translate(encoded(pattern), deep=True)
        flags = re.DOTALL | (re.IGNORECASE if keyword == "gitdir/i" else 0)
        candidates = {self._git_dir, self._git_dir.resolve()}
        return regex is not None and any(re.fullmatch(regex, os.fsencode(path), flags) for path in candidates)

    def _expanded(self, path: str) -> str:
        """A path as git's files have it: stored text."""
        home = stored(self._environment.get("HOME", ""))
        return home + path[1:] if home and (path == "~" or path.startswith("~/")) else path


def _is_include(name: str) -> bool:
    return name == "include.path" or (name.startswith("includeif.") and name.endswith(".path"))


def _xdg(environment: Mapping[str, str]) -> Path | None:
    named, home = environment.get("XDG_CONFIG_HOME", ""), environment.get("HOME", "")
    if named:
        return Path(named)
    return Path(home) / ".config" if home else None


def _user_files(environment: Mapping[str, str]) -> list[Path]:
    """System and user files, weakest first."""
    files = []
    if environment.get("GIT_CONFIG_NOSYSTEM", "").lower() not in _TRUE:
        files.append(Path(environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"))
    if "GIT_CONFIG_GLOBAL" in environment:
        return files + [Path(named) for named in [environment["GIT_CONFIG_GLOBAL"]] if named]
    if folder := _xdg(environment):
        files.append(folder / "git" / "config")
    if home := environment.get("HOME", ""):
        files.append(Path(home) / ".gitconfig")
    return files
