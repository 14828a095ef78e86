"""Bounds what a page can cost: rewrites large pages with only the elements that are used, nested no deeper than people nest.

An HTML parser looks upwards through all open elements at many tags, so that a page of a hundred thousand nested elements costs
the square of that, and elements it has to repeat in every paragraph multiply. What is written here holds nothing
but known tags, none of the repeated kind, at a bounded depth. Knows nothing of what the elements mean.
"""

import re
from collections import Counter

SMALL_CHARACTERS = 100_000
SMALL_TAGS = 2_500

_DEEPEST = 200

_EMPTY = frozenset(["br", "hr", "img", "link", "meta"])
_PHRASES = frozenset(("span", "samp"))
_NESTING = _PHRASES | frozenset(
    [
        "title",
        "main",
        "article",
        "section",
        "div",
        "header",
        "footer",
        "nav",
        "aside",
        "blockquote",
        "pre",
        "ul",
        "ol",
        "dl",
        "table",
        "caption",
        "figure",
        "figcaption",
        "details",
        "summary",
        "address",
        "dialog",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
    ]
)
_RENAMED = {"code": "samp", "kbd": "samp", "tt": "samp", "button": "nav", "a": "span"}

# Elements whose end may be left away: which open ones the next of the kind ends, and what it looks through to find them.
_IN_ITEM = _PHRASES | {"p", "div", "address"}
_IN_TABLE = _NESTING - {"table"}
_ENDED_BY = {
    "p": ({"p"}, _PHRASES),
    "li": ({"li"}, _IN_ITEM),
    **dict.fromkeys(("dt", "dd"), ({"dt", "dd"}, _IN_ITEM)),
    "tr": ({"tr"}, _IN_TABLE),
    **dict.fromkeys(("td", "th"), ({"td", "th"}, _IN_TABLE - {"tr"})),
    **dict.fromkeys(("thead", "tbody", "tfoot"), ({"thead", "tbody", "tfoot"}, _IN_TABLE)),
}

_ATTRIBUTES = re.compile(
    r"""[\s"'/](class|id|hidden|style|role|aria-hidden|alt|rel|href|content|name|property|start|data-lang|data-language)(?=[\s=/>]|$)"""
    r"""(?:\s*=\s*("[^"]{0,1000}"|'[^']{0,1000}'|[^\s"'>]{1,1000}))?""",
    re.IGNORECASE,
)
_LONGEST_TAG = 4_000

# Each alternative also matches what is never ended, to the end of the page: looking for the end again and again
# would cost the square of the page.
_MARKUP = re.compile(
    r"""<(?P<raw>script|style|template|noscript|iframe|textarea|xmp|noembed|noframes|select|svg|math|object|canvas|audio|video)
          (?=[\s/>]).*?(?:</(?P=raw)(?=[\s/>])[^>]*+>?|\Z)
      | <!--(?:>|->|.*?(?:--!?>|\Z))
      | <[!?][^>]*+>?
      | <(?P<end>/?)(?P<name>[a-z][^\s/>]{0,30}+)(?P<rest>(?:[^>"']++|"[^"]*+"|'[^']*+'|["'])*+)>?
      | </[^>]*+>?""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def is_small(text: str) -> bool:
    """Whether a page can be parsed as it is, whatever it holds."""
    return len(text) <= SMALL_CHARACTERS and text.count("<") <= SMALL_TAGS


def tame(text: str) -> str:
    """The same page for our purposes, in a form that costs little to parse. Takes time in proportion to its length."""
    rewriter = _Rewriter()
    position = 0
    for found in _MARKUP.finditer(text):
        rewriter.out.append(text[position : found.start()])
        position = found.end()
        if found["name"]:
            rewriter.tag(found["name"].lower(), found["rest"], is_end=bool(found["end"]))
        elif found["raw"]:
            rewriter.out.append(" ")
    rewriter.out.append(text[position:])
    return "".join(rewriter.out)


class _Rewriter:
    """Writes tags so that every element is ended, innermost first, and counts how deep they are nested."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self._open: list[str] = []
        self._left_out: Counter[str] = Counter()  # beginnings that were too deep, whose ends are left out too

    def tag(self, name: str, rest: str, *, is_end: bool) -> None:
        name = _RENAMED.get(name, name)
        if name in _EMPTY and not is_end:
            self.out.append(f"<{name}{_attributes(rest)}>")
        elif name in _NESTING and is_end:
            self._end(name)
        elif name in _NESTING:
            self._begin(name, rest)

    def _begin(self, name: str, rest: str) -> None:
        if name not in _PHRASES:
            self._end_implied(*_ENDED_BY["p"])
        if name in _ENDED_BY:
            self._end_implied(*_ENDED_BY[name])
        if len(self._open) >= _DEEPEST:
            self._left_out[name] += 1
            return
        self._open.append(name)
        self.out.append(f"<{name}{_attributes(rest)}>")

    def _end_implied(self, ended: set[str], through: frozenset[str]) -> None:
        for name in reversed(self._open):
            if name in ended:
                self._end_to(name)
                return
            if name not in through:
                return

    def _end(self, name: str) -> None:
        if self._left_out[name]:
            self._left_out[name] -= 1
        elif name in self._open:
            self._end_to(name)

    def _end_to(self, name: str) -> None:
        """End all that is open, up to the innermost of this name."""
        ended = ""
        while ended != name:
            ended = self._open.pop()
            self.out.append(f"</{ended}>")


def _attributes(rest: str) -> str:
    """The few attributes that matter, the first of each."""
    if not rest.strip(" \t\n/"):
        return ""
    kept: dict[str, str] = {}
    for found in _ATTRIBUTES.finditer(rest[:_LONGEST_TAG]):
        kept.setdefault(found[1].lower(), (found[2] or "").strip("\"'").replace('"', "&quot;"))
    return "".join(f' {name}="{value}"' for name, value in kept.items())
