"""Whatever the text and whatever the parser said of it: chunks cover it exactly, within their sizes, under stable ids."""

from hypothesis import given, settings
from hypothesis import strategies as st

from scova.parse.chunk import MOST_NAMES, chunk
from scova.parse.tiling.lines import Sizes
from scova.types import Chunk, ChunkType, Document, Mark, Outline, Symbol

SMALL = Sizes(target=60, maximum=120, minimum=15, alone=30)  # so that short random texts meet every rule
LANGUAGES = [
    "python",
    "c",
    "rust",
    "haskell",
    "elixir",
    "",
    "markdown",
    "rst",
    "text",
    "asciidoc",
    "json",
    "yaml",
    "toml",
    "ini",
]
CODE = ["python", "c", "rust", "haskell", "elixir", ""]
KINDS = ["function", "method", "class", "module", "constant", "variable", "field", "property"]

_line = st.one_of(
    st.sampled_from(
        [
            *(
                "",
                "    ",
                "}",
                "  }",
                ")",
                "end",
                "# note",
                "// note",
                "/* open",
                "shut */",
                '"""',
                "-- note",
                "@decorated(",
            ),
            *(
                "def f(x):",
                "    return x",
                "class A {",
                "x = 1",
                "import os",
                "const (",
                "#[derive(Debug)]",
                "template <T>",
            ),
            *(
                "# Title",
                "## Part",
                "Title",
                "=====",
                "-----",
                "```python",
                "```",
                "~~~",
                "| a | b |",
                "- item",
                "---",
                "+++",
            ),
            *(
                "key: value",
                "[section]",
                "a = 1",
                '  "key": {',
                "    deep",
                "\tdeep",
                "= Title",
                "----",
                "x" * 130,
                "word " * 9,
            ),
        ]
    ),
    st.text(max_size=30),
)
texts = st.builds(
    lambda lines, final: "".join(line + end for line, end in lines) + final,
    st.lists(st.tuples(_line, st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\f\n", "\u2028"])), max_size=60),
    st.sampled_from(["", "last line", "}"]),
)


@st.composite
def outlines(draw: st.DrawFn, text: str) -> Outline:
    """Any symbols a parser could report: nested, side by side, on the same lines, or overlapping."""
    count = max(text.count("\n") + (not text.endswith("\n")), 1)
    spans = draw(st.lists(st.tuples(st.integers(1, count), st.integers(0, 25), st.sampled_from(KINDS)), max_size=12))
    symbols = [
        Symbol(
            f"s{i % 9}",
            f"p.s{i % 9}",
            kind,
            start,
            min(start + length, count),
            signature=f"def s{i}()" if i % 2 else "",
        )
        for i, (start, length, kind) in enumerate(spans)
    ]
    return Outline(tuple(symbols), imports=("import os",), package="p")


@st.composite
def cases(draw: st.DrawFn, languages: list[str]) -> tuple[Document, Outline]:
    text = draw(texts)
    return document(text, draw(st.sampled_from(languages))), draw(outlines(text))


def document(text: str, language: str = "python", path: str = "src/file.x") -> Document:
    return Document(path, text, "", language, Mark(0, 0))


def tiles(chunks: tuple[Chunk, ...]) -> list[Chunk]:
    return [one for one in chunks if one.chunk_type is not ChunkType.SYMBOLS]


@settings(max_examples=400)
@given(cases(LANGUAGES), st.sampled_from([SMALL, Sizes()]))
def test_chunks_concatenate_to_the_text_without_gap_or_overlap(case: tuple[Document, Outline], sizes: Sizes) -> None:
    """Every character is in exactly one chunk, and the line numbers say where."""
    source, outline = case
    found = tiles(chunk(source, outline, project="p", sizes=sizes))
    if not source.text.strip():
        assert found == []
        return
    assert "".join(one.text for one in found) == source.text
    rows = source.text.split("\n")
    after = 1
    for one in found:
        assert one.start_line == after <= one.end_line
        assert one.text.removesuffix("\n") == "\n".join(rows[one.start_line - 1 : one.end_line])
        after = one.end_line + 1


@settings(max_examples=300)
@given(cases(LANGUAGES))
def test_no_chunk_is_larger_than_the_maximum_unless_it_is_one_line(case: tuple[Document, Outline]) -> None:
    source, outline = case
    for one in tiles(chunk(source, outline, project="p", sizes=SMALL)):
        assert len(one.text) <= SMALL.maximum or one.start_line == one.end_line


@settings(max_examples=300)
@given(cases(LANGUAGES))
def test_ids_and_ordinals_are_unique_and_the_same_every_time(case: tuple[Document, Outline]) -> None:
    source, outline = case
    first = chunk(source, outline, project="p", sizes=SMALL)
    assert first == chunk(source, outline, project="p", sizes=SMALL)
    assert len({one.id for one in first}) == len(first)
    assert [one.ordinal for one in first] == list(range(len(first)))


@settings(max_examples=300)
@given(cases(CODE))
def test_every_symbol_is_named_by_the_chunk_it_starts_in(case: tuple[Document, Outline]) -> None:
    source, outline = case
    for one in tiles(chunk(source, outline, project="p", sizes=SMALL)):
        inside = {symbol.qualified for symbol in outline.symbols if one.start_line <= symbol.start_line <= one.end_line}
        assert set(one.names) == inside
        assert len(one.names) <= MOST_NAMES
        assert one.symbol not in one.names[1:]


@settings(max_examples=100)
@given(st.data())
def test_ids_stay_while_the_body_of_one_function_changes(data: st.DataObject) -> None:
    """Functions large enough to stand alone keep their ids, and all others their text, whatever happens inside one of them."""
    count = data.draw(st.integers(2, 6))
    bodies = data.draw(st.lists(st.integers(3, 9), min_size=count, max_size=count))
    changed = data.draw(st.integers(0, count - 1))
    new_body = data.draw(st.integers(3, 9))
    sizes = Sizes(target=100, maximum=400, minimum=10, alone=40)

    def chunks(bodies: list[int], word: str) -> tuple[Chunk, ...]:
        rows: list[str] = []
        symbols: list[Symbol] = []
        for i, length in enumerate(bodies):
            start = len(rows) + 1
            rows += [f"def function_{i}():"] + [
                f"    do_{word if i == changed else 'it'}({row})" for row in range(length)
            ]
            symbols.append(Symbol(f"function_{i}", f"function_{i}", "function", start, len(rows)))
            rows += ["", ""]
        return chunk(document("\n".join(rows) + "\n"), Outline(tuple(symbols)), project="p", sizes=sizes)

    before = {one.id: one for one in chunks(bodies, "it")}
    after = {one.id: one for one in chunks([*bodies[:changed], new_body, *bodies[changed + 1 :]], "them")}
    assert before.keys() == after.keys()
    for one_id, old in before.items():
        if old.chunk_type is not ChunkType.SYMBOLS:
            assert (old.content_hash == after[one_id].content_hash) == (old.symbol != f"function_{changed}")


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 8)), min_size=1, max_size=8))
def test_a_fenced_block_that_fits_is_never_cut(parts: list[tuple[int, int]]) -> None:
    """Paragraphs and fenced blocks in turn: each block no larger than the maximum stands in one chunk."""
    blocks = [
        "```\n" + "".join(f"# line {i} {row}\n" for row in range(length)) + "```\n"
        for i, (_, length) in enumerate(parts)
    ]
    text = "".join(
        "words of prose\n" * words + "\n" + block + "\n" for (words, _), block in zip(parts, blocks, strict=True)
    )
    found = tiles(chunk(document(text, "markdown"), Outline(), project="p", sizes=SMALL))
    for block in blocks:
        if len(block) <= SMALL.maximum:
            assert any(block in one.text for one in found)
