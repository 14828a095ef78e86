"""Every language's outline of a hand-written sample is exactly what a reader expects of it.

The samples lie in the package (`scova doctor` reads them too); expected.txt of a folder in tests/golden/outline is what
must be found in one. After a deliberate change run with SCOVA_UPDATE_GOLDEN=1, then read the diff: the files are reviewed,
not recorded.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scova.parse.grammar_check import SAMPLES
from scova.parse.outline import outline
from scova.types import Outline, Symbol

GOLDEN = Path(__file__).parents[2] / "golden" / "outline"
LANGUAGES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())


@pytest.mark.parametrize("language", LANGUAGES)
def test_outline_of_the_sample_is_the_reviewed_one(language: str) -> None:
    written = "\n".join(_lines(outline(_sample(language), language))) + "\n"
    expected = GOLDEN / language / "expected.txt"
    if os.environ.get("SCOVA_UPDATE_GOLDEN"):
        expected.write_text(written, encoding="utf-8")
    assert written == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sample_parses_without_errors(language: str) -> None:
    """A sample the grammar cannot read would test its error recovery, not our query."""
    assert not outline(_sample(language), language).has_errors


def _sample(language: str) -> str:
    return (SAMPLES / f"{language}.txt").read_text(encoding="utf-8")


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
