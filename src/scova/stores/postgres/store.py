"""The Store on PostgreSQL: one project of one database, described in schema.py.

Everything that changes what can be found goes through `put`: one transaction, one step of the change sequence. Threads and
processes on any number of machines may have the same project open. Knows nothing of derived files: each process keeps its own,
made from what is here.
"""

import time
from collections.abc import Iterable, Mapping, Sequence

from scova.stores.audit import DAMAGED
from scova.stores.postgres import schema
from scova.stores.postgres.catalog import create_project, find
from scova.stores.postgres.connections import Connections
from scova.stores.postgres.handle import Handle
from scova.stores.postgres.reading.reader import PostgresReader
from scova.types import EVERYWHERE, Finding, IndexedFile, Mark, Move, ParsedFile, Region, Row, Skip

MOST_PIECES = 300  # of a region in one question

_FILES = (
    "SELECT file_path, content_hash, size, changed_ns, generation, indexed_ns FROM indexed_files WHERE project_id = %s"
)
_TOUCH = """UPDATE indexed_files f SET size = m.size, changed_ns = m.changed_ns, indexed_ns = %s
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) AS m (path, size, changed_ns)
    WHERE f.project_id = %s AND left(f.file_path, 256) = left(m.path, 256) AND f.file_path = m.path"""
_BELOW = "(left(file_path, 256) >= left(%s, 256) AND left(file_path, 256) <= left(%s, 256) AND file_path >= %s AND file_path < %s)"


class PostgresStore(Handle):
    """Keeps files, generations, chunks, symbols and calls of one project."""

    @classmethod
    def open(
        cls, url: str, project: str, *, connections: Connections | None = None, create: bool = True
    ) -> "PostgresStore":
        """The project of this name in the database at `url` (`postgresql://…`), made if there is none, unless not to `create`:
        then IndexMissing. Tables are made, or brought to the present format, first. With `connections`, those are used instead
        of its own: several projects then share them.
        """
        shared = connections or Connections(url)
        try:
            schema.migrate(shared)
            if create:
                create_project(shared, project)
            return cls(shared, project, find(shared, project), owns=connections is None)
        except BaseException:
            if connections is None:
                shared.close()
            raise

    def files(self, region: Region = EVERYWHERE) -> dict[str, IndexedFile]:
        """Every indexed file of the region by path; more than that when the region is in many pieces."""
        where, values = _within(region)
        return {
            path: IndexedFile(path, digest, Mark(size, changed_ns), generation, indexed_ns)
            for path, digest, size, changed_ns, generation, indexed_ns in self._all(
                _FILES + where, (self._project_id, *values)
            )
        }

    def put(self, files: Sequence[ParsedFile], *, removed: Iterable[str] = (), moves: Iterable[Move] = ()) -> list[Row]:
        """Replace these files whole by their next generation and remove others, in one transaction.

        A path that moved away is removed unless it is among `files`. Returns the rows given to the chunks, in order.
        """
        from scova.stores.postgres.generations import Generations

        moved = tuple(moves)
        written = {file.path for file in files}
        if len(written) != len(files):
            raise ValueError("a file can be put only once at a time")
        gone = ({*removed} | {move.old_path for move in moved}) - written
        with self._writing() as turn:
            return Generations(turn).put(files, gone, moved)

    def touch(self, marks: Mapping[str, Mark], *, read_ns: int = 0) -> None:
        """Remember new marks of files whose content did not change; `read_ns` is when reading them began (0: now)."""
        if marks:
            sizes, changed = zip(*marks.values(), strict=True)
            when = read_ns or time.time_ns()
            with self._writing() as turn:
                turn.connection.execute(_TOUCH, (when, [*marks], [*sizes], [*changed], self._project_id))
                turn.changed = True

    def put_skips(self, skips: Iterable[Skip]) -> None:
        """Replace the list of what is left out; nothing is written when it stays the same."""
        wanted = list(skips)
        if wanted != self.skips():
            with self._writing() as turn:
                turn.connection.execute("DELETE FROM skips WHERE project_id = %s", (self._project_id,))
                with turn.connection.cursor().copy("COPY skips FROM STDIN") as copy:
                    for ordinal, skip in enumerate(wanted):
                        copy.write_row((self._project_id, ordinal, *skip))
                turn.changed = True

    def skips(self) -> list[Skip]:
        """What is left out, as it was put."""
        sql = "SELECT path, reason, detail FROM skips WHERE project_id = %s ORDER BY ordinal"
        return [Skip(*found) for found in self._all(sql, (self._project_id,))]

    def count_skips(self) -> int:
        """How many files are left out."""
        return int(self._all("SELECT count(*) FROM skips WHERE project_id = %s", (self._project_id,))[0][0])

    def reader(self) -> PostgresReader:
        """Pin the present moment."""
        return PostgresReader(self._connections, self.project, self._project_id, self.store_id)

    def audit(self) -> list[Finding]:
        """Everything of this project in the database that does not agree with itself."""
        from scova.stores.postgres import checks

        with self._connections.lent() as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return checks.audit(connection, self._project_id)

    def repair(self) -> list[Finding]:
        """Mend what `audit` finds; returns what was found."""
        from scova.stores.postgres import checks
        from scova.stores.postgres.generations import Generations

        found = self.audit()
        if found and not any(finding.problem == DAMAGED for finding in found):
            with self._writing() as turn:
                checks.repair(turn, Generations(turn), found)
        return found


def _within(region: Region) -> tuple[str, list[object]]:
    """The condition that a file lies in a region, and its values."""
    if "" in region.trees or sum(map(len, region)) > MOST_PIECES:
        return "", []
    # A slash is followed by a zero.
    parts: list[tuple[str, tuple[object, ...]]] = [(_BELOW, (f"{tree}/", f"{tree}0") * 2) for tree in region.trees]
    for folder in region.folders:
        if folder:
            inside = f"({_BELOW} AND position('/' IN substr(file_path, length(%s) + 2)) = 0)"
            parts.append((inside, (*(f"{folder}/", f"{folder}0") * 2, folder)))
        else:
            parts.append(("position('/' IN file_path) = 0", ()))
    if region.files:
        same = "left(file_path, 256) IN (SELECT left(p, 256) FROM unnest(%s::text[]) p) AND file_path = ANY(%s::text[])"
        parts.append((f"({same})", ([*region.files],) * 2))
    condition = " OR ".join(sql for sql, _ in parts) or "false"
    return f" AND ({condition})", [value for _, values in parts for value in values]
