"""Where the name stands in a declaration of C and C++.

A declarator nests one level per `*`, `&`, `[]` and `()` around the name: `int (*pick(int))(int)` declares `pick`. A query
could spell all of these out, but compiling it would cost a second; walking down costs a microsecond.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def declared(kind: str, captured: "dict[str, list[Node]]") -> str:
    """Put the name (and the parents of `ns::Foo::bar`) that a C declarator holds into the captures; returns the kind.

    `captured` holds @declarator; @name, and @parent where there is one, are added.
    """
    node, function = bottom(captured["declarator"][0])
    scopes = []
    while node.type == "qualified_identifier" and (name := node.child_by_field_name("name")):
        if scope := node.child_by_field_name("scope"):
            scopes.append(scope.child_by_field_name("name") or scope)
        node = name
    if node.type == "template_function":
        node = node.child_by_field_name("name") or node
    captured["name"] = [node]
    if scopes:
        captured["parent"] = scopes
        if kind == "function":
            return "constructor" if scopes[-1].text == node.text else "method"
    return _declared_kind(kind, node.type, function=function)


def bottom(node: "Node") -> "tuple[Node, bool]":
    """What stands at the bottom of a declarator, and whether it is declared a function."""
    outside = ""
    while inner := _inside(node):
        outside = node.type if node.type != "parenthesized_declarator" else outside
        node = inner
    return node, outside == "function_declarator"


def _inside(node: "Node") -> "Node | None":
    if node.type == "operator_cast":  # `operator bool()`: the name is the whole of it
        return None
    if node.type in ("reference_declarator", "parenthesized_declarator"):
        return node.named_child(0)
    return node.child_by_field_name("declarator")


def _declared_kind(kind: str, name_type: str, *, function: bool) -> str:
    if kind == "constructor" and name_type != "identifier":  # `~Foo()` and `operator bool()` have no type either
        return "method"
    if function and kind in ("variable", "constant", "field"):
        return "method" if kind == "field" else "prototype"
    return kind
