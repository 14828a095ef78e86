"""Names that are neither defined nor imported where they are used: what languages share without an import."""

from collections.abc import Sequence

from scova.answers import Definition
from scova.search.structure.calls import keep
from scova.search.structure.code import CLASSES, FUNCTIONS, Code, SourceFile, key_of
from scova.types import Symbol

_TOP_KINDS = (CLASSES | FUNCTIONS) - {"method", "constructor", "property"}


def near(code: Code, file: SourceFile, name: str) -> Definition | None:
    """What a file sees under a name because it lies in the same folder or package; None when that is not one thing."""
    if file.rules.shares not in ("folder", "package"):
        return None
    return only(code, [one for one in _tops(code, file, name) if _is_near(code, file, one)])


def anywhere(code: Code, file: SourceFile, name: str) -> Definition | None:
    """The only thing of a name, in languages where everything is seen everywhere."""
    return only(code, _tops(code, file, name)) if file.rules.shares == "all" else None


def elsewhere(code: Code, file: SourceFile, qualified: str) -> Definition:
    """A class whose members are defined apart from it; one that is nowhere still has the members of this file."""
    found = [
        one
        for one in code.exactly(qualified)
        if one.symbol.kind in CLASSES
        and code.family(one) == file.rules.family
        and (file.rules.open_classes != "folder" or one.path.rpartition("/")[0] == file.folder)
    ]
    if len(found) == 1:
        return found[0]
    return Definition(file.path, file.language, Symbol(qualified.rpartition(".")[2], qualified, "class", 0, 0))


def only(code: Code, found: Sequence[Definition]) -> Definition | None:
    """The one definition, its declarations aside; None when there are several."""
    callable_ones = [one for one in found if one.symbol.kind in CLASSES or one.symbol.kind in FUNCTIONS]
    bodies = [one for one in callable_ones if one.symbol.kind != "prototype"] or callable_ones
    if len({key_of(one) for one in bodies}) <= 1:
        return bodies[0] if bodies else None
    largest = max(bodies, key=lambda one: one.symbol.end_line - one.symbol.start_line)
    return largest if _are_parts(code, bodies) else None


def _are_parts(code: Code, found: Sequence[Definition]) -> bool:
    """Whether these are parts of one class (C#'s partial, Ruby's and Swift's reopened): any of them stands for it."""
    if len({one.symbol.qualified for one in found}) > 1 or any(one.symbol.kind not in CLASSES for one in found):
        return False
    file = code.file(found[0].path)
    return file is not None and file.rules.open_classes == "anywhere" and file.rules.shares == "all"


def _tops(code: Code, file: SourceFile, name: str) -> list[Definition]:
    """Definitions of a name that stand at the top, or in namespaces only. A method does neither."""
    found = code.tops.get((file.rules.family, name))
    if found is None:
        named = [one for one in code.named(name) if one.symbol.kind in _TOP_KINDS and one.symbol.name == name]
        family = [one for one in named if code.family(one) == file.rules.family]
        found = [one for one in family if not one.symbol.parent or _is_namespaced(code, one)]
        keep(code.tops, (file.rules.family, name), found)
    return found


def _is_namespaced(code: Code, one: Definition) -> bool:
    other = code.file(one.path)
    around = other.find(one.symbol.parent) if other else None
    return around is not None and around.symbol.kind in ("namespace", "module")


def _is_near(code: Code, file: SourceFile, one: Definition) -> bool:
    same_folder = one.path.rpartition("/")[0] == file.folder
    if file.rules.shares == "folder":
        return same_folder
    other = code.file(one.path)
    return other is not None and other.package == file.package and (bool(file.package) or same_folder)
