"""Settings: one frozen Config, read from one place.

The only module that reads settings files and `SCOVA_*` variables. Later ones win:

    default  <  user file  <  project `scova.toml` or `[tool.scova]` in `pyproject.toml`  <  environment  <  flag

It knows what a setting is called, its type and its range; it does not know what the setting does.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from scova.config.allowed import (
    KINDS,
    at_least,
    harm_of,
    is_address,
    is_database,
    is_model_folder,
    is_price,
    is_variable,
    is_vectors,
    masked,
    within,
)
from scova.config.allowed import Value as Value
from scova.errors import ConfigError
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
_FLAG = "flag"

SETTINGS: dict[str, Setting] = {
    "data": Setting("", "folder that holds the index; empty: a folder per project in the user's cache"),
    "workers": Setting(0, "worker processes for a build; 0: one per core", at_least(0), "0 or more"),
    "max_file_bytes": Setting(5_000_000, "larger files are skipped", at_least(1), "1 or more"),
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


def load(root: Path, overrides: Mapping[str, Value | None] | None = None) -> Config:
    """The settings for a project root; `overrides` are flags, where None means not given."""
    values: dict[str, Value] = {name: setting.default for name, setting in SETTINGS.items()}
    origins = dict.fromkeys(values, "default")
    for origin, layer in _layers(root, overrides or {}):
        for name, raw in layer.items():
            key = name.replace("-", "_")
            values[key] = _checked(key, raw, origin)
            origins[key] = origin
    return Config(**values, origins=origins)  # type: ignore[arg-type]  # each value was checked against its default's type


def reread(config: Config, root: Path) -> Config:
    """The settings for the same root as they are now; flags that were given still win."""
    return load(root, {name: getattr(config, name) for name in SETTINGS if config.origins.get(name) == _FLAG})


def user_file() -> Path:
    """Where a user's own settings live."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "scova" / "config.toml"


def cache_folder() -> Path:
    """Where indexes live unless `data` says otherwise."""
    if chosen := os.environ.get("SCOVA_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "scova"


def secret(variable: str) -> str:
    """What an environment variable holds that a setting names; empty when it is not set. For whoever needs it, not to be shown."""
    return os.environ.get(variable, "")


def state_folder() -> Path:
    """Where scova remembers what cannot be made again."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "scova"


def _layers(root: Path, overrides: Mapping[str, Value | None]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield str(user_file()), _table(user_file())
    for path, keys in ((root / "pyproject.toml", ("tool", "scova")), (root / "scova.toml", ())):
        yield str(path), _harmless(_table(path, *keys), path)
    for name in SETTINGS:
        variable = f"SCOVA_{name.upper()}"
        if variable in os.environ:
            yield variable, {name: _from_text(name, os.environ[variable], variable)}
    yield _FLAG, {name: value for name, value in overrides.items() if value is not None}


def _harmless(table: Mapping[str, object], path: Path) -> Mapping[str, object]:
    """The settings of a project. Whoever wrote it is not who uses it: it decides nothing by which texts or keys leave the machine,
    and has no model loaded that may be its own."""
    for name, value in table.items():
        key = name.replace("-", "_")
        if harm := harm_of(key, value):
            hint = f"put it into {user_file()}, or set SCOVA_{key.upper()}"
            raise ConfigError(f"`{key}` in {path} would {harm}: a project may not decide that", hint)
    return table


def _table(path: Path, *keys: str) -> Mapping[str, object]:
    """One table of a TOML file; empty when the file or the table is not there."""
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
        return {}
    if keys and b"scova" not in text:
        return {}
    import tomllib  # only when there is a file to read: it costs milliseconds on every search

    try:
        table: object = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"`{path}` is not valid TOML: {error}", "fix or remove the file") from error
    for key in keys:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    return table if isinstance(table, dict) else {}


def _from_text(name: str, text: str, origin: str) -> Value:
    default = SETTINGS[name].default
    if isinstance(default, bool):
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off", ""):
            return False
        raise ConfigError(f"`{origin}` must be true or false, not `{text}`", f"set {origin}=true or {origin}=false")
    if isinstance(default, int):
        try:
            return int(text)
        except ValueError:
            raise ConfigError(
                f"`{origin}` must be a whole number, not `{text}`", f"unset {origin}, or give a number"
            ) from None
    return tuple(filter(None, map(str.strip, text.split(",")))) if isinstance(default, tuple) else text


def _checked(name: str, value: object, origin: str) -> Value:
    setting = SETTINGS.get(name)
    if setting is None:
        import difflib

        near = difflib.get_close_matches(name, SETTINGS, n=1)
        raise ConfigError(
            f"unknown setting `{name}` in {origin}",
            f"did you mean `{near[0]}`?" if near else "`scova config` lists every setting",
        )
    value = tuple(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value
    if type(value) is not type(setting.default):
        raise ConfigError(
            f"`{name}` in {origin} must be {KINDS[type(setting.default)]}, not `{value}`", setting.meaning
        )
    if not setting.allowed(value):
        given = "what is given" if setting.secret(value) else f"`{value}`"  # it may hold a password
        raise ConfigError(f"`{name}` ({origin}) cannot be {given}; it may be {setting.range}", setting.meaning)
    return value
