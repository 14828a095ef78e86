"""What is wrong with a field, in plain words: the validator's own are for programmers, and show patterns. The one place where they are
told; what it has no words for keeps those of the validator.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from scova.server.layout import PROJECT_ID
from scova.server.schemas.builds import TAG, URL
from scova.server.schemas.requests import SHA256
from scova.types import ChunkType, Mode

_PATTERNS = {
    SHA256: "must be 64 hexadecimal digits in lower case, the SHA-256 of the content",
    PROJECT_ID: "must be letters, digits, dots, dashes and underscores, and begin with a letter or a digit",
    URL: "must begin with http:// or https://",
    TAG: "must be 1 to 64 characters without spaces and commas",
}
_SHOWN = 200  # characters of a name that a client made up
_CHOICES: dict[str, type[Enum]] = {kind.__name__: kind for kind in (ChunkType, Mode)}
_OBJECT, _WHOLE, _BOOLEAN = "must be an object", "must be a whole number", "must be true or false"
# By the validator's name for it; {names} are of its context.
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is no field of this request",
    "string_type": "must be a text",
    "string_unicode": "is not valid UTF-8",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "list_type": "must be a list",
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "literal_error": "must be {expected}",
}


def wrong(error: Mapping[str, Any], *, whole: str) -> str:
    """Which field is wrong, and how, from one error of the validator; `whole` names what has no field."""
    return f"{'.'.join(map(_shown, error['loc'])) or whole}: {_how(error)}"


def _shown(step: str | int) -> str:
    """A step on the way to a field, which may be anything that a client sent."""
    name = str(step)
    return (name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…").encode(errors="backslashreplace").decode()


def _how(error: Mapping[str, Any]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "string_pattern_mismatch" and context["pattern"] in _PATTERNS:
        return _PATTERNS[context["pattern"]]
    if kind == "is_instance_of" and context["class"] in _CHOICES:
        return f"must be one of {', '.join(str(one.value) for one in _CHOICES[context['class']])}"
    if kind in ("string_too_short", "too_short") and context["min_length"] == 1:
        return "must not be empty"
    return _WORDS[kind].format_map(context) if kind in _WORDS else str(error["msg"])
