"""How the agent clients stand: those that are there, and those that are told of scova."""

from collections.abc import Iterator

from scova.doctor.check import FAIL, OK, WARN, Check
from scova.install import standing
from scova.install.clients import CLIENTS, Around
from scova.install.command import server_command
from scova.install.record import Records
from scova.install.standing import Standing, standings

_STATES = {
    standing.INSTALLED: OK,
    standing.OUTDATED: WARN,
    standing.FOREIGN: WARN,
    standing.GONE: FAIL,
    standing.BROKEN: FAIL,
}


def clients(around: Around, records: Records) -> Iterator[Check]:
    """One check for each configuration that names scova or cannot be read, and one for each client without any."""
    found = list(standings(around, records, server_command()))
    for client in CLIENTS:
        told = [one for one in found if one.client is client and one.state != standing.ABSENT]
        yield from map(_told, told)
        if not told and client.is_used(around):
            yield Check(client.name, OK, f"found; `scova install {client.name}` would tell it of scova")


def _told(one: Standing) -> Check:
    words = f"{one.state} ({one.scope}): {one.detail or one.path}"
    again = f"scova install {one.client.name} --scope {one.scope}"
    hints = {
        standing.OUTDATED: f"{again} makes it start this one",
        standing.GONE: again,
        standing.FOREIGN: f"{again} --force replaces it",
        standing.BROKEN: f"mend {one.path} by hand",
    }
    return Check(one.client.name, _STATES[one.state], words, hints.get(one.state, ""))
