"""What an answer says beside its results: how often the very words occur, how many chunks there are, and how to go on."""

from collections.abc import Iterator

from scova.counted import counted
from scova.types import Answer, Mode, Query

_MATCHING = (Mode.TEXT, Mode.SYMBOL, Mode.REGEX)  # what they find has what was asked for; the others take the nearest


def counts(query: Query, found: Answer) -> Iterator[str]:
    """Each in a line of its own."""
    literal = found.literal
    if literal.count:
        files = counted(literal.files, "file")
        if query.mode is Mode.REGEX:
            verb = "matches" if literal.count == 1 else "match"
            yield f"{counted(literal.count, 'line')} in {files} {verb} `{literal.text}`"
        else:
            bound = "whole words" if len(literal.text.split()) > 1 else "a whole word"
            yield f"`{literal.text}` occurs {counted(literal.count, 'time')} in {files} (as {bound}, in this spelling)"
    if found.truncated:
        how = "matched" if query.mode in _MATCHING else "considered"
        more = f"--next {found.next}" if found.next else "with a larger --limit"
        yield f"{counted(found.total, 'chunk')} {how}; more: {more}"
