"""A syntax tree written out for the engine.

Repetitions are unrolled where the engine's own limit (a thousand) is passed. Word boundaries are the engine's, which knows
ASCII only: `exact_within` says where that is the same as Rust's, and `looser` leaves them out, which can only find more.
"""

from scova.errors import QueryError
from scova.search.regex.pattern.sets import source as set_source
from scova.search.regex.pattern.syntax import Alternate, Concat, Literal, Look, Node, Repeat, Set, Where

_MOST_REPEATS = 1000  # the engine's limit, nested ones multiplied
_LONGEST = 400_000  # characters of what is written
_LOOKS = {
    Where.LINE_START: "^",
    Where.LINE_END: "$",
    Where.WORD: r"\b",
    Where.NOT_WORD: r"\B",
    Where.ASCII_WORD: r"\b",
    Where.ASCII_NOT_WORD: r"\B",
}
_ALWAYS_EXACT = frozenset((Where.LINE_START, Where.LINE_END, Where.ASCII_WORD, Where.ASCII_NOT_WORD))


def emit(node: Node, *, looser: bool = False) -> str:
    """The tree for the engine, within lines. With `looser`, it finds every line that matches, and perhaps others."""
    return f"(?m){_emit(node, looser)}"


def looks(node: Node) -> frozenset[Where]:
    """Every kind of place that a pattern asks for."""
    if isinstance(node, Look):
        return frozenset((node.where,))
    if isinstance(node, Repeat):
        return looks(node.node)
    if isinstance(node, Concat | Alternate):
        return frozenset().union(*map(looks, node.nodes))
    return frozenset()


def is_exact_in_unicode(node: Node) -> bool:
    """Whether the engine means the same by all places as Rust does, in any valid text."""
    return looks(node) <= _ALWAYS_EXACT


def is_exact_in_ascii(node: Node) -> bool:
    """Whether it does in a text of ASCII characters."""
    return looks(node) <= _LOOKS.keys()


def _emit(node: Node, looser: bool) -> str:
    if isinstance(node, Literal):
        return _literal(node)
    if isinstance(node, Set):
        return set_source(node)
    if isinstance(node, Look):
        return "" if looser and node.where not in _ALWAYS_EXACT else _LOOKS[node.where]
    if isinstance(node, Concat):
        return "".join(f"(?:{_emit(n, looser)})" if isinstance(n, Alternate) else _emit(n, looser) for n in node.nodes)
    if isinstance(node, Alternate):
        return "|".join(_emit(part, looser) for part in node.nodes)
    return _checked(_repeat(node, looser))


def _literal(node: Literal) -> str:
    plain = (
        node.character if node.character.isalnum() and node.character.isascii() else rf"\x{{{ord(node.character):x}}}"
    )
    has_cases = node.character.lower() != node.character.upper() or node.character.casefold() != node.character
    return f"(?i:{plain})" if node.fold and has_cases else plain


def _repeat(node: Repeat, looser: bool) -> str:
    once = f"(?:{_emit(node.node, looser)})"
    lazy = "" if node.greedy else "?"
    if node.most is None and node.least <= 1:
        return f"{once}{'+' if node.least else '*'}{lazy}"
    if max(node.least, node.most or 0) * _weight(node.node) <= _MOST_REPEATS:
        most = "" if node.most is None else str(node.most)
        return f"{once}{{{node.least},{most}}}{lazy}"
    rest = f"{once}*{lazy}" if node.most is None else ""
    optional = (node.most or node.least) - node.least
    _checked("", (node.least + optional) * len(once))
    return once * node.least + f"{once}?{lazy}" * optional + rest


def _weight(node: Node) -> int:
    """How many times the engine repeats what is inside."""
    if isinstance(node, Repeat):
        return max(1, node.least, node.most or 0) * _weight(node.node)
    if isinstance(node, Concat | Alternate):
        return max(map(_weight, node.nodes), default=1)
    return 1


def _checked(text: str, length: int = 0) -> str:
    if max(length, len(text)) > _LONGEST:
        raise QueryError("the pattern is too large to be matched", "use smaller repetitions, or fewer alternatives")
    return text
