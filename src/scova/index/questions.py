"""What an index can be asked. Each method reads its words, asks one room, and gives back an answer of one moment that was
checked against the files as they are and says how fresh it is.

Whoever inherits brings the parts. What only one question needs is imported when it is asked, because a search must start fast.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scova.core.deadline import asking, in_force
from scova.errors import DerivedDamaged, QueryError
from scova.record import replace
from scova.types import Answer, Filters, Freshness, Mode, Query, Skip

if TYPE_CHECKING:
    from scova.answers import CallTree, Context, Definitions, Matches, Outlines, Usages
    from scova.protocols import WholeReader, WholeStore
    from scova.search.coordinator import SearchCoordinator
    from scova.search.regex.grep import Asked, Place, Tell
    from scova.search.verify.answers import Answered
    from scova.search.view import View
    from scova.stores.grams.reader import Grams
    from scova.stores.layout import Layout

EVERYTHING = Filters()


class Questions(ABC):
    """Everything that can be asked of one indexed folder."""

    root: Path
    layout: "Layout"
    _sound_grams: Path | None = None
    _pending: tuple[str, ...] = ()  # paths that differ from the index, as of the last look at the tree

    def search(self, query: str | Query, **options: object) -> Answer:
        """The answer to a question, as of the newest committed change. `options` are fields of Query."""
        if "mode" in options:
            options["mode"] = _mode(str(options["mode"]))
        asked = replace(query, **options) if isinstance(query, Query) else Query(query, **options)  # type: ignore[arg-type]
        if asked.mode is Mode.REGEX:
            return self._by_regex(asked)
        return self._searching().search(asked, pending_files=len(self._pending))

    def grep(self, asked: "Asked | str | Sequence[str]", *, tell: "Tell | None" = None, **options: object) -> "Matches":
        """Every match of a pattern, or of several. `options` are those of `Asked.of`; with `tell`, lines are handed on as
        they are found instead of being kept. Files are read as they are now."""
        from scova.search.cuts import with_cuts
        from scova.search.regex.grep import Asked, grep

        if isinstance(asked, Asked) and options:
            raise QueryError("options stand beside a question that has its own", "give them to `Asked.of`")
        words = asked if isinstance(asked, Asked) else Asked.of(asked, **options)
        grams = self._grams()  # before the moment is pinned, so that it is not newer
        with self._opened().reader() as reader, asking(in_force().again()) as deadline:
            place = self._lines(reader, grams)
            freshness = Freshness(reader.change_seq, len(self._pending), 0, {"lines": True})
            return with_cuts(replace(grep(words, place, tell), freshness=freshness), deadline)

    def definitions(
        self, name: str = "", *, at: str = "", body: bool = False, limit: int = 50, filters: Filters = EVERYTHING
    ) -> "Definitions":
        """Where something is defined: a name, `Class.method`, the beginning of a name (`Sess*`), FILE:NAME, or what is
        around the place `at` (FILE:LINE)."""
        from scova.search.structure.code import code_of
        from scova.search.structure.define import Request, definitions

        request = Request(name, at, filters, body, limit)
        return self._ask(lambda view: definitions(code_of(view.chunk_set), request, self.skips))

    def outline(
        self,
        path: str = "",
        *,
        depth: int = 0,
        files: int = 500,
        definitions: int = 5000,
        filters: Filters = EVERYTHING,
    ) -> "Outlines":
        """What a file, or every file below a folder, defines, in the order of the text. `depth` 0 is all levels;
        `files` and `definitions` are the most that are shown."""
        from scova.search.structure.code import code_of
        from scova.search.structure.outline import Request, outlines

        request = Request(path, depth, filters, files, definitions)
        return self._ask(lambda view: outlines(code_of(view.chunk_set), request, self.skips))

    def callers(self, name: str, *, depth: int = 3, per_level: int = 50, total: int = 500) -> "CallTree":
        """Who calls a definition, as a tree `depth` levels deep (1 to 10); every edge says whether it is a guess."""
        return self._tree("callers", name, depth=depth, caps=(per_level, total))

    def callees(self, name: str, *, depth: int = 3, per_level: int = 50, total: int = 500) -> "CallTree":
        """Whom a definition calls, as a tree `depth` levels deep (1 to 10); every edge says whether it is a guess."""
        return self._tree("callees", name, depth=depth, caps=(per_level, total))

    def usages(self, name: str, *, limit: int = 200, filters: Filters = EVERYTHING) -> "Usages":
        """Every use of a name: definitions, calls, imports, mentions."""
        from scova.search.structure.usages import Request, usages

        request = Request(name, filters, limit)
        return self._ask(lambda view: usages(view, request))

    def context(self, subject: str, *, budget: int = 2000) -> "Context":
        """What explains a symbol, or the place FILE:LINE, in at most `budget` tokens."""
        from scova.search.context.explain import Request, context

        request = Request(subject, budget)
        return self._ask(lambda view: context(view, request, self.skips))

    def files(self, filters: Filters = EVERYTHING) -> dict[str, str]:
        """The language of every indexed file by path, in order; of filters, those on paths and languages count."""
        from scova.filters import path_passes

        passes = path_passes(filters)
        with self._opened().reader() as reader:
            found = reader.files()
        return {
            path: language
            for path, language in found.items()
            if (passes is None or passes(path)) and (not filters.languages or language in filters.languages)
        }

    @abstractmethod
    def skips(self) -> list[Skip]:
        """Everything left out, with the reason."""

    @abstractmethod
    def _searching(self) -> "SearchCoordinator": ...

    @abstractmethod
    def _opened(self) -> "WholeStore": ...

    def _lines(self, reader: "WholeReader", grams: "Grams | None") -> "Place":
        """Where a pattern is looked for: in the texts as they are kept, where there is no folder to read from."""
        from scova.search.regex.grep import Place, stored_reader

        return Place(reader, grams, stored_reader(reader))

    def _ask(self, question: "Callable[[View], Answered]") -> "Answered":
        return self._searching().ask(question, pending_files=len(self._pending))

    def _grams(self) -> "Grams | None":
        """The n-gram index, if there is one that is as it was written: a damaged one would rule out files in silence."""
        from scova.stores.derived import newest_grams

        found = newest_grams(self.layout, self._opened().store_id)
        if found is not None and found.sections.path != self._sound_grams:
            try:
                found.sections.verify()
            except DerivedDamaged:
                return None
            self._sound_grams = found.sections.path  # files of a name never change, so once is enough
        return found

    def _by_regex(self, query: Query) -> Answer:
        """The chunks that hold a pattern."""
        from scova.search.regex.ranked import ranked

        grams = self._grams()
        return self._searching().ranked(lambda view: ranked(view, query, grams), pending_files=len(self._pending))

    def _tree(self, direction: str, name: str, *, depth: int, caps: tuple[int, int]) -> "CallTree":
        from scova.search.structure.code import code_of
        from scova.search.structure.tree import Request, call_tree

        request = Request(name, direction, depth, *caps)
        return self._ask(lambda view: call_tree(code_of(view.chunk_set), request, self.skips))


def _mode(name: str) -> Mode:
    """The mode of this name: whoever writes Python may give it as a word."""
    try:
        return Mode(name)
    except ValueError:
        raise QueryError(f"there is no mode `{name}`", f"choose one of {', '.join(Mode)}") from None
