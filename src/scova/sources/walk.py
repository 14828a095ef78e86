"""One pass over a folder: every entry becomes an Item, a Skip, or the way further down.

Follows no symlink, opens no file but those that hold ignore rules, and survives whatever happens to the tree meanwhile:
what vanishes is not listed, what may not be read is a Skip. Holds the entries of the folders on the way down from the
root, never the whole tree. What the reasons mean is listed in `folder`.
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scova.core import own_folder
from scova.core.path_text import decoded, encoded, shown, stored
from scova.errors import NotAFolder
from scova.sources.git.controls import Controls, change_ns, settled_ns
from scova.sources.ignore import Fate, Ground, Verdict, stand_on
from scova.sources.names import Reason, file_reason, folder_reason, is_internal
from scova.sources.scope import Everywhere
from scova.sources.secrets import SecretRules
from scova.sources.trail import Trail, readable_by_mode
from scova.sources.wanted.choice import ANY, Choice
from scova.types import Item, Mark, Skip

_CACHE_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a user may change about which files are offered."""

    max_file_bytes: int
    secrets: SecretRules
    choice: Choice = ANY
    own: frozenset[own_folder.Identity] = frozenset()  # folders of scova itself, beside those that are marked


class _OwnFolder(Exception):
    """A folder that holds files of scova itself: nothing in it may be opened."""


class _Entry(NamedTuple):
    """One entry of a folder. `path` is relative to the root; path and name are stored text. A tuple, being made for every file."""

    path: str
    name: str
    found: os.DirEntry[bytes]
    is_folder: bool


@dataclass(frozen=True, slots=True)
class _Step:
    """A folder being walked: the rules inside it, and the entries still to come."""

    ground: Ground
    entries: Iterator[_Entry]
    offers: bool  # whether its entries are wanted, or only the way through it


class Walk:
    """One pass, and the trail it leaves."""

    def __init__(self, root: Path, limits: Limits, environment: Mapping[str, str], scope: Everywhere) -> None:
        self._root = root
        self._prefix = f"{stored(root)}/" if root != root.parent else stored(root)
        self._limits = limits
        self._environment = environment
        self._scope = scope
        self._controls = Controls()
        self._folders: dict[str, int] = {}
        self._stuck: dict[str, int] = {}
        self._is_readable = readable_by_mode()

    def entries(self) -> Iterator[Item | Skip]:
        """Everything in the scope, in the order of paths."""
        try:
            steps = [self._first_step()]
        except _OwnFolder:
            hint = (
                "index another folder, or keep the cache (SCOVA_CACHE) and the index (--data) in folders of their own"
            )
            raise NotAFolder(f"scova keeps its own files in `{self._root}`", hint) from None
        except OSError as problem:
            message = f"{self._root} cannot be read any more: {problem.strerror}"
            raise NotAFolder(message, "check that the folder is still there and readable, then ask again") from None
        while steps:
            step = steps[-1]
            entry = next(step.entries, None)
            if entry is None:
                steps.pop()
            elif entry.is_folder:
                if self._scope.enters(entry.path):
                    yield from self._entered(step, entry, steps)
            elif step.offers and (offer := self._file(step.ground, entry)) is not None:
                yield offer

    def _entered(self, step: _Step, entry: _Entry, steps: list[_Step]) -> Iterator[Skip]:
        """Go one step further down, and tell what is left out for good."""
        depth = len(steps)
        for outcome in self._folder(step.ground, entry):
            if isinstance(outcome, _Step):
                steps.append(outcome)
            elif step.offers:
                yield outcome
        if len(steps) == depth:
            self._scope.barred(entry.path)

    def trail(self) -> Trail:
        """What was seen on the way so far."""
        return Trail(self._folders, self._controls.seen, self._stuck)

    def _first_step(self) -> _Step:
        entries = self._list("")
        ground = stand_on(self._root, self._controls, self._environment).settled({entry.name for entry in entries})
        return _Step(ground, iter(entries), self._scope.offers(""))

    def _list(self, folder: str) -> list[_Entry]:
        """A folder's entries in the order of their paths. Raises OSError."""
        place = encoded(self._prefix + folder)
        status = os.lstat(place)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a folder any more")
        if own_folder.identity(status) in self._limits.own:
            raise _OwnFolder
        # From before the listing, lest a change be missed; kept only after it, since what cannot be listed is no step.
        seen_ns = settled_ns(status)
        prefix = f"{folder}/" if folder else ""
        with os.scandir(place) as found:
            named = ((decoded(each.name), each) for each in found)
            entries = [_Entry(prefix + name, name, each, _is_folder(each)) for name, each in named]
        if own_folder.is_own({entry.name for entry in entries}):
            raise _OwnFolder
        self._folders[folder] = seen_ns
        self._scope.listed(folder, (entry.path for entry in entries if entry.is_folder))
        entries.sort(key=lambda entry: entry.path + "/" if entry.is_folder else entry.path)
        return entries

    def _folder(self, ground: Ground, entry: _Entry) -> Iterator[Skip | _Step]:
        """Why a folder is left out, or the step into it; both for one that is ignored but holds tracked files."""
        if (fixed := _fixed_reason(entry) or self._limits.choice.folder_reason(entry.path)) is not None:
            fixed = self._rules_reason(entry) or fixed
            yield _skip(entry, fixed)
            return
        verdict = ground.judge(entry.name, is_folder=True)
        if (reason := _folder_reason(entry, verdict)) is not None:
            yield _skip(entry, reason)
        if verdict.fate is Fate.PARTLY or (reason is None and verdict.fate is not Fate.HIDDEN):
            try:
                yield from self._step_into(ground, entry, verdict)
            except (FileNotFoundError, NotADirectoryError):
                return
            except _OwnFolder:
                yield Skip(entry.path, "internal", "scova keeps its own files there")
            except OSError as problem:
                yield self._unreadable(entry, problem)

    def _step_into(self, ground: Ground, entry: _Entry, verdict: Verdict) -> Iterator[Skip | _Step]:
        entries = self._list(entry.path)
        names = {each.name for each in entries}
        if verdict.fate is not Fate.WANTED and (reason := self._reason_inside(entry, names)) is not None:
            yield _skip(entry, reason)
            return
        inside = ground.enter(entry.name, names, only_tracked=verdict.fate is Fate.PARTLY)
        yield _Step(inside, iter(entries), self._scope.offers(entry.path))

    def _reason_inside(self, entry: _Entry, names: set[str]) -> Reason | None:
        """Why a folder with these entries is left out, or None."""
        if "pyvenv.cfg" in names:
            return Reason("vendored", "a Python environment: it has a pyvenv.cfg")
        if "CACHEDIR.TAG" in names:
            tag = self._controls.read(Path(os.fsdecode(entry.found.path), "CACHEDIR.TAG"), follow=False)
            if tag is not None and tag.startswith(_CACHE_TAG):
                return Reason("cache", "it says so itself in its CACHEDIR.TAG")
        return None

    def _file(self, ground: Ground, entry: _Entry) -> Item | Skip | None:
        """What becomes of an entry that is no folder; None if it is not even to be mentioned."""
        if (fixed := _fixed_reason(entry)) is not None:
            return _skip(entry, fixed)
        verdict = ground.judge(entry.name, is_folder=False)
        if verdict.fate is Fate.HIDDEN:
            return None
        reason = (
            self._rules_reason(entry)
            or _ignored_reason(verdict)
            or self._limits.choice.file_reason(entry.path)
            or self._type_reason(entry)
        )
        if reason is None and (words := self._limits.secrets.by_name(entry.path)):
            reason = Reason("secret", words)  # whatever a rule of the project wants: it may be a stranger's
        if reason is None and verdict.fate is not Fate.WANTED:
            reason = file_reason(entry.name)
        return self._item(entry) if reason is None else _skip(entry, reason)

    def _rules_reason(self, entry: _Entry) -> Reason | None:
        """Why what an ignore file, or git's files in a folder, say does not count; None where it does."""
        if not (problems := self._controls.problems):
            return None
        place = f"{stored(self._root)}/{entry.path}"
        said = problems.get(place) or next(
            (why for path, why in problems.items() if entry.is_folder and path.startswith(f"{place}/")), ""
        )
        return Reason("rules", said) if said else None

    def _type_reason(self, entry: _Entry) -> Reason | None:
        if entry.found.is_symlink():
            return Reason("symlink", _where_it_leads(entry.found, self._root))
        if not _is_file(entry.found):
            return Reason("special", "neither a file nor a folder")
        return None

    def _item(self, entry: _Entry) -> Item | Skip | None:
        try:
            status = entry.found.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as problem:
            return self._unreadable(entry, problem)
        if status.st_size > self._limits.max_file_bytes:
            self._stuck[entry.path] = settled_ns(status)
            return Skip(
                entry.path, "too-large", f"{status.st_size:,} bytes; the limit is {self._limits.max_file_bytes:,}"
            )
        if not self._is_readable(status) and not os.access(entry.found.path, os.R_OK):
            self._stuck[entry.path] = settled_ns(status)
            return Skip(entry.path, "unreadable", "no permission to read it")
        return Item(entry.path, Mark(status.st_size, change_ns(status)))

    def _unreadable(self, entry: _Entry, problem: OSError) -> Skip:
        # Where even that is refused, the way to it is closed, which its folder's own time tells.
        with suppress(OSError):
            self._stuck[entry.path] = settled_ns(os.lstat(entry.found.path))
        return Skip(entry.path, "unreadable", problem.strerror or "it cannot be read")


def _is_folder(found: os.DirEntry[bytes]) -> bool:
    try:
        return found.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(found: os.DirEntry[bytes]) -> bool:
    """Whether it is a regular file; in doubt yes, since what is wrong with it will show when it is asked for more."""
    try:
        return found.is_file(follow_symlinks=False)
    except OSError:
        return True


def _fixed_reason(entry: _Entry) -> Reason | None:
    """Why an entry is left out whatever any rule says."""
    name = entry.name
    if shown(name) != name:
        return Reason("name", "its name is not valid UTF-8")
    if own_folder.is_companion(name) and not entry.is_folder:
        return Reason("internal", "kept by SQLite beside a database")
    return folder_reason(name) if is_internal(name) else None


def _ignored_reason(verdict: Verdict) -> Reason | None:
    if verdict.fate not in (Fate.IGNORED, Fate.PARTLY) or verdict.rule is None:
        return None
    where = f"`{verdict.rule.pattern}` in {shown(verdict.rule.origin)}:{verdict.rule.line}"
    return Reason("ignored", where + "; what git tracks inside is indexed" * (verdict.fate is Fate.PARTLY))


def _folder_reason(entry: _Entry, verdict: Verdict) -> Reason | None:
    by_name = None if verdict.fate in (Fate.WANTED, Fate.HIDDEN) else folder_reason(entry.name)
    return _ignored_reason(verdict) or by_name


def _where_it_leads(found: os.DirEntry[bytes], root: Path) -> str:
    try:
        target = Path(os.fsdecode(found.path)).resolve(strict=True)
    except (OSError, RuntimeError):
        return "leads nowhere, or in a circle"
    return "its target is indexed under its own path" if target.is_relative_to(root) else "leads outside the root"


def _skip(entry: _Entry, reason: Reason) -> Skip:
    return Skip(shown(entry.path), reason.word, reason.detail)
