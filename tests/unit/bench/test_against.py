"""What bench/speed/against.py keeps of a comparison says what was compared."""

import argparse
import sys
from pathlib import Path

_PATHS = [*sys.path]
sys.path.insert(0, str(Path(__file__).parents[3] / "bench" / "speed"))
try:
    import against
finally:
    sys.path[:] = _PATHS


def test_the_commit_and_the_tree_are_kept_beside_the_best_turns(tmp_path):
    tree = tmp_path / "shop"
    tree.mkdir()
    turns = {
        "before": [{"index": 2.0, "text": 0.5}, {"index": 4.0, "text": 0.4}],
        "now": [{"index": 3.0, "text": 0.2}, {"index": 2.5, "text": 0.3}],
    }
    assert against.result(argparse.Namespace(commit="abc1234", tree=tree), 99, turns) == {
        "against": "abc1234",
        "tree": "shop",
        "questions": 99,
        "before": {"index": 2.0, "text": 0.4},
        "now": {"index": 2.5, "text": 0.2},
        "ratios": {"index": 1.25, "text": 0.5},
    }
