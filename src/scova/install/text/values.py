"""Plain values within values, by the keys that lead to them. Nothing that is given is changed."""

from collections.abc import Mapping, Sequence
from enum import Enum


class Nothing(Enum):
    """What lies where nothing is; a null is something."""

    NOTHING = 0


NOTHING = Nothing.NOTHING


def value_at(value: object, path: Sequence[str]) -> object:
    """What lies under these keys; NOTHING for nothing."""
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return NOTHING
        value = value[key]
    return value


def with_value(value: Mapping[str, object], path: Sequence[str], new: object) -> dict[str, object]:
    """The same with `new` under these keys."""
    key, *rest = path
    inner = value.get(key)
    return {**value, key: with_value(inner if isinstance(inner, Mapping) else {}, rest, new) if rest else new}


def without_value(value: Mapping[str, object], path: Sequence[str]) -> dict[str, object]:
    """The same with nothing under these keys."""
    key, *rest = path
    inner = value.get(key)
    if rest and isinstance(inner, Mapping):
        return {**value, key: without_value(inner, rest)}
    return {name: one for name, one in value.items() if name != key}


def pruned(value: Mapping[str, object], path: Sequence[str]) -> dict[str, object]:
    """The same without what is empty on the way along these keys."""
    key, *rest = path
    inner = value.get(key)
    if not isinstance(inner, Mapping):
        return dict(value)
    left = pruned(inner, rest) if rest else dict(inner)
    return {**value, key: left} if left else {name: one for name, one in value.items() if name != key}
