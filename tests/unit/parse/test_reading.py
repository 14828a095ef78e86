"""What reading makes of a query's captures: clauses, names, signatures, ends, callers, second tries."""

import pytest

from scova.parse.outline import outline
from scova.types import Outline


def lines(found: Outline) -> list[tuple[str, int, int]]:
    return [(symbol.qualified, symbol.start_line, symbol.end_line) for symbol in found.symbols]


def test_a_signature_and_its_equations_are_one_definition() -> None:
    found = outline("f :: Int -> Int\nf 0 = 1\n\nf n = g n\n\ng = id\n", "haskell")
    assert lines(found) == [("f", 1, 4), ("g", 6, 6)]
    assert [(call.name, call.caller) for call in found.calls] == [("g", "f")]


def test_a_clause_with_words_of_its_own_begins_another_definition() -> None:
    text = 'defmodule A do\n  def f(0), do: 1\n  def f(n), do: n\n  @doc "Other."\n  def f(a, b), do: a\nend\n'
    assert lines(outline(text, "elixir")) == [("A", 1, 6), ("A.f", 2, 3), ("A.f", 5, 5)]


def test_clauses_with_another_definition_between_them_stay_apart() -> None:
    text = "defmodule A do\n  def f(0), do: 1\n  def g(n), do: n\n  def f(n), do: n\nend\n"
    assert lines(outline(text, "elixir")) == [("A", 1, 5), ("A.f", 2, 2), ("A.g", 3, 3), ("A.f", 4, 4)]


def test_clauses_of_two_modules_stay_apart() -> None:
    text = "defmodule A do\n  def f(0), do: 1\nend\ndefmodule B do\n  def f(0), do: 1\nend\n"
    assert lines(outline(text, "elixir")) == [("A", 1, 3), ("A.f", 2, 2), ("B", 4, 6), ("B.f", 5, 5)]


def test_what_a_clause_calls_is_called_by_the_whole() -> None:
    text = "defmodule A do\n  def f(0), do: one()\n  def f(n), do: two(n)\nend\n"
    assert [(call.name, call.caller) for call in outline(text, "elixir").calls] == [("one", "A.f"), ("two", "A.f")]


def test_a_head_and_a_type_specification_call_nothing() -> None:
    text = "defmodule A do\n  @spec f(list(String.t())) :: integer()\n  def f(n), do: g(n)\nend\n"
    assert [call.name for call in outline(text, "elixir").calls] == ["g"]


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("ruby", "class A; attr_reader :number; end", "number"),
        ("ruby", "class A; alias_method :[], :get; end", "[]"),
        ("elixir", "defmodule A do\n  defstruct total: 0\nend", "total"),
        ("zig", 'fn @"odd name"() void {}', "odd name"),
        ("kotlin", "fun `does so`() {}", "does so"),
        ("haskell", "f' x = x", "f'"),
        ("haskell", "data T = Int :*: Int", ":*:"),
        ("cpp", "struct A { operator bool() const; };", "operator bool"),
    ],
)
def test_a_name_stands_without_its_marks(language: str, text: str, name: str) -> None:
    assert outline(text, language).symbols[-1].name == name


def test_a_property_declared_by_a_constructors_parameter_is_the_classs() -> None:
    found = outline("<?php class A { function __construct(private int $x) {} }", "php")
    assert [symbol.qualified for symbol in found.symbols] == ["A", "A.__construct", "A.x"]


def test_a_property_inside_a_constructors_body_is_not_the_classs() -> None:
    found = outline("<?php class A { function __construct() { new class { public $x; }; } }", "php")
    assert [symbol.qualified for symbol in found.symbols] == ["A", "A.__construct", "A.__construct.x"]


def test_a_call_outside_functions_is_its_modules() -> None:
    (call,) = outline("module A\n  extend B\nend\n", "ruby").calls
    assert (call.name, call.caller) == ("extend", "A")


@pytest.mark.parametrize(
    ("language", "text", "signature"),
    [
        ("ruby", 'def f(a = "# no") # :nodoc:\n  1\nend', 'def f(a = "# no")'),
        ("kotlin", "fun f( // first\n  a: Int, /* b */ c: Int\n) {}", "fun f( a: Int, c: Int )"),
        ("kotlin", '@Suppress("x") // why\n@Other\nval a = 1', "val a = 1"),
        ("kotlin", "class C {\n  @A // why\n  constructor(a: Int) : this()\n}", "constructor(a: Int) : this()"),
        ("javascript", 'const a = "http://b"; // c', 'const a = "http://b"'),
        ("bash", "COUNT=$#", "COUNT=$#"),
        ("haskell", "a --> b = a -- arrow", "a --> b = a"),
        ("python", "x = 7 // 2  # three", "x = 7 // 2"),
    ],
)
def test_a_signature_holds_no_comment(language: str, text: str, signature: str) -> None:
    assert outline(text, language).symbols[-1].signature == signature


def test_a_definition_ends_with_its_own_last_line() -> None:
    """Scala's grammar lets one reach up to the next, past comments that belong there."""
    text = "class A:\n  def f =\n    1\n\n  // of g\n  /* too */\n  def g = 2\n\n// of B\nclass B\n"
    assert lines(outline(text, "scala")) == [("A", 1, 7), ("A.f", 2, 3), ("A.g", 7, 7), ("B", 10, 10)]


def test_an_annotated_constructor_on_its_own_line_does_not_hide_the_rest_of_a_file() -> None:
    text = (
        "class Result<out T>\n@PublishedApi internal constructor(@PublishedApi internal val holder: Any?) {\n"
        '    /** `println("$it")` */\n    fun get(): T? = null\n}\n\ninterface Channel<E> : Sender<E> {\n    fun f()\n}\n'
    )
    found = outline(text, "kotlin")
    assert lines(found) == [
        ("Result", 1, 5),
        ("Result.holder", 2, 2),
        ("Result.get", 4, 4),
        ("Channel", 7, 9),
        ("Channel.f", 8, 8),
    ]
