"""The words of an audit, and how a derived index is compared with the store. Knows no format: plain sets of rows only."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from scova.types import Finding, Row

ORPHAN = "orphan"  # it is there, and what it belongs to is not
MISSING = "missing"  # it should be there
MISMATCH = "mismatch"  # two places disagree
DAMAGED = "damaged"  # it cannot be read


def compare_rows(part: str, stored: AbstractSet[Row], derived: Iterable[Row]) -> list[Finding]:
    """What a derived index holds too much or too little of. `derived` is base minus dead rows plus delta."""
    counted: dict[Row, int] = {}
    for row in derived:
        counted[row] = counted.get(row, 0) + 1
    found = [Finding(part, ORPHAN, f"row {row}", "not in the store") for row in sorted(counted.keys() - stored)]
    found += [Finding(part, MISSING, f"row {row}", "in the store only") for row in sorted(stored - counted.keys())]
    found += [Finding(part, MISMATCH, f"row {row}", f"there {n} times") for row, n in sorted(counted.items()) if n > 1]
    return found
