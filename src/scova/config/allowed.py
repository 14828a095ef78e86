"""Which values a setting may have, which of them a project may not choose, and how one that holds a password is shown."""

from collections.abc import Callable
from pathlib import Path

Value = str | int | bool | tuple[str, ...]


def at_least(low: int) -> Callable[[Value], bool]:
    """Numbers from `low` on."""
    return lambda value: isinstance(value, int) and value >= low


def within(low: int, high: int) -> Callable[[Value], bool]:
    """Numbers from `low` to `high`."""
    return lambda value: isinstance(value, int) and low <= value <= high


def is_address(value: Value) -> bool:
    """Whether this is where an endpoint may be: a plain http address, without a name, a password or a question in it."""
    if not str(value).startswith(("http://", "https://")):
        return False
    from urllib.parse import urlsplit  # only where there is an address: it costs a millisecond on every search

    try:
        parts = urlsplit(str(value))
        return bool(parts.hostname) and parts.port != 0 and not any(sign in str(value) for sign in "@?# ")
    except ValueError:
        return False


def is_model_folder(value: Value) -> bool:
    """Whether this names the folder of a model, wherever one stands: `onnx:` and a path from the root or from home."""
    kind, _, folder = str(value).partition(":")
    return kind == "onnx" and (folder.startswith("~/") or Path(folder).is_absolute())


def is_price(value: Value) -> bool:
    """Whether this is an amount of money, as text."""
    try:
        return 0.0 <= float(str(value)) < 1e6
    except ValueError:
        return False


def is_variable(value: Value) -> bool:
    """Whether this may be the name of an environment variable."""
    return str(value).isascii() and str(value).isidentifier()


def is_database(value: Value) -> bool:
    """Whether this may be where a database is; nothing stands for none."""
    return not value or str(value).startswith(("postgresql://", "postgres://"))


def is_vectors(value: Value) -> bool:
    """Whether this may be where vectors are searched; nothing stands for local files."""
    given = str(value)
    return given in ("", "pgvector:") or given.startswith(
        ("pgvector:postgresql://", "pgvector:postgres://", "http://", "https://")
    )


def masked(value: Value) -> str:
    """An address, or words with addresses in them, without the passwords they hold."""
    import re  # only where there is something to hide

    without = re.sub(r"(://[^:/@\s]*):\S*@", r"\1:…@", str(value))
    return re.sub(r"(?i)\b(\w*password=)[^&\s'\"]*", r"\1…", without)


MOST_PATTERNS = 1000  # of one setting


def are_globs(value: Value) -> bool:
    """Whether these can be patterns for paths."""
    from scova.errors import QueryError
    from scova.filters import path_passes  # only where there are some
    from scova.types import Filters

    if not isinstance(value, tuple) or len(value) > MOST_PATTERNS or not all(value):
        return False
    try:
        path_passes(Filters(paths=value))
    except QueryError:
        return False
    return True


def are_names(value: Value) -> bool:
    """Whether these can be names of languages; which there are is known elsewhere."""
    return isinstance(value, tuple) and len(value) <= MOST_PATTERNS and all(value)
