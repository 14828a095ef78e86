"""A marked block of instructions in a Markdown file: put at its end, changed, or taken out again. Knows no file and no client."""

import re
from importlib.resources import files

from scova.install.text.jsonc import BOM, Unfit
from scova.install.text.trace import Edited, Trace, newline_of, without

BEGIN, END = "<!-- scova:begin -->", "<!-- scova:end -->"
_MARK = re.compile(rf"(?:^|(?<={BOM}))(?:{BEGIN}|{END})[ \t]*\r?$", re.M)


def guide() -> str:
    """The guide for agents: what `scova help agents` shows, and the block says."""
    return (files("scova.install") / "agents.md").read_text(encoding="utf-8")


def has_block(text: str) -> bool:
    """Whether there is a block; Unfit when there is only a part of one, or several."""
    marks = [found.group().strip() for found in _MARK.finditer(text)]
    if marks and marks != [BEGIN, END]:
        raise Unfit(f"its marks `{BEGIN}` and `{END}` do not come as one pair")
    return bool(marks)


def put(text: str, guide: str) -> Edited:
    """The text with the block behind its end, or with a block that is there already brought up to date."""
    newline = newline_of(text)
    block = newline.join([BEGIN, *guide.strip().splitlines(), END])
    if has_block(text):
        begin, end = _span(text)
        return Edited(text[:begin] + block + text[end:], Trace())
    bare = text.removeprefix(BOM)
    lead = "" if not bare else newline if bare.endswith("\n") else newline * 2
    return Edited(f"{text}{lead}{block}{newline}", Trace(lead, newline))


def drop(text: str, trace: Trace | None) -> str:
    """The text without its block."""
    begin, end = _span(text)
    lead, tail = (trace.lead, trace.tail) if trace else ("", newline_of(text))
    begin -= len(lead) * text.endswith(lead, 0, begin)
    end += len(tail) * text.startswith(tail, end)
    return without(text, begin, end)


def _span(text: str) -> tuple[int, int]:
    first, last = _MARK.finditer(text)
    return first.start(), last.start() + len(END)
