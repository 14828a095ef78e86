"""What every TokenLedger promises, wherever it keeps tokens: in the file of a data folder, in a database."""

import threading

import pytest

from scova.errors import IndexExists
from scova.server.housing.tokenfile import TokenFile
from scova.server.layout import ServerLayout
from scova.types import KeptToken


@pytest.fixture(params=["file", "postgresql"])
def another(request, tmp_path):
    """Opens the same ledger, as another process would."""
    if request.param == "file":
        yield lambda: TokenFile(ServerLayout(tmp_path / "data"))
        return
    from scova.stores.postgres import Connections, PostgresTokens, migrate

    connections = Connections(request.getfixturevalue("postgres_url"))
    migrate(connections)
    yield lambda: PostgresTokens(connections)
    connections.close()


def token(number, **more):
    return KeptToken(f"id{number}", "ann", "*", "read", f"{number:064x}", "2026-01-01T00:00:00Z", **more)


def test_tokens_are_given_back_as_they_were_put_the_oldest_first(another):
    assert list(another().all()) == []
    for number in (3, 1, 2):
        another().add(token(number))
    assert list(another().all()) == [token(3), token(1), token(2)]


def test_the_version_differs_for_everyone_after_each_change_and_only_then(another):
    here, seen = another(), []
    for change in (
        lambda: None,
        lambda: another().add(token(1)),
        lambda: another().add(token(2)),
        lambda: another().revoke("id1", "now"),
    ):
        change()
        assert here.version() == here.version() == another().version()
        seen.append(here.version())
    assert len(set(seen)) == 4


def test_an_id_or_a_hash_is_taken_once(another):
    another().add(token(1))
    for same in (token(1), token(2)._replace(id="id1"), token(1)._replace(id="id2")):
        with pytest.raises(IndexExists):
            another().add(same)
    assert list(another().all()) == [token(1)]


def test_a_revoked_token_stays_with_the_time_of_the_first_time(another):
    another().add(token(1))
    assert not another().revoke("nobody", "now")
    assert another().revoke("id1", "first")
    assert another().revoke("id1", "second")
    assert list(another().all()) == [token(1, revoked_at="first")]


def test_those_who_add_at_the_same_time_lose_nothing(another):
    adding = [threading.Thread(target=lambda n=n: another().add(token(n))) for n in range(12)]
    for one in adding:
        one.start()
    for one in adding:
        one.join()
    assert {one.id for one in another().all()} == {f"id{n}" for n in range(12)}
