"""Definitions by name, beginning, qualified name and place: all of them, the real thing first, with their source."""

import pytest

from indexed import code_of_files
from scova.errors import QueryError
from scova.search.structure.define import Request, definitions
from scova.types import ChunkType, Filters, Skip

FILES = {
    "src/shop.py": (
        "class Cart:\n    '''Holds items.'''\n\n    @property\n    def total(self):\n        def add(a, b):\n            return a + b\n"
        "        return add(1, 2)\n\n    def clear(self):\n        pass\n\n\ndef total():\n    return 0\n\n\nLIMIT = 3\n"
    ),
    "tests/test_shop.py": "def total():\n    pass\n\n\ndef test_total():\n    assert total() is None\n",
    "web/cart.ts": "export class Cart {\n  total(): number {\n    return 1;\n  }\n}\nexport function totalOf(c: Cart) {\n  return c.total();\n}\n",
    "include/vec.hpp": "struct Vec {\n    bool operator==(const Vec &other) const;\n    int size() const;\n};\n",
    "src/vec.cpp": '#include "vec.hpp"\n\nbool Vec::operator==(const Vec &other) const\n{\n    return true;\n}\n\nint Vec::size() const\n{\n    return 0;\n}\n',
}


@pytest.fixture(scope="module")
def code():
    return code_of_files(FILES)


def places(found):
    return [(one.path, one.symbol.qualified) for one in found.definitions]


def ask(code, name="", **options):
    return definitions(code, Request(name, **options))


def test_every_definition_of_a_name_is_found_and_tests_come_last(code):
    found = ask(code, "total")
    assert places(found)[-1] == ("tests/test_shop.py", "total")
    assert set(places(found)) == {
        ("src/shop.py", "Cart.total"),
        ("src/shop.py", "total"),
        ("web/cart.ts", "Cart.total"),
        ("tests/test_shop.py", "total"),
    }
    assert (found.total, found.truncated) == (4, False)


@pytest.mark.parametrize("name", ["Cart.total", "Cart::total", "Cart#total"])
def test_a_qualified_name_means_members_of_that_class(code, name):
    assert places(ask(code, name)) == [("src/shop.py", "Cart.total"), ("web/cart.ts", "Cart.total")]


def test_an_inner_part_of_a_qualified_name_is_enough(code):
    assert places(ask(code, "total.add")) == [("src/shop.py", "Cart.total.add")]
    assert places(ask(code, "Cart.total.add")) == [("src/shop.py", "Cart.total.add")]


def test_a_beginning_finds_everything_that_begins_so(code):
    assert {name for _, name in places(ask(code, "tot*"))} == {"Cart.total", "total", "totalOf"}
    assert places(ask(code, "Cart.cl*")) == [("src/shop.py", "Cart.clear")]


def test_bodies_come_before_declarations(code):
    assert places(ask(code, "Vec.size")) == [("src/vec.cpp", "Vec.size"), ("include/vec.hpp", "Vec.size")]


def test_an_operator_is_a_name(code):
    assert places(ask(code, "operator=="))[0] == ("src/vec.cpp", "Vec.operator==")
    assert ask(code, "!=").definitions == ()


def test_filters_restrict_in_every_way(code):
    assert places(ask(code, "total", filters=Filters(languages=("typescript",)))) == [("web/cart.ts", "Cart.total")]
    assert places(ask(code, "total", filters=Filters(kinds=("function",), paths=("src",)))) == [
        ("src/shop.py", "total")
    ]
    assert places(ask(code, "total", filters=Filters(tags=("test",)))) == [("tests/test_shop.py", "total")]
    assert places(ask(code, "total", filters=Filters(not_paths=("src", "tests")))) == [("web/cart.ts", "Cart.total")]
    assert ask(code, "total", filters=Filters(chunk_types=(ChunkType.DOCUMENTATION,))).definitions == ()


def test_a_place_means_the_innermost_definition_around_it(code):
    assert places(ask(code, at="src/shop.py:7")) == [("src/shop.py", "Cart.total.add")]
    assert places(ask(code, at="src/shop.py:8")) == [("src/shop.py", "Cart.total")]
    assert places(ask(code, "src/shop.py:11")) == [("src/shop.py", "Cart.clear")]
    outside = ask(code, at="src/shop.py:16")
    assert outside.definitions == () and outside.suggestions


def test_a_name_in_a_file(code):
    assert places(ask(code, "src/shop.py:total")) == [("src/shop.py", "Cart.total"), ("src/shop.py", "total")]


def test_the_body_is_the_text_of_the_file(code):
    (found,) = ask(code, "Cart.clear", body=True).definitions
    assert found.text == "    def clear(self):\n        pass\n"
    for one in ask(code, "total", body=True).definitions:
        lines = FILES[one.path].split("\n")[one.symbol.start_line - 1 : one.symbol.end_line]
        assert one.text.rstrip("\n") == "\n".join(lines)


def test_a_limit_says_what_it_left_out(code):
    found = ask(code, "total", limit=1)
    assert (len(found.definitions), found.total, found.truncated) == (1, 4, True)
    for limit in (0, -1, 100_000):
        with pytest.raises(QueryError):
            ask(code, "total", limit=limit)


def test_an_unknown_name_gets_the_nearest(code):
    assert ask(code, "totle").suggestions[0] == "total"
    assert ask(code, "Cart.clar").suggestions == ("Cart.clear",)
    assert "totalOf" in ask(code, "totalof").suggestions


def test_a_place_that_is_not_there_is_an_error_that_helps(code):
    with pytest.raises(QueryError, match="18 lines") as error:
        ask(code, at="src/shop.py:900")
    assert "1 to 18" in error.value.hint
    with pytest.raises(QueryError, match="not in the index") as error:
        ask(code, at="shop.py:1")
    assert "src/shop.py" in error.value.hint
    with pytest.raises(QueryError, match="too large"):
        definitions(code, Request(at="big.py:1"), lambda: [Skip("big.py", "too large", "9 MB")])
