"""What bench/speed/against.py keeps of a comparison."""

import sys
from pathlib import Path

_PATHS = [*sys.path]
sys.path.insert(0, str(Path(__file__).parents[3] / "bench" / "speed"))
try:
    import against
finally:
    sys.path[:] = _PATHS


def test_the_best_turns_are_kept_with_their_ratios():
    turns = {
        "before": [{"index": 2.0, "text": 0.5}, {"index": 4.0, "text": 0.4}],
        "now": [{"index": 3.0, "text": 0.2}, {"index": 2.5, "text": 0.3}],
    }
    assert against.best_of(turns) == {
        "before": {"index": 2.0, "text": 0.4},
        "now": {"index": 2.5, "text": 0.2},
        "ratios": {"index": 1.25, "text": 0.5},
    }
