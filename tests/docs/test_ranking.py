"""The page on ranking shows the weights that are in force."""

import re
from pathlib import Path

from scova.search.ranking.weights import SIGNALS, Weights

PAGE = Path(__file__).parents[2] / "docs/reference/ranking.md"
TAKEN = {"aside", "docs", "map", "data"}


def test_every_signal_is_listed_with_its_weight():
    rows = dict(re.findall(r"^\| `(\w+)` \| (?:chunk|file) \| (-?[\d.]+) \|", PAGE.read_text(), re.MULTILINE))
    told = {signal: float(weight) for signal, weight in rows.items()}
    assert told == {name: getattr(Weights(), name) * (-1 if name in TAKEN else 1) for name in SIGNALS}
