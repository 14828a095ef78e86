"""Which rule of the table of names a path falls under.

Case does not matter, and a copy that an editor or a person left behind (`.bak`, `~`, `.swp`, ` (1)`) counts as the file itself.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from scova.sources.secrets.table import TABLE, UNLESS_TEMPLATE, WITH_VALUE, Rule
from scova.tokens import remembered


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EXAMPLES = words_of("""
    example examples sample samples template templates tmpl tpl dist default defaults schema stub skeleton demo dummy fake j2 jinja jinja2
    erb ejs mustache gotmpl in
""")
_LANGUAGES_OF_PEOPLE = words_of("""
    locales locale _locales i18n l10n lang langs language languages translations translation intl messages nls
""")
# A name that ends like this is source code or prose, whatever it begins with. Patterns with a whole name do not mind.
CODE = words_of("""
    py pyi pyx pxd ipynb js mjs cjs jsx ts mts cts tsx vue svelte astro go rs c h cc cpp cxx hh hpp hxx ino cu cuh m mm java kt kts scala sc
    groovy clj cljs cljc edn cs fs fsx vb rb erb rake php phtml pl pm t swift lua r jl hs lhs elm ex exs erl hrl ml mli nim zig d dart sh
    bash zsh fish ps1 psm1 bat cmd awk sed tcl el lisp scm rkt sql graphql proto thrift html htm xhtml css scss sass less styl svg tf nix
    cmake mk bzl bazel star dockerfile vim asm s f f90 f95 pas ada adb ads v sv vhd vhdl sol move cairo wat diff patch feature robot md
    markdown mdx rst adoc asciidoc org tex textile wiki pod man texi texinfo hbs ejs pug jade haml slim j2 jinja jinja2 tmpl tpl gotmpl
    mustache snap approved golden map lock pub po pot xlf xliff resx strings arb csproj vcxproj sln
""")
_COPY = re.compile(
    r"""(?:~ | [.\-_\s](?:bak|backup|back|bck|bkp|bk|old|orig|original|save|saved|sav|swp|swo|swn|tmp|temp|copy|prev|previous|rej|disabled
        |dpkg-(?:old|dist|new)|rpmsave|rpmnew|rpmorig|pacsave|pacnew|ucf-\w+)[-_.\d]* | \.~\d+~ | [.\-_]\d{4}-?\d\d-?\d\d[-_t\d]*
        | \.\d{1,14} | \s?\(\d+\) | \#)$""",
    re.VERBOSE,
)
_COPY_IN_FRONT = re.compile(r"(?:copy (?:\(\d+\) )?of |backup (?:of )?|(?:backup|bak|old|copy)[-_]|\.?#)")
_MOST_COPIES = 4  # of copies
_MAY_BE_COPY = re.compile(
    r"[~#)\d]|ba?c?k|old|orig|sav|sw[pon]|te?mp|copy|prev|rej|disabled|dpkg|rpm|pac(?:save|new)|ucf"
)
_DEEPEST = 3  # folders of a pattern
_PARTED = re.compile(r"[.\-_ ]")


def rule_of(path: str, above: str = "") -> Rule | None:
    """The rule for a file of this path; None when its name tells nothing. `above` are the folders in which the path begins."""
    folder, _, name = path.lower().rpartition("/")
    folders = folder.split("/")
    way = [*above.lower().split("/")[:-1], *(folders if folder else ())][-_DEEPEST:]
    rule = _found(name, "" if _table().folders.isdisjoint(way) else "/".join(way))
    is_doubtful = rule is not None and rule.sureness in (UNLESS_TEMPLATE, WITH_VALUE)
    return None if is_doubtful and not _LANGUAGES_OF_PEOPLE.isdisjoint(folders) else rule


@remembered(1 << 16)
def _found(name: str, near: str) -> Rule | None:
    rule = next(filter(None, (_of_name(plain, near) for plain in originals(name))), None)
    if rule is None or name.endswith(_KEY_ENDS) or _EXAMPLES.isdisjoint(_PARTED.split(name)):
        return rule
    return None


def originals(name: str) -> Iterator[str]:
    """The name, and what it would be without the marks of a copy, in small letters."""
    yield name
    if not _MAY_BE_COPY.search(name):
        return
    for _ in range(_MOST_COPIES):
        shorter = _COPY.sub("", name)
        stem, dot, suffix = name.rpartition(".")
        if shorter == name and stem:
            shorter = _COPY.sub("", stem) + dot + suffix
        if shorter == name:
            shorter = name[found.end() :] if (found := _COPY_IN_FRONT.match(name)) else name
        if shorter == name or not shorter:
            return
        yield shorter
        if shorter.startswith("."):
            yield shorter[1:]  # editors hide the copy that they work with
        name = shorter


_KEY_ENDS = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".p8")


def _of_name(name: str, near: str) -> Rule | None:
    """The rule for a name in small letters, in these folders: what the folders say comes first."""
    table = _table()
    return (near and _of_place(table, name, near)) or table.exact.get(name) or _of_affix(table, name)


def _of_place(table: "_Table", name: str, near: str) -> Rule | None:
    folders = near.split("/")
    whole = f"/{near}/{name}"
    for start in range(len(folders)):
        if (rule := table.exact.get("/".join((*folders[start:], name)))) is not None:
            return rule
    return next((rule for head, tail, rule in table.deep if f"/{head}" in whole and whole.endswith(tail)), None)


def _of_affix(table: "_Table", name: str) -> Rule | None:
    if not (name.endswith(table.ends) or name.startswith(table.starts)):
        return None
    suffix = name.rpartition(".")[2]
    for head, tail, rule in table.affixes:
        if name.startswith(head) and name.endswith(tail) and len(name) > len(head) + len(tail):
            return None if suffix in CODE and not tail.endswith(suffix) else rule
    return None


class _Table(NamedTuple):
    """The patterns, sorted by what can be looked up at once."""

    exact: dict[str, Rule]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    affixes: tuple[tuple[str, str, Rule], ...]
    deep: tuple[tuple[str, str, Rule], ...]
    folders: frozenset[str]  # in which a pattern with a slash may begin


@cache
def _table() -> _Table:
    exact: dict[str, Rule] = {}
    affixes: list[tuple[str, str, Rule]] = []
    deep: list[tuple[str, str, Rule]] = []
    for rule in TABLE:
        for pattern in (pattern.lower() for pattern in rule.patterns):
            head, star, tail = pattern.partition("*")
            if not star:
                exact.setdefault(pattern, rule)
            elif "/" in pattern:
                deep.append((head, tail, rule))
            else:
                affixes.append((head, tail, rule))
    return _Table(
        exact,
        tuple({head for head, _, _ in affixes if head}),
        tuple({tail for head, tail, _ in affixes if not head}),
        tuple(affixes),
        tuple(deep),
        frozenset(head.partition("/")[0] for head in (*exact, *(head for head, _, _ in deep)) if "/" in head),
    )
