"""What names, expressions and calls stand for, as values; and what is remembered of them for as long as a moment lasts."""

from threading import RLock
from typing import NamedTuple

from scova.answers import Certainty, Definition
from scova.search.structure.code import CLASSES, FUNCTIONS, Code, Key, SourceFile


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


class Bases(NamedTuple):
    """The classes another one inherits from, as far as they are in the index; whether there are more."""

    classes: tuple[Definition, ...]
    outside: tuple[str, ...] = ()  # as written


class Resolution(NamedTuple):
    """What a call means. No definitions: it leads out of the index, or to a name that is defined nowhere in it."""

    definitions: tuple[Definition, ...]
    certainty: Certainty
    reason: str
    is_builtin: bool = False
    keys: frozenset[Key] = frozenset()  # of the definitions


class Remembered:
    """What was found out about one moment's code. It lies with the code and does not refer to it, so that both go together."""

    def __init__(self) -> None:
        self.lock = RLock()  # what is remembered is built up step by step
        self.calls: dict[tuple[str, str, str, str], Resolution] = {}
        self.meant_by: dict[Key, Resolution] = {}
        self.could: dict[tuple[str, str, bool], Resolution] = {}
        self.names: dict[tuple[str, str, str], Thing] = {}
        self.bases: dict[Key, Bases] = {}
        self.lines: dict[Key, Bases] = {}
        self.fields: dict[Key, list[tuple[SourceFile, str]]] = {}

    @classmethod
    def of(cls, code: Code) -> "Remembered":
        """What is remembered of this code: the same for every question about it."""
        found: Remembered | None = code.made.get(cls)
        return found or code.made.setdefault(cls, cls())


def thing_of(definition: Definition, reason: str) -> Thing:
    """What a definition is, to whoever uses its name."""
    kind = definition.symbol.kind
    if kind in CLASSES:
        return Thing("class", definition, reason)
    return Thing("function" if kind in FUNCTIONS else "value", definition, reason)
