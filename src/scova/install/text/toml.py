"""One table put at the end of a TOML text between two marks, changed, or taken out again; every other byte stays as it is.

Knows no file and no client. What the text means is for `tomllib` to say; here it is only cut into statements.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scova.install.text.jsonc import BOM, Malformed, Unfit
from scova.install.text.trace import Edited, Trace, newline_of, without

BEGIN, END = "# scova:begin", "# scova:end"
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\'|#[^\r\n]*|[\[{]|[\]}]|\r?\n|[^"\'#\[\]{}\r\n]+|.',
    re.S,
)


class Statement(NamedTuple):
    """One line of a text, or the lines of one value. `table` is the one it stands in, or opens."""

    start: int
    end: int  # with the end of its line
    text: str
    table: tuple[str, ...]

    @property
    def opens(self) -> bool:
        """Whether it begins a table."""
        return self.text.startswith("[")

    @property
    def says(self) -> bool:
        """Whether it is more than a comment or nothing."""
        return bool(self.text) and not self.text.startswith("#")


def value_of(text: str) -> dict[str, object]:
    """What a text says, as plain values. Malformed says what is wrong."""
    try:
        return tomllib.loads(text.removeprefix(BOM), parse_float=str)  # `nan` equals nothing, not even itself
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Malformed(str(error) or "it is nested too deep") from error


def put(text: str, path: Sequence[str], value: Mapping[str, object]) -> Edited:
    """The text with a table of this name behind its end, between two marks."""
    newline = newline_of(text)
    bare = text.removeprefix(BOM)
    lead = "" if not bare else newline if bare.endswith("\n") else newline * 2
    head = f"[{'.'.join(map(_key, path))}]"
    lines = (f"{BEGIN} (`scova uninstall` takes this out again)", head, *map(_pair, value.items()), END, "")
    new = f"{text}{lead}{newline.join(lines)}"
    try:
        value_of(new)
    except Malformed as error:
        raise Unfit(f"`{path[0]}` is written in a way that no table can be added to ({error})") from error
    return Edited(new, Trace(lead, "", len(path)))


def refit(text: str, path: Sequence[str], value: Mapping[str, object]) -> str:
    """The text with these values in the table of this name; what else it has stays."""
    for key, wanted in value.items():
        statements = list(_statements(text))
        own = [one for one in statements if one.table == tuple(path)]
        if not own:
            raise Unfit(f"`{'.'.join(path)}` is not written as a table of its own")
        there = next((one for one in own if one.says and not one.opens and key in value_of(one.text)), None)
        if there is None:
            newline = newline_of(text)
            last = [one for one in own if one.says][-1]
            gap = "" if text[: last.end].endswith("\n") else newline
            text = f"{text[: last.end]}{gap}{_pair((key, wanted))}{newline}{text[last.end :]}"
        elif value_of(there.text) != {key: wanted}:
            text = text[: there.start] + _pair((key, wanted)) + text[there.start + len(there.text) :]
    return text


def swap(text: str, path: Sequence[str], value: Mapping[str, object]) -> tuple[str, str]:
    """The text with `value` instead of the table of this name, and the words that stood there."""
    begin, end = _span(text, path)
    newline = newline_of(text)
    lines = (f"[{'.'.join(map(_key, path))}]", *map(_pair, value.items()), "")
    return text[:begin] + newline.join(lines) + text[end:], text[begin:end]


def swap_back(text: str, path: Sequence[str], words: str) -> str:
    """The text with these words instead of the table of this name."""
    begin, end = _span(text, path)
    return text[:begin] + words + text[end:]


def drop(text: str, path: Sequence[str], trace: Trace | None) -> str:
    """The text without the table of this name, its own tables, and the marks around it."""
    begin, end = _span(text, path)
    statements = list(_statements(text))
    before = next((one for one in statements if one.end == begin and one.text.startswith(BEGIN)), None)
    behind = next((one for one in statements if one.start == end and one.text.startswith(END)), None)
    begin, end = before.start if before else begin, behind.end if behind else end
    lead = trace.lead if trace else ""
    blank = next((one for one in statements if one.end == begin and not one.text), None)
    if lead and text.endswith(lead, 0, begin):
        begin -= len(lead)
    elif not trace and blank and end == len(text):
        begin = blank.start
    return without(text, begin, end)


def _span(text: str, path: Sequence[str]) -> tuple[int, int]:
    """Where a table and its own tables stand."""
    statements = list(_statements(text))
    own = [one for one in statements if one.says and one.table[: len(path)] == tuple(path)]
    if not own or not own[0].opens:
        raise Unfit(f"`{'.'.join(path)}` is not written as a table of its own")
    if any(one.says and one not in own for one in statements if own[0].start < one.start < own[-1].start):
        raise Unfit(f"`{'.'.join(path)}` is scattered over the file")
    return own[0].start, own[-1].end


def _statements(text: str) -> Iterator[Statement]:
    """Every line of a valid text, but those of one value together."""
    at = start = len(BOM) if text.startswith(BOM) else 0
    depth, table = 0, tuple[str, ...]()
    opens = False
    for found in _TOKEN.finditer(text, at):
        token = found.group()
        opens = opens or (token == "[" and not text[start : found.start()].strip())
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token, 0)
        at = found.end()
        if depth == 0 and token.endswith("\n") and token.strip() == "":
            table = _opened(text[start : found.start()]) if opens else table
            yield Statement(start, at, text[start : found.start()].strip(), table)
            start, opens = at, False
    if start < at:
        yield Statement(start, at, text[start:at].strip(), _opened(text[start:at]) if opens else table)


def _opened(line: str) -> tuple[str, ...]:
    """The name of the table that a line opens."""
    names: list[str] = []
    inner: object = value_of(line.strip())
    while isinstance(inner, dict | list) and inner:
        if isinstance(inner, list):
            inner = inner[0]
            continue
        name, inner = next(iter(inner.items()))
        names.append(name)
    return tuple(names)


def _pair(pair: tuple[str, object]) -> str:
    return f"{_key(pair[0])} = {_written(pair[1])}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _written(name)


def _written(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
