"""(documentation, code) pairs out of one source file.

Python goes through `ast`. Every other language goes through one line scanner: a comment block immediately above a line
that looks like a definition, then the lines of that definition by braces, by `end`, or by indentation. It is a heuristic and is
allowed to miss things; what it returns never contains the documentation on the code side.
"""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

MOST_LINES = 60
MOST_DOC = 1000

LANGUAGES = {
    ".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript",
    ".tsx": "typescript", ".go": "go", ".rs": "rust", ".rb": "ruby", ".php": "php", ".java": "java", ".kt": "kotlin",
    ".scala": "scala", ".swift": "swift", ".cs": "csharp", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp",
    ".hh": "cpp", ".hs": "haskell", ".lua": "lua", ".ex": "elixir", ".exs": "elixir", ".sh": "bash", ".bash": "bash", ".zig": "zig",
    ".m": "objc", ".mm": "objc", ".dart": "dart",
}  # fmt: skip

_MODS = r"(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|export|default|open|fileprivate|data|sealed|suspend|inline|synchronized|native|extern|readonly|partial|unsafe|implicit|lazy|case|declare|operator|mutating|pub(?:\([\w: ]+\))?|const|get|set)\s+)*"
_CALLABLE = r"[\w$<>\[\],.?:&* ]*?[\w$~]+\s*\([^;=]*[{,(:]?\s*$"
DEFINITION = {
    "javascript": rf"{_MODS}(?:function\b|class\s|\*?[\w$#]+\s*\([^;]*\)\s*\{{|(?:const|let|var)\s+[\w$]+\s*=\s*(?:async\s*)?(?:function|\(|[\w$]+\s*=>)|[\w$.]+\s*=\s*(?:async\s+)?function|[\w$]+\s*:\s*(?:async\s+)?function|[\w$.]+\s*=\s*(?:async\s*)?\()",
    "go": r"func\b|type\s+\w+\s+(?:struct|interface)",
    "rust": rf"{_MODS}(?:async\s+)?(?:fn|struct|enum|trait|impl|macro_rules!|union)\b",
    "ruby": r"(?:def|class|module)\s",
    "php": rf"{_MODS}(?:function|class|interface|trait)\s",
    "java": rf"{_MODS}(?:class\s|interface\s|enum\s|@interface\s|{_CALLABLE})",
    "kotlin": rf"{_MODS}(?:fun|class|object|interface|enum class)\s",
    "scala": rf"{_MODS}(?:def|class|object|trait)\s",
    "swift": rf"(?:@\w+\s+)*{_MODS}(?:func|class|struct|enum|protocol|extension|init|actor)\b",
    "csharp": rf"{_MODS}(?:class\s|struct\s|interface\s|enum\s|record\s|{_CALLABLE})",
    "c": rf"(?!return|else|if\b|for\b|while\b|switch\b)(?:typedef\s+)?(?:struct\s+\w+\s*\{{?$|enum\s|class\s|template\b|#define\s+\w+\(|[A-Za-z_]{_CALLABLE}|[A-Za-z_][\w:<>,&* ]*\([^;{{]*\)[^;{{]*[;{{]?\s*$)",
    "haskell": r"[a-z_][\w']*\s*(?:,\s*[\w']+\s*)*::|data\s|newtype\s|class\s|instance\s",
    "lua": r"(?:local\s+)?function\b|(?:local\s+)?[\w.]+\s*=\s*function",
    "elixir": r"(?:defp?|defmacro|defmodule|defstruct)\s",
    "bash": r"(?:function\s+)?[\w:.-]+\s*\(\)|function\s+\w+",
    "zig": rf"{_MODS}(?:fn|struct)\b|(?:pub\s+)?const\s+\w+\s*=\s*(?:struct|enum|union)",
    "objc": r"[-+]\s*\(|@interface|@implementation",
    "dart": rf"{_MODS}(?:class\s|mixin\s|{_CALLABLE})",
}  # fmt: skip
for _same, _as in (("typescript", "javascript"), ("cpp", "c")):
    DEFINITION[_same] = DEFINITION[_as]
_DEFINITION = {lang: re.compile(rf"\s*(?:{pattern})") for lang, pattern in DEFINITION.items()}
LINE_COMMENT = {"ruby": "#", "bash": "#", "elixir": "#", "lua": "--", "haskell": "--"}
_ENDS = {"ruby": "end", "lua": "end", "elixir": "end"}
_SKIPPED = re.compile(
    r"\s*(?:@[\w.]+(?:\([^)]*\))?\s*$|#\[|\[\w+.*\]\s*$|template\s*<.*>\s*$|@spec\b|@impl\b|sig\s*\{)"
)
_BOILERPLATE = re.compile(
    r"copyright|licen[cs]e|spdx-|do not edit|auto-?generated|eslint|@ts-|rubocop|noqa|nolint|todo|fixme|\binheritdoc|@suppress",
    re.I,
)
_TAG = re.compile(r"^\s*(?:[@\\](?:param|return|throws|see|since|type|private|public|internal|deprecated|example|brief\s*$|default|function|name|memberof|method|static|class|constructor|author|api|arg|tparam|t?param)|:(?:param|return|rtype|type|raises)|Args:|Returns:|Raises:|Parameters\b|# (?:Arguments|Errors|Panics|Safety|Examples?)|>>>|```|<pre>|== ?(?:Example|Param))")  # fmt: skip
_TAGS_HTML = re.compile(r"</?[a-zA-Z][^>]{0,80}>|\{@(?:link|code|linkplain)\s+([^}]*)\}|\\(?:brief|c|a|p|ref)\b")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Pair:
    """Documentation, its first paragraph before any tags, and the code it was written on."""

    lang: str
    kind: str  # "doc", or "name": the definition's name against its body
    doc: str
    code: str


def extract(path: str, text: str) -> Iterator[Pair]:
    """Every usable pair of one file; nothing when the language is unknown or the file does not parse."""
    lang = LANGUAGES.get("." + path.rsplit(".", 1)[-1].lower() if "." in path else "")
    if lang is None or "\0" in text:
        return
    found = _python(text) if lang == "python" else _commented(text, lang)
    for kind, said, code in found:
        doc = tidy(said)
        if usable(doc, kind) and len(_WORD.findall(code)) >= 8 and (lang in ("c", "haskell") or code.count("\n") >= 1):
            yield Pair(lang, kind, doc[:MOST_DOC], code)


def tidy(doc: str) -> str:
    """Documentation without comment marks, mark-up and tagged sections; paragraphs stay apart."""
    lines: list[str] = []
    for line in _TAGS_HTML.sub(lambda m: m.group(1) or " ", doc).splitlines():
        if _TAG.match(line):
            if lines and any(map(str.strip, lines)):
                break
            lines.append(re.sub(r"^\s*[@\\:]\w+", "", line).strip())
        else:
            lines.append(line.strip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def usable(doc: str, kind: str) -> bool:
    words = _WORD.findall(doc)
    if len(words) < (2 if kind == "name" else 3) or _BOILERPLATE.search(doc[:300]):
        return False
    letters = sum(map(str.isascii, doc))
    return letters >= 0.9 * len(doc)


def _python(text: str) -> Iterator[tuple[str, str, str]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
        end = min(node.end_lineno or start, start + 3 * MOST_LINES)
        doc = ast.get_docstring(node)
        if doc:
            text_node = node.body[0]
            kept = chain(lines[start : text_node.lineno - 1], lines[text_node.end_lineno : end])
            yield "doc", doc, "\n".join(list(kept)[:MOST_LINES])
        elif not isinstance(node, ast.ClassDef) and end - start >= 6 and not node.name.startswith(("test", "__")):
            body = lines[node.body[0].lineno - 1 : end]
            yield "name", spoken(node.name), "\n".join(body[:MOST_LINES])


def spoken(name: str) -> str:
    return " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name))


def _commented(text: str, lang: str) -> Iterator[tuple[str, str, str]]:
    lines = text.splitlines()
    mark = LINE_COMMENT.get(lang, "//")
    definition = _DEFINITION[lang]
    i = 0
    while i < len(lines):
        stripped = lines[i].lstrip()
        if (
            (stripped.startswith("/*") and mark == "//")
            or stripped.startswith("{-|")
            or (lang == "elixir" and stripped.startswith('@doc """'))
        ):
            closing = "*/" if mark == "//" else "-}" if lang == "haskell" else '"""'
            last = next(
                (
                    j
                    for j in range(i, min(i + 120, len(lines)))
                    if closing in (lines[j] if j > i else lines[j].lstrip()[4:])
                ),
                None,
            )
            if last is None:
                i += 1
                continue
            doc = [
                re.sub(r"^\s*(?:/\*+!?<?|\*+/|\*(?!/)|\{-\||@doc \"\"\")|(?:\*+/|-\}|\"\"\")\s*$", "", line)
                for line in lines[i : last + 1]
            ]
        elif stripped.startswith(mark) and not stripped.startswith("#!"):
            last = i
            while last + 1 < len(lines) and lines[last + 1].lstrip().startswith(mark):
                last += 1
            doc = [re.sub(r"^\s*(?:/{2,3}!?<?|#+|-{2,3}\s?[|^]?)", "", line) for line in lines[i : last + 1]]
        else:
            i += 1
            continue
        i = last + 1
        while i < len(lines) and _SKIPPED.match(lines[i]):
            i += 1
        if i < len(lines) and len(lines[i]) < 400 and definition.match(lines[i]):
            code = body_of(lines, i, lang)
            if code:
                yield "doc", "\n".join(doc), "\n".join(code)


def body_of(lines: list[str], start: int, lang: str) -> list[str]:
    """The lines of the definition that begins at `start`, at most MOST_LINES of them."""
    limit = min(len(lines), start + MOST_LINES)
    indent = len(lines[start]) - len(lines[start].lstrip())
    if lang in _ENDS:
        for j in range(start + 1, limit):
            if lines[j].strip().startswith(_ENDS[lang]) and len(lines[j]) - len(lines[j].lstrip()) <= indent:
                return lines[start : j + 1]
        return lines[start:limit]
    if lang == "haskell":
        for j in range(start + 1, limit):
            if lines[j].startswith(("--", "{-")) or (
                not lines[j - 1].strip() and lines[j][:1].strip() and j > start + 1
            ):
                return lines[start:j]
        return lines[start:limit]
    depth, opened = 0, False
    for j in range(start, limit):
        depth += lines[j].count("{") - lines[j].count("}")
        opened = opened or "{" in lines[j]
        if opened and depth <= 0:
            return lines[start : j + 1]
        if not opened and (lines[j].rstrip().endswith(";") or not lines[j].strip() or j > start + 12):
            return lines[start : j + 1]
    return lines[start:limit]
