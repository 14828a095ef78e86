"""Where a long stretch of code may be cut: how much each line holds together with the one above it, by its looks."""

from scova.parse.tiling.lines import Lines, Weight

# A line that begins so goes on with the one above it.
_GOES_ON = (
    *("else", "elif", "elsif", "except", "catch", "finally", "rescue", "ensure", "then"),
    *(
        "&&",
        "||",
        "and ",
        "or ",
        "|>",
        "->",
        "?",
        ":",
        ",",
        "=",
        "+",
        *(f".{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),
    ),
)
# A line that begins so leads to the one below it.
LEADS = ("#", "//", "/*", "*", "--", "@")


def line_weight(lines: Lines) -> Weight:
    """How bad it is to cut code before a line: little after a blank line and at little indentation."""
    rows = lines.rows

    def weight(line: int) -> float:
        row = rows[line]
        body = row.lstrip()
        if not body:
            return 1.0  # blank lines end what is above them
        indent = len(row) - len(body)
        if indent and row[0] == "\t":
            indent *= 4
        cost = indent / 20 if indent < 24 else 1.2
        above = rows[line - 1].strip()
        if body[0] in ")]}" or body.startswith(_GOES_ON):
            return cost + 1.0
        if not above:
            return cost
        if above[0] in ")]}":
            return cost + 0.1
        return cost + (0.6 if above[-1] in "({[,:\\" or above.startswith(LEADS) else 0.25)

    return weight
