"""Every setting: what it is called, its default, its type and its range, and the values in force. Reads nothing."""

from collections.abc import Callable, Mapping

from scova.config.allowed import (
    Value,
    are_globs,
    are_names,
    at_least,
    is_address,
    is_database,
    is_model_folder,
    is_price,
    is_variable,
    is_vectors,
    masked,
    within,
)
from scova.record import field, record


@record
class Setting:
    """One setting: its default, what it means, and which values are allowed."""

    default: Value
    meaning: str
    allowed: Callable[[Value], bool] = lambda value: True
    range: str = ""
    secret: Callable[[Value], bool] = lambda value: False  # whether one that is refused may hold one, and is not shown
    shown: Callable[[Value], Value] = lambda value: value  # as people may see it


EMBEDDERS = ("static", "none")
SETTINGS: dict[str, Setting] = {
    "data": Setting("", "folder that holds the index; empty: a folder per project in the user's cache"),
    "workers": Setting(0, "worker processes for a build; 0: one per core", at_least(0), "0 or more"),
    "max_file_bytes": Setting(5_000_000, "larger files are skipped", at_least(1), "1 or more"),
    "include": Setting(
        (),
        "only files whose path matches one of these patterns (as `-p`) are indexed; empty: every file",
        are_globs,
        "patterns as `scova search -p` takes them",
    ),
    "exclude": Setting(
        (),
        "files whose path matches one of these patterns (as `-x`) are left out",
        are_globs,
        "patterns as `scova search -x` takes them",
    ),
    "languages": Setting(
        (), "only files of these languages are indexed; empty: every language", are_names, "names of languages"
    ),
    "index_secrets": Setting(False, "also index files that look like keys or passwords (.env, *.pem …)"),
    "allow_secrets": Setting(
        (), "files that look so and are indexed all the same: a list of paths, in your own settings only"
    ),
    "embedder": Setting(
        "static",
        "where vectors come from",
        lambda value: value in EMBEDDERS or is_address(value) or is_model_folder(value),
        "`static`, `none`, or the address of an endpoint (`https://HOST/v1`, without key or `?`), or a model's whole path (`onnx:/FOLDER`, `onnx:~/FOLDER`)",
        secret=lambda value: "@" in str(value) or "?" in str(value),
    ),
    "embedder_model": Setting("", "of an endpoint: the model, as the endpoint calls it"),
    "embedder_width": Setting(
        0,
        "of an endpoint: numbers per vector to ask for (`dimensions`); 0: as many as the model makes",
        within(0, 16_384),
        "0 to 16384",
    ),
    "embedder_key_env": Setting(
        "SCOVA_EMBEDDER_KEY",
        "of an endpoint: the environment variable that holds the key; never the key itself",
        is_variable,
        "the name of a variable",
        secret=lambda value: True,
    ),
    "embedder_price": Setting(
        "0",
        'of an endpoint: USD per million tokens, as text ("0.02"), for the estimate of costs',
        is_price,
        "a number, 0 or more",
    ),
    "embedder_batch": Setting(50, "of an endpoint: texts in one call", within(10, 100), "10 to 100"),
    "embedder_timeout_ms": Setting(
        120_000,
        "of an endpoint: how long one call may take, in milliseconds",
        within(100, 3_600_000),
        "100 to 3600000",
    ),
    "refresh": Setting(True, "bring the index up to date before each search"),
    "wait_ms": Setting(
        2000,
        "how long a question waits for changes that are being brought in, before it is answered from the index as it is, in milliseconds",
        at_least(0),
        "0 or more",
    ),
    "deadline_ms": Setting(
        0, "how long one question may take, in milliseconds; 0: as its door has it", at_least(0), "0 or more"
    ),
    "ann_from": Setting(
        100_000,
        "vectors from which on a long-running process searches them through a graph (HNSW); 0: never",
        at_least(0),
        "0 or more",
    ),
    "fetch_allow": Setting(
        "",
        "hosts, host:port or networks (10.0.0.0/8), comma-separated, that projects may fetch from though they are not public",
    ),
    "watch_quiet_ms": Setting(
        500, "a watcher acts once nothing changed for this long, in milliseconds", at_least(1), "1 or more"
    ),
    "watch_max_wait_ms": Setting(
        2000, "and never later than this after the first change, in milliseconds", at_least(1), "1 or more"
    ),
    "watch_bulk": Setting(
        100,
        "more changed paths than that are one look at the whole tree instead of single updates",
        at_least(0),
        "0 or more",
    ),
    "serve_store": Setting(
        "",
        "of a server: the database that holds everything (`postgresql://…`); empty: SQLite in its data folder",
        is_database,
        "empty, or `postgresql://USER@HOST/DATABASE`",
        secret=lambda value: True,
        shown=masked,
    ),
    "serve_vectors": Setting(
        "",
        "of a server: where vectors are searched (`pgvector:`, or the address of a Qdrant); empty: in local files",
        is_vectors,
        "empty, `pgvector:`, `pgvector:postgresql://…` or `http://HOST:6333`",
        secret=lambda value: True,
        shown=masked,
    ),
    "serve_max_body_bytes": Setting(
        8_388_608, "of a server: larger requests are refused", at_least(1024), "1024 or more"
    ),
    "serve_batch_files": Setting(100, "of a server: files in one request to index", within(1, 10_000), "1 to 10000"),
    "serve_rate": Setting(
        100,
        "of a server: requests a second for each token, twice as many at once; 0: any number",
        at_least(0),
        "0 or more",
    ),
}


@record
class Config:
    """The settings in force, each with the place it came from."""

    data: str
    workers: int
    max_file_bytes: int
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    languages: tuple[str, ...]
    index_secrets: bool
    allow_secrets: tuple[str, ...]
    embedder: str
    embedder_model: str
    embedder_width: int
    embedder_key_env: str
    embedder_price: str
    embedder_batch: int
    embedder_timeout_ms: int
    refresh: bool
    wait_ms: int
    deadline_ms: int
    ann_from: int
    fetch_allow: str
    watch_quiet_ms: int
    watch_max_wait_ms: int
    watch_bulk: int
    serve_store: str
    serve_vectors: str
    serve_max_body_bytes: int
    serve_batch_files: int
    serve_rate: int
    origins: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()  # settings of the project that do not count, each with its file and the reason
