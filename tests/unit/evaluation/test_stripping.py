"""Doc comments are taken out whole, and nothing but them."""

import pytest

from scova.evaluation.documented import Documented, first_sentence, said_once, stripped
from scova.evaluation.question import Kind, Question
from scova.evaluation.stripping import Lines, doc_lines, is_stripped, without
from scova.parse.outline import outline

TEXTS = {
    "python": ('import re\n\n\n@cached\ndef parse(text):\n    """Read a header.\n\n    Slowly.\n    """\n    return re.sub("a", "b", text)\n', "parse"),
    "java": ("class A {\n  /**\n   * Read a header.\n   *\n   * @return it\n   */\n  @Override\n  int parse() { return 1; }\n}\n", "A.parse"),
    "go": ("package a\n\n// Parse reads a header.\n// Slowly.\nfunc Parse() int {\n\t// inner\n\treturn 1\n}\n", "Parse"),
    "rust": ("struct A;\n\n/// Read a header.\n///\n/// Slowly.\n#[inline]\nfn parse() -> u8 {\n    1\n}\n", "parse"),
    "elixir": ('defmodule A do\n  @doc """\n  Read a header.\n\n  Slowly.\n  """\n  def parse(text) do\n    text\n  end\nend\n', "A.parse"),
    "ruby": ("class A\n  # Read a header.\n  # Slowly.\n  def parse\n    1\n  end\nend\n", "A.parse"),
    "c": ("/* Read a header. */\nint parse(int a)\n{\n    return a;\n}\n", "parse"),
    "haskell": ("module A where\n\n-- | Read a header.\nparse :: Int -> Int\nparse a = a + 1\n", "parse"),
}  # fmt: skip


def number_of(text, language, name):
    known = outline(text, language)
    return next(n for n, symbol in enumerate(known.symbols) if symbol.qualified == name and symbol.doc), known


@pytest.mark.parametrize("language", TEXTS)
def test_the_comment_goes_and_everything_else_stays(language):
    text, name = TEXTS[language]
    number, known = number_of(text, language, name)
    lines = doc_lines(text, language, number, known)
    bare = without(text, [lines])
    assert "header" not in bare
    assert "Slowly" not in bare
    gone = text.split("\n")[lines.first : lines.last + 1]
    kept = iter(bare.split("\n"))
    assert [line for line in text.split("\n") if line not in gone] == [line for line in kept if line not in gone]
    assert [one.qualified for one in outline(bare, language).symbols] == [one.qualified for one in known.symbols]


def test_a_comment_that_shares_its_lines_with_code_is_left_where_it_is():
    text = 'def other(self): "Read a line."; return 1\n\n\ndef more():\n    """Read a page."""; return 2\n'
    known = outline(text, "python")
    assert [symbol.doc for symbol in known.symbols] == ["Read a line.", "Read a page."]
    assert [doc_lines(text, "python", number, known) for number in range(2)] == [None, None]


def test_the_proof_sees_when_a_wrong_comment_went():
    text = 'def a():\n    """First thing."""\n    return 1\n\n\ndef b():\n    """Second thing."""\n    return 2\n'
    known = outline(text, "python")
    assert is_stripped(without(text, [Lines(1, 1)]), "python", known, numbers=[0])
    assert not is_stripped(without(text, [Lines(6, 6)]), "python", known, numbers=[0])
    assert not is_stripped(without(text, [Lines(0, 2)]), "python", known, numbers=[0])
    assert not is_stripped(text, "python", known, numbers=[0])


def test_several_comments_of_a_file_go_together():
    text = 'def a():\n    """First thing."""\n    return 1\n\n\ndef b():\n    """Second thing."""\n    return 2\n'
    question = Question(Kind.DOCS, "", ("a.py",), "")
    found = [Documented(question, Lines(1, 1), 0, ()), Documented(question, Lines(6, 6), 1, ())]
    assert stripped(text, "python", found) == "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
    assert stripped(text, "python", [Documented(question, Lines(0, 0), 0, ())]) is None


def test_a_sentence_that_stands_elsewhere_too_is_not_asked():
    def documented(said):
        return Documented(Question(Kind.DOCS, said, ("a.py",), ""), Lines(0, 0), 0, tuple(said.split()))

    texts = {
        "a.py": "# Read the first\n#  header line.\n# Write the last header line.",
        "b.md": "- Read the first header line, please\n- Read the first header",
    }
    once, twice = documented("write the last header line"), documented("read the first header line")
    assert said_once([once, twice], texts, texts.get) == [once]


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        (
            "Read the header of\nevery message, e.g. Cookie lines. Slowly.",
            "Read the header of every message e.g Cookie lines",
        ),
        ("Parse reads quoted header values quickly.", "reads quoted header values quickly"),
        (
            "Creates a {@link Header} from quoted `text` values\n\n@param text it",
            "Creates a Header from quoted text values",
        ),
        (
            "Wraps <tt>quoted</tt> List<Header> values at <a href='x'>once</a>.",
            "Wraps quoted List Header values at once",
        ),
        ("@return the quoted header value text", ""),
        ("TODO rewrite quoted header value parsing", ""),
        ("The header.", ""),
    ],
)
def test_the_first_sentence_is_a_question_without_the_name_it_explains(doc, sentence):
    assert first_sentence(doc, "Parse") == sentence
