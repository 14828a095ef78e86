"""`training/` runs from end to end on a small sample: gather, exclude, pair, encode, train, quantise, evaluate."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scova.embed.static import StaticEmbedder

TRAINING = Path(__file__).parents[2] / "training"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    run = subprocess.run(
        [str(TRAINING / "sample.sh"), str(folder)],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    return folder


@pytest.mark.timeout(300)
def test_nothing_of_the_forbidden_package_is_in_the_pairs_and_the_control_is_found(made: Path) -> None:
    report = json.loads((made / "exclusions.json").read_text())
    assert report["forbidden_pairs"] == {}
    assert report["control_tried"] == report["control_found"] > 20
    lines = (made / "pairs" / "installed.jsonl").read_text().splitlines()
    packages = {json.loads(line)["package"] for line in lines}
    assert len(packages) > 10
    assert "pluggy" not in packages


@pytest.mark.timeout(300)
def test_training_learns(made: Path) -> None:
    losses = [epoch["loss"] for epoch in json.loads((made / "trained" / "log.json").read_text())["epochs"]]
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.timeout(300)
def test_the_packed_model_finds_code_of_packages_it_never_saw(made: Path) -> None:
    metrics = json.loads((made / "metrics.json").read_text())["python"]
    assert metrics["queries"] >= 20
    assert metrics["static"] > 20 / metrics["candidates"]  # by chance it would be about 3 / candidates
    header = StaticEmbedder(made / "static.bin").header
    assert header["pairs"] > 2000
    assert header["metrics"]["python"] == metrics
    assert header["exclusions"]["forbidden_pairs"] == {}
