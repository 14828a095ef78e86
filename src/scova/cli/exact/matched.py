"""Matching lines as text: for programs `path:line:text`, for people with headings and colour, or as JSON. Prints nothing."""

from scova.answers import FileMatches, Line, Matches
from scova.cli.render import clean, json_text
from scova.record import record

_PATH, _NUMBER, _MATCH = "35", "32", "1;31"  # magenta, green, bold red: as everywhere


@record
class Style:
    """How lines are shown."""

    heading: bool = False  # the path once, above its lines
    colour: bool = False
    terminal: bool = False  # someone looks at it, coloured or not
    numbers: bool = True
    separated: bool = False  # a line of dashes between lines that are not neighbours: context was asked for


class Shown:
    """Turns files into text, one after the other."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._shown = 0

    def lines(self, file: FileMatches) -> str:
        """A file's lines, ready to be printed."""
        style = self._style
        out: list[str] = []
        if style.heading:
            out += ["\n"] * bool(self._shown) + [self._colour(_PATH, self._safe(file.path)), "\n"]
        last = None
        for line in file.lines:
            apart = last is not None and line.number != last + 1
            if style.separated and (apart or (last is None and self._shown and not style.heading)):
                out.append("--\n")
            out.append(self._line(file.path, line))
            last = line.number
        self._shown += 1
        return "".join(out)

    def count(self, file: FileMatches) -> str:
        """A file with its number of matching lines."""
        return f"{self.path(file).removesuffix(chr(10))}:{file.count}\n"

    def path(self, file: FileMatches) -> str:
        """A file's path."""
        return self._colour(_PATH, self._safe(file.path)) + "\n"

    def _line(self, path: str, line: Line) -> str:
        mark = ":" if line.matched else "-"
        path = "" if self._style.heading else self._colour(_PATH, self._safe(path)) + mark
        number = self._colour(_NUMBER, str(line.number)) + mark if self._style.numbers else ""
        return f"{path}{number}{self._text(line)}\n"

    def _text(self, line: Line) -> str:
        if not self._style.colour or not line.spans:
            return self._safe(line.text)
        out, at = "", 0
        for start, end in line.spans:
            out += self._safe(line.text[at:start])
            out += self._colour(_MATCH, self._safe(line.text[start:end])) if end > start else ""
            at = end
        return out + self._safe(line.text[at:])

    def _safe(self, text: str) -> str:
        """On a terminal, no control character but tab survives; programs get the text as it is."""
        return clean(text) if self._style.terminal else text

    def _colour(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._style.colour else text


def as_json(found: Matches) -> str:
    """One object: everything that was found, exact totals, how much was read, how fresh it is."""
    fields = {
        "pattern": found.pattern,
        "files": [
            {
                "path": file.path,
                "count": file.count,
                "matches": file.matches,
                "binary": file.binary,
                "lines": [
                    {"line": line.number, "text": line.text, "match": line.matched, "spans": line.spans}
                    for line in file.lines
                ],
            }
            for file in found.files
        ],
        "count": found.count,
        "matches": found.matches,
        "searched": found.searched,
        "scanned": found.scanned,
        "truncated": found.truncated,
        "cut": found.cut,
        "freshness": found.freshness._asdict(),
    }
    return json_text(fields, dict) + "\n"
