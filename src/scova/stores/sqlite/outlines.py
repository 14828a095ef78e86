"""What parsing learned, as of one moment: definitions, calls, and what names stand for. Turns rows into values.

Names are found through `lookup`, whose tokens are hashes: every find is compared with the row. Knows nothing of chunks' texts.
"""

import sqlite3
from collections.abc import Collection
from pathlib import Path
from typing import Any

from scova.stores.columns.encoding import (
    QUALIFIED,
    base_name,
    split,
    token_of_alias,
    token_of_base,
    token_of_call,
    token_of_definition,
    unpacked,
)
from scova.stores.columns.ties import unpacked_ties
from scova.stores.sqlite.pinned import Pinned
from scova.types import Binding, Call, Outline, OutlinedFile, Symbol, Ties

_COLUMNS = f"""name, {QUALIFIED}, kind, start_line, end_line, coalesce(parent, ''), coalesce(signature, ''), bases, decorators,
    coalesce(doc, '')"""
_PATH = "(SELECT file_path FROM indexed_files f WHERE f.file_id = {}.file_id)"
_FOUND = "IN (SELECT rowid FROM lookup WHERE lookup MATCH ?)"
# Most rows are told apart by `name` alone, which is cheaper to compare than what is put together from several columns.
_SYMBOL = f"""SELECT {_PATH.format("symbols")}, {_COLUMNS} FROM symbols WHERE file_id {_FOUND}
    AND (substr(name, ?) = ? OR qualified IS NOT NULL) AND (name = ? OR {QUALIFIED} = ? OR substr({QUALIFIED}, ?) = ?) ORDER BY 1, ordinal"""
_HEIR = f"SELECT {_PATH.format('symbols')}, {_COLUMNS} FROM symbols WHERE file_id {_FOUND} AND bases IS NOT NULL ORDER BY 1, ordinal"
_SYMBOLS_IN = f"SELECT NULL, {_COLUMNS} FROM symbols WHERE file_id = ? AND generation = ? ORDER BY ordinal"
_CALLER = f"""CASE typeof(c.caller) WHEN 'integer' THEN (SELECT {QUALIFIED} FROM symbols s
    WHERE s.file_id = c.file_id AND s.generation = c.generation AND s.ordinal = c.caller) ELSE c.caller END"""
_CALL = f"SELECT {_PATH.format('c')}, c.name, c.line, c.receiver, {_CALLER} FROM calls c WHERE c.file_id "
_CALL_IN = f"{_CALL} = (SELECT file_id FROM indexed_files WHERE project_id = ? AND file_path = ?) ORDER BY c.ordinal"
_CALL_OF = f"{_CALL} {_FOUND} AND c.name = ? ORDER BY 1, c.ordinal"
_FILE = """SELECT file_id, generation, language, (SELECT max(end_line) FROM chunks c WHERE c.file_id = f.file_id
    AND c.generation = f.generation), package, imports, bound
    FROM indexed_files f LEFT JOIN bindings USING (file_id, generation) WHERE project_id = ? AND file_path = ?"""
_TIES = """SELECT file_path, defines, uses FROM indexed_files JOIN bindings USING (file_id, generation)
    WHERE project_id = ? AND file_path IN ({})"""
_BOUND = f"SELECT {_PATH.format('b')}, bound FROM bindings b WHERE b.file_id {_FOUND} ORDER BY 1"


class Outlines(Pinned):
    """Definitions, calls and bindings of one moment."""

    def __init__(self, connection: sqlite3.Connection, path: Path, project: str) -> None:
        super().__init__(connection, path, project)
        self._words: dict[int, str] = dict(connection.execute("SELECT number, word FROM vocabulary"))

    def symbols(self, name: str) -> list[tuple[str, Symbol]]:
        """Definitions of exactly this name (or qualified name, or the end of one), each with its file's path, in order."""
        ending, last = f".{name}", name.rpartition(".")[2] or name
        # `lookup` holds the last two components of a longer name.
        token = token_of_definition(name if name.count(".") < 2 else ".".join(name.rsplit(".", 2)[1:]))
        with self._reading() as connection:
            found = connection.execute(_SYMBOL, (token, -len(last), last, name, name, -len(ending), ending))
            return [(values[0], self._symbol(values)) for values in found]

    def calls(self, name: str = "", *, path: str = "") -> list[tuple[str, Call]]:
        """Calls of exactly this name, or all those in one file; each with its file's path, in order."""
        by_name, values = (False, (self._project, path)) if path else (True, (token_of_call(name), name))
        with self._reading() as connection:
            found = connection.execute(_CALL_OF if by_name else _CALL_IN, values)
            return [
                (where, Call(callee, line, caller or "", receiver or ""))
                for where, callee, line, receiver, caller in found
            ]

    def aliases(self, name: str) -> list[tuple[str, Binding]]:
        """Imports of exactly this name under another one, each with its file's path."""
        with self._reading() as connection:
            found = connection.execute(_BOUND, (token_of_alias(name),))
            return [
                (path, binding)
                for path, bound in found
                for binding in unpacked(bound)
                if binding.how == "import" and binding.member == name != binding.name
            ]

    def heirs(self, name: str) -> list[tuple[str, Symbol]]:
        """Classes that inherit from something called so, each with its file's path, in order."""
        with self._reading() as connection:
            found = [(values[0], self._symbol(values)) for values in connection.execute(_HEIR, (token_of_base(name),))]
        return [pair for pair in found if any(base_name(base) == name for base in pair[1].bases)]

    def outline(self, path: str) -> OutlinedFile | None:
        """What parsing learned of one file, without its calls; None when there is no such file."""
        with self._reading() as connection:
            found = connection.execute(_FILE, (self._project, path)).fetchone()
            if found is None:
                return None
            file_id, generation, language, lines, package, imports, bound = found
            symbols = tuple(map(self._symbol, connection.execute(_SYMBOLS_IN, (file_id, generation))))
            outline = Outline(symbols, (), split(imports), unpacked(bound), package or "")
            return OutlinedFile(path, self._words[language], lines or 0, outline)

    def ties(self, paths: Collection[str]) -> dict[str, Ties]:
        """Which names these files define and use; those that are not there are left out. For some dozens of files."""
        sql = _TIES.format(", ".join("?" * len(paths)))
        with self._reading() as connection:
            return {path: unpacked_ties(*ties) for path, *ties in connection.execute(sql, (self._project, *paths))}

    def names(self) -> list[str]:
        """Every name that is defined, once, in order. Reads all definitions."""
        with self._reading() as connection:
            return [name for (name,) in connection.execute("SELECT DISTINCT name FROM symbols ORDER BY 1")]

    def files(self) -> dict[str, str]:
        """The language of every file by path, in order."""
        with self._reading() as connection:
            found = connection.execute("SELECT file_path, language FROM indexed_files ORDER BY 1")
            return {path: self._words[language] for path, language in found}

    def _symbol(self, values: Any) -> Symbol:
        _, name, qualified, kind, start, end, parent, signature, bases, decorators, doc = values
        return Symbol(
            name, qualified, self._words[kind], start, end, parent, signature,
            split(bases) if bases else (), split(decorators) if decorators else (), doc,
        )  # fmt: skip
