"""What flows through scova, top to bottom in the order it is made.

    Source --Item--> read --Document--> parse --Outline--> chunk --Chunk--> Store
    Query --> Searchers --Hits--> fuse, rank --Result--> Answer

Plain frozen values without behaviour beyond what can be computed from their own fields. They know no file, no database
and no library. Small ones that are made by the hundred thousand are tuples, which cost a third of a record.
"""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, NewType

from scova.record import field, record

ChunkId = NewType("ChunkId", str)  # stable while content changes
Row = NewType("Row", int)  # a stored chunk of one generation; never reused, so anything cached by row stays true
Vector = bytes  # int8 components, scaled so that the largest is 127; compared by cosine


class ChunkType(StrEnum):
    """The four kinds of chunk."""

    SYMBOLS = "symbols"  # a map of the file: package, imports, names with lines
    DEFINITIONS = "definitions"  # functions and types with signature and body
    DATA = "data"  # constants, initialised variables, configuration
    DOCUMENTATION = "documentation"  # prose, and files of comments only


class Mode(StrEnum):
    """How to search."""

    HYBRID = "hybrid"
    TEXT = "text"
    VECTOR = "vector"
    SYMBOL = "symbol"
    REGEX = "regex"


# --- the write path ---------------------------------------------------------------------------------------------------


class Mark(NamedTuple):
    """What a stat tells of a file; it changes when the file does."""

    size: int
    changed_ns: int  # when anything about it last changed, so that content with an old time set on it is noticed too


class Region(NamedTuple):
    """A part of a tree that was looked at: some folders without what lies deeper, others with everything, single files.

    Paths are relative to the root, which itself is "".
    """

    folders: frozenset[str] = frozenset()  # what lies directly in them
    trees: frozenset[str] = frozenset()  # everything below them, at any depth
    files: frozenset[str] = frozenset()
    spared: frozenset[str] = frozenset()  # folders directly in `folders` that were not looked at themselves

    def covers(self, path: str) -> bool:
        """Whether this path was looked at: if it is not among what was found there, it is gone."""
        if "" in self.trees or path in self.files:
            return True
        if path.rpartition("/")[0] in self.folders:
            return path not in self.spared
        return self.covers_folder(path)

    def covers_folder(self, path: str) -> bool:
        """Whether the entries of this folder were looked at."""
        while path not in self.trees:
            if not path:
                return False
            path = path.rpartition("/")[0]
        return True

    def lists(self, folder: str) -> bool:
        """Whether all that lies directly in this folder was looked at."""
        return folder in self.folders or self.covers_folder(folder)


EVERYWHERE = Region(trees=frozenset(("",)))


class Item(NamedTuple):
    """Something a Source can read. `path` is relative to the source's root, with forward slashes."""

    path: str
    mark: Mark


@record
class Document:
    """One text, read and decoded. `digest` is the SHA-256 of its bytes in the source; `text` has no BOM. `tags` are those that
    its source was given, beside what its path says."""

    path: str
    text: str
    digest: str
    language: str
    mark: Mark
    tags: tuple[str, ...] = ()


class Skip(NamedTuple):
    """Something left out of the index, and why. `reason` is one short stable word, `detail` a sentence."""

    path: str
    reason: str
    detail: str = ""


class Spent(NamedTuple):
    """What an embedder has used up: calls over the network, tokens, and the money these cost at the price that was given."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


class Symbol(NamedTuple):
    """A definition. Lines are 1-based and inclusive; `start_line` is that of the definition itself, not its comments."""

    name: str
    qualified: str  # "Class.method": every enclosing definition, dot-joined
    kind: str  # function, method, class, struct, enum, interface, trait, type, module, constant, variable, macro, field, property …
    start_line: int
    end_line: int
    parent: str = ""  # qualified name of the enclosing definition
    signature: str = ""  # one line, without the body
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    doc: str = ""  # the comment or docstring that belongs to it


class Call(NamedTuple):
    """One place where a symbol is called by name."""

    name: str
    line: int
    caller: str = ""  # qualified name of the definition the call stands in; empty at file level
    receiver: str = ""  # the text before the name: `self`, `client`, `http.Server`; empty for a plain call


class Binding(NamedTuple):
    """What a name stands for, where the syntax says so: an import, a constructed value, an annotation."""

    name: str  # as calls write their receiver or callee: `client`, `self.client`, `np`; `*` for everything in a module
    target: str  # as written: the type (`Client`, `http.Client`), or the module of an import (`a.b`, `.m`, `./m`)
    how: str  # import, constructor, annotation, returns (the declared result of the function `name`)
    scope: str = ""  # qualified name of the definition it holds in; empty for the whole file
    line: int = 0
    member: str = ""  # of an import: the name inside the module; empty when the module itself is meant


@record
class Outline:
    """What parsing learned of one document."""

    symbols: tuple[Symbol, ...] = ()
    calls: tuple[Call, ...] = ()
    imports: tuple[str, ...] = ()  # one line each, as written
    bindings: tuple[Binding, ...] = ()
    package: str = ""
    has_errors: bool = False  # the parser met something it could not read; what it could read is here


class OutlinedFile(NamedTuple):
    """What the Store knows of the structure of one file."""

    path: str
    language: str
    lines: int
    outline: Outline  # without its calls, which are many and asked for by name


@record
class Chunk:
    """A span of a document: embedded, searched, shown.

    The chunker fills the first block; the Store fills the second when it puts the chunk. Times that a chunk brings along, as
    one that was exported does, stay as they are.
    """

    id: ChunkId
    title: str
    text: str
    chunk_type: ChunkType
    file_path: str
    start_line: int
    end_line: int
    language: str
    content_hash: str  # SHA-256 of `text`
    symbol: str = ""  # qualified name of the definition, or heading path of the section
    kind: str = ""  # the symbol's kind
    ordinal: int = 0  # position among the chunks of its file
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # names defined inside this chunk, the symbol's own first

    row: Row = field(default=Row(0), compare=False)
    project: str = ""
    generation: int = 0
    change_seq: int = 0
    created_at: str = ""
    updated_at: str = ""

    @property
    def revision_id(self) -> str:
        """Identity of this chunk in this generation: it changes with every re-index of the file."""
        return hashlib.sha256(f"{self.project}:{self.file_path}:{self.ordinal}:{self.generation}".encode()).hexdigest()

    @property
    def embedded_text(self) -> str:
        """What the embedder sees. Never the path, so that a renamed file keeps its vectors."""
        return f"{self.symbol}\n{self.text}"

    @property
    def embed_key(self) -> bytes:
        """Content hash of what is embedded: with the model's name, the key of a cached vector."""
        return hashlib.sha256(self.embedded_text.encode()).digest()

    @property
    def light(self) -> "Light":
        """The chunk without its text."""
        return Light(
            row=self.row,
            file_path=self.file_path,
            chunk_type=self.chunk_type,
            language=self.language,
            symbol=self.symbol,
            kind=self.kind,
            start_line=self.start_line,
            end_line=self.end_line,
            tags=self.tags,
            names=self.names,
            embed_key=self.embed_key,
        )

    @property
    def metadata(self) -> dict[str, object]:
        """Where the chunk comes from, as the exchange format wants it."""
        return {
            "file_path": self.file_path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "language": self.language,
            "symbol": self.symbol,
            "kind": self.kind,
            "revision_id": self.revision_id,
        }


class Light(NamedTuple):
    """A chunk without its text: what ranking needs of many candidates. A tuple, because they are made by the hundred."""

    row: Row
    file_path: str
    chunk_type: ChunkType
    language: str
    symbol: str
    kind: str
    start_line: int
    end_line: int
    tags: tuple[str, ...]
    names: tuple[str, ...]
    embed_key: bytes


class Ties(NamedTuple):
    """The names that a file defines, and those it uses of others, as hashes."""

    defines: frozenset[int]
    uses: frozenset[int]


@record
class ParsedFile:
    """Everything one document became: what the Store puts in one piece."""

    path: str
    digest: str
    language: str
    mark: Mark
    chunks: tuple[Chunk, ...]
    outline: Outline
    read_ns: int = 0  # when reading it began, by the clock; 0 means "now", when it is put
    generation: int = 0  # it is put as no earlier one than this: what was exported keeps its number


# A file written twice within the file system's clock grain keeps its mark. Marks that young are not trusted: the file is
# read once more, next time. Current file systems tick every 10 ms or faster.
CLOCK_GRAIN_NS = 100_000_000


def is_racy(changed_ns: int, read_ns: int) -> bool:
    """Whether a file may have changed after it was read without its mark showing it."""
    return changed_ns > read_ns - CLOCK_GRAIN_NS


class IndexedFile(NamedTuple):
    """What the Store remembers of a file."""

    path: str
    digest: str
    mark: Mark
    generation: int
    indexed_ns: int  # when reading began

    @property
    def is_racy(self) -> bool:
        """Whether the file may have changed after it was read without its mark showing it."""
        return is_racy(self.mark.changed_ns, self.indexed_ns)


class StoredFile(NamedTuple):
    """A file as the Store knows it, by number."""

    file_id: int
    path: str
    language: str
    digest: str
    size: int


# Path, size, and time of the last change, which is None where it is too young to be trusted. Plain, for speed.
Seen = tuple[str, int, int | None]


class Share(NamedTuple):
    """One of several parts of the indexed files, when several processes share them."""

    number: int = 0
    of: int = 1


WHOLE = Share()


class Move(NamedTuple):
    """The same content under a new path."""

    old_path: str
    new_path: str


@record
class Report:
    """What one build did."""

    files: int  # in the index now
    chunks: int  # in the index now
    added: int
    changed: int
    removed: int
    moved: int
    unchanged: int
    skipped: int
    embedded: int  # vectors computed
    reused: int  # vectors found in the shared cache
    change_seq: int
    seconds: float
    note: str = ""  # something out of the ordinary, for people
    unreadable: int = (
        0  # skipped although a reader would expect them: no permission, vanished, not what their name says
    )
    hnsw_rebuild_triggered: bool = False  # whether the graph over the vectors was built
    hnsw_rebuild_ms: float = 0.0  # how long that took
    pending_embeddings: int = 0  # chunks that have no vector yet because a remote embedder failed; `note` says how
    tokens_used: int = 0  # by a remote embedder
    estimated_cost_usd: float = 0.0  # of those, at the price that was given


# --- the read path ----------------------------------------------------------------------------------------------------


@record
class Filters:
    """Which chunks may be found at all; an empty tuple means no restriction. Applied before anything is ranked."""

    paths: tuple[str, ...] = ()  # globs relative to the root; `src/**`, `*.py`, or a plain folder
    not_paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    chunk_types: tuple[ChunkType, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any((self.paths, self.not_paths, self.languages, self.chunk_types, self.tags, self.kinds))


@record
class Query:
    """What is asked."""

    text: str
    mode: Mode = Mode.HYBRID
    limit: int = 10
    after: str = ""  # the `next` handle of an earlier answer: go on behind it
    filters: Filters = Filters()
    budget: int | None = None  # tokens to pack results into; without one they are not packed


class Hit(NamedTuple):
    """One searcher's opinion of one chunk."""

    row: Row
    score: float


@record
class Result:
    """One answer: a chunk, its score, and how much each signal gave to it."""

    chunk: Chunk
    score: float
    shares: Mapping[str, float]


@record
class Literal:
    """Every literal occurrence of what was asked, counted over the whole index."""

    text: str
    count: int
    files: int
    by_file: Mapping[str, int]


class Freshness(NamedTuple):
    """How current an answer is."""

    change_seq: int
    pending_files: int
    pending_embeddings: int
    tiers: Mapping[str, bool]  # tier -> complete
    verified: int = 0  # files behind the answer that were compared with what is there now
    moved: int = 0  # places that stand elsewhere by now, and are given as they stand
    dropped: int = 0  # places that are gone by now, and are left out


UNKNOWN_FRESHNESS = Freshness(0, 0, 0, {})  # of an answer before anyone looked


@record
class Answer:
    """Ranked and exhaustive in one: the best results, exact counts, and what the index does not have."""

    results: tuple[Result, ...]
    total: int  # chunks that matched at all
    truncated: bool
    next: str  # pass it back to go on; empty at the end
    literal: Literal
    skipped_files: int
    freshness: Freshness
    tokens: int  # estimated size of the returned text
    timings: Mapping[str, float]  # milliseconds by stage
    relevance: float = 1.0  # how likely it is that something relevant was found
    nothing_relevant: bool = (
        False  # so unlikely that whoever asks should look elsewhere; the results are the nearest there are
    )
    judged_by: Mapping[str, float] = field(
        default_factory=dict
    )  # what the relevance rests on; log-odds, but for `literally`
    # Asked words by what they are called here and were looked for as, too; each with how usual that meaning is.
    spelled: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cut: tuple[str, ...] = ()  # what is missing because the question had to end, or stood for too much, in sentences


@record
class Worked:
    """One thing a watcher did: an `update` of some paths, or a `reconcile` of the whole tree for a reason."""

    how: str
    reason: (
        str  # of a reconcile: start, takeover, restart, branch, rules, bulk, error, sweep, look; empty for an update
    )
    at: str
    paths: int  # that were known to have changed
    changed: int  # files that were added, changed, removed or moved in the index
    ms: float
    change_seq: int


@record
class Watching:
    """What a watcher does and has done since it began, as it says itself."""

    pid: int
    since: str
    state: str  # starting, watching, polling (changes are not told, so they are looked for), waiting (for the root)
    note: str = ""  # what is out of the ordinary, in words
    branch: str = ""
    folders: int = 0  # that are watched
    queue: int = 0  # paths that changed and are not in the index yet
    events: int = 0
    batches: int = 0
    updates: int = 0
    looks: int = 0  # second looks at folders that were not watched yet when they were walked
    reconciles: Mapping[str, int] = field(default_factory=dict)  # by reason
    busy: int = 0  # attempts put off because another process was writing
    errors: int = 0
    last_error: str = ""
    last_batch: Worked | None = None


@record
class Status:
    """What an index holds and how it is."""

    root: str
    data: str
    branch: str
    embedder: str
    indexed: bool = False
    files: int = 0
    chunks: int = 0
    symbols: int = 0
    calls: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)  # files by language
    chunk_types: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)  # files by reason
    indexed_at: str = ""
    bytes_on_disk: int = 0
    writer: str = ""  # who is writing now; empty for nobody
    damaged: tuple[str, ...] = ()  # parts that do not answer until they are rebuilt
    behind: Mapping[str, str] = field(default_factory=dict)  # searchers that could not follow, and why
    grammar_faults: Mapping[str, str] = field(
        default_factory=dict
    )  # languages read with a grammar that gave less than it must
    hnsw_index: Mapping[str, object] = field(
        default_factory=dict
    )  # the graph over the vectors; empty before anything is known
    reloads: Mapping[str, float] = field(default_factory=dict)  # of this process: loads, swaps, errors, reload_ms
    watcher_alive: bool = False
    watcher: Watching | None = None  # while one is alive
    freshness: Freshness = UNKNOWN_FRESHNESS
    ignored_settings: tuple[str, ...] = ()  # that the project's files hold, and that do not count, with the file


@record
class Tally:
    """What a Store holds, counted."""

    files: int
    chunks: int
    symbols: int
    calls: int
    languages: Mapping[str, int]  # files by language, most first
    chunk_types: Mapping[str, int]
    indexed_at: str  # when a file was last put; empty if none ever was


@record
class Census:
    """What a Store holds, looked at more closely."""

    kinds: Mapping[str, int]  # definitions by kind, most first
    # Time, files and chunks by then; of what is there now, and 200 at most. A file came with the first of its chunks.
    growth: tuple[tuple[str, int, int], ...]
    tags: Mapping[str, int] = field(default_factory=dict)  # chunks by tag, most first; one may have several


@record
class Changes:
    """What differs between two ChunkSets."""

    added: tuple[Chunk, ...] = ()
    updated: tuple[Chunk, ...] = ()
    deleted: tuple[tuple[Row, ChunkId], ...] = ()  # rows that are gone, replaced ones included

    def __bool__(self) -> bool:
        return bool(self.added or self.updated or self.deleted)


class Finding(NamedTuple):
    """Something an audit found wrong. `part` is the table or derived index it was found in."""

    part: str
    problem: str  # orphan, missing, mismatch, damaged
    subject: str
    detail: str = ""


class Progress(NamedTuple):
    """How far a build is. `total` is 0 while it is not known."""

    stage: str  # scan, fetch, parse, text, embed, vectors, grams, graph; of a push: hash, send, delete
    done: int
    total: int
    chunks: int = 0  # of a parse: made so far
    bytes: int = 0  # of a parse: sizes of the files that were parsed so far


# --- jobs: a build that someone watches -------------------------------------------------------------------------------


class Advance(NamedTuple):
    """How far a job is, as it is kept. Totals are 0 while they are not known."""

    stage: str = ""
    files_processed: int = 0  # over all attempts
    files_total: int = 0
    chunks_processed: int = 0  # of this attempt, as bytes are
    bytes_processed: int = 0
    vectors_processed: int = 0
    vectors_total: int = 0
    rate: float = 0.0  # of what the stage counts, in a second, lately
    eta_seconds: float | None = None  # until the end of the stage; None while that cannot be told


class Job(NamedTuple):
    """Work in the background. Times are for people, by the clock; nothing is decided by them."""

    job_id: str
    kind: str
    project_id: str
    path: str
    status: str  # queued, running; done, partial (some files failed: `result` says which), failed, cancelled
    created_at: str = ""
    started_at: str = ""
    finished_at: str = ""
    stage: str = ""
    files_processed: int = 0
    files_total: int = 0
    chunks_processed: int = 0
    bytes_processed: int = 0
    vectors_processed: int = 0
    vectors_total: int = 0
    rate: float = 0.0
    eta_seconds: float | None = None
    attempts: int = 0  # how often it was begun
    message: str = ""
    result: Mapping[str, object] = {}
    options: Mapping[str, object] = {}

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status not in ("queued", "running")


class Hold(StrEnum):
    """What became of the hold that a process has on a job."""

    HELD = "held"
    CANCELLED = "cancelled"  # still held, and nobody wants it any more
    LOST = "lost"  # another process has it by now, or it is over


class KeptToken(NamedTuple):
    """What is kept of a token. Times are for people."""

    id: str
    name: str
    project: str  # `*` for all
    scope: str
    sha256: str  # of the secret, in hex
    created_at: str
    revoked_at: str = ""
