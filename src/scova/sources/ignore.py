"""Which entries of a folder are ignored, exactly as git applies ignore rules, for a walk from the top downwards.

Rules, from the strongest; the first file with a matching line decides, by its last such line:

    folder files     `.scovaignore`, `.ignore`, `.gitignore` of the entry's own folder, then of each folder above it, up
                     to the top of the repository (or to the indexed root where there is no repository)
    info/exclude     of the repository
    excludes file    of the user (`core.excludesFile`)

Inside an ignored folder nothing can be brought back. What git tracks is never ignored by git's rules, even inside an
ignored folder, but `.ignore` and `.scovaignore` apply to tracked files too: they are about searching, not about git.
A repository inside a repository has its own git rules; those of the outer one end at its folder. If the indexed root
is itself ignored, the user asked for it by name: then nothing above it counts.

Knows nothing of what a file holds, nor of names that are left out without any rule: see `names`.
"""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from scova.core.path_text import encoded, stored
from scova.sources.git.controls import Controls
from scova.sources.git.repository import Repository, enclosing_repository, open_repository, user_excludes
from scova.sources.git.rules import Kind, Rule, Rules, rules_of

FOLDER_FILES = {".scovaignore": Kind.SCOVA, ".ignore": Kind.PLAIN, ".gitignore": Kind.GIT}  # strongest first


class Fate(Enum):
    """What becomes of an entry."""

    KEEP = "keep"
    WANTED = "wanted"  # a `.scovaignore` asks for it, against any default
    IGNORED = "ignored"
    PARTLY = "partly"  # a folder that is ignored but holds files git tracks: only these are kept
    HIDDEN = "hidden"  # an entry of a PARTLY folder that git does not track: ignored as the folder was


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of an entry, and the rule that says so."""

    fate: Fate
    rule: Rule | None = None


_KEEP = Verdict(Fate.KEEP)
_HIDDEN = Verdict(Fate.HIDDEN)


@dataclass(frozen=True, slots=True)
class Layer:
    """The rules of one file, and how many bytes of a path lead to the folder they are relative to."""

    rules: Rules
    start: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a whole walk shares: where git's files are looked up, and the folder that all paths are relative to."""

    controls: Controls
    environment: Mapping[str, str]
    top: Path
    root: Path  # the indexed folder, for showing where a rule stands


@dataclass(frozen=True, slots=True)
class Ground:
    """The rules in force inside one folder. `path` is the folder's, relative to the top, empty or ended by a slash."""

    around: Surroundings
    path: bytes
    layers: tuple[Layer, ...]  # of folder files, strongest first
    excludes: tuple[Layer, ...]
    repository: Repository | None
    repository_start: int = 0
    only_tracked: bool = False

    def judge(self, name: str, *, is_folder: bool) -> Verdict:
        """What becomes of this entry of the folder."""
        raw = encoded(name)
        if self.repository is not None and self.only_tracked:
            return self._judge_tracked(self.repository, raw, is_folder=is_folder, rule=None)
        rule = self._deciding(raw, is_folder, own_only=False)
        if rule is None:
            return _KEEP
        if rule.negated:
            return Verdict(Fate.WANTED if rule.kind is Kind.SCOVA else Fate.KEEP, rule)
        if rule.kind is Kind.GIT and self.repository is not None:
            return self._judge_tracked(self.repository, raw, is_folder=is_folder, rule=rule)
        return Verdict(Fate.IGNORED, rule)

    def enter(self, name: str, files: Collection[str], *, only_tracked: bool = False) -> "Ground":
        """The ground inside a folder of this one; `files` are the names of what lies in it."""
        inside = replace(self, path=self.path + encoded(name) + b"/", only_tracked=only_tracked)
        return inside.settled(files)

    def settled(self, files: Collection[str]) -> "Ground":
        """The same folder with the rules that begin in it."""
        ground = self._in_repository() if ".git" in files else self
        rules = [self._load(name, kind) for name, kind in FOLDER_FILES.items() if name in files]
        return replace(ground, layers=_layers(rules, len(self.path)) + ground.layers) if rules else ground

    @property
    def _folder(self) -> Path:
        return self.around.top / os.fsdecode(self.path)

    def _in_repository(self) -> "Ground":
        """The same folder as the top of a repository, if it is one and not known yet."""
        if self.repository is not None and self.repository.top == self._folder:
            return self
        found = open_repository(self._folder, self.around.controls, self.around.environment)
        if found is None:
            return self
        start = len(self.path)
        own = tuple(layer for layer in self.layers if layer.rules.kind is not Kind.GIT)
        return Ground(self.around, self.path, own, _layers(found.excludes(), start), found, start)

    def _load(self, name: str, kind: Kind) -> Rules:
        """The rules of one ignore file here. As in git, a symlink is not one: it could lead anywhere."""
        path = self._folder / name
        shown = path.relative_to(self.around.root) if path.is_relative_to(self.around.root) else path
        controls = self.around.controls
        return rules_of(path, controls.read(path, follow=False), kind, shown=stored(shown), controls=controls)

    def _deciding(self, name: bytes, is_folder: bool, *, own_only: bool) -> Rule | None:
        path = self.path + name
        for layer in self.layers + self.excludes:
            rules = layer.rules
            if own_only and rules.kind is Kind.GIT:
                continue
            rule = rules.deciding(path, name=name, start=layer.start, is_folder=is_folder)
            if rule is not None:
                return rule
        return None

    def _judge_tracked(self, repository: Repository, name: bytes, *, is_folder: bool, rule: Rule | None) -> Verdict:
        """What becomes of an entry that git ignores unless it tracks it; `rule` is None inside a PARTLY folder."""
        path = (self.path + name)[self.repository_start :]
        tracked = repository.tracked()
        is_tracked = path in tracked
        if not is_tracked and not (is_folder and tracked.holds(path)):
            return Verdict(Fate.IGNORED, rule) if rule else _HIDDEN
        own = self._deciding(name, is_folder, own_only=True)
        if own is not None and not own.negated:
            return Verdict(Fate.IGNORED, own)
        return _KEEP if is_tracked else Verdict(Fate.PARTLY, rule)


def _layers(rules: list[Rules], start: int) -> tuple[Layer, ...]:
    return tuple(Layer(each, start) for each in rules if each)


def stand_on(root: Path, controls: Controls, environment: Mapping[str, str]) -> Ground:
    """The ground just outside a walk's root: the rules of everything above it. The root is absolute and resolved."""
    repository = enclosing_repository(root, controls, environment)
    top = repository.top if repository else root
    excludes = repository.excludes() if repository else user_excludes(controls, environment, root)
    around = Surroundings(controls, environment, top, root)
    ground = Ground(around, b"", (), _layers(excludes, 0), repository)
    for folder in reversed([parent for parent in root.parents if parent.is_relative_to(top)]):
        present = [name for name in FOLDER_FILES if not controls.is_absent(folder / name)]
        ground = replace(ground, path=_inside(folder, top)).settled(present)
        if ground.judge(_next(folder, root), is_folder=True).fate in (Fate.IGNORED, Fate.PARTLY):
            return _alone(root, controls, environment)
    return replace(ground, path=_inside(root, top))


def _alone(root: Path, controls: Controls, environment: Mapping[str, str]) -> Ground:
    around = Surroundings(controls, environment, root, root)
    return Ground(around, b"", (), _layers(user_excludes(controls, environment, root), 0), None)


def _inside(folder: Path, top: Path) -> bytes:
    """A folder's path from the top, empty or ended by a slash."""
    return b"" if folder == top else os.fsencode(folder.relative_to(top)) + b"/"


def _next(folder: Path, root: Path) -> str:
    """The first component on the way from a folder down to the root."""
    return stored(root.relative_to(folder).parts[0])
