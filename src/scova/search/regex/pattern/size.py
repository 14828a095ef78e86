"""How large a pattern is: the states of its automaton, with repetitions written out. Where these add too many, it is refused before
anything is read.

A byte of text costs at most as many steps as there are states. The engine keeps what it has worked out for sets of states, so that most
bytes cost one; where repetitions add more than is allowed here, such sets do not fit into its memory, and then every byte costs all of
them. Long texts and lists of words are no such danger: few of their states are reached at a time.
"""

from collections.abc import Iterator

from scova.errors import QueryError
from scova.search.regex.pattern.syntax import Alternate, Concat, Named, Node, Repeat, Set

MOST_ADDED = 5_000
NAMED = 10  # for a set like `\w`: hundreds of ranges of characters, which take long to compile


def states(node: Node) -> int:
    """States of the automaton: one a character, a place or a choice, as often as it is repeated; sets of a name count as several."""
    if isinstance(node, Concat):
        return sum(map(states, node.nodes))
    if isinstance(node, Alternate):
        return 1 + sum(states(inner) + 1 for inner in node.nodes)
    if isinstance(node, Set) and any(isinstance(item, Named) and not item.ascii for item in node.items):
        return NAMED
    if not isinstance(node, Repeat):
        return 1
    once = states(node.node)
    if node.most is None:
        return max(1, node.least) * once + 1 + (node.least == 0)
    return node.least * once + (node.most - node.least) * (once + 1)


def checked(node: Node) -> int:
    """The states of a pattern; QueryError, with what to write instead, when they are too many."""
    found = states(node) + 1  # and the end
    added = found - _written(node)
    if added > MOST_ADDED:
        what = f"its repetitions, written out, add {added:,} states, and {MOST_ADDED:,} are the most"
        raise QueryError(f"the pattern is too large to be matched: {what}", _instead(node))
    return found


def _written(node: Node) -> int:
    """The states if every repetition were a `*`."""
    if isinstance(node, Concat):
        return sum(map(_written, node.nodes))
    if isinstance(node, Alternate):
        return 1 + sum(_written(inner) + 1 for inner in node.nodes)
    return _written(node.node) + 2 if isinstance(node, Repeat) else states(node)


def _instead(node: Node) -> str:
    """What to write so that the same is found and a little more; where that is no smaller, which repetition is too large."""
    best = max(_repeats(node), key=_saved)
    if _saved(best) > 0 and (best.least <= 1 or states(_unbounded(best)) <= MOST_ADDED):
        instead = {0: "*", 1: "+"}.get(best.least, f"{{{best.least},}}")
        return f"write `{instead}` instead of `{_counts(best)}`, or repeat less often; nested repetitions multiply"
    largest = max(_repeats(node), key=states)
    return f"repeat less often than `{_counts(largest)}`; nested repetitions multiply"


def _unbounded(repeat: Repeat) -> Repeat:
    return repeat._replace(most=None)


def _saved(repeat: Repeat) -> int:
    """States that it has only because it says how often at most."""
    return states(repeat) - states(_unbounded(repeat))


def _counts(repeat: Repeat) -> str:
    """How often, as it was written."""
    least, most = repeat.least, "" if repeat.most is None else repeat.most
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _repeats(node: Node) -> Iterator[Repeat]:
    """Repetitions by number, the outer before the inner."""
    if isinstance(node, Repeat):
        if max(node.least, node.most or 0) > 1:
            yield node
        yield from _repeats(node.node)
    elif isinstance(node, Concat | Alternate):
        for inner in node.nodes:
            yield from _repeats(inner)
