"""Tokens: kept as hashes, scoped, revoked at once; and what happens when their file is not as it should be."""

import json
import stat
import threading
from contextlib import suppress

import pytest

from scova.errors import IndexState, StoreAway, UsageError
from scova.server.housing.tokenfile import TokenFile
from scova.server.layout import ServerLayout
from scova.server.tokens import Scope, Tokens
from serving import served


@pytest.fixture
def place(tmp_path):
    return ServerLayout(tmp_path / "data")


def test_a_token_is_kept_as_a_hash_only(place):
    made, secret = Tokens(TokenFile(place)).create("shop", "write", "ann")
    kept = place.tokens.read_text()
    assert secret not in kept
    assert secret.rpartition("_")[2] not in kept
    assert stat.S_IMODE(place.tokens.stat().st_mode) == 0o600
    who = Tokens(TokenFile(place)).who(secret)
    assert (who.id, who.project, who.scope) == (made.id, "shop", Scope.WRITE)
    assert Tokens(TokenFile(place)).who(secret + "x") is None
    assert Tokens(TokenFile(place)).who(made.sha256) is None


def test_what_another_process_changes_holds_with_the_next_look(place):
    here, elsewhere = Tokens(TokenFile(place)), Tokens(TokenFile(place))
    assert not here.are_asked_for
    made, secret = elsewhere.create("*", "read")
    assert here.are_asked_for
    assert here.who(secret)
    elsewhere.revoke(made.id)
    assert here.who(secret) is None
    assert here.are_asked_for  # the last token gone does not open the door


def test_wrong_words_are_refused(place):
    with pytest.raises(UsageError):
        Tokens(TokenFile(place)).create("../x", "read")
    with pytest.raises(UsageError):
        Tokens(TokenFile(place)).create("x", "everything")
    with pytest.raises(UsageError):
        Tokens(TokenFile(place)).revoke("nobody")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": 2, "tokens": []}', b'{"format": 1, "tokens": [{}]}', b"\xff"]
)
def test_a_damaged_file_lets_nobody_in(place, content):
    Tokens(TokenFile(place)).create("*", "admin")
    place.tokens.write_bytes(content)
    with pytest.raises(IndexState):
        Tokens(TokenFile(place)).who("anything")


def test_a_server_whose_token_file_went_lets_nobody_in(tmp_path):
    with served(tmp_path / "data") as one:
        assert one.client.get("/projects").status_code == 200
        headers = one.with_token("*", "admin")
        assert one.client.get("/projects").status_code == 401
        assert one.client.get("/projects", headers=headers).status_code == 200
        ServerLayout(tmp_path / "data").tokens.unlink()
        assert one.client.get("/projects", headers=headers).status_code == 500
        assert one.client.get("/projects").status_code == 500
        assert one.client.get("/readyz").status_code == 503


def test_a_server_others_can_reach_asks_for_a_token_though_there_is_none(tmp_path):
    with served(tmp_path / "data", asks_always=True) as one:
        assert one.client.get("/projects").status_code == 401
        assert one.client.get("/healthz").status_code == 200


def test_the_file_is_what_it_says_it_is(place):
    Tokens(TokenFile(place)).create("*", "admin", "ops")
    said = json.loads(place.tokens.read_text())
    assert said["format"] == 1
    assert said["tokens"][0].keys() == {"id", "name", "project", "scope", "sha256", "created_at", "revoked_at"}


class Far:
    """A ledger that is far away: counts who comes, and does not answer when told so."""

    def __init__(self):
        self.tokens, self.asked, self.is_away = [], 0, False

    def version(self):
        self.asked += 1
        if self.is_away:
            raise StoreAway("it does not answer", "wait")
        return len(self.tokens) + sum(bool(token.revoked_at) for token in self.tokens)

    def all(self):
        return list(self.tokens)

    def add(self, token):
        self.tokens.append(token)

    def revoke(self, token_id, when):
        self.tokens = [one._replace(revoked_at=when) if one.id == token_id else one for one in self.tokens]
        return True


@pytest.fixture
def far():
    """A ledger, who looks at it every second, and the clock of that one."""
    clock = [0.0]
    ledger = Far()
    return ledger, Tokens(ledger, every=1.0, clock=lambda: clock[0]), clock


def test_tokens_that_are_far_away_are_looked_at_once_a_second(far):
    ledger, tokens, clock = far
    made, secret = Tokens(ledger).create("*", "read")
    ledger.asked = 0
    for _ in range(50):
        assert tokens.who(secret)
    assert ledger.asked == 1
    Tokens(ledger).revoke(made.id)
    ledger.asked = 0
    clock[0] = 0.99
    assert tokens.who(secret)
    clock[0] = 1.01
    assert tokens.who(secret) is None
    assert ledger.asked == 1


def test_a_token_made_elsewhere_counts_at_once_and_guesses_do_not_cost_a_look_each(far):
    ledger, tokens, clock = far
    assert tokens.who("guess") is None
    clock[0] = 0.2
    _, secret = Tokens(ledger).create("*", "read")
    assert tokens.who(secret)
    ledger.asked = 0
    clock[0] = 0.35
    for number in range(50):
        assert tokens.who(f"guess {number}") is None
    assert ledger.asked == 1


def test_while_tokens_cannot_be_had_nobody_is_let_in_and_few_ask(far):
    ledger, tokens, clock = far
    _, secret = Tokens(ledger).create("*", "admin")
    assert tokens.who(secret)
    ledger.is_away, ledger.asked = True, 0
    clock[0] = 1.5
    for _ in range(50):
        with pytest.raises(StoreAway):
            tokens.who(secret)
    assert ledger.asked == 1
    ledger.is_away = False
    clock[0] = 2.6
    assert tokens.who(secret)


def test_who_watches_a_job_with_a_token_that_is_revoked_hears_no_more(tmp_path):
    with served(tmp_path / "data") as one:
        token, secret = one.hall.tokens.create("*", "read")
        headers = one.with_token("*", "admin")
        one.client.post("/projects", json={"project_id": "p"}, headers=headers)
        one.hall.jobs.stop()  # nobody does it: it waits for ever
        job = one.client.post("/jobs", json={"project_id": "p", "kind": "tidy"}, headers=headers).json()
        revoking = threading.Timer(0.5, one.hall.tokens.revoke, [token.id])
        revoking.start()
        # It comes to its end.
        said = one.client.get(f"/jobs/{job['job_id']}/events", headers={"authorization": f"Bearer {secret}"}).text
        revoking.join()
        assert "event: progress" in said
        assert "event: end" not in said


def test_nobody_is_let_in_between_a_look_that_failed_and_word_of_it(place):
    """Whatever a failing look writes down first, there is no moment at which it counts as one that went well."""
    let_in = []

    class Watched(Tokens):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if fails:
                with suppress(StoreAway):
                    let_in.append(name) if self._is_fresh(60.0) else None

    class Away(TokenFile):
        def version(self):
            if fails:
                raise StoreAway("the database does not answer", "try again")
            return super().version()

    fails: list[bool] = []
    tokens = Watched(Away(place), every=60.0, clock=lambda: now[0])
    now = [1000.0]
    _, secret = tokens.create("*", "read")
    now[0] += 100.0
    fails.append(True)
    with pytest.raises(StoreAway):
        tokens.who(secret)
    assert not let_in
