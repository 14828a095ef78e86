"""Packages of a repository by the names they are imported under: as go.mod, package.json and Cargo.toml say."""

import re
from collections.abc import Iterator

from scova.search.structure.code import Code

_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_NAME = re.compile(r"\"name\"\s*:\s*\"([^\"]+)\"")
_CRATE = re.compile(r"^\[package\][^\[]*?^name\s*=\s*\"([^\"]+)\"", re.MULTILINE | re.DOTALL)
_ENTRIES = ("src/index", "index", "lib/index", "src/main", "main", "src")


def go_modules(code: Code) -> dict[str, str]:
    """Folders of Go modules by the path they are imported under."""
    return _named(code, "go.mod", _MODULE)


def go_folder(code: Code, path: str) -> str | None:
    """The folder of a Go package; None when it is not of a module in the index."""
    modules = go_modules(code)
    best = max((name for name in modules if path == name or path.startswith(f"{name}/")), key=len, default=None)
    if best is None:
        return None
    folder = f"{modules[best]}/{path[len(best) + 1 :]}".strip("/")
    return folder if folder in code.paths.folders else None


def entries(code: Code, module: str) -> Iterator[str]:
    """Files, without extensions, that importing a package of the repository may mean, the most usual first."""
    name, below = _split(module)
    folder = _packages(code).get(name)
    if folder is None:
        return
    for entry in (f"src/{below}", below, f"lib/{below}") if below else _ENTRIES:
        yield f"{folder}/{entry}".lstrip("/")


def is_known(code: Code, module: str) -> bool:
    """Whether the repository has a package of this name."""
    return _split(module)[0] in _packages(code)


def crates(code: Code) -> dict[str, str]:
    """Folders of Rust's crates by the name they are used under."""
    return {name.replace("-", "_"): folder for name, folder in _named(code, "Cargo.toml", _CRATE).items()}


def _packages(code: Code) -> dict[str, str]:
    return _named(code, "package.json", _NAME)


def _split(module: str) -> tuple[str, str]:
    """The package's name, which may have a scope, and the path below it."""
    parts = module.split("/")
    length = 2 if module.startswith("@") else 1
    return "/".join(parts[:length]), "/".join(parts[length:])


def _named(code: Code, file_name: str, pattern: "re.Pattern[str]") -> dict[str, str]:
    found = code.remembered.get(file_name)
    if found is None:
        found = {}
        for path in code.paths.by_name.get(file_name.split(".", maxsplit=1)[0], ()):
            if path.rpartition("/")[2] == file_name and (match := pattern.search(code.text(path, 1, 400))):
                found.setdefault(match.group(1), path.rpartition("/")[0])
        code.remembered[file_name] = found
    return found
