"""The real command in a forked process, and what a person gets to see of it."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from crash.place import Place
from crash.station import Station

ASKED: dict[str, list[str]] = {
    "search": ["search", "measure the parcel", "--json", "--no-refresh"],
    "symbol": ["search", "paint_0", "--mode", "symbol", "--json", "--no-refresh"],
    "vector": ["search", "who holds a lantern", "--mode", "vector", "--json", "--no-refresh"],
    "grep": ["grep", "measure_[0-9]", "--no-refresh"],
    "def": ["def", "Paint0", "--json", "--no-refresh"],
    "callers": ["callers", "measure_1", "--json", "--no-refresh"],
}
_VOLATILE = ("freshness", "seconds", "ms", "timings", "elapsed", "took")


class Said(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def is_helpful(self) -> bool:
        """An error that says what to do about damage."""
        return self.code == 2 and "hint:" in self.err and "scova repair" in self.err

    @property
    def is_dated(self) -> bool:
        """An answer that says of itself that it is not of the newest."""
        try:
            freshness = json.loads(self.out)["freshness"]
        except (ValueError, KeyError, TypeError):
            return False
        return bool(freshness["pending_files"] or freshness["pending_embeddings"])

    @property
    def answer(self) -> object:
        """What it answered, without what differs from time to time."""
        try:
            return self.code, _steady(json.loads(self.out))
        except ValueError:
            return self.code, re.sub(r"[0-9.]+ ?m?s\b", "", self.out)


def said(station: Station, place: Place, words: Sequence[str]) -> Said:
    """Run a command on the place's index. A traceback is always a failure."""
    out = place.folder / "said"
    where = [str(place.tree), "--data", str(place.data)] if words[0] != "gc" else []
    end = station.run("crash.acting:say", str(place.folder), [*words, *where], str(out))
    assert "Traceback" not in end.err, f"{words}: {end.err}"
    assert end.status == 0, f"{words}: ended with {end.status}: {end.err}"
    return Said(end.value, out.read_text(), end.err)


def _steady(value: object) -> object:
    if isinstance(value, dict):
        return {key: _steady(one) for key, one in value.items() if key not in _VOLATILE}
    return [_steady(one) for one in value] if isinstance(value, list) else value
