"""What `encode.py` writes is what both trainings read."""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

_PATHS = [*sys.path]
sys.path.insert(0, str(Path(__file__).parents[3] / "training"))
try:
    import bags
    import encode
    import plain
finally:
    sys.path[:] = _PATHS


def written(folder: Path, name: str, texts: list[dict[int, int]]) -> None:
    """These bags, lexicon ids with counts, as `encode.py join` writes them."""
    ids = np.array([i for text in texts for i in sorted(text)], np.int64)
    counts = np.array([text[i] for text in texts for i in sorted(text)], np.int64)
    sizes = np.array([len(text) for text in texts], np.int64)
    for path, array in encode.planes(folder, name, [(ids, counts, sizes)]):
        encode.compress(path, array)


TEXTS: list[dict[int, int]] = [{}, {0: 1, 3: 255, 70_000: 2}, {}, {5: 1}, {3: 2, 4: 1}, {}]


def test_bags_come_back_empty_ones_and_large_ids_too(tmp_path):
    written(tmp_path, "code", TEXTS)
    read = bags.read_view(tmp_path, "code")
    bounds = np.concatenate([[0], np.cumsum(read.sizes)])
    back = [dict(zip(read.ids[a:b].tolist(), read.counts[a:b].tolist(), strict=True)) for a, b in pairwise(bounds)]
    assert back == TEXTS


def test_the_plain_training_has_a_row_per_part_weighed_by_its_count(tmp_path):
    lexicon = [("open", 9), ("file", 8), ("ab", 7)]
    written(tmp_path, "code", [{0: 3, 2: 1}, {}, {1: 1}])
    view = plain.View(tmp_path, "code", lexicon, ["open", "file", "a", "##b"])
    dense = view.matrix(np.array([0, 1, 2]))
    assert np.allclose(dense, [[1 + np.log(3), 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]])
