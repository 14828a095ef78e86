"""Texts made to be slow: whatever a small one holds, reading it takes a time and an amount of memory in proportion to its size.

They are read in a process that the system ends at these bounds, so that no clock decides: either it answers, or the bound is told.
"""

import io
import pickle
import random

import pytest

from scova.core.child_process import Bounds, ChildProcess, seconds_for
from scova.parse.document import _Answer
from scova.parse.nesting import LONGEST_NAME
from scova.parse.outline import outline
from scova.types import Document, Mark

SIZE = 200_000
TIMES = 2  # what a text of this size may take: some are read again, with what confuses a parser hidden from it


def repeated(piece, line=0):
    """One piece over and over, in lines of some length."""
    text = (piece * (SIZE // len(piece) + 1))[:SIZE]
    return "\n".join(text[i : i + line] for i in range(0, SIZE, line)) if line else text


def mixed():
    signs = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "=",
        "==",
        "=>",
        "->",
        ":",
        ";",
        ",",
        ".",
        '"',
        "'",
        "`",
        "#",
        "//",
        "/*",
        "*/",
        "if",
        "else",
        "def",
        "class",
        "fn",
        "func",
        "return",
        "import",
        "x",
        "y1",
        "0",
        "\n",
        "\t",
        "@",
        "!",
        "?",
        "&",
        "|",
        "\\",
    ]
    chosen = random.Random(1)
    return "".join(chosen.choice(signs) + chosen.choice(("", " ")) for _ in range(SIZE // 3))[:SIZE]


def words():
    chosen = random.Random(2)
    made = ("".join(chosen.choice("abcdefghij_") for _ in range(chosen.randint(1, 8))) for _ in range(SIZE // 5))
    return "\n".join(" ".join(line) for line in zip(*[made] * 15, strict=False))[:SIZE]


LONG_LINE = 19_000  # what is longer is left out as minified
TEXTS = {
    "toml of opening brackets": ("toml", "[" * LONG_LINE + "\n" + repeated("a = 1\n")),
    "ini of opening brackets": ("ini", "[" * LONG_LINE + "\n" + repeated("a = 1\n")),
    "toml of nested brackets": ("toml", repeated("[[", line=LONG_LINE)),
    "json of open strings": ("json", ' "' + repeated('a\\"', line=LONG_LINE)),
    "json of nested objects": ("json", repeated('{"a":\n')),
    "yaml of anchors": ("yaml", repeated("a: &a\n  *a\n")),
    "code of closing brackets": ("unknown", repeated(")" * LONG_LINE + "x\n")),
    "headings in one line": ("markdown", repeated("# a ## b ### c ")),
    "headings in lines": ("markdown", repeated("# a\n## b\n### c\n")),
    "heading of open links": ("markdown", "# " + repeated("[")),
    "heading of open tags": ("markdown", "# " + repeated("<a ")),
    "headings of open links": ("markdown", repeated("# " + "[" * 5000 + "\n")),
    "fences": ("markdown", repeated("``` ")),
    "titles with lines below": ("rst", repeated("a\n=\n")),
    "only lines below titles": ("rst", repeated("====\n")),
    "stars": ("org", "\n".join("*" * level + " a" for level in range(1, 630))),
    "one long line": ("text", repeated("a")),
    "blanks": ("text", repeated(" ")),
    "open html": ("html", repeated("<a<b")),
    **{f"{language} of anything": (language, mixed()) for language in ("c", "cpp", "python", "javascript", "rust", "swift")},
    **{f"{language} of words": (language, words()) for language in ("lua", "ruby", "bash", "haskell", "php")},
    **{f"{language} of open brackets": (language, repeated("(", line=100)) for language in ("python", "java", "go", "kotlin")},
    "lua of open functions": ("lua", repeated("function f(a)\n")),
    "csharp of open classes": ("csharp", repeated("class A { void F() {\n")),
}  # fmt: skip


@pytest.fixture(scope="module")
def child():
    one = ChildProcess("scova.parse.document:parsed_apart")
    yield one
    one.end()


@pytest.mark.parametrize("name", TEXTS)
def test_a_small_text_takes_a_time_in_proportion_to_its_size(child, name):
    language, text = TEXTS[name]
    given = pickle.dumps((Document("a", text, "0" * 64, language, Mark(len(text), 1)), "p", 0))
    bounds = Bounds(TIMES * seconds_for(len(text)), 64 * len(text))
    file = _Answer(io.BytesIO(child.ask(given, bounds))).load()
    kept = "".join(chunk.text for chunk in file.chunks if chunk.chunk_type != "symbols")
    assert kept == text or text.isspace()


def test_names_of_what_is_nested_deep_do_not_become_the_square_of_its_depth():
    depth = 5000
    found = outline("function f() {\n" * depth + "}\n" * depth, "javascript").symbols
    assert len(found) > 100
    assert sum(len(symbol.qualified) for symbol in found) <= LONGEST_NAME * len(found)
    assert found[-1].qualified.endswith(".f")


def test_keys_and_sections_are_read_as_before():
    from scova.parse.tiling.keys import keys
    from scova.parse.tiling.lines import Lines

    def names(text, language):
        return [key.name for key in keys(Lines.of(text), language)]

    assert names("[a]\nx=1\n[[b.c]] # note\ny=2\n  [ d ] ; note\nz=3\n", "toml") == ["a", "b.c", "d"]
    assert names('{\n  "a": 1,\n  "b\\"c": {"d": 2}\n}\n', "json") == ["a", 'b\\"c']
