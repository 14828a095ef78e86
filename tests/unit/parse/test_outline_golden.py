"""Every language's outline of a hand-written sample is exactly what a reader expects of it.

The samples lie in the package (`scova doctor` reads them too); expected.txt of a folder in tests/golden/outline is what
must be found in one. After a deliberate change run with SCOVA_UPDATE_GOLDEN=1, then read the diff: the files are reviewed,
not recorded.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexed import with_crlf
from scova.parse.grammar_check import SAMPLES
from scova.parse.outline import outline
from scova.sources.content import text_of
from scova.types import Outline, Symbol

GOLDEN = Path(__file__).parents[2] / "golden" / "outline"
LANGUAGES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())


@pytest.mark.parametrize("language", LANGUAGES)
def test_outline_of_the_sample_is_the_reviewed_one(language: str) -> None:
    written = _written(_sample(language), language)
    expected = GOLDEN / language / "expected.txt"
    if os.environ.get("SCOVA_UPDATE_GOLDEN"):
        expected.write_text(written, encoding="utf-8")
    assert written == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_outline_is_the_same_with_crlf_ends(language: str, tmp_path: Path) -> None:
    sample = _sample(language)
    shutil.copy(sample, tmp_path)
    with_crlf(tmp_path)
    expected = GOLDEN / language / "expected.txt"
    assert _written(tmp_path / sample.name, language) == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sample_parses_without_errors(language: str) -> None:
    """A sample the grammar cannot read would test its error recovery, not our query."""
    assert not outline(_sample(language).read_text(encoding="utf-8"), language).has_errors


def _sample(language: str) -> Path:
    return SAMPLES / f"{language}.txt"


def _written(sample: Path, language: str) -> str:
    """The outline of a file, read as a build reads it."""
    return "\n".join(_lines(outline(text_of(sample.name, sample.read_bytes()), language))) + "\n"


def _lines(found: Outline) -> Iterator[str]:
    yield f"package {found.package}".rstrip()
    yield from (f"import {line}" for line in found.imports)
    yield from map(_symbol, found.symbols)
    for call in found.calls:
        receiver = f"{call.receiver}." if call.receiver else ""
        yield f"call {call.caller or '-'} -> {receiver}{call.name}:{call.line}"
    for binding in found.bindings:
        member = f" {binding.member}" if binding.member else ""
        yield f"{binding.how} {binding.scope or '-'}: {binding.name} is {binding.target}{member}:{binding.line}"
    yield f"errors {'yes' if found.has_errors else 'no'}"


def _symbol(symbol: Symbol) -> str:
    parts = [
        f"{symbol.kind} {symbol.qualified} {symbol.start_line}-{symbol.end_line} ({symbol.parent}) {symbol.signature}",
        ", ".join(symbol.bases),
        " ".join(symbol.decorators),
        " ".join(symbol.doc.split()[:8]),
    ]
    while not parts[-1]:
        parts.pop()
    return " | ".join(parts)
