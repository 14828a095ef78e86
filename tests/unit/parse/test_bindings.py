"""What names stand for: which bindings are found, which are left alone, and in which scope each holds."""

import pytest

from scova.parse.outline import outline
from scova.parse.reading.typename import plain_type
from scova.types import Binding


def found(text: str, language: str) -> list[tuple[str, str, str, str]]:
    return [(one.how, one.scope, one.name, one.target) for one in outline(text, language).bindings]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Client", "Client"),
        ("http.Client", "http.Client"),
        ('"Client"', "Client"),
        ('Optional["http.Client"]', "http.Client"),
        ("typing.Optional[Client]", "Client"),
        ("Client | None", "Client"),
        ("Union[None, Client]", "Client"),
        ("Annotated[Client, Depends(make)]", "Client"),
        (": Client<T> | undefined", "Client"),
        ("?Client", "Client"),
        ("Client?", "Client"),
        ("&'a mut Client<'a>", "Client"),
        ("Box<dyn Client>", "Client"),
        ("const ns::Client &", "ns::Client"),
        ("std::unique_ptr<ns::Client>", "ns::Client"),
        ("*http.Client", "http.Client"),
        ("\\App\\Client", "App\\Client"),
        ("list[Client]", "list"),
        ("Optional<Client>", "Optional"),
        ("Map<string, A | B>", "Map"),
    ],
)
def test_a_type_is_named_without_what_is_around_it(written: str, name: str) -> None:
    assert plain_type(written) == name


@pytest.mark.parametrize(
    "written",
    [
        *("A | B", "Union[A, B]", "Client[]", "[]Client", "(a: A) => B", "[A; 2]", "{ a: A }", "A<B>[]", "typeof x"),
        *("Any", "None", "void", "var", "Callable[[A], B]"),
        *("A>", "<", "[", "A | ", "", "x" * 300 + ".y"),
    ],
)
def test_what_is_not_one_type_has_no_name(written: str) -> None:
    assert plain_type(written) == ""


def test_only_what_is_named_like_a_type_constructs() -> None:
    text = "class lower: pass\na = lower()\nb = _Upper()\nc = make()\nd = Upper.make()\ne = pkg.Upper()\n"
    assert [(name, target) for _, _, name, target in found(text, "python")] == [
        ("a", "lower"),
        ("b", "_Upper"),
        ("e", "pkg.Upper"),
    ]


def test_an_attribute_of_self_holds_in_the_whole_class() -> None:
    text = "class C:\n    def f(self):\n        self.x = X()\n        y = Y()\n    z: Z\n"
    assert found(text, "python") == [
        ("constructor", "C", "self.x", "X"),
        ("constructor", "C.f", "y", "Y"),
        ("annotation", "C", "self.z", "Z"),
    ]


def test_a_name_with_two_targets_in_one_scope_has_both() -> None:
    assert found("x = A()\nx = B()\nx = A()\n", "python") == [
        ("constructor", "", "x", "A"),
        ("constructor", "", "x", "B"),
    ]


def test_a_declared_type_says_more_than_the_first_value() -> None:
    assert found("class C { void f() { Base a = new Derived(); var b = new Derived(); } }", "java") == [
        ("annotation", "C.f", "a", "Base"),
        ("constructor", "C.f", "b", "Derived"),
    ]


def test_where_this_may_be_left_out_a_field_has_two_names() -> None:
    assert found("class C { X x; }", "java") == [("annotation", "C", "this.x", "X"), ("annotation", "C", "x", "X")]
    assert found("class C { x: X }", "typescript") == [("annotation", "C", "this.x", "X")]


def test_a_constructors_parameter_that_declares_a_field_is_both() -> None:
    assert found("class C { constructor(private x: X) {} }", "typescript") == [
        ("annotation", "C", "this.x", "X"),
        ("annotation", "C.constructor", "x", "X"),
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "class C:\n    def f(self) -> Self: ...\n"),
        ("typescript", "class C { f(): this { return this } }"),
        ("rust", "impl C { fn f() -> Self { C } }"),
        ("php", "<?php class C { function f(): static {} }"),
    ],
)
def test_a_function_that_returns_its_own_type_returns_the_class(language: str, text: str) -> None:
    assert found(text, language) == [("returns", "C", "f", "C")]


def test_names_of_a_list_stand_behind_the_path_before_it() -> None:
    (one,) = outline("use a::{b::{self}};", "rust").bindings
    assert one == Binding("b", "a", "import", "", 1, "b")
    assert [
        (one.name, one.target, one.member) for one in outline("use a::{b::{c as d, e::*}, f};", "rust").bindings
    ] == [
        ("d", "a::b", "c"),
        ("*", "a::b::e", ""),
        ("f", "a", "f"),
    ]


def test_each_list_of_imports_belongs_to_its_own_module() -> None:
    text = "import {a} from './x'\nimport {b as c} from './y'\nexport {d}\nexport {e} from './z'\n"
    assert [(one.name, one.target, one.member) for one in outline(text, "javascript").bindings] == [
        ("a", "./x", "a"),
        ("c", "./y", "b"),
        ("e", "./z", "e"),
    ]


def test_an_import_in_a_function_holds_there() -> None:
    assert found("def f():\n    import a.b as c\n", "python") == [("import", "f", "c", "a.b")]


def test_a_parameter_in_the_type_of_a_function_is_no_name() -> None:
    assert found("function f(g: (inner: X) => void) {}", "typescript") == []


def test_a_long_list_of_exports_is_read_whole() -> None:
    """One match for each name, kept open until the module at the end, took time by the square of the length."""
    names = ", ".join(f"name{number}" for number in range(20_000))
    found = outline(f"export {{{names}}} from './m'", "typescript")
    assert len(found.bindings) == 20_000
    assert not found.has_errors
