"""The tables in a PostgreSQL database, their history, and the way to the present format.

Everything lies in the schema `scova`. One database holds many projects: every table of theirs begins with `project_id`, and so
does every index. Numbers of files and rows count from 1 within a project; rows are never reused.

    format              one row: the version of all this
    projects            one row per project: its name, store_id (another one whenever a project is made anew), change_seq,
                        pulse (counts whatever is committed), how many chunks, the last numbers given, removed_before (the log
                        of removals is complete after it). Whoever writes to a project holds a lock on this row to the end
    settings            the callers' values by key
    vocabulary          words that repeat endlessly, by number: languages, kinds, sets of tags
    indexed_files       one row per file: its generation, digest, mark, and when it was read
    chunk_generations   which generation of a file is visible, and how many chunks it has
    file_moves          where a file that is still there came from
    chunks              one immutable row per chunk of the visible generation; rows ascend with change_seq
    chunk_texts         the text of a chunk; apart, so that everything but the text stays small to scan
    symbols, calls      what parsing learned. `qualified` is NULL when it is parent.name; `ending` is its last component where
                        that is not the name; `caller_ordinal` is that of a symbol of the same file, `caller` says it in words
                        when no symbol has that name
    bindings            what names stand for in a file, with its package and import lines; `bound`, `defines` and `uses` as
                        the embedded store has them
    lookup              file_id by a hash of the name of a base, or of a name that is imported under another one
    removed_chunks      log of rows that are gone: when, and since when they had been there
    skips               what is left out, and why

What belongs to no project, but to all processes of the database:

    jobs                as in the embedded ledger, with times by the clock of the database. `wish` is the SHA-256 of kind, path and
                        options, which may be longer than an index takes
    embedding_models    the models by number, and how wide their vectors are, without the checksum
    embeddings          vectors by model and key, each with its checksum. `unused_since`: the day when no chunk of any project had
                        this key any more; NULL while one has, or as far as is known
    tokens              as hashes; the oldest has the lowest number
    token_changes       one row: how often tokens were changed. Whoever changes them holds a lock on it to the end

Names, ids and paths may be longer than an index takes: they are found by a hash, or by how they begin, and then compared.
Lists and times are written as in the embedded store (`stores/columns`). Empty strings are NULL where they are usual.

History: 1  first version
         2  jobs, embeddings, tokens
         3  which names a file defines and uses, together, beside its bindings
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from scova.errors import IndexState, StoreTooNew

if TYPE_CHECKING:
    from scova.stores.postgres.connections import Connections
    from scova.stores.postgres.driver import Connection

_LOCK = 0x53434F56  # an advisory lock: one process migrates at a time

_TABLES = """
CREATE TABLE projects (
    project_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, store_id text NOT NULL,
    change_seq bigint NOT NULL DEFAULT 0, pulse bigint NOT NULL DEFAULT 0, chunks bigint NOT NULL DEFAULT 0,
    last_row bigint NOT NULL DEFAULT 0, last_file integer NOT NULL DEFAULT 0, removed_before bigint NOT NULL DEFAULT 0,
    UNIQUE (name)) WITH (fillfactor = 50);
CREATE TABLE settings (project_id integer, key text, value text NOT NULL, PRIMARY KEY (project_id, key));
CREATE TABLE vocabulary (project_id integer, number integer, word text NOT NULL, PRIMARY KEY (project_id, number));
CREATE TABLE indexed_files (
    project_id integer, file_id integer, file_path text COLLATE "C" NOT NULL, content_hash text NOT NULL,
    generation integer NOT NULL, indexed_at text NOT NULL, language integer NOT NULL, size bigint NOT NULL,
    changed_ns bigint NOT NULL, indexed_ns bigint NOT NULL, change_seq bigint NOT NULL, PRIMARY KEY (project_id, file_id));
CREATE INDEX files_by_path ON indexed_files (project_id, left(file_path, 256));
CREATE INDEX files_by_change ON indexed_files (project_id, change_seq);
CREATE TABLE chunk_generations (
    project_id integer, file_id integer, file_path text COLLATE "C" NOT NULL, current_generation integer NOT NULL,
    chunks_count integer NOT NULL, updated_at text NOT NULL, PRIMARY KEY (project_id, file_id));
CREATE TABLE file_moves (
    project_id integer NOT NULL, old_path text COLLATE "C" NOT NULL, new_path text COLLATE "C" NOT NULL, detected_at text NOT NULL);
CREATE INDEX moves_by_path ON file_moves (project_id, left(new_path, 256));
CREATE TABLE chunks (
    project_id integer, row bigint, id text NOT NULL, file_id integer NOT NULL, generation integer NOT NULL,
    ordinal integer NOT NULL, chunk_type smallint NOT NULL, language integer NOT NULL, kind integer NOT NULL,
    tags integer NOT NULL, title text, symbol text, names text, start_line integer NOT NULL, end_line integer NOT NULL,
    content_hash bytea NOT NULL, embed_key bytea NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL,
    change_seq bigint NOT NULL, PRIMARY KEY (project_id, row));
CREATE INDEX chunks_by_file ON chunks (project_id, file_id, generation, ordinal);
CREATE INDEX chunks_by_id ON chunks (project_id, hashtextextended(id, 0));
CREATE TABLE chunk_texts (project_id integer, row bigint, text text NOT NULL, PRIMARY KEY (project_id, row));
CREATE TABLE symbols (
    project_id integer, file_id integer, generation integer, ordinal integer, name text COLLATE "C" NOT NULL,
    qualified text COLLATE "C", kind integer NOT NULL, start_line integer NOT NULL, end_line integer NOT NULL,
    parent text COLLATE "C", signature text, bases text, decorators text, doc text, ending text COLLATE "C",
    PRIMARY KEY (project_id, file_id, generation, ordinal));
CREATE INDEX symbols_by_name ON symbols (project_id, hashtextextended(name, 0));
CREATE INDEX symbols_by_ending ON symbols (project_id, hashtextextended(ending, 0)) WHERE ending IS NOT NULL;
CREATE TABLE calls (
    project_id integer, file_id integer, generation integer, ordinal integer, name text COLLATE "C" NOT NULL, receiver text,
    caller_ordinal integer, caller text, line integer NOT NULL, PRIMARY KEY (project_id, file_id, generation, ordinal));
CREATE INDEX calls_by_name ON calls (project_id, hashtextextended(name, 0));
CREATE TABLE bindings (
    project_id integer, file_id integer, generation integer, package text, imports text, bound text,
    PRIMARY KEY (project_id, file_id, generation));
CREATE TABLE lookup (
    project_id integer, token bigint, file_id integer, generation integer, PRIMARY KEY (project_id, token, file_id, generation));
CREATE INDEX lookup_by_file ON lookup (project_id, file_id, generation);
CREATE TABLE removed_chunks (
    project_id integer, change_seq bigint, row bigint, id text NOT NULL, born_seq bigint NOT NULL,
    removed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (project_id, change_seq, row));
CREATE TABLE skips (
    project_id integer, ordinal integer, path text NOT NULL, reason text NOT NULL, detail text NOT NULL,
    PRIMARY KEY (project_id, ordinal));
"""
_TIES = "ALTER TABLE bindings ADD COLUMN defines bytea, ADD COLUMN uses bytea"
_SHARED_TABLES = """
CREATE TABLE jobs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job_id text NOT NULL UNIQUE, kind text NOT NULL, project_id text NOT NULL,
    path text NOT NULL, status text NOT NULL, created_at text NOT NULL, started_at text NOT NULL, finished_at text NOT NULL,
    stage text NOT NULL, files_processed bigint NOT NULL, files_total bigint NOT NULL, chunks_processed bigint NOT NULL,
    bytes_processed bigint NOT NULL, vectors_processed bigint NOT NULL, vectors_total bigint NOT NULL,
    rate double precision NOT NULL, eta_seconds double precision, attempts integer NOT NULL, message text NOT NULL,
    result text NOT NULL, options text NOT NULL, wish bytea NOT NULL, owner text,
    lease_until timestamptz NOT NULL DEFAULT '-infinity', pause_until timestamptz NOT NULL DEFAULT '-infinity',
    deaths integer NOT NULL DEFAULT 0, cancel boolean NOT NULL DEFAULT false, waits boolean NOT NULL DEFAULT false)
    WITH (fillfactor = 50);
CREATE UNIQUE INDEX jobs_wanted ON jobs (wish) WHERE status IN ('queued', 'running') AND NOT cancel;
CREATE INDEX jobs_under_way ON jobs (number) WHERE status IN ('queued', 'running');
CREATE TABLE embedding_models (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, width integer NOT NULL, UNIQUE (name));
CREATE TABLE embeddings (
    model integer, key bytea, vector bytea NOT NULL, unused_since date, PRIMARY KEY (model, key));
ALTER TABLE embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX embeddings_unused ON embeddings (unused_since) WHERE unused_since IS NOT NULL;
CREATE TABLE tokens (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, name text NOT NULL, project text NOT NULL,
    scope text NOT NULL, sha256 text NOT NULL UNIQUE, created_at text NOT NULL, revoked_at text NOT NULL);
CREATE TABLE token_changes (number bigint NOT NULL);
INSERT INTO token_changes VALUES (0);
"""
# All that belongs to a project, but for the project itself.
TABLES = ("settings", "vocabulary", "indexed_files", "chunk_generations", "file_moves", "chunks", "chunk_texts", "symbols",
          "calls", "bindings", "lookup", "removed_chunks", "skips")  # fmt: skip

Migration = Callable[["Connection"], None]


def _first_version(connection: "Connection") -> None:
    """Version 1."""
    connection.execute(_TABLES)


def _jobs_embeddings_tokens(connection: "Connection") -> None:
    """Version 2."""
    connection.execute(_SHARED_TABLES)


def _names_of_files(connection: "Connection") -> None:
    """Version 3."""
    from scova.stores.postgres.naming import write_ties

    connection.execute(_TIES)
    write_ties(connection)


MIGRATIONS: tuple[Migration, ...] = (
    _first_version,
    _jobs_embeddings_tokens,
    _names_of_files,
)  # the n-th makes version n out of version n-1
SCHEMA_VERSION = len(MIGRATIONS)


def version(connection: "Connection") -> int:
    """The version of the tables in this database; 0 when there are none."""
    # Not `to_regclass`, which may still remember that there was nothing before another process made the tables.
    there = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'scova' AND tablename = 'format'"
    if connection.execute(there).fetchone() is None:
        return 0
    found = connection.execute("SELECT version FROM scova.format").fetchone()
    return int(str(found[0])) if found else 0


def check_version(connection: "Connection", where: str, *, expected: int = SCHEMA_VERSION) -> int:
    """The version of the tables; StoreTooNew if a newer scova made them."""
    found = version(connection)
    if found > expected:
        raise StoreTooNew(
            f"database {where} was written by a newer scova (format {found}, this one knows {expected})",
            "upgrade scova on every server of this database",
        )
    return found


def migrate(connections: "Connections", steps: Sequence[Migration] = MIGRATIONS) -> list[str]:
    """Bring the database to the present format, one step and one transaction at a time; names the steps taken."""
    taken: list[str] = []
    with connections.lent() as connection:
        if check_version(connection, connections.where, expected=len(steps)) == len(steps):
            return taken
        _check_encoding(connection, connections.where)
        while True:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                # Asked inside: another process may have taken this step meanwhile.
                before = check_version(connection, connections.where, expected=len(steps))
                if before == len(steps):
                    return taken
                if before == 0:
                    connection.execute("CREATE SCHEMA IF NOT EXISTS scova")
                    connection.execute("CREATE TABLE IF NOT EXISTS scova.format (version integer NOT NULL)")
                    connection.execute(
                        "INSERT INTO scova.format SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM scova.format)"
                    )
                steps[before](connection)
                connection.execute("UPDATE scova.format SET version = %s", (before + 1,))
            taken.append(steps[before].__name__)


def _check_encoding(connection: "Connection", where: str) -> None:
    found = connection.execute("SHOW server_encoding").fetchone()
    if found != ("UTF8",):
        hint = "make one with `createdb --encoding=UTF8 --template=template0 NAME`"
        raise IndexState(f"database {where} cannot hold every character: its encoding is not UTF8", hint)
