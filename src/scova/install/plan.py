"""What an installation, or undoing one, does to which file: thought out whole before anything is touched.

Every text is read, changed and read again here; what comes out must be what went in and the one entry more, or less.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from scova.errors import ClientError
from scova.install.clients import NAME, Around, Client
from scova.install.command import is_ours, server_words, start_the_same
from scova.install.files import Seen, look, missing_folders, refused
from scova.install.record import Record, Records
from scova.install.text import block, jsonedit, toml
from scova.install.text.jsonc import Malformed, Unfit
from scova.install.text.trace import Edited, Trace
from scova.install.text.values import NOTHING, pruned, value_at, with_value, without_value

T = TypeVar("T")

_FORMS = {"json": ("JSON", jsonedit), "toml": ("TOML", toml)}


class Editor(Protocol):
    """What is done with a text, whatever its format."""

    def value_of(self, text: str) -> dict[str, object]: ...
    def put(self, text: str, path: Sequence[str], value: Mapping[str, object]) -> Edited: ...
    def refit(self, text: str, path: Sequence[str], value: Mapping[str, object]) -> str: ...
    def swap(self, text: str, path: Sequence[str], value: Mapping[str, object]) -> tuple[str, str]: ...
    def swap_back(self, text: str, path: Sequence[str], words: str) -> str: ...
    def drop(self, text: str, path: Sequence[str], trace: Trace | None) -> str: ...


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one file. `after` is None when it goes; `record` is what is remembered of it, None for nothing."""

    seen: Seen
    after: bytes | None
    record: Record | None

    @property
    def action(self) -> str:
        """What happens, in a word."""
        if self.after == self.seen.data:
            return "unchanged"
        return "created" if self.seen.data is None else "removed" if self.after is None else "changed"


class Setup:
    """One client in one scope. Plans only; `scova.install.apply` does."""

    def __init__(self, client: Client, scope: str, around: Around, records: Records) -> None:
        self.client = client
        self.scope = scope
        self.place = client.place(scope)
        self.records = records
        self._around = around
        self._form, editor = _FORMS[client.form]
        self._editor: Editor = editor

    def look(self) -> Seen:
        """The client's configuration as it is."""
        return look(self.place.file(self._around), self._around.within(self.scope))

    def entry(self, seen: Seen) -> object:
        """What stands under our name in it; NOTHING for nothing. ClientError when it cannot be read."""
        return value_at(self._value(seen), self._path(seen))

    def install(self, command: Sequence[str], *, force: bool = False, instructions: bool = True) -> list[Change]:
        """What puts the entry in, and the instructions unless they are not wanted."""
        chosen = server_words(self.entry(self.look()))
        changes = [self._put_entry(self.client.entry(command, self.scope, chosen), force=force)]
        return changes + ([self._put_block()] if instructions and self.place.instructions else [])

    def uninstall(self, *, force: bool = False, instructions: bool = True) -> list[Change]:
        """What takes out all that an installation put in."""
        changes = [self._drop_entry(force=force)]
        return changes + ([self._drop_block()] if instructions and self.place.instructions else [])

    def _put_entry(self, entry: dict[str, object], *, force: bool) -> Change:
        seen = self.look()
        path, value = self._path(seen), self._value(seen)
        known, there = self.records.get(seen.real), value_at(value, path)
        if is_ours(there) and start_the_same(there, entry):
            return Change(seen, seen.data, known)
        wanted: object = entry
        record: Record | None
        if there is NOTHING:
            edited = self._attempt(seen, lambda: self._editor.put(seen.text, path, entry))
            text, record = edited.text, self._record(seen, edited.trace, entry)
        elif isinstance(there, dict) and self._is_own(there, known):
            text = self._attempt(seen, lambda: self._editor.refit(seen.text, path, entry))
            record, wanted = replace(known, entry=entry) if known else None, {**there, **entry}
        elif force:
            text, words = self._attempt(seen, lambda: self._editor.swap(seen.text, path, entry))
            record = replace(self._record(seen, Trace(made=len(path)), entry), replaced=words)
        else:
            raise refused(
                seen.path,
                f"has an entry `{NAME}` that scova did not write",
                "--force replaces it until `scova uninstall`",
            )
        self._check(seen, text, with_value(value, path, wanted))
        try:
            return Change(seen, text.encode(), record)
        except UnicodeEncodeError as error:
            raise refused(
                seen.path, "cannot take the entry: the path of scova is no UTF-8", "install scova in another folder"
            ) from error

    def _drop_entry(self, *, force: bool) -> Change:
        seen = self.look()
        path, value = self._path(seen), self._value(seen)
        known, there = self.records.get(seen.real), value_at(value, path)
        if there is NOTHING:
            return Change(seen, seen.data, None)
        if not (self._is_own(there, known) or force):
            raise refused(seen.path, f"has an entry `{NAME}` that scova did not write", "--force removes it")
        if known and known.replaced:
            text = self._attempt(seen, lambda: self._editor.swap_back(seen.text, path, known.replaced))
            self._attempt(seen, lambda: self._editor.value_of(text))
        else:
            text = self._attempt(seen, lambda: self._editor.drop(seen.text, path, known.trace if known else None))
            self._check(seen, text, without_value(value, path))
        return _emptied(seen, text, known)

    def _put_block(self) -> Change:
        seen = look(self._around.path(self.place.instructions), self._around.within(self.scope))
        known = self.records.get(seen.real)
        is_new = not self._attempt(seen, lambda: block.has_block(seen.text))
        edited = self._attempt(seen, lambda: block.put(seen.text, block.guide()))
        if is_new:
            return Change(seen, edited.text.encode(), self._record(seen, edited.trace, None))
        record = replace(known, users=tuple(sorted({*known.users, self.client.name}))) if known else None
        return Change(seen, edited.text.encode(), record)

    def _drop_block(self) -> Change:
        seen = look(self._around.path(self.place.instructions), self._around.within(self.scope))
        known = self.records.get(seen.real)
        if not self._attempt(seen, lambda: block.has_block(seen.text)):
            return Change(seen, seen.data, None)
        others = tuple(user for user in known.users if user != self.client.name) if known else ()
        if known and others:
            return Change(seen, seen.data, replace(known, users=others))
        return _emptied(seen, block.drop(seen.text, known.trace if known else None), known)

    def _record(self, seen: Seen, trace: Trace, entry: dict[str, object] | None) -> Record:
        made = tuple(map(str, missing_folders(seen)))
        return Record(str(seen.real), (self.client.name,), trace, seen.data is None, made, entry)

    def _path(self, seen: Seen) -> tuple[str, ...]:
        newer = self.client.newer_table
        there = value_at(self._value(seen), newer) if newer else None
        is_newer = isinstance(there, dict) and "type" not in there
        return (*(newer if is_newer else self.client.table), NAME)

    def _value(self, seen: Seen) -> dict[str, object]:
        return self._attempt(seen, lambda: self._editor.value_of(seen.text))

    def _attempt(self, seen: Seen, step: Callable[[], T]) -> T:
        try:
            return step()
        except Unfit as error:
            raise refused(
                seen.path, f"cannot take the entry: {error}", "change that by hand, then run this again"
            ) from error
        except Malformed as error:
            raise refused(seen.path, f"is not valid {self._form}: {error}", "mend it, then run this again") from error

    def _check(self, seen: Seen, text: str, wanted: dict[str, object]) -> None:
        path = self._path(seen)
        if pruned(self._attempt(seen, lambda: self._editor.value_of(text)), path) != pruned(wanted, path):
            raise ClientError(
                f"`{seen.path}` would not mean what it should; nothing was changed",
                "add the entry by hand, and report this file",
            )

    def _is_own(self, entry: object, known: Record | None) -> bool:
        return is_ours(entry) or (known is not None and known.entry == entry)


def _emptied(seen: Seen, text: str, known: Record | None) -> Change:
    """A file without what was put in; it goes when it was made for that alone."""
    is_gone = known is not None and known.made_file and not text.strip("\ufeff \t\r\n")
    return Change(seen, None if is_gone else text.encode(), None)
