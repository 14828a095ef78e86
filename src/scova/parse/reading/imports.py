"""What imports name, from a query's captures, each match one name:

    @module     the module, with @member (a name in it) or @default (the name its default gets) or @all (everything in it);
                @bound is the name here where it is another; with none of these, the last part of the module is the name
                with @within instead, it is the module of every @member in there that has no @module of its own (one
                match for each name of a long list would cost by the square of its length)
    @path       module and member in one, the last part being the member, with @bound or @all as above
    @prefix     what stands before every @path in @within

Knows how a path is written in a language; not what it leads to.
"""

import re
from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING

from scova.parse.reading.records import Bound, Slices

if TYPE_CHECKING:
    from tree_sitter import Node

    Captured = dict[str, list[Node]]

IMPORTS = frozenset({"module", "member", "path", "prefix"})
EVERYTHING = "*"

_LONGEST = 200
_QUOTES = "\"'`"
_WILDCARD = re.compile(r"(?:^|\W)(?:[_*]|given)$")
_LIST = re.compile(r"[{<].*")
_VERSION = re.compile(r"v\d+")
_SEPARATORS = {"rust": "::", "php": "\\", "cpp": "::"}
_ITSELF = "self"  # Rust: the module that a list of names is taken from


class Imports:
    """Collects what the imports of one text name."""

    def __init__(self, slices: Slices) -> None:
        self._slices = slices
        self._separator = _SEPARATORS.get(slices.language, ".")
        self._found: list[Bound] = []
        self._paths: dict[int, Bound] = {}
        self._members: list[Captured] = []
        self._modules: list[tuple[int, int, list[Node]]] = []
        self._prefixes: list[tuple[int, int, str]] = []

    def add(self, captured: "Captured") -> None:
        """Take in one match that has a capture of `IMPORTS`."""
        if "member" in captured and "module" not in captured:
            self._members.append(captured)
        elif "module" in captured and "within" in captured:
            within = captured["within"][0]
            self._modules.append((within.start_byte, within.end_byte, captured["module"]))
        elif "module" in captured:
            self._module(captured)
        elif "path" in captured:
            self._path(captured)
        else:
            within = captured["within"][0]
            self._prefixes.append(
                (within.start_byte, within.end_byte, self._path_in(self._text(captured["prefix"][0])))
            )

    def found(self) -> list[Bound]:
        """Every name that is imported."""
        modules = sorted(self._modules, key=itemgetter(0))
        for captured in self._members:
            at = captured["member"][0].start_byte
            around = bisect_right(modules, at, key=itemgetter(0)) - 1
            if around >= 0 and at < modules[around][1]:
                self._module({**captured, "module": modules[around][2]})
        return [*self._found, *map(self._whole, self._paths.values())]

    def _module(self, captured: "Captured") -> None:
        module = node = captured["module"][0]
        target, name, member = self._text(module), EVERYTHING, ""
        if "default" in captured:
            node, member = captured["default"][0], "default"
            name = self._text(node)
        elif "all" not in captured:
            if "member" in captured:
                node = captured["member"][0]
                name = member = self._text(node)
            else:
                name = _last(target)
            name = self._text(captured["bound"][0]) if "bound" in captured else name
        self._found.append(Bound(node.start_byte, node.start_point[0], name, target, "import", member=member))

    def _path(self, captured: "Captured") -> None:
        node = captured["path"][0]
        start, plain = node.start_byte, len(captured) == 1
        written = self._text(node)
        if plain and (start in self._paths or written.endswith("}")):  # its names are found on their own
            return
        target, name, member = self._path_in(written), EVERYTHING, ""
        if "all" in captured:
            target = _WILDCARD.sub("", target)
        else:
            target, _, member = target.rpartition(self._separator)
            name = self._text(captured["bound"][0]) if "bound" in captured else member
        self._paths[start] = Bound(start, node.start_point[0], name, target, "import", member=member)

    def _whole(self, one: Bound) -> Bound:
        """A path with the prefixes it stands behind, cut anew into module and member."""
        prefixes = [text for start, end, text in sorted(self._prefixes) if start <= one.start < end]
        own = [part for part in (one.target, one.member) if part and part != _ITSELF]
        target, member = self._separator.join([*prefixes, *own]), ""
        if one.name != EVERYTHING and self._separator in target:
            target, _, member = target.rpartition(self._separator)
        return one._replace(name=member or target if one.name == _ITSELF else one.name, target=target, member=member)

    def _path_in(self, written: str) -> str:
        """The path in a text that may begin with a keyword and end in a list of names or types."""
        return _LIST.sub("", written).rpartition(" ")[2].strip(self._separator)

    def _text(self, node: "Node") -> str:
        return self._slices.line(node.start_byte, node.end_byte, _LONGEST).strip(_QUOTES)


def _last(module: str) -> str:
    """What a module is called where nothing says so: the last part of its path that is no version."""
    parts = [part for part in module.split("/") if not _VERSION.fullmatch(part)]
    return re.sub(r"\.v\d+$", "", parts[-1]) if parts else module
