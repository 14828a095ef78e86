"""A context pack explains a symbol, stays within its budget, and never shows half a definition."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import scova
from scova import Index
from scova.answers import Context, Part
from scova.errors import QueryError
from scova.search.context.explain import Request, context, fitted
from scova.search.context.pieces import Piece
from scova.search.pack import estimate_tokens

SOURCE = Path(scova.__file__).parent


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """This project's own code, indexed."""
    folder = tmp_path_factory.mktemp("context")
    shutil.copytree(SOURCE, folder / "tree", ignore=shutil.ignore_patterns("__pycache__", "*.bin"))
    with Index.open(folder / "tree", data=str(folder / "data"), embedder="none") as handle:
        handle.refresh()
        yield handle


def explained(index: Index, subject: str, budget: int = 2000) -> Context:
    return index._searching().ask(lambda view: context(view, Request(subject, budget)))


def some_symbols(index: Index, count: int) -> list[str]:
    reader = index._searching().view().chunk_set.reader
    symbols = [
        f"{path}:{symbol.start_line}"
        for path in sorted(reader.files())
        if (file := reader.outline(path))
        for symbol in file.outline.symbols
        if symbol.kind in ("function", "method", "class")
    ]
    return symbols[:: max(1, len(symbols) // count)][:count]


@pytest.mark.parametrize("budget", [150, 2000, 8000])
def test_fifty_symbols_stay_within_the_budget_and_no_definition_is_cut(index: Index, budget: int) -> None:
    for subject in some_symbols(index, 50):
        try:
            pack = explained(index, subject, budget)
        except QueryError as error:
            assert "nothing fits" in error.message
            continue
        shown = "".join(f"{p.path}:{p.start_line}-{p.end_line} {p.name}\n{p.text}\n" for p in pack.parts)
        assert estimate_tokens(shown) <= sum(part.tokens for part in pack.parts) == pack.tokens <= budget
        for part in pack.parts:
            if part.whole:
                assert part.text == lines_of(index, part)
            else:
                left = budget - pack.tokens + part.tokens
                whole = f"{part.path}:{part.start_line}-{part.end_line} {part.name}\n{definition_of(index, part)}\n"
                assert estimate_tokens(whole) > left - 2, f"{part.name} would have fitted whole"


def lines_of(index: Index, part: Part) -> str:
    lines = (index.root / part.path).read_text().splitlines(keepends=True)
    return "".join(lines[part.start_line - 1 : part.end_line])


def definition_of(index: Index, part: Part) -> str:
    file = index._searching().view().chunk_set.reader.outline(part.path)
    assert file is not None
    symbol = next(
        one
        for one in file.outline.symbols
        if one.qualified == part.name and one.start_line <= part.start_line <= one.end_line
    )
    return lines_of(index, part._replace(start_line=symbol.start_line, end_line=symbol.end_line))


def test_it_holds_what_a_reader_needs(index: Index) -> None:
    pack = explained(index, "Verifier.span", 4000)
    roles = {(part.role, part.name) for part in pack.parts}
    assert ("definition", "Verifier.span") in roles
    assert ("callee", "Verifier._looked_at") in roles
    assert ("type", "Verifier") in roles
    assert any(role == "caller" for role, _ in roles)


def test_a_place_is_explained_by_the_definition_around_it(index: Index) -> None:
    whole = explained(index, "Anchors.moved")
    start = whole.parts[0].start_line
    assert explained(index, f"search/verify/anchors.py:{start + 2}").parts[0] == whole.parts[0]


def test_a_place_in_no_definition_is_shown_with_the_lines_around_it(index: Index) -> None:
    pack = explained(index, "search/verify/__init__.py:1")
    assert pack.parts[0].text == (SOURCE / "search/verify/__init__.py").read_text()


def test_an_unknown_name_gives_the_nearest_ones(index: Index) -> None:
    pack = explained(index, "Verifyer")
    assert pack.parts == ()
    assert "Verifier" in pack.suggestions


@pytest.mark.parametrize("budget", [0, -5, 49])
def test_a_budget_that_is_too_small_is_refused(index: Index, budget: int) -> None:
    with pytest.raises(QueryError, match="budget"):
        explained(index, "Verifier.span", budget)


def test_when_nothing_fits_the_least_budget_is_named(index: Index) -> None:
    with pytest.raises(QueryError) as caught:
        explained(index, "search/context/explain.py:3", 50)
    assert "raise the budget" in caught.value.hint


def piece(tokens: int, short: int = 0) -> Piece:
    whole = Part("callee", "a", 1, 9, "f", "", tokens, "", whole=True)
    return Piece(whole, whole._replace(tokens=short, whole=False) if short else None)


def test_a_large_piece_takes_no_room_from_smaller_ones() -> None:
    assert [p.tokens for p in fitted([piece(50), piece(900), piece(30)], 100)] == [50, 30]


def test_pieces_come_in_short_before_any_but_the_first_comes_whole() -> None:
    assert [p.tokens for p in fitted([piece(50), piece(45, 10), piece(45, 10)], 100)] == [50, 10, 10]
    assert [p.tokens for p in fitted([piece(50), piece(45, 10), piece(20, 10)], 100)] == [50, 10, 20]
