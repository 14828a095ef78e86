"""What a project may set for whoever indexes it. Its author may be a stranger, so this is a list of what is allowed.

A project can make less be indexed, and nothing else: it chooses no folder, no network address, no model, no limit above the
user's. Whatever else stands in its files is named, and ignored.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from scova.config.allowed import Value
from scova.config.places import user_file
from scova.config.table import SETTINGS

ADDED = "exclude"  # what it leaves out is left out beside what the user leaves out
LOWERED = "max_file_bytes"
CHOSEN = ("include", "languages")  # where the user has not chosen
ALLOWED = (LOWERED, ADDED, *CHOSEN)

_MOST_NAMED = 6
_LONGEST_NAME = 40


class ProjectSettings:
    """The settings of one project, taken file by file over those of the user."""

    def __init__(self, values: dict[str, Value], origins: dict[str, str]) -> None:
        """`values` and `origins` are the user's, and are changed."""
        self._values = values
        self._origins = origins
        self._of_user = {name for name, origin in origins.items() if origin != "default"}
        self.ignored: list[str] = []

    def take(self, table: Mapping[str, object], path: Path, checked: Callable[[str, object, str], Value]) -> None:
        """Let those count that may; `checked` gives a value of the right type, or raises."""
        refused: list[str] = []
        for written, raw in table.items():
            name = written.replace("-", "_")
            if name not in ALLOWED:
                refused.append(_shown(written))
                continue
            value = checked(name, raw, str(path))
            if why := self._refusal(name, value):
                refused.append(f"{_shown(written)} ({why})")
            else:
                self._put(name, value, str(path))
        if refused:
            self.ignored.append(_said(refused, path))

    def _refusal(self, name: str, value: Value) -> str:
        if name == LOWERED and int(str(value)) > int(str(self._values[name])):
            return "it can only be lowered"
        if name in CHOSEN and name in self._of_user:
            return "your own settings say otherwise"
        return ""

    def _put(self, name: str, value: Value, origin: str) -> None:
        before = self._values[name]
        if name == ADDED and isinstance(before, tuple) and isinstance(value, tuple):
            value = tuple(dict.fromkeys((*before, *value)))
        self._values[name] = value
        self._origins[name] = origin


def note(ignored: tuple[str, ...]) -> str:
    """One line that says which settings of a project are ignored; empty where there are none."""
    if not ignored:
        return ""
    allowed = ", ".join(f"`{name}`" for name in (*CHOSEN, ADDED))
    return f"note: ignored: {'; '.join(ignored)}. A project may set {allowed} and lower `{LOWERED}`; your own settings are in {user_file()}"


def _said(refused: list[str], path: Path) -> str:
    more = len(refused) - _MOST_NAMED
    return ", ".join(refused[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "") + f" in {path}"


def _shown(name: str) -> str:
    """A name as it may be shown: it is a stranger's text."""
    import difflib

    short = name[:_LONGEST_NAME] + "…" * (len(name) > _LONGEST_NAME)
    shown = "`" + "".join(letter if letter.isprintable() else "\ufffd" for letter in short) + "`"
    near = [] if name.replace("-", "_") in SETTINGS else difflib.get_close_matches(short, ALLOWED, n=1)
    return f"{shown} (did you mean `{near[0]}`?)" if near else shown
