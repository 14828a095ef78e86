"""Values that came out of JSON, taken only for what they should be. Knows types and limits, and no field by name."""

from collections.abc import Mapping
from datetime import UTC, datetime

LARGEST = 2**53  # beyond this, JSON readers of other languages lose digits


class Wrong(ValueError):
    """What is wrong with a value, in words; whoever reads the file says where it stands."""


class Fields:
    """An object's members. A member that is null counts as one that is not there; members nobody asks for are ignored."""

    __slots__ = ("_values",)

    def __init__(self, value: object, name: str = "it") -> None:
        if not isinstance(value, dict):
            raise Wrong(f"{name} is not an object")
        self._values: Mapping[str, object] = value

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """A string of Unicode; `default` where there is none, an error where that is None."""
        value = self._values.get(name)
        if value is None:
            value = default
        return _text(value, name)

    def word(self, name: str, default: str | None = None) -> str:
        """A string without zero characters."""
        value = self.text(name, default)
        if "\0" in value:
            raise Wrong(f"{name} has a zero character")
        return value

    def number(self, name: str, *, least: int = 0, default: int | None = None) -> int:
        """A whole number from `least` on."""
        value = self._values.get(name)
        if value is None:
            value = default
        if not isinstance(value, int) or isinstance(value, bool):
            raise Wrong(_missing_or(value, name, "a whole number"))
        if not least <= value <= LARGEST:
            raise Wrong(f"{name} is {value if abs(value) <= LARGEST else 'too large'}, and must be {least} or more")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, empty where there is none."""
        return tuple(_text(one, f"an element of {name}") for one in self.values(name))

    def values(self, name: str) -> list[object]:
        """A list of anything, empty where there is none."""
        value = self._values.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise Wrong(f"{name} is not a list")
        return value

    def objects(self, name: str) -> list["Fields"]:
        """A list of objects, empty where there is none."""
        return [Fields(one, f"an element of {name}") for one in self.values(name)]

    def inside(self, name: str) -> "Fields":
        """An object, empty where there is none."""
        return Fields({} if self._values.get(name) is None else self._values[name], name)

    def path(self, name: str) -> str:
        """A path that stays below the root it is relative to, with forward slashes."""
        value = self.word(name)
        if value.startswith("/") or not {"", ".", ".."}.isdisjoint(value.split("/")):
            raise Wrong(f"{name} `{value}` does not lie in the tree: a relative path without `.` and `..` is wanted")
        return value

    def time(self, name: str) -> str:
        """A moment in UTC to the millisecond, `2026-01-31T12:00:00.000Z`; empty where there is none."""
        said = self.text(name, "")
        if not said:
            return ""
        try:
            found = datetime.fromisoformat(said)
            moment = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        except (ValueError, OverflowError):
            raise Wrong(f"{name} `{said[:40]}` is not a time like 2026-01-31T12:00:00Z") from None
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Wrong(_missing_or(value, name, "a string"))
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Wrong(f"{name} has half of a surrogate pair, which is no character") from None
    return value


def _missing_or(value: object, name: str, wanted: str) -> str:
    return f"{name} is missing" if value is None else f"{name} is not {wanted}"
