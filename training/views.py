"""Further pairs out of one file, closer to what people ask: about files, places in code, tests and prose.

    path     the words of a file's path               its code, a window of it
    file     the comment at the head of a file        the names it defines, or its first lines
    name     a definition's name                      its body (other languages than Python; those come from `extract`)
    comment  a remark inside a body                   the lines under it
    test     the sentence that a test is called by    the test
    section  a heading and the sentence under it      the rest of that section
    example  the prose before an example              the example

As `extract`, a heuristic that may miss things: what is asked is never repeated on the side of the answer.
"""

import random
import re
from collections.abc import Iterator

from extract import LANGUAGES, LINE_COMMENT, Pair, body_of, spoken, tidy, usable

WINDOW = 40  # lines
MOST = {"path": 2, "file": 1, "name": 6, "comment": 6, "test": 8, "section": 12, "example": 6}  # of one file
PROSE = (".md", ".rst", ".markdown", "METADATA")

_BRACES = frozenset(
    ("java", "csharp", "c", "cpp", "objc", "dart", "javascript", "typescript")
)  # no keyword before a function
_CONTROL = frozenset(
    (
        "if",
        "else",
        "for",
        "while",
        "switch",
        "return",
        "catch",
        "new",
        "throw",
        "await",
        "case",
        "when",
        "do",
        "using",
        "lock",
    )
)
_KEYWORD_NAME = re.compile(
    r"\b(?:function\*?|func|fn|def|defp|defmacro|fun|sub|class|struct|trait|interface|enum|object|module|protocol|type|impl|record|extension|data|newtype)\s+(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?([A-Za-z_]\w+(?:[.:]\w+)*)"
)
_CALL_NAME = re.compile(r"([A-Za-z_]\w+)\s*(?:=\s*(?:async\s*)?(?:function)?\s*)?\(")
_GENERIC = frozenset(
    [
        "index",
        "main",
        "init",
        "mod",
        "lib",
        "src",
        "test",
        "tests",
        "spec",
        "common",
        "util",
        "utils",
        "helper",
        "helpers",
        "base",
        "core",
        "types",
        "type",
        "package",
        "setup",
        "version",
        "const",
        "constants",
        "default",
        "misc",
        "app",
        "dist",
        "build",
        "source",
        "sources",
        "include",
        "internal",
        "java",
        "kotlin",
        "swift",
        "com",
        "org",
        "net",
        "io",
        "github",
        "python",
        "site",
        "packages",
        "usr",
        "share",
        "gocode",
        "cargo",
        "registry",
        "crate",
        "ruby",
        "vendor",
        "vendor_ruby",
        "nodejs",
        "php",
        "android",
        "ios",
        "runtime",
        "scripts",
        "script",
        "api",
        "impl",
        "cjs",
        "esm",
        "mjs",
        "umd",
        "es",
        "js",
        "ts",
        "lua",
    ]
)
_TEST = re.compile(
    r"""^\s*(?:(?:it|test|describe|context|specify|scenario|feature|should|TEST_CASE|SECTION|SCENARIO|test\.each|it\.each)\b[^'"`\n]{0,12}|)(['"`])([^'"`\n]{12,140})\1\s*(?:,\s*(?:async\s*)?(?:function\b|\()|in\b|do\b|should\b|\)?\s*\{|,\s*fn\b|->)"""
)
_TEST_HINT = re.compile(r"['\"`]|[Tt]est")
_TEST_NAME = re.compile(
    r"^\s*(?:[\w<>\[\]]+\s+)*(?:def|func|fn|fun|void|function)\s+`?(test[A-Z_]\w{8,}|\w{8,}Test|[a-z]\w* [\w ,']{8,100})`?\s*\("
)
_HEADING = re.compile(r"^(#{1,4})\s+(.{3,80}?)\s*#*$")
_MARKS = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`]{1,3}")
_CODE_LIKE = re.compile(
    r"[;{}=]\s*$|^\s*(?:return|if|for|const|let|var|import|eslint|@)\b|^\W*$|https?://|[─-╿=*#-]{4,}"
)


def views(path: str, text: str, rng: random.Random, *, capped: bool = True) -> Iterator[Pair]:
    """Pairs of every kind above that the file has; no more of each than MOST, unless all are wanted."""
    most = MOST if capped else dict.fromkeys(MOST, 10_000)
    if path.endswith(PROSE):
        yield from _prose(text, most)
        return
    lang = LANGUAGES.get("." + path.rsplit(".", 1)[-1].lower() if "." in path else "")
    lines = text.splitlines()
    if lang is None or "\0" in text or len(lines) < 8 or len(text) > 300 * len(lines):
        return
    is_test = re.search(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)", path, re.I) is not None
    found: dict[str, list[tuple[str, str]]] = {"test": list(_tests(lines, lang))}
    if not is_test:
        found |= {
            "path": list(_path(path, lines, rng)),
            "file": list(_file(lines, lang, rng)),
            "name": list(_names(lines, lang)) if lang != "python" else [],
            "comment": list(_comments(lines, lang)),
        }
    for kind, pairs in found.items():
        rng.shuffle(pairs)
        kept = 0
        for said, code in pairs:
            doc = said if kind in ("path", "name") else tidy(said)
            if kept < most[kind] and usable(doc, "name" if kind in ("path", "name") else kind) and len(code) >= 60:
                kept += 1
                yield Pair(lang, kind, doc[:400], code[:6000])


def _path(path: str, lines: list[str], rng: random.Random) -> Iterator[tuple[str, str]]:
    pieces = re.sub(r"\.\w+$", "", path).replace("\\", "/").split("/")[-3:]
    said = [
        word for piece in pieces for word in spoken(piece).lower().split() if word not in _GENERIC and len(word) > 1
    ]
    stem = [word for word in spoken(pieces[-1]).lower().split() if word not in _GENERIC and len(word) > 2]
    if not stem or len(said) < 2:
        return
    for _ in range(MOST["path"]):
        start = rng.randrange(0, max(1, len(lines) - WINDOW))
        yield " ".join(dict.fromkeys(said)), "\n".join(lines[start : start + WINDOW])


def _defined(lines: list[str], lang: str) -> Iterator[tuple[int, str]]:
    """Where names are defined, by the look of the line; plainer than `extract`, because every line is looked at."""
    keyworded = lang not in _BRACES
    for i, line in enumerate(lines[:1500]):
        if len(line) > 200 or "=" in line.split("(", 1)[0] or line.lstrip().startswith(("//", "#", "*", "--", "/*")):
            continue
        if found := _KEYWORD_NAME.search(line):
            yield i, found[1]
        elif not keyworded and "(" in line and line.rstrip().endswith(("{", ")", ",", "(")):
            before, name = line.split("(", 1)[0].split(), _CALL_NAME.search(line)
            if name and len(before) >= 2 and not _CONTROL.intersection(before):
                yield i, name[1]


def _file(lines: list[str], lang: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    end = next((i for i, line in enumerate(lines[:80]) if line.strip() and not _is_comment(line, lang, i, lines)), 0)
    if lang == "python":
        found = re.match(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*[ru]?(\"\"\"|''')(.+?)\1", "\n".join(lines[:120]), re.S)
        said, end = (found[2], found[0].count("\n") + 1) if found else ("", 0)
    else:
        said = "\n".join(_bare(line) for line in lines[:end])
    paragraphs = [p for p in re.split(r"\n\s*\n", said) if len(p.split()) >= 4 and usable(tidy(p), "doc")]
    outline = "\n".join(dict.fromkeys(name for _, name in _defined(lines[end:], lang)))
    if paragraphs and outline.count("\n") >= 2:
        yield "\n".join(paragraphs[:2]), outline if rng.random() < 0.6 else "\n".join(lines[end : end + WINDOW])


def _is_comment(line: str, lang: str, i: int, lines: list[str]) -> bool:
    bare = line.strip()
    if bare.startswith((LINE_COMMENT.get(lang, "//"), "<?php", "#!", "{-#", "'use strict", '"use strict')):
        return True
    if lang in ("ruby", "bash", "elixir", "python"):
        return False
    above = "\n".join(lines[:i])
    opened, closed = ("{-", "-}") if lang == "haskell" else ("/*", "*/")
    return bare.startswith(opened) or above.count(opened) > above.count(closed)


def _bare(line: str) -> str:
    return re.sub(r"^\s*(?:/\*+!?|\*+/|\*+(?!/)|//+!?|#+|--+\s?[|^]?|\{-\|?|-\})|\*+/\s*$|-\}\s*$", "", line).strip()


def _names(lines: list[str], lang: str) -> Iterator[tuple[str, str]]:
    for i, name in _defined(lines, lang):
        said = spoken(name).lower()
        if len(said.split()) >= 2:
            body = body_of(lines, i, lang)
            if len(body) >= 5:
                yield said, "\n".join(body[1:])


def _comments(lines: list[str], lang: str) -> Iterator[tuple[str, str]]:
    """Remarks that stand indented on lines of their own, with what comes under them up to an empty or less indented line."""
    mark = LINE_COMMENT.get(lang, "#" if lang == "python" else "//")
    i = 0
    while i < len(lines):
        stripped = lines[i].lstrip()
        indent = len(lines[i]) - len(stripped)
        if not (indent and stripped.startswith(mark)) or stripped.startswith("#!"):
            i += 1
            continue
        start = i
        while i < len(lines) and lines[i].lstrip().startswith(mark):
            i += 1
        said = " ".join(_bare(line) for line in lines[start:i])
        code = []
        for line in lines[i : i + 14]:
            if not line.strip() or len(line) - len(line.lstrip()) < indent or line.lstrip().startswith(mark):
                break
            code.append(line)
        if 4 <= len(said.split()) <= 40 and len(code) >= 2 and not _CODE_LIKE.search(said):
            yield said, "\n".join(code)


def _tests(lines: list[str], lang: str) -> Iterator[tuple[str, str]]:
    for i, line in enumerate(lines):
        if len(line) > 220 or not _TEST_HINT.search(line):
            continue
        if found := _TEST.match(line):
            said = found[2]
        elif found := _TEST_NAME.match(line):
            said = spoken(found[1]).lower()
        else:
            continue
        if len(said.split()) < 3:
            continue
        indent = len(line) - len(line.lstrip())
        code = []
        for below in lines[i + 1 : i + 31]:
            if below.strip() and len(below) - len(below.lstrip()) <= indent:
                break
            code.append(below)
        if len(code) >= 2:
            yield said, "\n".join(code)


def _prose(text: str, most: dict[str, int]) -> Iterator[Pair]:
    """Sections of a document: heading and first sentence against the rest; the prose before a fenced example against that."""
    count = {"section": 0, "example": 0}
    heading, block, fence = "", list[str](), None
    for line in [*text.splitlines()[:1500], "# the end"]:
        if fence is not None:
            if line.lstrip().startswith("```"):
                said, code = _plain(" ".join(block[-3:])), "\n".join(fence)
                if (
                    count["example"] < most["example"]
                    and 4 <= len(said.split()) <= 60
                    and len(fence) >= 3
                    and usable(said, "doc")
                ):
                    count["example"] += 1
                    yield Pair("prose", "example", f"{heading}. {said}"[:400], code[:4000])
                fence = None
            else:
                fence.append(line)
        elif line.lstrip().startswith("```"):
            fence = []
        elif found := _HEADING.match(line):
            prose = [p for p in _plain("\n".join(block)).split("\n") if len(p.split()) >= 6]
            said, rest = f"{heading}. {prose[0]}" if prose else "", "\n".join(prose[1:])
            if count["section"] < most["section"] and heading and len(rest.split()) >= 20 and usable(said, "doc"):
                count["section"] += 1
                yield Pair("prose", "section", said[:300], rest[:3000])
            heading, block = _plain(found[2]), []
        else:
            block.append(line)


def _plain(text: str) -> str:
    return re.sub(r"<[^>]{1,200}>", " ", _MARKS.sub(lambda m: m[1] or "", text)).strip()
