"""What a person types to name a definition: `NAME`, `Class.method`, `prefix*`, `FILE:LINE`, `FILE:NAME`.

Components may be joined as in any language (`.`, `::`, `#`, `->`, `\\`). Operators are names too. Reads words; looks nothing up
but whether a file of that path is in the index.
"""

import re
from collections.abc import Callable

from scova.errors import QueryError
from scova.record import record

_JOINT = re.compile(r"(?<=[\w\])?!>])(?<!operator)(?:::|#|->|\.|\\)(?=[^\s.:])")
_LEADING = re.compile(r"^(?:::|\\|\.|#)(?=\w)")
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::\d+)?")
_LONGEST = 4096
_HINT = "give a name (`Session`, `Session.get`), a beginning (`Sess*`), or a place (`src/app.py:12`)"


@record
class Asked:
    """A name or a place. Without `name` it is the definition around `line` of `path`."""

    text: str
    name: str = ""  # dot-joined
    path: str = ""  # only in this file
    line: int = 0
    is_prefix: bool = False

    @property
    def last(self) -> str:
        """The last component of the name."""
        return self.name.rpartition(".")[2] or self.name


def read(text: str, is_file: Callable[[str], bool]) -> Asked:
    """What was typed. QueryError when it names nothing."""
    written = _checked(text)
    path, _, rest = written.rpartition(":")
    if rest and path and not path.endswith(":") and not rest.isdigit() and is_file(_plain(path)):
        return _named(written, rest.strip(), _plain(path))
    if place := _PLACE.fullmatch(written):
        return at(place.group(0))
    return _named(written, written, "")


def at(text: str) -> Asked:
    """A place, `FILE:LINE`. QueryError when it is none."""
    place = _PLACE.fullmatch(_checked(text))
    if place is None:
        raise QueryError(f"`{text}` is no place", "write FILE:LINE, for example `src/app.py:12`")
    line = int(place["line"])
    if line < 1:
        raise QueryError(f"there is no line {line}", "lines are counted from 1")
    return Asked(text.strip(), path=_plain(place["file"]), line=line)


def _checked(text: str) -> str:
    """What was typed, without blanks around it. QueryError for what cannot be a name or a path in the index."""
    written = text.strip()
    if not written:
        raise QueryError("there is no name in what was asked", _HINT)
    if len(written) > _LONGEST:
        raise QueryError(f"`{written[:40]}…` is longer than {_LONGEST:,} characters", _HINT)
    if any(ord(sign) < 32 or 0xD800 <= ord(sign) <= 0xDFFF for sign in written):
        raise QueryError(f"{written!r} is no name: it has characters that no text has", _HINT)
    return written


def _named(text: str, name: str, path: str) -> Asked:
    if not name:
        raise QueryError(f"`{text}` names no definition", _HINT)
    joined = ".".join(_JOINT.split(_LEADING.sub("", name)))
    is_prefix = (
        len(joined) > 1 and joined.endswith("*") and bool(re.search(r"\w\*$", joined)) and "operator" not in joined
    )
    return Asked(text, joined[:-1] if is_prefix else joined, path, is_prefix=is_prefix)


def _plain(path: str) -> str:
    return path.removeprefix("./")
