"""Code and data into chunks: what a person would want to see, not only that it covers the file."""

import hashlib
from textwrap import dedent

import pytest

from scova.parse.chunk import chunk
from scova.parse.tags import tags_of
from scova.parse.tiling.lines import SIZES, Lines, Sizes, cuts
from scova.types import Chunk, ChunkType, Document, Mark, Outline, Symbol


def chunks_of(
    text: str,
    symbols: tuple[Symbol, ...] = (),
    *,
    language: str = "python",
    path: str = "pkg/file.py",
    sizes: Sizes = SIZES,
) -> list[Chunk]:
    """The chunks of a text but for its map."""
    source = Document(path, text, "", language, Mark(0, 0))
    found = chunk(source, Outline(symbols), project="p", sizes=sizes)
    return [one for one in found if one.chunk_type is not ChunkType.SYMBOLS]


def symbol(qualified: str, kind: str, start: int, end: int, **rest: str) -> Symbol:
    parent, _, name = qualified.rpartition(".")
    return Symbol(name, qualified, kind, start, end, parent, rest.get("signature", ""))


def body(lines: int, indent: str = "    ") -> str:
    return "".join(f"{indent}statement_number({i})\n" for i in range(lines))


def function(name: str, lines: int) -> str:
    return f"def {name}():\n{body(lines)}"


def starts(found: list[Chunk]) -> list[int]:
    return [one.start_line for one in found]


LARGE = 30  # lines of body: about 800 characters, so a function of it stands alone


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\r\n \f\n"])
def test_blank_text_has_no_chunks(text: str) -> None:
    assert chunks_of(text) == []


def test_a_definition_of_decent_size_stands_alone() -> None:
    text = function("first", LARGE) + "\n\n" + function("second", LARGE)
    found = chunks_of(text, (symbol("first", "function", 1, 31), symbol("second", "function", 34, 64)))
    assert [(one.symbol, one.start_line, one.end_line) for one in found] == [("first", 1, 33), ("second", 34, 64)]
    assert {one.chunk_type for one in found} == {ChunkType.DEFINITIONS}


def test_small_neighbours_are_merged_and_all_named() -> None:
    text = "\n".join(function(name, 5) for name in "abc")
    found = chunks_of(text, tuple(symbol(name, "function", 1 + 7 * i, 6 + 7 * i) for i, name in enumerate("abc")))
    assert len(found) == 1
    assert (found[0].symbol, found[0].names) == ("a", ("a", "b", "c"))


def test_comments_and_decorators_directly_above_go_with_the_definition() -> None:
    text = (
        function("first", LARGE)
        + dedent("""
        # about second
        @app.route(
            "/second",
        )
        """)
        + function("second", LARGE)
    )
    found = chunks_of(text, (symbol("first", "function", 1, 31), symbol("second", "function", 37, 67)))
    assert starts(found) == [1, 33]
    assert found[1].text.startswith("# about second\n@app.route(")


@pytest.mark.parametrize(
    ("language", "above"),
    [
        ("rust", "/// Says it.\n#[derive(\n    Debug,\n)]\n"),
        ("java", "/**\n Says it.\n\n With a blank line.\n */\n@Override\n"),
        ("csharp", "// says it\n[Fact]\n"),
        ("elixir", '@doc """\nSays it.\n\nTwice.\n"""\n@spec second() :: :ok\n'),
        ("cpp", "// says it\ntemplate <typename T>\n"),
        ("haskell", "-- | Says it.\nsecond :: Int\n       -> Int\n"),
        ("lua", "--[[ Says\nit ]]\n-- and more\n"),
        ("php", "/* says it */\n#[Route('/')]\n"),
    ],
)
def test_what_leads_to_a_definition_is_known_in_each_language(language: str, above: str) -> None:
    """Documentation and attributes, some over several lines, stay with what they describe."""
    text = function("first", LARGE) + "\n" + above + function("second", LARGE)
    start = 33 + above.count("\n")
    found = chunks_of(
        text, (symbol("first", "function", 1, 31), symbol("second", "function", start, start + 30)), language=language
    )
    assert starts(found) == [1, 33]


def test_a_comment_with_a_blank_line_below_is_documentation_of_its_own() -> None:
    note = "# words about this module, and why it is as it is\n" * 6
    text = function("first", LARGE) + "\n" + note + "\n" + function("second", LARGE)
    found = chunks_of(text, (symbol("first", "function", 1, 31), symbol("second", "function", 40, 70)))
    assert [one.chunk_type.value for one in found] == ["definitions", "documentation", "definitions"]
    assert found[1].text.startswith("# words")


def test_a_class_that_is_too_large_is_cut_at_its_members_head_first() -> None:
    head = 'class Big:\n    """All of it."""\n\n' + body(10)
    method = "\n    def {}(self):\n" + body(LARGE, " " * 8)
    text = head + "".join(method.format(name) for name in ("one", "two", "three"))
    members = tuple(
        symbol(f"Big.{name}", "method", 15 + 32 * i, 45 + 32 * i) for i, name in enumerate(("one", "two", "three"))
    )
    found = chunks_of(text, (symbol("Big", "class", 1, 109), *members))
    assert [one.symbol for one in found] == ["Big", "Big.one", "Big.two", "Big.three"]
    assert found[0].text.strip() == head.strip()
    assert found[1].title == "Big.one"


def test_small_members_of_a_large_class_are_merged_among_themselves() -> None:
    text = "class Big:\n" + "".join(f"    def method_{i}(self):\n{body(3, ' ' * 8)}\n" for i in range(40))
    members = tuple(symbol(f"Big.method_{i}", "method", 2 + 5 * i, 5 + 5 * i) for i in range(40))
    found = chunks_of(text, (symbol("Big", "class", 1, 201), *members))
    assert all(SIZES.minimum <= len(one.text) <= SIZES.target for one in found)
    assert found[0].symbol == "Big"
    assert [name for one in found for name in one.names] == ["Big", *(member.qualified for member in members)]
    assert all(one.text.lstrip().startswith("def ") for one in found[1:])


def test_the_last_brace_never_stands_alone() -> None:
    method = "  void m{}() {{\n" + body(70) + "  }}\n"
    text = "class A {\n" + "".join(method.format(i) for i in range(3)) + "}\n"
    members = tuple(symbol(f"A.m{i}", "method", 2 + 72 * i, 73 + 72 * i) for i in range(3))
    found = chunks_of(text, (symbol("A", "class", 1, 218), *members), language="java")
    assert found[-1].text.endswith("  }\n}\n")
    assert min(len(one.text) for one in found) > 100


def test_a_function_that_is_too_large_is_cut_at_blank_lines_and_keeps_its_name() -> None:
    paragraph = body(20) + "\n"
    text = "def long():\n" + paragraph * 8
    found = chunks_of(text, (symbol("long", "function", 1, 169, signature="def long()"),))
    assert [one.title for one in found] == ["def long()", *(f"def long() (part {i})" for i in range(2, len(found) + 1))]
    assert {one.symbol for one in found} == {"long"}
    assert all(one.text.endswith("\n\n") for one in found[:-1])
    assert [one.names for one in found] == [("long",), *[()] * (len(found) - 1)]


def test_imports_stay_with_the_head_of_the_file_and_constants_are_data() -> None:
    imports = "".join(f"import module_number_{i}\n" for i in range(12))
    constants = "".join(f"CONSTANT_{i} = 'some value of it'\n" for i in range(12))
    text = imports + "\n" + constants + "\n" + function("run", LARGE)
    known = tuple(symbol(f"CONSTANT_{i}", "constant", 14 + i, 14 + i) for i in range(12))
    found = chunks_of(text, (*known, symbol("run", "function", 27, 57)))
    assert [(one.chunk_type.value, one.symbol) for one in found] == [
        ("definitions", ""),
        ("data", "CONSTANT_0"),
        ("definitions", "run"),
    ]
    assert found[0].title == "lines 1-13 of pkg/file.py"
    assert len(found[1].names) == 12


def test_a_block_of_constants_keeps_its_opening_and_closing_lines() -> None:
    constants = "".join(f"\tConstantNumber{i} = {i}\n" for i in range(20))
    text = "package p\n\nimport (\n" + '\t"some/long/path/of/a/package"\n' * 8 + ")\n\nconst (\n" + constants + ")\n"
    known = tuple(symbol(f"ConstantNumber{i}", "constant", 15 + i, 15 + i) for i in range(20))
    found = chunks_of(text, known, language="go")
    assert [one.chunk_type.value for one in found] == ["definitions", "data"]
    assert found[1].text == "const (\n" + constants + ")\n"


def test_a_namespace_around_everything_is_looked_into() -> None:
    """What a file-wide namespace holds is what its chunks are named after."""
    text = "namespace App {\n  class A {\n" + body(20) + "  }\n}\n"
    whole = chunks_of(text, (symbol("App", "namespace", 1, 24), symbol("App.A", "class", 2, 23)), language="csharp")
    assert [one.symbol for one in whole] == ["App.A"]
    assert whole[0].names == ("App.A", "App")


def test_code_of_only_comments_is_documentation() -> None:
    assert [one.chunk_type.value for one in chunks_of("# only\n\n# comments\n")] == ["documentation"]
    assert [one.chunk_type.value for one in chunks_of("/* only\n comments */\n", language="c")] == ["documentation"]


def test_code_without_symbols_is_data_only_when_every_line_assigns() -> None:
    assert chunks_of("# settings\nNAME = 'x'\nLEVEL: 3\n", language="")[0].chunk_type is ChunkType.DATA
    assert chunks_of("name = 'x'\nrun(name)\n", language="")[0].chunk_type is ChunkType.DEFINITIONS


def test_symbols_that_share_lines_are_all_named() -> None:
    text = "int a() { return 1; } int b() { return 2; }\n"
    found = chunks_of(text, (symbol("a", "function", 1, 1), symbol("b", "function", 1, 1)), language="c")
    assert [(one.symbol, one.names) for one in found] == [("a", ("a", "b"))]


def test_symbols_beyond_the_text_do_no_harm() -> None:
    found = chunks_of("x = 1\n", (symbol("f", "function", 5, 9), symbol("g", "function", 1, 99)))
    assert "".join(one.text for one in found) == "x = 1\n"


def test_a_line_longer_than_any_chunk_is_one_chunk() -> None:
    text = "short = 1\n" * 30 + "x = '" + "y" * 19_000 + "'\n" + "short = 1\n" * 30
    found = chunks_of(text)
    assert "".join(one.text for one in found) == text
    assert [one.end_line - one.start_line for one in found if len(one.text) > SIZES.maximum] == [0]


def test_ends_of_lines_are_kept_and_only_line_feeds_count() -> None:
    text = "a = 1\r\nb = 2\rc = 3\x0c\u2028d\ne"
    found = chunks_of(text)
    assert (found[0].text, found[0].end_line) == (text, 3)


def test_an_id_is_made_of_where_a_chunk_belongs() -> None:
    """project, path, type, symbol, and its number among those alike: nothing of the content."""
    one = chunks_of("def f(): pass\n", (symbol("f", "function", 1, 1),))[0]
    assert one.id == hashlib.sha256(b"p\0pkg/file.py\0definitions\0f\x000").hexdigest()[:32]
    assert one.content_hash == hashlib.sha256(b"def f(): pass\n").hexdigest()


def test_definitions_of_the_same_name_have_ids_of_their_own() -> None:
    text = function("f", LARGE) + function("f", LARGE)
    found = chunks_of(text, (symbol("f", "function", 1, 31), symbol("f", "function", 32, 62)))
    assert len({one.id for one in found}) == 2
    assert [one.title for one in found] == ["f", "f"]


def test_a_path_that_is_no_unicode_has_an_id_too() -> None:
    assert len(chunks_of("x = 1\n", path="caf\udce9.py")[0].id) == 32


def test_a_title_says_where_a_member_belongs() -> None:
    found = chunks_of("def f(): pass\n", (symbol("A.f", "method", 1, 1, signature="def f()"),))
    assert found[0].title == "def f() in A"


def test_sizes_can_be_varied() -> None:
    text = function("first", 5) + function("second", 5)
    known = (symbol("first", "function", 1, 6), symbol("second", "function", 7, 12))
    assert len(chunks_of(text, known)) == 1
    assert len(chunks_of(text, known, sizes=Sizes(target=100, maximum=300, minimum=20, alone=50))) == 2


def test_cuts_are_even() -> None:
    lines = Lines.of("x" * 99 + "\n" + ("y" * 99 + "\n") * 35)
    found = cuts(lines, 0, 36, sizes=SIZES, weight=lambda line: 0.0)
    assert found == [12, 24]


def test_the_map_lists_package_imports_and_nested_symbols() -> None:
    source = Document("pkg/file.py", "import os\n" + function("f", 3), "", "python", Mark(0, 0))
    known = (
        symbol("A", "class", 2, 5, signature="class A(Base)"),
        symbol("A.f", "method", 3, 4),
        symbol("g", "function", 6, 7),
    )
    first = chunk(source, Outline(known, imports=("import os",), package="pkg"), project="p")[0]
    assert first.chunk_type is ChunkType.SYMBOLS
    assert first.text == "package pkg\nimport os\nclass A 2: class A(Base)\n  method A.f 3\nfunction g 6\n"
    assert (first.ordinal, first.start_line, first.end_line, first.names) == (0, 1, 5, ())


def test_a_long_map_keeps_outer_definitions_and_counts_the_rest() -> None:
    fields = tuple(symbol(f"A.field_with_a_long_name_{i}", "field", 2 + i, 2 + i) for i in range(200))
    known = (symbol("A", "class", 1, 300), *fields, symbol("last", "function", 301, 301))
    source = Document("a.py", "x\n" * 301, "", "python", Mark(0, 0))
    outline = Outline(known, imports=tuple(f"import m{i}" for i in range(50)))
    text = chunk(source, outline, project="p")[0].text
    assert "… and 30 more imports\n" in text
    assert "function last 301\n" in text
    kept = text.count("field_with")
    assert text.endswith(f"… and {200 - kept} more\n")
    assert 0 < kept < 200
    assert len(text) < 3500


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("yaml", "# top\nname: x\n\n# jobs\njobs:\n  build:\n    steps: []\n'on': push\n", ("name", "jobs", "on")),
        ("toml", "[project]\nname = 'x'\n\n[tool.ruff]\nline = 1\n", ("project", "tool.ruff")),
        ("ini", "[a]\nx=1\n; note\n[b]\ny=2\n", ("a", "b")),
        ("json", '{\n  "name": "x",\n  "scripts": {\n    "test": "y"\n  }\n}\n', ("name", "scripts")),
    ],
)
def test_data_files_are_known_by_their_first_level_keys(language: str, text: str, names: tuple[str, ...]) -> None:
    found = chunks_of(text, language=language, path="x." + language)
    assert [one.names for one in found] == [names]
    assert (found[0].symbol, found[0].chunk_type) == (names[0], ChunkType.DATA)


def test_a_large_data_file_is_cut_between_its_keys() -> None:
    text = "{\n" + "".join(f'  "key{i}": {{\n' + f'    "value": {i},\n' * 20 + "  },\n" for i in range(12)) + "}\n"
    found = chunks_of(text, language="json", path="x.json")
    assert "".join(one.text for one in found) == text
    assert len(found) > 3
    assert all(one.text.startswith('  "key') for one in found[1:])
    assert all(len(one.text) <= SIZES.maximum for one in found)


@pytest.mark.parametrize(
    ("path", "tags"),
    [
        ("_examples/rest/main.go", ("example",)),
        ("src/app.py", ()),
        ("tests/unit/app.py", ("test",)),
        ("src/test_app.py", ("test",)),
        ("pkg/server_test.go", ("test",)),
        ("src/app.spec.ts", ("test",)),
        ("src/test/java/AppTest.java", ("test",)),
        ("App.Tests/TestApp.cs", ("test",)),
        ("src/contest.py", ()),
        ("src/latest/greatest.java", ()),
        ("vendor/github.com/x/y.go", ("vendored",)),
        ("third_party/lib.c", ("vendored",)),
        ("api/service.pb.go", ("generated",)),
        ("api/service_pb2.py", ("generated",)),
        ("Form.g.cs", ("generated",)),
        ("package-lock.json", ("generated",)),
        ("dist/browser/app.cjs", ("generated",)),
        ("packages/one/dist/index.d.ts", ("generated",)),
        ("cmd/dist/main.go", ()),
        ("src/dist.js", ()),
        ("examples/basic/main.rs", ("example",)),
        ("docs/conf.py", ("docs",)),
        ("README.md", ("docs",)),
        ("share/python-build/3.9", ()),
        ("notes/paper.tex", ("docs",)),
        ("regress/buffers.sh", ("test",)),
        ("src/progress/regression.py", ()),
        ("include/fmt/bundled/core.h", ("vendored",)),
        ("vendor/x/docs/test_it.py", ("test", "vendored", "docs")),
    ],
)
def test_a_path_tells_tags(path: str, tags: tuple[str, ...]) -> None:
    assert tags_of(path) == tags


def test_a_manual_page_is_docs_and_a_version_that_is_called_alike_is_not() -> None:
    page = chunks_of(".TH TMUX 1\n.SH NAME\ntmux\n", language="man", path="tmux.1")
    version = chunks_of("wget it\n", language="", path="python-build/3.9")
    assert [one.tags for one in (*page, *version)] == [("docs",), ()]


def test_a_small_function_inside_a_statement_is_no_place_to_cut() -> None:
    """A callback deep in a call is named by the chunk that holds the whole call, but does not tear it apart."""
    call = (
        "describe('it', () => {\n"
        + body(8)
        + "    function helper() {\n"
        + body(3, " " * 8)
        + "    }\n"
        + body(8)
        + "})\n"
    )
    found = chunks_of(call, (symbol("helper", "function", 10, 14),), language="javascript")
    assert [(one.text, one.symbol, one.names) for one in found] == [(call, "helper", ("helper",))]


def test_a_licence_with_a_few_imports_is_no_documentation() -> None:
    text = "# Words of a licence that nobody reads.\n" * 8 + "\nimport os\n\n" + function("run", LARGE)
    found = chunks_of(text, (symbol("run", "function", 12, 42),))
    assert [(one.chunk_type.value, one.start_line) for one in found] == [("definitions", 1), ("definitions", 12)]


def test_a_definition_that_reaches_into_the_next_gives_its_comment_back() -> None:
    """Some grammars end a definition at the first word of the next one: the line, and the comment above it, are the next one's."""
    text = function("first", LARGE) + "\n# about second\n" + function("second", LARGE)
    found = chunks_of(text, (symbol("first", "function", 1, 34), symbol("second", "function", 34, 64)))
    assert [(one.symbol, one.start_line) for one in found] == [("first", 1), ("second", 33)]
