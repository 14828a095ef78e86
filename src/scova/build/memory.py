"""What a build remembers for the next one, beside files and chunks: small values in the store's settings."""

import json
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from scova.types import Skip

if TYPE_CHECKING:
    from scova.protocols import WholeStore

_READ_SKIPS = "read_skips"
_EMBEDDED = "embedded_until"
_PUT_OFF = "vectors_put_off"
_GRAMMAR_FAULTS = "grammar_faults"
REST_SECONDS = 60.0  # before a remote embedder that failed is tried again unasked


class ReadSkip(NamedTuple):
    """A file that had to be read to know that it is left out; remembered so that it is not read again."""

    skip: Skip
    size: int
    changed_ns: int
    read_ns: int


def remembered(store: "WholeStore", key: str) -> dict[str, Any]:
    """A value that a build left in the store; none when it cannot be read, which costs the next build some work."""
    try:
        kept = json.loads(store.setting(key) or "{}")
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}


def to_remember(skip: ReadSkip) -> ReadSkip:
    """What is kept of a file that was left out after looking into it. One that vanished may come back with the mark it had, when a
    folder is moved away and back: no file has the size it is remembered with, so that it is read then."""
    return skip._replace(size=-1) if skip.skip.reason == "vanished" else skip


def read_skips(store: "WholeStore") -> dict[str, ReadSkip]:
    """Files left out after reading them, by path, with the marks they had."""
    try:
        return {
            path: ReadSkip(Skip(path, reason, detail), size, changed_ns, read_ns)
            for path, (reason, detail, size, changed_ns, read_ns) in remembered(store, _READ_SKIPS).items()
        }
    except (TypeError, ValueError):
        return {}


def remember_read_skips(store: "WholeStore", entries: dict[str, ReadSkip]) -> None:
    """Keep them for the next build."""
    plain = {
        path: (entry.skip.reason, entry.skip.detail, entry.size, entry.changed_ns, entry.read_ns)
        for path, entry in sorted(entries.items())
    }
    store.put_settings({_READ_SKIPS: json.dumps(plain)})


def embedded_until(store: "WholeStore", model: str) -> int:
    """The change up to which every chunk has a vector of this model."""
    return int(remembered(store, _EMBEDDED).get(model, 0))


def remember_embedded(store: "WholeStore", model: str, change_seq: int) -> None:
    """Every chunk up to this change has a vector of this model; what other models had is forgotten."""
    store.put_settings({_EMBEDDED: json.dumps({model: change_seq}), _PUT_OFF: "{}"})


def put_off(store: "WholeStore", model: str) -> None:
    """Some chunks have no vector of this model, because whoever embeds them failed."""
    store.put_settings({_PUT_OFF: json.dumps({model: time.time()})})


def put_off_for(store: "WholeStore", model: str) -> float | None:
    """For how many seconds more vectors are not to be waited for, 0 when they are due; None when nothing was put off."""
    since = remembered(store, _PUT_OFF).get(model) if model else None
    if not isinstance(since, int | float):
        return None
    passed = time.time() - since
    return REST_SECONDS - passed if 0 <= passed < REST_SECONDS else 0.0  # a clock that was set back ends the wait


def grammar_faults(store: "WholeStore") -> dict[str, str]:
    """Languages whose files were read with a grammar that gave less than it must, and what was wrong with it."""
    return remembered(store, _GRAMMAR_FAULTS)


def grammar_note(store: "WholeStore") -> str:
    """Which languages' definitions are incomplete, and why, in one line; empty where none are."""
    return "; ".join(f"{language}: {fault}" for language, fault in grammar_faults(store).items())


def remember_grammar_faults(store: "WholeStore", met: dict[str, str]) -> None:
    """Keep what was found of the languages that were met, nothing wrong included; of others, what was known before stays."""
    before = grammar_faults(store)
    now = {language: fault for language, fault in sorted({**before, **met}.items()) if fault}
    if now != before:
        store.put_settings({_GRAMMAR_FAULTS: json.dumps(now)})
