"""universal-ctags as an oracle: what it calls the languages and kinds that are compared, and how it is asked.

Knows nothing of scova beyond the names of its languages.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from matching import Tag

# scova's name of a language -> ctags' name, and the kinds that are functions, methods or types. Fields, constants,
# variables, packages, imports and labels are not compared.
LANGUAGES: dict[str, tuple[str, frozenset[str]]] = {
    "python": ("Python", frozenset({"class", "function", "member"})),
    "javascript": ("JavaScript", frozenset({"class", "function", "method", "generator", "getter", "setter"})),
    "typescript": ("TypeScript", frozenset({"class", "function", "method", "generator", "interface", "enum"})),
    "rust": ("Rust", frozenset({"struct", "interface", "enum", "function", "method", "macro"})),
    "go": ("Go", frozenset({"func", "struct", "interface", "methodSpec", "type"})),
    "java": ("Java", frozenset({"class", "method", "interface", "enum", "annotation"})),
    "c": ("C", frozenset({"function", "struct", "enum", "union"})),
    "cpp": ("C++", frozenset({"function", "class", "struct", "enum", "union"})),
    "csharp": ("C#", frozenset({"class", "interface", "method", "struct", "enum"})),
    "php": ("PHP", frozenset({"class", "interface", "trait", "function"})),
    "ruby": ("Ruby", frozenset({"class", "module", "method", "singletonMethod"})),
    "bash": ("Sh", frozenset({"function"})),
    "lua": ("Lua", frozenset({"function"})),
    "kotlin": ("Kotlin", frozenset({"class", "interface", "object", "method"})),
    "elixir": (
        "Elixir",
        frozenset({"module", "protocol", "implementation", "function", "macro", "callback", "delegate", "guard"}),
    ),
    "haskell": ("Haskell", frozenset({"function", "type"})),
}
_OPERATOR = re.compile(r"^operator\s*(?=[^\w\s])")
_PATH = re.compile(r"^(?:[\w$?!]+(?:::|[.:]))+(?=[\w$?!]+$)")


def version() -> str:
    """The first line of `ctags --version`; exits with a hint when it is missing or is another ctags."""
    if not shutil.which("ctags"):
        raise SystemExit("ctags is not installed: `apt-get install universal-ctags`")
    said = subprocess.run(["ctags", "--version"], capture_output=True, text=True).stdout
    if not said.startswith("Universal Ctags"):
        raise SystemExit("this ctags is not Universal Ctags: `apt-get install universal-ctags`")
    return said.splitlines()[0].split(",")[0]


def tags(root: Path, paths: Sequence[str], language: str) -> list[Tag]:
    """What ctags finds of the compared kinds in these files, all read as `language`."""
    name, kinds = LANGUAGES[language]
    command = ["ctags", f"--language-force={name}", "--output-format=json", "--fields=+nK", "--extras=F", "-L-", "-f-"]
    done = subprocess.run(
        command, input="\n".join(paths), cwd=root, capture_output=True, text=True, errors="replace", check=True
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        Tag(one["path"], one["line"], plain(one["name"]), one["kind"])
        for one in said
        if one.get("_type") == "tag" and one["kind"] in kinds
    ]


def plain(name: str) -> str:
    """A name as both sides write it: the last part of a path (`M.find` is `find`), an operator by its sign alone."""
    name = name.strip().strip("`")
    return _PATH.sub("", _OPERATOR.sub("", name))
