"""Tokens in the database: what one process changes the others see, and a number tells them to look."""

import threading

import pytest

from scova.errors import IndexExists
from scova.stores.postgres import Connections, PostgresTokens, migrate
from scova.types import KeptToken


@pytest.fixture
def opened(postgres_url):
    """Opens them once more, as another process would."""
    made = []

    def another():
        made.append(Connections(postgres_url))
        migrate(made[-1])
        return PostgresTokens(made[-1])

    yield another
    for one in made:
        one.close()


def token(number, **fields):
    values = {"id": f"id{number}", "name": "ü", "project": "*", "scope": "read", "sha256": f"{number:064x}"}
    return KeptToken(**{**values, "created_at": "2026-01-01T00:00:00Z", **fields})


def test_what_one_process_adds_and_revokes_another_sees(opened):
    mine, theirs = opened(), opened()
    assert list(theirs.all()) == [] and theirs.version() == mine.version()
    mine.add(token(2)), mine.add(token(1))
    assert list(theirs.all()) == [token(2), token(1)], "the oldest first"
    assert theirs.revoke("id2", "2026-02-02T00:00:00Z")
    assert mine.revoke("id2", "2026-03-03T00:00:00Z"), "a second time changes nothing"
    assert list(mine.all()) == [token(2, revoked_at="2026-02-02T00:00:00Z"), token(1)]
    assert not mine.revoke("nobody", "2026-03-03T00:00:00Z")


def test_the_number_tells_of_every_change(opened):
    mine, theirs = opened(), opened()
    seen = [theirs.version()]
    for change in (lambda: mine.add(token(1)), lambda: mine.add(token(2)), lambda: mine.revoke("id1", "now")):
        change()
        seen.append(theirs.version())
        assert theirs.version() == seen[-1], "and stays as it is while there is none"
    assert len(set(seen)) == 4


def test_a_token_is_kept_once(opened):
    tokens = opened()
    tokens.add(token(1))
    before = tokens.version()
    for same in (token(1, sha256="f" * 64), token(2, sha256=token(1).sha256)):
        with pytest.raises(IndexExists):
            tokens.add(same)
    assert list(tokens.all()) == [token(1)] and tokens.version() == before


def test_many_may_change_them_at_once(opened):
    first = opened()
    first.add(token(0))
    failures, begin = [], threading.Barrier(4)

    def change(name):
        tokens = opened()
        begin.wait()
        try:
            for number in range(5):
                tokens.add(token(100 * name + number))
                tokens.revoke("id0", f"{name}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=change, args=(name,)) for name in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and len(first.all()) == 21 and first.version() == 41
