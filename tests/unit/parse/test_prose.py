"""Prose into chunks, by heading and paragraph."""

from textwrap import dedent

import pytest

from scova.parse.chunk import chunk
from scova.parse.prose import sections
from scova.parse.tiling.lines import SIZES, Lines, Sizes
from scova.types import Chunk, ChunkType, Document, Mark, Outline

FINE = Sizes(target=60, maximum=120, minimum=1, alone=1)  # every section stands alone


def chunks_of(text: str, language: str = "markdown", sizes: Sizes = FINE) -> list[Chunk]:
    return list(chunk(Document("docs/guide.md", text, "", language, Mark(0, 0)), Outline(), project="p", sizes=sizes))


def paths(text: str, language: str = "markdown") -> list[str]:
    return [section.qualified for section in sections(Lines.of(text), language)]


def test_a_section_is_known_by_the_path_of_its_headings() -> None:
    text = "# Guide\nall\n## Install\nhow\n### Linux\napt\n## Use\nso\n"
    found = chunks_of(text)
    assert [(one.symbol, one.kind, one.title) for one in found] == [
        (path, "section", path) for path in ("Guide", "Guide > Install", "Guide > Install > Linux", "Guide > Use")
    ]
    assert {one.chunk_type for one in found} == {ChunkType.DOCUMENTATION}
    assert "".join(one.text for one in found) == text
    assert found[2].names == ("Linux",)


def test_what_stands_before_the_first_heading_is_titled_by_its_file() -> None:
    found = chunks_of("Some words.\n\n# Title\nmore\n")
    assert [(one.symbol, one.title) for one in found] == [("", "lines 1-2 of docs/guide.md"), ("Title", "Title")]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("markdown", "Title\n=====\n\nPart\n----\nx\n", ["Title", "Title > Part"]),
        ("markdown", "# A #\n#no heading\n    # code\n", ["A"]),
        ("markdown", "## [Link](http://x) and `code` {#anchor}\n", ["Link and code"]),
        ("markdown", '<h1 align="center">Logo <b>text</b></h1>\n', ["Logo text"]),
        ("markdown", "words\n\n---\n\nmore\n---\n", ["more"]),
        ("markdown", "two lines\nof words\n---\n", []),
        ("markdown", "| a | b |\n---------\n- item\n---\n", []),
        ("markdown", "# A\r\n\r\n## B\r\n", ["A", "A > B"]),
        (
            "rst",
            "=====\nTitle\n=====\n\nPart\n----\n\nDeep\n~~~~\n\nOther\n-----\n",
            ["Title", "Title > Part", "Title > Part > Deep", "Title > Other"],
        ),
        ("rst", "===== =====\nA     B\n===== =====\n", []),
        ("rst", "Words here.\n\n----\n\nMore words.\n", []),
        ("rst", "a paragraph of\ntwo lines\n---------\n", []),
        ("asciidoc", "= Title\n\n== Part\n\n----\n== code\n----\n", ["Title", "Title > Part"]),
        ("text", "Title\n=====\nwords\n", ["Title"]),
        ("text", "# not a heading in plain text\n", []),
    ],
)
def test_headings_are_known_by_their_looks(language: str, text: str, expected: list[str]) -> None:
    assert paths(text, language) == expected


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```", "> ```", "- ```"])
def test_a_heading_inside_a_fence_is_none(fence: str) -> None:
    mark = fence.strip(" >-")
    assert paths(f"# A\n{fence}sh\n# comment\n{mark[:-1]}\n{mark}\n# B\n") == ["A", "B"]


def test_a_fence_nobody_closes_reaches_to_the_end() -> None:
    assert paths("# A\n```\n# b\n") == ["A"]


def test_front_matter_stays_in_the_first_chunk_and_holds_no_heading() -> None:
    text = "---\ntitle: x\n# comment\n---\n\n# Title\nwords\n"
    found = chunks_of(text, sizes=SIZES)
    assert len(found) == 1
    assert (found[0].symbol, found[0].text) == ("Title", text)
    assert paths(text) == ["Title"]


def test_small_sections_join_their_sisters_and_all_are_named() -> None:
    text = (
        "# Changes\n"
        + "words of introduction\n" * 12
        + "".join(f"## Version {i}\n\n- one thing was mended\n\n" for i in range(6))
    )
    found = chunks_of(text, sizes=SIZES)
    assert [one.symbol for one in found] == ["Changes", "Changes > Version 0"]
    assert found[1].names == tuple(f"Version {i}" for i in range(6))


def test_a_heading_with_nothing_below_goes_with_its_first_part() -> None:
    text = "# Guide\n\n## Install\n\n" + "How to install it on a machine.\n" * 20
    found = chunks_of(text, sizes=SIZES)
    assert [(one.symbol, one.names) for one in found] == [("Guide > Install", ("Install", "Guide"))]


def test_a_large_section_is_cut_between_paragraphs() -> None:
    paragraph = "Some words that say something of use to a reader.\n" * 6 + "\n"
    text = "# Long\n\n" + paragraph * 20
    found = chunks_of(text, sizes=SIZES)
    assert [one.title for one in found[:2]] == ["Long", "Long (part 2)"]
    assert all(one.text.endswith("\n\n") for one in found)
    assert all(one.text.startswith("Some words") for one in found[1:])


def test_a_table_that_fits_is_kept_whole() -> None:
    words = "Some words that say something of use.\n" * 30
    table = "| a | b |\n|---|---|\n" + "| one cell | and another cell of it |\n" * 40
    found = chunks_of(f"# T\n\n{words}\n{table}\n{words}", sizes=SIZES)
    assert any(table in one.text for one in found)


def test_a_fence_larger_than_the_maximum_is_cut_at_its_blank_lines() -> None:
    code = "".join(f"def f{i}():\n    return {i}\n    # and words to make it longer\n\n" for i in range(80))
    found = chunks_of(f"# T\n\n```python\n{code}```\n", sizes=SIZES)
    assert all(len(one.text) <= SIZES.maximum for one in found)
    assert all(one.text.startswith("def ") for one in found[1:])


def test_prose_without_headings_is_cut_at_paragraphs() -> None:
    text = (
        dedent("""\
        Words.
        Words.

        """)
        * 400
    )
    found = chunks_of(text, "text", SIZES)
    assert "".join(one.text for one in found) == text
    assert all(one.symbol == "" and one.text.endswith("\n\n") for one in found)
