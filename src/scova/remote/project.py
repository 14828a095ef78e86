"""One project on a server, asked like an index: each method is one request, and gives back what the same question gives here.

Where the folder of the project is pushed from here, an answer of another change than the one known is not trusted at once: whoever
pushes is told, and the question is asked once more.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from scova.errors import IndexMissing
from scova.remote import reading
from scova.types import Answer, Filters, Freshness, Query, Status

if TYPE_CHECKING:
    from scova.answers import CallTree, Context, Definitions, Matches, Outlines, Usages
    from scova.remote.afar import Afar

EVERYTHING = Filters()
MOST_FILES = MOST_LINES = 1_000_000
GONE = -1  # the change of a project that is not there

Read = TypeVar("Read")
Settle = Callable[[int], bool]


def _as_it_is(change_seq: int) -> bool:
    return False


class Project:
    """One project of a server."""

    def __init__(self, afar: "Afar", project_id: str, settle: Settle = _as_it_is) -> None:
        """`settle` hears of which change an answer is, GONE for none, and says whether to ask again."""
        self.project_id = project_id
        self.change_seq = GONE  # of the last answer
        self._afar = afar
        self._settle = settle

    def search(self, query: Query, /) -> Answer:
        """Ranked results."""
        asked = {
            "query": query.text, "mode": query.mode.value, "limit": query.limit, "after": query.after,
            "budget": query.budget, "explain": True, **_chunks(query.filters),
        }  # fmt: skip
        return self._asked("/search", asked, reading.answer)

    def grep(self, pattern: str, /, **options: Any) -> "Matches":
        """Every match of a pattern, in the texts as they were pushed."""
        filters: Filters = options.pop("filters", EVERYTHING)
        limit = min(options.pop("limit", 0) or MOST_LINES, MOST_LINES)
        asked = {"pattern": pattern, "literal": options.pop("fixed", False), "limit": limit, **_files(filters)}
        return self._asked("/grep", {**asked, **options}, reading.matches)

    def definitions(
        self, name: str = "", *, at: str = "", body: bool = False, limit: int = 50, filters: Filters = EVERYTHING
    ) -> "Definitions":
        """Where something is defined."""
        asked = {"name": name, "at": at, "body": body, "limit": limit, **_chunks(filters)}
        return self._asked("/definitions", asked, reading.definitions)

    def outline(self, path: str = "", *, depth: int = 0) -> "Outlines":
        """What a file, or every file below a folder, defines."""
        return self._asked("/outline", {"path": path, "depth": depth}, reading.outlines)

    def callers(self, name: str, *, depth: int = 3) -> "CallTree":
        """Who calls a definition."""
        return self._asked("/callers", {"name": name, "direction": "callers", "depth": depth}, reading.call_tree)

    def callees(self, name: str, *, depth: int = 3) -> "CallTree":
        """Whom a definition calls."""
        return self._asked("/callers", {"name": name, "direction": "callees", "depth": depth}, reading.call_tree)

    def usages(self, name: str, *, limit: int = 200, filters: Filters = EVERYTHING) -> "Usages":
        """Every use of a name."""
        return self._asked("/usages", {"name": name, "limit": limit, **_chunks(filters)}, reading.usages)

    def context(self, subject: str, *, budget: int = 2000) -> "Context":
        """What explains a symbol or a place."""
        return self._asked("/context", {"subject": subject, "budget": budget}, reading.context)

    def files(self, filters: Filters = EVERYTHING, /) -> Mapping[str, str]:
        """The language of every file by path."""
        return self._asked("/files", {"limit": MOST_FILES, **_files(filters)}, reading.files)

    def status(self, known: Status) -> Status:
        """What is known, with what the server says; as it is where there is no such project."""
        with suppress(IndexMissing):
            told = self._afar.get(f"/status?project_id={self.project_id}")
            counted = self._afar.get(f"/stats?project_id={self.project_id}")
            return self._read(lambda said: _status(known, said, counted), told)
        return known

    def _asked(self, route: str, asked: Mapping[str, object], read: Callable[[Mapping[str, Any]], Read]) -> Read:
        body = {"project_id": self.project_id, **asked}
        try:
            said: Mapping[str, Any] | None = self._afar.post(route, body)
        except IndexMissing:
            said = None
        change_seq = GONE if said is None else _change_of(said)
        if self._settle(change_seq) or said is None:
            said = self._again(route, body)
        self.change_seq = _change_of(said)
        return self._read(read, said)

    def _again(self, route: str, body: Mapping[str, object]) -> Mapping[str, Any]:
        try:
            return self._afar.post(route, body)
        except IndexMissing as error:
            url = self._afar.address.url
            raise IndexMissing(
                f"there is no project `{self.project_id}` on {url}",
                f"`scova push FOLDER --server {url} --project {self.project_id}` makes it; or check the name",
            ) from error

    def _read(self, read: Callable[[Mapping[str, Any]], Read], said: Mapping[str, Any]) -> Read:
        try:
            return read(said)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._afar.strange() from error


def _change_of(said: Mapping[str, Any]) -> int:
    beside = said.get("freshness")
    seq = beside.get("change_seq") if isinstance(beside, dict) else said.get("change_seq")
    return seq if isinstance(seq, int) else 0


def _files(filters: Filters) -> dict[str, object]:
    return {"paths": filters.paths, "not_paths": filters.not_paths, "languages": filters.languages}


def _chunks(filters: Filters) -> dict[str, object]:
    return {**_files(filters), "chunk_types": filters.chunk_types, "kinds": filters.kinds, "tags": filters.tags}


def _status(known: Status, told: Mapping[str, Any], counted: Mapping[str, Any]) -> Status:
    from dataclasses import replace

    freshness: Freshness = reading.freshness(told["freshness"])
    return replace(
        known,
        embedder=str(told["embedder"]),
        indexed=True,
        files=int(told["files"]),
        chunks=int(told["chunks"]),
        symbols=int(counted["symbols"]),
        calls=int(counted["calls"]),
        languages=dict(counted["languages"]),
        chunk_types=dict(counted["chunk_types"]),
        skipped=known.skipped or dict(counted["skipped"]),
        indexed_at=str(told["indexed_at"]),
        bytes_on_disk=int(told["bytes_on_disk"]),
        behind=dict(told["behind"]),
        grammar_faults=dict(told.get("grammar_faults", {})),
        freshness=freshness._replace(pending_files=known.freshness.pending_files),
    )
