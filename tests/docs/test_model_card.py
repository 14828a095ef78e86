"""The card of the model says what the header of the file that ships says."""

import subprocess
import sys
from pathlib import Path

from scova.embed.static import StaticEmbedder

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "src" / "scova" / "embed" / "static.bin"
CARD = ROOT / "docs" / "reference" / "model.md"


def test_the_card_is_the_one_made_from_the_shipped_file(tmp_path: Path) -> None:
    """Every figure of the card comes from the header: whoever replaces the file has to make the card again."""
    made = tmp_path / "model.md"
    subprocess.run([sys.executable, str(ROOT / "training" / "card.py"), str(MODEL), str(made)], check=True)
    assert made.read_text() == CARD.read_text(), (
        "run: python training/card.py src/scova/embed/static.bin docs/reference/model.md"
    )


def test_the_card_names_the_very_file_and_its_size() -> None:
    header = StaticEmbedder().header
    card = CARD.read_text()
    assert header["digest"] in card
    assert f"{header['pairs']:,} pairs" in card
    assert f"{header['vocab_size']:,} lower-case" in card
    assert f"{MODEL.stat().st_size:,} bytes" in card


def test_the_card_says_what_the_model_is_worth_on_the_benchmark() -> None:
    found = StaticEmbedder().header["benchmark"]
    card = CARD.read_text()
    assert found["repositories"] == 25
    for way in ("vector", "text", "hybrid", "without"):
        assert f"| {found[way]:.4f} |" in card
