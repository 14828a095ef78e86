"""Figures of a model: models are told apart by what they are, and what was found of one reaches its header and its card."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scova.embed.static import StaticEmbedder

ROOT = Path(__file__).parents[3]
TRAINING = ROOT / "training"
SHIPPED = ROOT / "src" / "scova" / "embed" / "static.bin"
_PATHS = [*sys.path]
sys.path.insert(0, str(TRAINING))
try:
    import benchmark
    import card
finally:
    sys.path[:] = _PATHS

REPOS = [f"repo{i}" for i in range(10)]


def scores(vector: float, hybrid: float, without: float) -> benchmark.Scores:
    """Two questions in each repository, the second of them a little better."""
    means = {"vector": vector, "hybrid": hybrid, "without": without, "text": 0.6}
    return {way: {repo: [mean - 0.01, mean + 0.01] for repo in REPOS} for way, mean in means.items()}


def other_power(folder: Path) -> Path:
    """Another model in a file that is called the same."""
    folder.mkdir()
    path = folder / "static.bin"
    path.write_bytes(SHIPPED.read_bytes().replace(b'"power": 0.75', b'"power": 0.50'))
    return path


def test_two_models_in_files_of_one_name_are_two(tmp_path):
    other = other_power(tmp_path / "candidate")
    found = benchmark.identities([SHIPPED, other])
    assert list(found.values()) == [SHIPPED, other]
    assert list(found) == [StaticEmbedder(SHIPPED).model, StaticEmbedder(other).model]


@pytest.mark.parametrize("copied", [False, True])
def test_a_model_is_not_compared_with_itself(tmp_path, copied):
    again = Path(shutil.copy(SHIPPED, tmp_path / "candidate.bin")) if copied else SHIPPED.parent / "." / SHIPPED.name
    with pytest.raises(SystemExit, match="the same model"):
        benchmark.identities([SHIPPED, again])


def test_the_report_has_differences_to_the_first_model_and_to_no_vectors():
    first, second = scores(0.70, 0.90, 0.88), scores(0.72, 0.91, 0.88)
    alone = benchmark.report("first", first, first)
    assert "to the first" not in alone
    told = benchmark.report("second", second, first).splitlines()
    assert told[0] == "== second"
    assert told[1].split() == ["vector", "0.7200", "to", "the", "first", "+0.0200", "[+0.0200,", "+0.0200]"]
    assert "0.9100   to the first +0.0100" in told[2]
    assert "to without +0.0300" in told[2]


def test_the_figures_are_flat_means_over_repositories_and_the_paired_gain():
    found = benchmark.figures(scores(0.70, 0.90, 0.88))
    assert {key: found[key] for key in ("repositories", "vector", "hybrid", "without", "text")} == {
        "repositories": 10,
        "vector": 0.7,
        "hybrid": 0.9,
        "without": 0.88,
        "text": 0.6,
    }
    assert found["gain"] == {"mean": 0.02, "low": 0.02, "high": 0.02}


def described(model: Path, written: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TRAINING / "describe.py"), str(model), "--benchmark", str(written)]
    return subprocess.run(command, capture_output=True, text=True)


def test_what_was_found_reaches_the_header_and_the_card_and_leaves_the_weights(tmp_path):
    model = other_power(tmp_path / "candidate")
    before = StaticEmbedder(model)
    vector = before.embed_query("where is the file read")
    found = {"about": {"date": "2026-01-02", "commit": "abc1234"}, "figures": benchmark.figures(scores(0.7, 0.9, 0.88))}
    written = tmp_path / "benchmark.json"
    written.write_text(json.dumps({before.model: found}))
    assert described(model, written).returncode == 0
    after = StaticEmbedder(model)
    assert after.model == before.model
    assert after.embed_query("where is the file read") == vector
    assert after.header["benchmark"]["vector"] == 0.7
    assert {**after.header, "sections": 0, "benchmark": 0} == {**before.header, "sections": 0, "benchmark": 0}
    page = card.card(model)
    assert "mean over 10 repositories (`training/benchmark.py`, 2026-01-02, ranking of abc1234)" in page
    assert "| this model alone: mode `vector`, as it ranks | 0.7000 |" in page
    assert "| what its vectors add | +0.0200 (+0.0200 … +0.0200) |" in page


def test_figures_of_another_model_are_refused(tmp_path):
    model = other_power(tmp_path / "candidate")
    raw = model.read_bytes()
    written = tmp_path / "benchmark.json"
    written.write_text(json.dumps({StaticEmbedder(SHIPPED).model: {"about": {}, "figures": {}}}))
    done = described(model, written)
    assert done.returncode == 1
    assert "no figures of scova-static-2:" in done.stderr
    assert model.read_bytes() == raw
