"""Paths of Rust: which module a file is, and what a path from there leads to."""

from typing import NamedTuple

from scova.answers import Definition
from scova.search.structure.code import Code, SourceFile
from scova.search.structure.resolution import workspaces

_ROOTS = frozenset(("lib", "main", "mod"))
_SOURCES = frozenset(("src", "tests", "benches", "examples"))


class Place(NamedTuple):
    """A module: the folder of its crate, and the path of modules from its root."""

    crate: str
    modules: tuple[str, ...]


def place_of(path: str) -> Place:
    """The module a file is."""
    parts = path.removesuffix(".rs").split("/")
    at = next((n for n in range(len(parts) - 2, -1, -1) if parts[n] in _SOURCES), -1)
    crate, modules = "/".join(parts[: max(at, 0)]), parts[at + 1 :]
    if parts[at] != "src" and at >= 0:
        crate, modules = "/".join(parts[:at]), modules[1:]
    return Place(crate, tuple(modules[:-1] if modules and modules[-1] in _ROOTS else modules))


def find(code: Code, file: SourceFile, segments: list[str]) -> tuple[tuple[Definition, ...], bool]:
    """Definitions a path means, and whether its crate is in the index at all."""
    here = place_of(file.path)
    start = _start(code, here, segments)
    if start is None:
        return (), False
    crate, wanted = start
    # `mod store;` only says that there is a file.
    named = [one for one in code.named(segments[-1]) if one.language == "rust" and not _is_declared(one)]
    inside = [one for one in named if place_of(one.path).crate == crate]
    exact = [one for one in inside if _path(one) == wanted]
    if exact:
        return tuple(exact), True
    # `pub use` hands things on under shorter paths.
    around = wanted[-2] if len(wanted) > 1 else ""
    tops = [one for one in inside if one.symbol.parent in ("", around)]
    return (tuple(tops) if len({one.path for one in tops}) == 1 else ()), True


def _start(code: Code, here: Place, segments: list[str]) -> "tuple[str, tuple[str, ...]] | None":
    """The crate a path begins in, and the path from its root."""
    first, rest = segments[0], tuple(segments[1:])
    if first == "crate":
        return here.crate, rest
    if first in ("self", "super"):
        modules = here.modules
        while rest and first in ("self", "super"):
            modules = modules[:-1] if first == "super" else modules
            if rest[0] not in ("self", "super"):
                break
            first, rest = rest[0], rest[1:]
        return here.crate, (*modules, *rest)
    below = (*here.modules, first)
    if _is_module(code, Place(here.crate, below)):
        return here.crate, (*here.modules, *segments)
    if (named := workspaces.crates(code).get(first)) is not None:
        return named, rest
    for folder in (
        *code.paths.folders_by_name.get(first, ()),
        *code.paths.folders_by_name.get(first.replace("_", "-"), ()),
    ):
        if f"{folder}/src" in code.paths.folders:
            return folder, rest
    return None


def _is_module(code: Code, place: Place) -> bool:
    stem = "/".join(filter(None, (place.crate, "src", *place.modules)))
    return f"{stem}.rs" in code.languages or f"{stem}/mod.rs" in code.languages


def _path(definition: Definition) -> tuple[str, ...]:
    return (*place_of(definition.path).modules, *definition.symbol.qualified.split("."))


def _is_declared(one: Definition) -> bool:
    return one.symbol.kind == "module" and one.symbol.start_line == one.symbol.end_line
