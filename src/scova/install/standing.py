"""How scova stands with each client: is it told of us, and would that still work? Looks only."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scova.errors import ClientError
from scova.install.clients import CLIENTS, Around, Client
from scova.install.command import can_start, is_ours, server_words, start_the_same, words_of
from scova.install.plan import Setup
from scova.install.record import Records
from scova.install.text.values import NOTHING

ABSENT, INSTALLED, OUTDATED, GONE, FOREIGN, BROKEN = "absent", "installed", "outdated", "gone", "foreign", "broken"


class Standing(NamedTuple):
    """One client in one scope. `state`: absent, installed, outdated (it starts another scova), gone (what it starts is not there),
    foreign (our name is taken by something else), broken (its configuration cannot be read)."""

    client: Client
    scope: str
    path: Path
    state: str
    detail: str = ""


def standings(around: Around, records: Records, command: Sequence[str]) -> Iterator[Standing]:
    """Every client in every scope it has."""
    for client in CLIENTS:
        for scope, place in client.places.items():
            path = place.file(around)
            try:
                state, detail = _state(Setup(client, scope, around, records), command)
            except ClientError as error:
                state, detail = BROKEN, error.message
            yield Standing(client, scope, path, state, detail)


def _state(setup: Setup, command: Sequence[str]) -> tuple[str, str]:
    there = setup.entry(setup.look())
    if there is NOTHING:
        return ABSENT, ""
    if not is_ours(there):
        return FOREIGN, "the entry `scova` there was written by someone else"
    words = " ".join(words_of(there))
    if not can_start(there):
        return GONE, f"it starts `{words}`, which is not there"
    chosen = server_words(there)
    if not start_the_same(there, setup.client.entry(command, setup.scope, chosen)):
        return OUTDATED, f"it starts `{words}`"
    return INSTALLED, f"answered by a server: {' '.join(chosen)}" if chosen else ""
