"""Everything an agent can ask: one row a tool. A tool reads its arguments, asks the Index, and shapes the answer.

The descriptions are read by a model before every choice it makes: they say which question a tool is for, in as few words as will do.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from scova.errors import UsageError
from scova.mcp import shapes
from scova.mcp.arguments import Arguments, Parameter
from scova.mcp.page import Listing, start_of
from scova.mcp.workplace import Asked
from scova.types import ChunkType, Filters, Mode, Query

P = Parameter

MOST_BYTES = 16_384
MOST_LINES = 5_000  # lines of a grep that can be paged through


class Tool(NamedTuple):
    """One tool. `run` gets the index that was asked for, the arguments, and where the page starts."""

    name: str
    title: str
    about: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Asked, Arguments, int], Listing]

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """Its own parameters and those that every question has."""
        return (*self.parameters, *_EVERY)


_EVERY = (
    P("next", "string", "`next` of a truncated answer", ""),
    P("max_bytes", "integer", "", MOST_BYTES, least=1000, most=200_000),
    P("project", "string", "another project: folder or name", ""),
)
_PATHS = P("paths", "array", "only these globs or folders; `!glob` leaves out", ())
_LANGUAGES = P("languages", "array", "only these languages", ())
_RESEND = P("resend", "boolean", "send text again that was sent before", False)
_NAME = P("name", "string", "`name`, `Class.method`, `path:name`, or `prefix*`", required=True)


def _filters(given: Arguments) -> Filters:
    paths = given["paths"]
    return Filters(
        paths=tuple(path for path in paths if not path.startswith("!")),
        not_paths=tuple(path[1:] for path in paths if path.startswith("!")),
        languages=given["languages"],
        chunk_types=(ChunkType(given["type"]),) if given.get("type") else (),
    )


def _search(asked: Asked, given: Arguments, start: int) -> Listing:
    limit = start + given["limit"]
    query = Query(given["query"], Mode(given["mode"]), limit, filters=_filters(given), budget=given["budget"])
    found = asked.index.search(query)
    return shapes.searched(found, whole=bool(given["budget"]), explain=given["explain"])


def _grep(asked: Asked, given: Arguments, start: int) -> Listing:
    found = asked.index.grep(
        given["pattern"],
        fixed=given["literal"],
        ignore_case=given["ignore_case"],
        word=given["word"],
        before=given["context"],
        after=given["context"],
        filters=_filters(given),
        limit=start + MOST_LINES,
    )
    return shapes.matched(found)


def _definitions(asked: Asked, given: Arguments, start: int) -> Listing:
    name, at = given["name"], given["at"]
    if bool(name) == bool(at):
        raise UsageError("give either `name` or `at`", "`name` for a symbol, `at` for what is around FILE:LINE")
    found = asked.index.definitions(
        name, at=at, body=given["body"], limit=start + given["limit"], filters=_filters(given)
    )
    return shapes.defined(found)


def _callers(asked: Asked, given: Arguments, start: int) -> Listing:
    ask = asked.index.callers if given["direction"] == "callers" else asked.index.callees
    return shapes.called(ask(given["name"], depth=given["depth"]))


def _usages(asked: Asked, given: Arguments, start: int) -> Listing:
    return shapes.used(asked.index.usages(given["name"], limit=start + given["limit"], filters=_filters(given)))


def _context(asked: Asked, given: Arguments, start: int) -> Listing:
    return shapes.explained(asked.index.context(given["subject"], budget=given["budget"]))


def _outline(asked: Asked, given: Arguments, start: int) -> Listing:
    return shapes.outlined(asked.index.outline(given["path"], depth=given["depth"]))


def _files(asked: Asked, given: Arguments, start: int) -> Listing:
    found = asked.index.files(_filters(given))
    items = [f"{path} ({language})" if language else path for path, language in found.items()]
    return Listing("files", items, {}, len(items))


QUESTIONS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "Search code and documentation",
            "Find code and documentation by meaning, words or identifier, best first. Use first for any 'where' or 'how' question.",
            (
                P("query", "string", 'a question, words or an identifier; "phrase", +must, -not', required=True),
                P("limit", "integer", "how many", 5, least=1, most=100),
                P("mode", "string", "", Mode.HYBRID.value, choices=tuple(mode.value for mode in Mode)),
                P("budget", "integer", "pack whole symbols into so many tokens", least=1, most=100_000),
                _PATHS,
                _LANGUAGES,
                P("type", "string", "only this kind of chunk", "", choices=tuple(kind.value for kind in ChunkType)),
                P("explain", "boolean", "tell why each is there", False),
                _RESEND,
            ),
            _search,
        ),
        Tool(
            "grep",
            "Every match of a pattern",
            "Every line that matches a regular expression, complete and exact, as `path:line:text`. Use when all places matter.",
            (
                P("pattern", "string", "regular expression, as ripgrep has them", required=True),
                P("literal", "boolean", "plain text", False),
                P("ignore_case", "boolean", "", False),
                P("word", "boolean", "whole words", False),
                P("context", "integer", "lines around each match", 0, least=0, most=50),
                _PATHS,
                _LANGUAGES,
            ),
            _grep,
        ),
        Tool(
            "definitions",
            "Where something is defined",
            "Where a symbol is defined, with signature and doc; `body` for its source; `at` for what is around FILE:LINE.",
            (
                _NAME._replace(required=False, default=""),
                P("at", "string", "FILE:LINE", ""),
                P("body", "boolean", "with source", False),
                P("limit", "integer", "how many", 20, least=1, most=500),
                _PATHS,
                _LANGUAGES,
                _RESEND,
            ),
            _definitions,
        ),
        Tool(
            "callers",
            "Who calls it, or whom it calls",
            "The call tree of a symbol, one line a node: `=` resolved, `?` a guess with its reason.",
            (
                _NAME,
                P("direction", "string", "", "callers", choices=("callers", "callees")),
                P("depth", "integer", "levels", 2, least=1, most=10),
            ),
            _callers,
        ),
        Tool(
            "usages",
            "Every use of a name",
            "Every definition, call, import and mention of a name. Use before renaming or removing something.",
            (_NAME, P("limit", "integer", "how many", 100, least=1, most=5000), _PATHS, _LANGUAGES),
            _usages,
        ),
        Tool(
            "context",
            "What explains a symbol or place",
            "The smallest pack that explains a symbol or FILE:LINE: definition, callers, callees, types, documentation.",
            (
                P("subject", "string", "symbol or FILE:LINE", required=True),
                P("budget", "integer", "tokens", 2000, least=100, most=50_000),
                _RESEND,
            ),
            _context,
        ),
        Tool(
            "outline",
            "What a file or folder defines",
            "The definitions of a file, or of every file below a folder, one line each. Use instead of reading a file to find its parts.",
            (
                P("path", "string", "file or folder; empty for everything", ""),
                P("depth", "integer", "levels; 0 for all", 0, least=0, most=10),
            ),
            _outline,
        ),
        Tool("files", "Files of the project", "The indexed files, by glob and language.", (_PATHS, _LANGUAGES), _files),
    )
}


def start(given: Arguments) -> int:
    """Where the page that was asked for begins."""
    return start_of(given["next"])


def told_beside(beside: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """What is said beside an answer: with what its project is short of, changes that are not in yet or a build under way."""
    said = dict(beside)
    if asked.pending and "freshness" in said:
        known = said["freshness"]
        said["freshness"] = {**known, "pending_files": max(asked.pending, known.get("pending_files", 0))}
    if asked.note:
        said["not_pushed"] = asked.note
    if (job := asked.job) is not None:
        said["indexing"] = {
            "job_id": job.job_id,
            "files_processed": job.files_processed,
            "files_total": job.files_total,
            "eta_seconds": job.eta_seconds,
            "message": "the first build is under way: this answer is from what is indexed so far; ask again later",
        }
    return said
