"""What names and expressions stand for, as values."""

from typing import NamedTuple

from scova.answers import Definition
from scova.search.structure.code import CLASSES, FUNCTIONS, SourceFile


class Thing(NamedTuple):
    """What something stands for. `kind` is class, instance, above (an instance as its bases see it), module, function, value,
    builtin, outside or unknown; `reason` says in a few words how that is known."""

    kind: str
    definition: Definition | None = None
    reason: str = ""
    module: str = ""
    home: SourceFile | None = None


UNKNOWN = Thing("unknown")


class Place(NamedTuple):
    """Where an expression is written."""

    file: SourceFile
    scope: str  # qualified name of the definition around it


def thing_of(definition: Definition, reason: str) -> Thing:
    """What a definition is, to whoever uses its name."""
    kind = definition.symbol.kind
    if kind in CLASSES:
        return Thing("class", definition, reason)
    return Thing("function" if kind in FUNCTIONS else "value", definition, reason)
