"""What an import means: the file, folder or package of the index it names, and a name inside of that.

Three kinds of languages: imports name files (Python, JavaScript, Lua, Zig), folders (Go), or full names (Java, PHP, C# …, Rust).
Responsible for finding; it refuses to follow inheritance or to know about calls.
"""

import sys
from typing import NamedTuple

from scova.answers import Definition
from scova.search.structure.code import Code, SourceFile
from scova.search.structure.paths import above, joined, shared, up
from scova.search.structure.resolution import crates, workspaces

_DEEPEST = 6  # re-exports of re-exports
_EXTENSIONS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
_COMPILED = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}


class Imported(NamedTuple):
    """What a module has under a name: definitions, or a module below it. Neither: `outside` says whether that is final."""

    definitions: tuple[Definition, ...] = ()
    module: str = ""
    home: SourceFile | None = None  # from which `module` is to be read
    outside: bool = False  # it is surely not in the index


UNKNOWN, OUTSIDE = Imported(), Imported(outside=True)


def find(code: Code, file: SourceFile, module: str, name: str, *, depth: int = 0) -> Imported:
    """What `name` of `module` is, as written in `file`. An empty name asks for the module itself."""
    family = file.rules.family
    if family == "rust":
        return _crate(code, file, module, name)
    if family in _LOCATORS:
        return _in_files(code, file, module, name, depth=depth)
    return _by_full_name(code, file, module, name)


def full_name(code: Code, definition: Definition) -> str:
    """The name with the package it lies in, dot-joined."""
    file = code.file(definition.path)
    package = file.package if file else ""
    return f"{package}.{definition.symbol.qualified}" if package else definition.symbol.qualified


def dotted(written: str) -> str:
    """A qualified name as any language writes it, dot-joined."""
    return written.replace("\\", ".").replace("::", ".").replace("/", ".").strip(".")


def files_of(code: Code, file: SourceFile, module: str) -> list[str]:
    """Files a module consists of, in languages whose imports name files or folders."""
    locate = _LOCATORS.get(file.rules.family)
    return locate(code, file, module) if locate else []


# --- imports that name files or folders


def _in_files(code: Code, file: SourceFile, module: str, name: str, *, depth: int) -> Imported:
    paths = files_of(code, file, module)
    if not paths and not _has_folder(code, file, module):
        return OUTSIDE if _is_outside(code, file, module) else UNKNOWN
    if not name:
        return Imported(module=module, home=file)
    for path in paths:
        found = _in_file(code, path, name, depth)
        if found.definitions or found.module:
            return found
    below = f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
    if file.rules.family == "python" and (files_of(code, file, below) or _has_folder(code, file, below)):
        return Imported(module=below, home=file)
    return UNKNOWN


def _in_file(code: Code, path: str, name: str, depth: int) -> Imported:
    source = code.file(path)
    if source is None:
        return UNKNOWN
    if own := source.find(name):
        return Imported((own,))
    if source.rules.family == "lua" and (own := _member_of_table(source, name)):
        return Imported((own,))
    if name == "default" and (own := _default(source)):
        return Imported((own,))
    if depth >= _DEEPEST:
        return UNKNOWN
    handed_on = [one for one in source.bound("", name) if one.how == "import"]
    if len({(one.target, one.member) for one in handed_on}) == 1:
        return find(code, source, handed_on[0].target, handed_on[0].member, depth=depth + 1)
    for star in source.stars:
        found = find(code, source, star.target, name, depth=depth + 1)
        if found.definitions:
            return found
    return UNKNOWN


def _default(source: SourceFile) -> Definition | None:
    """What a file exports as its default, where its name tells: `Cart` of cart.ts."""
    stem = source.path.rpartition("/")[2].split(".")[0].lower().replace("-", "").replace("_", "")
    tops = [symbol for symbol in source.symbols if not symbol.parent and symbol.name.lower().replace("_", "") == stem]
    return source.define(tops[0]) if tops else None


def _member_of_table(source: SourceFile, name: str) -> Definition | None:
    """Lua's modules return a table: `function M.find()` is the module's `find`."""
    found = [
        symbol
        for symbol in source.symbols
        if symbol.name.rpartition(".")[2] == name and symbol.qualified.count(".") == 1
    ]
    return source.define(found[0]) if len(found) == 1 else None


def _python(code: Code, file: SourceFile, module: str) -> list[str]:
    stripped = module.lstrip(".")
    tail = stripped.replace(".", "/")
    level = len(module) - len(stripped)
    if level:
        folder = up(file.folder, level - 1)
        stems = [] if folder is None else [f"{folder}/{tail}".strip("/") if tail else folder]
    elif stripped.split(".")[0] in sys.stdlib_module_names:
        return []
    else:
        stems = [f"{root}/{tail}".strip("/") for root in _python_roots(code, file, tail)]
    endings = (".py", "/__init__.py", ".pyi", "/__init__.pyi") if tail else ("/__init__.py",)
    return [path for stem in stems for ending in endings if (path := f"{stem}{ending}".lstrip("/")) in code.languages][
        :1
    ]


def _python_roots(code: Code, file: SourceFile, tail: str) -> list[str]:
    """Folders from which a module may be imported, the nearest first: above the file, then any that is no package itself."""
    top = tail.split("/", maxsplit=1)[0]
    ancestors = list(above(file.folder))
    others = {path.rpartition("/")[0] for path in code.paths.by_name.get(top, ())}
    others |= {folder.rpartition("/")[0] for folder in code.paths.folders_by_name.get(top, ())}
    usual = [root for root in others if root not in ancestors and f"{root}/__init__.py" not in code.languages]
    return [*ancestors, *sorted(usual, key=lambda root: (-shared(root, file.folder), len(root), root))]


def _ecma(code: Code, file: SourceFile, module: str) -> list[str]:
    if module.startswith("."):
        beside = joined(file.folder, module)
        return [] if beside is None else _ecma_file(code, beside)
    if module.startswith(("@/", "~/", "#/")):
        rest = module[2:]
        for root in above(file.folder):
            for stem in (f"{root}/{rest}", f"{root}/src/{rest}"):
                if found := _ecma_file(code, stem.lstrip("/")):
                    return found
        return []
    for stem in workspaces.entries(code, module):
        if found := _ecma_file(code, stem):
            return found
    return []


def _ecma_file(code: Code, stem: str) -> list[str]:
    if stem in code.languages:
        return [stem]
    base, dot, extension = stem.rpartition(".")
    for other in _COMPILED.get(dot + extension, ()):
        if base + other in code.languages:
            return [base + other]
    return [
        path
        for ending in ("", "/index")
        for e in _EXTENSIONS
        if (path := f"{stem}{ending}{e}".lstrip("/")) in code.languages
    ][:1]


def _lua(code: Code, file: SourceFile, module: str) -> list[str]:
    tail = module.replace(".", "/")
    for root in (*above(file.folder), *sorted(code.paths.folders_by_name.get("lua", ()))):
        for path in (
            f"{root}/{tail}.lua",
            f"{root}/lua/{tail}.lua",
            f"{root}/{tail}/init.lua",
            f"{root}/lua/{tail}/init.lua",
        ):
            if path.lstrip("/") in code.languages:
                return [path.lstrip("/")]
    return []


def _beside(code: Code, file: SourceFile, module: str) -> list[str]:
    """A path relative to the file (Zig, Bash)."""
    beside = joined(file.folder, module)
    return [beside] if beside in code.languages else []


def _go(code: Code, file: SourceFile, module: str) -> list[str]:
    folder = workspaces.go_folder(code, module)
    return (
        []
        if folder is None
        else [path for path in code.paths.inside(folder) if path.endswith(".go") and not path.endswith("_test.go")]
    )


_LOCATORS = {"python": _python, "ecma": _ecma, "lua": _lua, "zig": _beside, "bash": _beside, "go": _go}


def _has_folder(code: Code, file: SourceFile, module: str) -> bool:
    """Whether a Python module is a folder without `__init__.py`."""
    if file.rules.family != "python":
        return False
    stripped = module.lstrip(".")
    tail, level = stripped.replace(".", "/"), len(module) - len(stripped)
    roots = [up(file.folder, level - 1)] if level else [*above(file.folder), "src"]
    if not level and stripped.split(".")[0] in sys.stdlib_module_names:
        return False
    return any(root is not None and f"{root}/{tail}".strip("/") in code.paths.folders for root in roots)


def _is_outside(code: Code, file: SourceFile, module: str) -> bool:
    """Whether nothing in the index could be this module, however it is laid out."""
    if module.startswith("."):
        return False
    if file.rules.family == "go":
        return bool(workspaces.go_modules(code))
    first = module.replace("@", "").replace("/", ".").split(".")[0]
    if file.rules.family == "python" and first in sys.stdlib_module_names:
        return True
    if file.rules.family == "python":
        return not _is_known(code, first)
    return not _is_known(code, module.replace("/", ".").rpartition(".")[2]) or not workspaces.is_known(code, module)


def _is_known(code: Code, name: str) -> bool:
    """Whether some file or folder is called so."""
    return name in code.paths.folders_by_name or name in code.paths.by_name


# --- imports that name things in full


def _by_full_name(code: Code, file: SourceFile, module: str, name: str) -> Imported:
    full = dotted(f"{module}.{name}" if name else module)
    last = full.rpartition(".")[2]
    family = [one for one in code.named(last) if code.family(one) == file.rules.family]
    found = tuple(one for one in family if full in (full_name(code, one), one.symbol.qualified))
    if found:
        return Imported(found)
    if not name or name[:1].islower():  # a package, or something inside a class that is asked for by its members
        return Imported(module=full, home=file)
    return OUTSIDE if not family or full.split(".")[0] in file.rules.outside else UNKNOWN


def _crate(code: Code, file: SourceFile, module: str, name: str) -> Imported:
    segments = [part for part in f"{module}::{name}".replace("r#", "").split("::") if part]
    if not segments or segments[0] in file.rules.outside:
        return OUTSIDE
    found, known = crates.find(code, file, segments)
    if found:
        return Imported(found)
    if not known:
        return OUTSIDE
    return Imported(module="::".join(segments), home=file)
