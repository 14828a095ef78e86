"""Every language's calls, in a small project of several files, lead where a reader of it says they lead.

Each folder of tests/golden/structure is a project in one language; expected.txt has one line for every edge:

    FILE CALLER -> FILE CALLEE resolved | candidate: why        FILE CALLER -> ? NAME: why (it is not in the index)

A new language is a folder here. After a deliberate change run with SCOVA_UPDATE_GOLDEN=1, then read the diff: the files are
reviewed, not recorded.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexed import code_of_files, files_below, with_crlf
from scova.answers import Definition
from scova.search.structure.code import CALLABLE, Code
from scova.search.structure.edges import Edge, Edges

GOLDEN = Path(__file__).parents[3] / "golden" / "structure"
LANGUAGES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_call_leads_where_it_should(language: str) -> None:
    written = _written(_code(language))
    expected = GOLDEN / language / "expected.txt"
    if os.environ.get("SCOVA_UPDATE_GOLDEN"):
        expected.write_text(written, encoding="utf-8")
    assert written == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_call_leads_there_with_crlf_ends_too(language: str, tmp_path: Path) -> None:
    files = files_below(with_crlf(shutil.copytree(GOLDEN / language, tmp_path / language)), without="expected.txt")
    assert _written(code_of_files(files)) == (GOLDEN / language / "expected.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_callers_are_the_callees_read_backwards(language: str) -> None:
    """Whom a definition calls, that one is called by it: at the same places, for the same reasons."""
    code = _code(language)
    edges = Edges(code)
    forwards = {
        (one.path, one.symbol.qualified, edge.definition.path, edge.definition.symbol.qualified, site)
        for one in _definitions(code)
        if one.symbol.kind not in ("class", "struct", "object", "module")
        for edge in edges.callees(one)
        if edge.definition
        for site in edge.sites
    }
    backwards = {
        (edge.path, edge.name, one.path, one.symbol.qualified, site)
        for one in _definitions(code)
        for edge in edges.callers(one)
        for site in edge.sites
    }
    assert forwards and not forwards - backwards


def _code(language: str) -> Code:
    return code_of_files(files_below(GOLDEN / language, without="expected.txt"))


def _written(code: Code) -> str:
    edges = Edges(code)
    return "".join(
        f"{line}\n" for one in _definitions(code) for edge in edges.callees(one) for line in _lines(one, edge)
    )


def _definitions(code: Code) -> Iterator[Definition]:
    for path in code.languages:
        file = code.file(path)
        assert file is not None
        for qualified in file.by_qualified:
            one = file.find(qualified)
            if one and one.symbol.kind in CALLABLE:
                yield one


def _lines(one: Definition, edge: Edge) -> Iterator[str]:
    for site in edge.sites:
        sure = f"{site.certainty.value}: " if edge.definition else ""
        end = f"{edge.path} {edge.name} {sure}" if edge.definition else f"? {edge.name}: "
        yield f"{one.path}:{site.line} {one.symbol.qualified} -> {end}{site.reason}"
