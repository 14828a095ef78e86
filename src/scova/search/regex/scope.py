"""Which files a pattern is looked for in: by path, as ripgrep's -g takes it, and by language, as its -t.

Globs are those of .gitignore, with `{a,b}` for alternatives; one that begins with `!` leaves out; the last that matches decides.
"""

import re
from collections.abc import Callable, Sequence

from scova.errors import QueryError
from scova.filters import path_passes
from scova.types import Filters

Passes = Callable[[str, str], bool]  # path and language

# What ripgrep calls a language, or several, where that is not our name for it.
_TYPES: dict[str, str] = {
    "asm": "asm", "c++": "cpp", "cs": "csharp", "csharp": "csharp", "docker": "dockerfile", "elisp": "lisp", "h": "c cpp",
    "htm": "html", "js": "javascript", "jsx": "javascript", "kt": "kotlin", "md": "markdown", "mk": "make", "objcpp": "objc",
    "pl": "perl", "protobuf": "protobuf", "proto": "protobuf", "ps": "powershell", "py": "python", "rb": "ruby", "readme": "text",
    "rs": "rust", "sh": "bash", "shell": "bash", "ts": "typescript tsx", "typescript": "typescript tsx", "tex": "latex",
    "txt": "text", "vim": "viml", "vimscript": "viml", "yml": "yaml", "zsh": "bash", "bzl": "starlark", "bazel": "starlark",
    "tf": "hcl", "terraform": "hcl", "gql": "graphql", "ex": "elixir", "hs": "haskell", "cc": "cpp", "cxx": "cpp",
    "golang": "go", "config": "ini", "doc": "markdown rst text asciidoc", "web": "html css javascript",
}  # fmt: skip
_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_GLOBS = 1000


def languages(names: Sequence[str]) -> frozenset[str]:
    """The languages that these names stand for; QueryError, with names that are near, for one that is not known."""
    if not names:
        return frozenset()
    from scova.parse.language import LANGUAGES  # only where a language is named: its tables cost a millisecond

    found: set[str] = set()
    for name in names:
        known = name.lower()
        if known in _TYPES:
            found.update(_TYPES[known].split())
        elif known in LANGUAGES:
            found.add(known)
        else:
            import difflib

            near = difflib.get_close_matches(known, [*LANGUAGES, *_TYPES], n=5, cutoff=0.5)
            hint = f"did you mean {', '.join(near)}?" if near else "`scova status` lists the languages of a project"
            raise QueryError(f"there is no file type `{name}`", hint)
    return frozenset(found)


def scope(globs: Sequence[str], types: Sequence[str], not_types: Sequence[str], filters: Filters) -> Passes | None:
    """Whether a file is looked into; None when every file is."""
    if filters.chunk_types or filters.tags or filters.kinds:
        raise QueryError("lines have no chunk type, tag or kind", "filter by path and language, or use `scova search`")
    wanted = languages(types) | frozenset(filters.languages)
    unwanted = languages(not_types)
    by_path = path_passes(filters)
    by_glob = _globbed(globs) if globs else None
    if not (wanted or unwanted or by_path or by_glob):
        return None

    def passes(path: str, language: str) -> bool:
        if (wanted and language not in wanted) or language in unwanted:
            return False
        return (by_path is None or by_path(path)) and (by_glob is None or by_glob(path))

    return passes


def _globbed(globs: Sequence[str]) -> Callable[[str], bool]:
    from scova.sources.git.rules import Kind, Rules  # only when there are globs: most questions have none

    rules = Rules(_bytes("\n".join(plain for glob in globs for plain in _unbraced(glob))), "-g", Kind.PLAIN)
    only = any(not glob.startswith("!") for glob in globs)

    def passes(path: str) -> bool:
        folders = path.split("/")
        for depth in range(1, len(folders)):
            folder = "/".join(folders[:depth])
            rule = rules.deciding(_bytes(folder), name=_bytes(folders[depth - 1]), start=0, is_folder=True)
            if rule is not None and rule.negated:
                return False
        rule = rules.deciding(_bytes(path), name=_bytes(folders[-1]), start=0, is_folder=False)
        return not rule.negated if rule is not None else not only

    return passes


def _unbraced(glob: str) -> list[str]:
    """A glob for each combination of its alternatives."""
    waiting, found = [glob], []
    while waiting:
        text = waiting.pop()
        braces = _BRACES.search(text)
        if braces is None:
            found.append(text)
        else:
            waiting += [text[: braces.start()] + choice + text[braces.end() :] for choice in braces[1].split(",")]
        if len(waiting) + len(found) > _MOST_GLOBS:
            raise QueryError(f"the glob `{glob}` stands for too many others", "use fewer alternatives in braces")
    return found


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
