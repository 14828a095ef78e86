"""Tokens: kept as hashes, scoped, revoked at once; and what happens when their file is not as it should be."""

import json
import stat

import pytest

from scova.errors import IndexState, UsageError
from scova.server.layout import ServerLayout
from scova.server.tokens import Scope, Tokens
from serving import served


@pytest.fixture
def place(tmp_path):
    return ServerLayout(tmp_path / "data")


def test_a_token_is_kept_as_a_hash_only(place):
    made, secret = Tokens(place).create("shop", "write", "ann")
    kept = place.tokens.read_text()
    assert secret not in kept
    assert secret.rpartition("_")[2] not in kept
    assert stat.S_IMODE(place.tokens.stat().st_mode) == 0o600
    who = Tokens(place).who(secret)
    assert (who.id, who.project, who.scope) == (made.id, "shop", Scope.WRITE)
    assert Tokens(place).who(secret + "x") is None
    assert Tokens(place).who(made.sha256) is None


def test_what_another_process_changes_holds_with_the_next_look(place):
    here, elsewhere = Tokens(place), Tokens(place)
    assert not here.are_asked_for
    made, secret = elsewhere.create("*", "read")
    assert here.are_asked_for
    assert here.who(secret)
    elsewhere.revoke(made.id)
    assert here.who(secret) is None
    assert here.are_asked_for  # the last token gone does not open the door


def test_wrong_words_are_refused(place):
    with pytest.raises(UsageError):
        Tokens(place).create("../x", "read")
    with pytest.raises(UsageError):
        Tokens(place).create("x", "everything")
    with pytest.raises(UsageError):
        Tokens(place).revoke("nobody")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": 2, "tokens": []}', b'{"format": 1, "tokens": [{}]}', b"\xff"]
)
def test_a_damaged_file_lets_nobody_in(place, content):
    Tokens(place).create("*", "admin")
    place.tokens.write_bytes(content)
    with pytest.raises(IndexState):
        Tokens(place).who("anything")


def test_a_server_whose_token_file_went_lets_nobody_in(tmp_path):
    with served(tmp_path / "data") as one:
        assert one.client.get("/projects").status_code == 200
        headers = one.with_token("*", "admin")
        assert one.client.get("/projects").status_code == 401
        assert one.client.get("/projects", headers=headers).status_code == 200
        one.hall.place.tokens.unlink()
        assert one.client.get("/projects", headers=headers).status_code == 500
        assert one.client.get("/projects").status_code == 500
        assert one.client.get("/readyz").status_code == 503


def test_a_server_others_can_reach_asks_for_a_token_though_there_is_none(tmp_path):
    with served(tmp_path / "data", asks_always=True) as one:
        assert one.client.get("/projects").status_code == 401
        assert one.client.get("/healthz").status_code == 200


def test_the_file_is_what_it_says_it_is(place):
    Tokens(place).create("*", "admin", "ops")
    said = json.loads(place.tokens.read_text())
    assert said["format"] == 1
    assert said["tokens"][0].keys() == {"id", "name", "project", "scope", "sha256", "created_at", "revoked_at"}
