"""Which values a setting may have, which of them a project may not choose, and how one that holds a password is shown."""

from collections.abc import Callable
from pathlib import Path

Value = str | int | bool | tuple[str, ...]
KINDS = {bool: "true or false", int: "a whole number", str: "text", tuple: "a list of texts"}


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


def harm_of(key: str, value: object) -> str:
    """What this setting would do to a user if a project chose it; nothing for most."""
    if key == "embedder_key_env" or (key == "embedder" and is_address(str(value))):
        return "send what is in this folder to another machine"
    if key == "embedder" and is_model_folder(str(value)):
        return "load a model"
    return "have keys and passwords indexed" if key == "allow_secrets" else ""
