"""What parsing learned, as of one moment: definitions, calls, and what names stand for. Turns rows into values.

Names are found by a hash of them: every find is compared with the row. Knows nothing of chunks' texts.
"""

from collections.abc import Collection
from typing import Any

from scova.stores.columns.encoding import QUALIFIED, base_name, split, unpacked
from scova.stores.columns.ties import unpacked_ties
from scova.stores.postgres.connections import Connections
from scova.stores.postgres.generations import token_of_alias, token_of_base
from scova.stores.postgres.reading.pinned import FILE_ID, Pinned
from scova.types import Binding, Call, Outline, OutlinedFile, Symbol, Ties

_COLUMNS = f"""name, {QUALIFIED}, kind, start_line, end_line, coalesce(parent, ''), coalesce(signature, ''), bases, decorators,
    coalesce(doc, '')"""
_PATH = "(SELECT file_path FROM indexed_files f WHERE f.project_id = t.project_id AND f.file_id = t.file_id)"
_SYMBOL = f"""SELECT {_PATH}, {_COLUMNS} FROM symbols t WHERE project_id = %(project)s
    AND (hashtextextended(name, 0) IN (hashtextextended(%(name)s, 0), hashtextextended(%(last)s, 0))
        OR (ending IS NOT NULL AND hashtextextended(ending, 0) = hashtextextended(%(last)s, 0)))
    AND (name = %(name)s OR {QUALIFIED} = %(name)s OR right({QUALIFIED}, length(%(ending)s)) = %(ending)s) ORDER BY 1, ordinal"""
_FOUND = "t.project_id = %s AND t.file_id = ANY(ARRAY(SELECT file_id FROM lookup WHERE project_id = %s AND token = %s))"
_HEIR = f"SELECT {_PATH}, {_COLUMNS} FROM symbols t WHERE {_FOUND} AND bases IS NOT NULL ORDER BY 1, ordinal"
_SYMBOLS_IN = f"""SELECT NULL, {_COLUMNS} FROM symbols WHERE project_id = %s AND file_id = %s AND generation = %s
    ORDER BY ordinal"""
_CALLER = f"""(SELECT {QUALIFIED} FROM symbols s WHERE s.project_id = t.project_id AND s.file_id = t.file_id
    AND s.generation = t.generation AND s.ordinal = t.caller_ordinal)"""
_CALL = f"SELECT {_PATH}, name, line, receiver, coalesce(caller, {_CALLER}) FROM calls t WHERE project_id = %s"
_CALL_IN = f"{_CALL} AND file_id = {FILE_ID} ORDER BY ordinal"
_CALL_OF = f"{_CALL} AND hashtextextended(name, 0) = hashtextextended(%s, 0) AND name = %s ORDER BY 1, ordinal"
_FILE = f"""SELECT f.file_id, f.generation, f.language, (SELECT max(end_line) FROM chunks c WHERE c.project_id = f.project_id
    AND c.file_id = f.file_id AND c.generation = f.generation), b.package, b.imports, b.bound
    FROM indexed_files f LEFT JOIN bindings b ON b.project_id = f.project_id AND b.file_id = f.file_id AND b.generation = f.generation
    WHERE f.project_id = %s AND f.file_id = {FILE_ID}"""
_TIES = """SELECT f.file_path, b.defines, b.uses FROM indexed_files f JOIN bindings b USING (project_id, file_id, generation)
    WHERE f.project_id = %s AND left(f.file_path, 256) = ANY(%s) AND f.file_path = ANY(%s)"""
_BOUND = f"SELECT {_PATH}, bound FROM bindings t WHERE {_FOUND} ORDER BY 1"


class Outlines(Pinned):
    """Definitions, calls and bindings of one moment."""

    def __init__(self, connections: Connections, project: str, project_id: int, store_id: str) -> None:
        super().__init__(connections, project, project_id, store_id)
        sql = "SELECT number, word FROM vocabulary WHERE project_id = %s"
        self._words: dict[int, str] = dict(self._found(sql, (project_id,)))

    def symbols(self, name: str) -> list[tuple[str, Symbol]]:
        """Definitions of exactly this name (or qualified name, or the end of one), each with its file's path, in order."""
        last = name.rpartition(".")[2] or name
        values = {"project": self._project_id, "name": name, "last": last, "ending": f".{name}"}
        return self._made(self._placed, self._found(_SYMBOL, values))

    def calls(self, name: str = "", *, path: str = "") -> list[tuple[str, Call]]:
        """Calls of exactly this name, or all those in one file; each with its file's path, in order."""
        sql, values = (_CALL_IN, self._of(path)) if path else (_CALL_OF, (name, name))
        return [
            (where, Call(callee, line, caller or "", receiver or ""))
            for where, callee, line, receiver, caller in self._found(sql, (self._project_id, *values))
        ]

    def aliases(self, name: str) -> list[tuple[str, Binding]]:
        """Imports of exactly this name under another one, each with its file's path."""
        found = self._found(_BOUND, (self._project_id, self._project_id, token_of_alias(name)))
        return [
            (path, binding)
            for path, bindings in self._made(lambda values: (values[0], unpacked(values[1])), found)
            for binding in bindings
            if binding.how == "import" and binding.member == name != binding.name
        ]

    def heirs(self, name: str) -> list[tuple[str, Symbol]]:
        """Classes that inherit from something called so, each with its file's path, in order."""
        found = self._found(_HEIR, (self._project_id, self._project_id, token_of_base(name)))
        return [
            pair for pair in self._made(self._placed, found) if any(base_name(base) == name for base in pair[1].bases)
        ]

    def outline(self, path: str) -> OutlinedFile | None:
        """What parsing learned of one file, without its calls; None when there is no such file."""
        found = self._found(_FILE, (self._project_id, *self._of(path)))
        if not found:
            return None
        file_id, generation, language, lines, package, imports, bound = found[0]
        symbols = self._made(self._placed, self._found(_SYMBOLS_IN, (self._project_id, file_id, generation)))
        (bindings,) = self._made(unpacked, [bound])
        outline = Outline(tuple(symbol for _, symbol in symbols), (), split(imports), bindings, package or "")
        return OutlinedFile(path, self._words[language], lines or 0, outline)

    def ties(self, paths: Collection[str]) -> dict[str, Ties]:
        """Which names these files define and use; those that are not there are left out. For some dozens of files."""
        found = self._found(_TIES, (self._project_id, [path[:256] for path in paths], [*paths]))
        return dict(self._made(lambda values: (values[0], unpacked_ties(values[1], values[2])), found))

    def names(self) -> list[str]:
        """Every name that is defined, once, in order. Reads all definitions."""
        sql = "SELECT DISTINCT name FROM symbols WHERE project_id = %s ORDER BY 1"
        return [name for (name,) in self._found(sql, (self._project_id,))]

    def files(self) -> dict[str, str]:
        """The language of every file by path, in order."""
        sql = "SELECT file_path, language FROM indexed_files WHERE project_id = %s ORDER BY 1"
        return {path: self._words[language] for path, language in self._found(sql, (self._project_id,))}

    def _placed(self, values: Any) -> tuple[str, Symbol]:
        path, name, qualified, kind, start, end, parent, signature, bases, decorators, doc = values
        return path, Symbol(
            name, qualified, self._words[kind], start, end, parent, signature,
            split(bases) if bases else (), split(decorators) if decorators else (), doc,
        )  # fmt: skip
