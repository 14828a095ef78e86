"""What every language's outline has in common: names, nesting, comments, errors, limits."""

import subprocess
import sys
import time

import pytest

from scova.parse import grammar
from scova.parse.grammar import GRAMMARS, Grammar, grammar_of
from scova.parse.outline import outline
from scova.types import Outline


def names(found: Outline) -> list[str]:
    return [symbol.qualified for symbol in found.symbols]


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_every_grammar_loads_with_its_query(language: str) -> None:
    assert isinstance(grammar_of(language), Grammar)


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_an_empty_text_has_an_empty_outline(language: str) -> None:
    assert outline("", language) == Outline()


@pytest.mark.parametrize("language", ["", "markdown", "json", "klingon"])
def test_a_language_without_a_grammar_has_an_empty_outline(language: str) -> None:
    assert outline("def f(): pass", language) == Outline()


def test_one_grammar_serves_the_whole_process() -> None:
    assert grammar_of("go") is grammar_of("go")


def test_only_the_grammars_that_are_met_are_loaded() -> None:
    code = (
        "import sys; from scova.parse.outline import outline; outline('x = 1', 'python');"
        "print(sorted(name for name in sys.modules if name.startswith('tree_sitter_') and '.' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['tree_sitter_python']"


def test_what_stands_around_a_syntax_error_is_still_found() -> None:
    found = outline("def before(): pass\n\nclass (((:\n\ndef after(): call()\n", "python")
    assert found.has_errors
    assert {"before", "after"} <= set(names(found))


def test_lines_count_from_one_and_include_the_last() -> None:
    (symbol,) = outline("\n\ndef f():\n    pass\n\n", "python").symbols
    assert (symbol.start_line, symbol.end_line) == (3, 4)


def test_offsets_are_right_after_letters_of_several_bytes() -> None:
    found = outline('größe = "äöü€😀"\nclass Straße:\n    def weiß(self): return söhne()\n', "python")
    assert names(found) == ["größe", "Straße", "Straße.weiß"]
    assert (found.calls[0].name, found.calls[0].caller) == ("söhne", "Straße.weiß")


def test_a_byte_that_is_no_text_does_no_harm() -> None:
    found = outline("def f():\n    return '\x00\udcff'\n\ndef g(): pass\n", "python")
    assert names(found) == ["f", "g"]


def test_windows_line_ends() -> None:
    found = outline("// Says so.\r\nfunc f() {\r\n}\r\n", "go")
    assert [(s.name, s.start_line, s.end_line, s.doc) for s in found.symbols] == [("f", 2, 3, "Says so.")]


def test_a_signature_is_one_line_of_at_most_300_characters() -> None:
    parameters = ",\n".join(f"parameter_{number}: int" for number in range(100))
    (symbol,) = outline(f"def f({parameters}): pass", "python").symbols
    assert 290 < len(symbol.signature) <= 300
    assert "\n" not in symbol.signature
    assert symbol.signature.startswith("def f(parameter_0: int, parameter_1: int,")


def test_a_receiver_is_cut() -> None:
    (call, *_) = outline("a" * 200 + ".f()", "python").calls
    assert call.receiver == "a" * 80


def test_a_call_belongs_to_the_innermost_function_and_outside_functions_to_the_class() -> None:
    text = "a()\nclass C:\n    x = b()\n    def m(self):\n        c()\n        def inner(): d()\n        e()\nf()\n"
    callers = [(call.name, call.caller) for call in outline(text, "python").calls]
    assert callers == [("a", ""), ("b", "C"), ("c", "C.m"), ("d", "C.m.inner"), ("e", "C.m"), ("f", "")]


def test_locals_are_no_definitions_but_local_functions_are() -> None:
    text = "fn outer() { const LIMIT: u8 = 1; fn inner() {} }"
    assert names(outline(text, "rust")) == ["outer", "outer.inner"]


def test_one_statement_with_two_names_defines_siblings() -> None:
    assert names(outline("package p\nvar first, second = 1, 2\n", "go")) == ["first", "second"]


def test_a_type_gets_the_traits_implemented_for_it_elsewhere_in_the_file() -> None:
    found = outline("struct S;\nimpl Clone for S {}\nimpl fmt::Display for S {}\nimpl S {}\n", "rust")
    assert [(symbol.name, symbol.bases) for symbol in found.symbols] == [("S", ("Clone", "fmt::Display"))]


@pytest.mark.parametrize(
    ("language", "text", "doc"),
    [
        ("python", "# Above.\n# More.\ndef f(): pass", "Above.\nMore."),
        ("python", "# Far.\n\ndef f(): pass", ""),
        ("python", "x()  # beside\ndef f(): pass", ""),
        ("python", "#!/usr/bin/python\ndef f(): pass", ""),
        ("python", "# noqa: D103\n# Words.\ndef f(): pass", "Words."),
        ("python", "def f():\n    '''First.\n\n    Second.'''\n", "First.\n\nSecond."),
        ("javascript", "/** One. */\nfunction f() {}", "One."),
        ("javascript", "/**\n * One.\n *\n * @param x two\n */\nexport function f(x) {}", "One.\n\n@param x two"),
        ("javascript", "a(); /* not\n mine */\nfunction f() {}", ""),
        ("javascript", "// =====\n// Title\n// =====\nfunction f() {}", "Title"),
        ("go", "// F does.\n//\n//go:noinline\nfunc f() {}", "F does."),
        ("rust", "/// Does.\n#[inline]\n/// More.\nfn f() {}", "Does."),
        ("rust", "//! Crate.\nfn f() {}", ""),
        ("csharp", "/// <summary>Does <c>it</c>.</summary>\nclass f {}", "Does it."),
        ("haskell", "-- | Does.\n-- It.\nf :: Int\nf = 1", "Does.\nIt."),
        ("lua", "--[[ Does. ]]\nfunction f() end", "Does."),
    ],
)
def test_documentation(language: str, text: str, doc: str) -> None:
    assert [symbol.doc for symbol in outline(text, language).symbols if symbol.name == "f"][:1] == [doc]


def test_a_comment_above_two_definitions_on_one_line_is_the_firsts() -> None:
    found = outline("struct P {\n    // Where.\n    int x, y;\n};\n", "c")
    assert [(symbol.name, symbol.doc) for symbol in found.symbols] == [("P", ""), ("x", "Where."), ("y", "")]


def test_macros_do_not_hide_what_they_stand_before() -> None:
    text = (
        "LIBRARY_NAMESPACE_BEGIN\n\nclass LIBRARY_EXPORT Store : public Base\n{\n  LIBRARY_SIGNALS:\n    void changed();\n"
        "#if WIDE\n    void put(long x) {\n#else\n    void put(int x) {\n#endif\n        call(x);\n    }\n};\n\nLIBRARY_NAMESPACE_END\n"
    )
    found = outline(text, "cpp")
    assert not found.has_errors
    assert names(found) == ["Store", "Store.changed", "Store.put"]
    assert found.calls[0].caller == "Store.put"


@pytest.mark.parametrize("head", ["{", ": public Base {", " final : public Base {", "\n{", "\n    : public Base\n{"])
@pytest.mark.parametrize("macro", ["SHOP_API", 'SHOP_EXPORT("basket")'])
def test_a_class_with_a_macro_before_its_name_is_called_by_its_name(macro: str, head: str) -> None:
    found = outline(f"class {macro} Basket{head}\n  int size;\n}};\nstruct {macro} Item {{ int price; }};\n", "cpp")
    assert names(found) == ["Basket", "Basket.size", "Item", "Item.price"]
    assert [symbol.kind for symbol in found.symbols] == ["class", "field", "struct", "field"]
    assert found.symbols[0].signature.startswith(f"class {macro} Basket")


@pytest.mark.parametrize(
    "head", ["class WIDGET final {", "class JSON final : public Base {", "class JSON {", "struct JSON : Base {"]
)
def test_a_class_whose_own_name_is_in_capitals_keeps_it(head: str) -> None:
    assert names(outline(head + "\n  int x;\n};\n", "cpp")) == [head.split()[1], f"{head.split()[1]}.x"]


def test_an_export_macro_is_left_out_after_template_and_enum_too() -> None:
    text = "template <typename T> class SHOP_API Box { T held; };\nenum class SHOP_API Colour { red };\nclass SHOP_API Gone {};\n"
    assert names(outline(text, "cpp")) == ["Box", "Box.held", "Colour", "Colour.red", "Gone"]


def test_a_variable_of_a_type_in_capitals_is_one() -> None:
    assert names(outline("struct STATE state;\nstruct STATE other = { 1 };\n", "c")) == ["state", "other"]
    assert names(outline("struct POINT origin{0, 0};\nstruct POINT many {\n  1,\n  2\n};\n", "cpp")) == [
        "origin",
        "many",
    ]
    found = outline("void f() {\n  for (struct ENTRY e : entries) { g(e); }\n}\n", "cpp")
    assert (names(found), found.has_errors) == (["f"], False)


def test_overloads_of_an_interface_without_semicolons_do_not_hide_the_rest() -> None:
    text = (
        "export interface Make<E> {\n  <I = {}>(\n    one: H<E, I>\n  ): [H<E, I>]\n\n  // two\n  <\n    I = {},\n    J = I,\n  >(\n"
        "    one: H<E, I>,\n    two: H<E, J>\n  ): [H<E, I>, H<E, J>]\n}\n\nexport class Factory<E> {\n  #kept?: E\n  make = (): E => one()\n}\n"
    )
    found = outline(text, "typescript")
    assert not found.has_errors
    assert names(found) == ["Make", "Factory", "Factory.#kept", "Factory.make"]


def test_deep_nesting_is_no_recursion() -> None:
    nested = "def before(): pass\nx = " + "(" * 10_000 + "1" + ")" * 10_000 + "\ndef after(): pass\n"
    assert "before" in names(outline(nested, "python"))


def test_definitions_nested_a_thousand_deep() -> None:
    depth = 1000
    text = "function f() {" * depth + "}" * depth
    found = outline(text, "javascript")
    assert len(found.symbols) == depth
    assert found.symbols[-1].qualified == ".".join("f" * depth)


@pytest.mark.parametrize("pattern", ["x=>", "a<", "'\"", "(", "{", "\x00"])
@pytest.mark.parametrize("language", ["java", "csharp", "c", "typescript"])
def test_one_pattern_over_and_over_is_not_parsed(language: str, pattern: str) -> None:
    """Some of these would take minutes or gigabytes."""
    assert outline(pattern * 30_000, language) == Outline(has_errors=True)


def test_parsing_stops_when_its_time_is_spent() -> None:
    text = "".join(f"def function_{number}(): return call_{number}()\n" for number in range(20_000)).encode()
    reading = _loaded("python").read(text, seconds=0.02)
    assert reading.has_errors
    assert 0 < reading._root.end_byte < len(text)


def test_a_query_over_a_large_text_stops_between_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"def function_{number}(): return call_{number}()\n" for number in range(40_000)).encode()
    reading = _loaded("python").read(text)
    monkeypatch.setattr(reading, "_deadline", time.process_time())
    found = [match for _, matches in reading.runs() for match in matches]
    assert reading.has_errors
    assert 0 < len(found) < 80_000


def test_windows_find_each_thing_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "class C:\n" + "".join(f"    def m{number}(self): return call_{number}()\n" for number in range(300))
    whole = outline(text, "python")
    monkeypatch.setattr(grammar, "_WINDOW", 1000)
    assert outline(text, "python") == whole
    assert len(whole.symbols) == 301
    assert len(whole.calls) == 300


def test_memory_is_given_back() -> None:
    """Versions of the bindings have leaked; a build parses ten thousands of files in one process."""
    code = """
import resource
from scova.parse.outline import outline
text = "".join(f"class C{n}:\\n    def m(self): return call(self, {n})\\n" for n in range(1500))
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(20): outline(text, "python")
before = used()
for _ in range(100): outline(text, "python")
print(len(text), used() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    size, grown = map(int, done.stdout.split())
    assert size > 64_000
    assert grown < 4096


def _loaded(language: str) -> Grammar:
    loaded = grammar_of(language)
    assert loaded is not None
    return loaded
