"""Whatever the text: an outline is made, and it stays inside the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scova.parse import grammar
from scova.parse.grammar import GRAMMARS
from scova.parse.language import kind_of, language_of
from scova.parse.outline import outline
from scova.parse.reading.mask import LANGUAGES, masked, without_exports
from scova.types import Outline

LANGUAGES_PARSED = sorted(GRAMMARS)

# Pieces that languages give meaning to, so that random texts reach deeper than one error node.
PIECES = st.sampled_from(
    [
        "class",
        "struct",
        "enum",
        "interface",
        "trait",
        "impl",
        "fn",
        "def",
        "func",
        "function",
        "fun",
        "module",
        "namespace",
        "object",
        "type",
        "const",
        "let",
        "var",
        "val",
        "import",
        "use",
        "package",
        "return",
        "if",
        "else",
        "for",
        "while",
        "do",
        "end",
        "begin",
        "new",
        "self",
        "this",
        "async",
        "static",
        "public",
        "@",
        "#",
        "//",
        "/*",
        "*/",
        "--",
        "{-",
        "-}",
        '"""',
        "'",
        '"',
        "`",
        "$",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "=>",
        "->",
        "::",
        ":",
        ";",
        ",",
        ".",
        "=",
        "|",
        "&",
        "*",
        "!",
        "?",
        "\\",
        "#if",
        "#endif",
        "#define",
        "name",
        "Name",
        "other",
        "f",
        "g",
        "x",
        "1",
        "2.5",
        "é",
        "😀",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=300), st.lists(PIECES, max_size=120).map(" ".join), st.lists(PIECES, max_size=80).map("".join)
)


# Where a query names scopes (Rust's impl), a call may stand in one that no symbol shows.
SCOPED = {language for language in GRAMMARS if "@scope" in grammar._query_text(language)}


def check(found: Outline, text: str, language: str) -> None:
    lines = text.count("\n") + 1
    for symbol in found.symbols:
        assert symbol.name
        assert 1 <= symbol.start_line <= symbol.end_line <= lines
        assert symbol.qualified.endswith(symbol.name) or symbol.kind in ("namespace", "module")
        assert not symbol.parent or symbol.qualified.startswith(f"{symbol.parent}.")
        assert "\n" not in symbol.signature
    owners = {symbol.qualified for symbol in found.symbols} | {""}
    for call in found.calls:
        assert call.name
        assert 1 <= call.line <= lines
        assert call.caller in owners or language in SCOPED
    for binding in found.bindings:
        assert binding.name
        assert binding.target
        assert "\n" not in binding.name + binding.target
        assert 1 <= binding.line <= lines
    assert len(set(found.bindings)) == len(found.bindings)
    assert not any("\n" in line for line in found.imports)


@pytest.mark.parametrize("language", LANGUAGES_PARSED)
@settings(max_examples=60)
@given(text=TEXTS)
def test_any_text_has_an_outline_inside_itself(language: str, text: str) -> None:
    check(outline(text, language), text, language)


@pytest.mark.parametrize("language", LANGUAGES_PARSED)
@settings(max_examples=30)
@given(data=st.binary(max_size=400))
def test_any_bytes_have_an_outline(language: str, data: bytes) -> None:
    for text in (data.decode("latin-1"), data.decode("utf-8", "surrogateescape")):
        check(outline(text, language), text, language)


@pytest.mark.parametrize("language", LANGUAGES_PARSED)
@settings(max_examples=20)
@given(text=TEXTS)
def test_the_same_text_has_the_same_outline(language: str, text: str) -> None:
    """The parser is used again and again: nothing of one text may reach the next."""
    first = outline(text, language)
    outline("} ) ]", language)
    assert outline(text, language) == first


@given(data=st.one_of(st.binary(), TEXTS.map(str.encode)), language=st.sampled_from(sorted(LANGUAGES)))
def test_a_masked_text_keeps_every_offset_and_line(data: bytes, language: str) -> None:
    for hidden in (masked(data, language), without_exports(data, language)):
        if hidden is None:
            continue
        assert len(hidden) == len(data)
        assert [at for at, byte in enumerate(hidden) if byte == 10] == [
            at for at, byte in enumerate(data) if byte == 10
        ]
        assert all(new in (old, 32) or (new == 59 and old in b" \t") for new, old in zip(hidden, data, strict=True))


@given(path=st.text(max_size=60), text=st.text(max_size=80))
def test_any_name_has_a_language_or_none(path: str, text: str) -> None:
    assert kind_of(language_of(path, text)) in ("code", "prose", "data")
