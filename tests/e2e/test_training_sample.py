"""`training/` runs from end to end on a small sample: gather, exclude, pair, encode, train, quantise, evaluate.

The sample is trained by `plain.py`, which needs numpy alone. `train.py`, which made the model that ships, needs torch: it runs on the same
sample where this interpreter has it, or where TRAIN_PYTHON names one that does.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scova.embed.static import StaticEmbedder

TRAINING = Path(__file__).parents[2] / "training"
TRAIN_PYTHON = os.environ.get("TRAIN_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else "")


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


def ran(script: str, *arguments: object) -> None:
    """A script of `training/` by the interpreter that has torch: what the README installs beside it must be enough."""
    command = [TRAIN_PYTHON, str(TRAINING / script), *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]


@pytest.mark.skipif(not TRAIN_PYTHON, reason="no torch here: TRAIN_PYTHON may name an interpreter that has it")
@pytest.mark.timeout(300)
def test_the_training_that_made_the_shipped_model_learns_too(made: Path) -> None:
    out = made / "by-torch"
    options = {"epochs": 3, "batch": 256, "clump": 32, "width": 32, "vocabulary": 4096, "pieces": 600}
    ran("train.py", made / "encoded", out, *(word for k, v in options.items() for word in (f"--{k}", v)))
    log = json.loads((out / "log.json").read_text())
    assert {key: log["options"][key] for key in options} == options
    assert [epoch["epoch"] for epoch in log["epochs"]] == [1, 2, 3]
    assert log["epochs"][-1]["loss"] < 0.8 * log["epochs"][0]["loss"]
    assert 0 < log["held_out"]["python"] <= 1
    ran("pack.py", made / "encoded", out, made / "by-torch.bin")
    embedder = StaticEmbedder(made / "by-torch.bin")
    assert embedder.width == 32
    assert embedder.header["training"] == log["options"]
    assert any(embedder.embed_query("read the file"))
