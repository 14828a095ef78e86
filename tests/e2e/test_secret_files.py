"""Files with keys and passwords stay where they are: not indexed, not shown, not sent, at any door. Files that only look so are indexed."""

import json
import os

import pytest

from conftest import write_project
from endpoint import Endpoint
from endpoint import serving as embedding
from scova import Index, config
from scova.errors import ConfigError
from scova.stores.sqlite import SqliteStore
from secret_files import CANARY, INNOCENT, KINDS, SECRETS, plant
from serving import running


@pytest.fixture
def planted(tmp_path):
    """A project among whose files lie all kinds of secrets, and innocent ones."""
    root = write_project(tmp_path / "planted")
    plant(root, SECRETS)
    plant(root, INNOCENT)
    return root


@pytest.fixture
def endpoint(monkeypatch):
    """An embedder on another machine, chosen by the user."""
    with embedding(Endpoint()) as one:
        monkeypatch.setenv("SCOVA_EMBEDDER", one.address)
        monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
        yield one


def allow(*globs):
    """The user's own settings, with one line that allows these files."""
    config.user_file().parent.mkdir(parents=True, exist_ok=True)
    config.user_file().write_text(f"allow_secrets = {json.dumps(globs)}\n")


def secret_lines(text):
    """The lines with a secret in them that no innocent file has."""
    innocent = "\n".join(INNOCENT.values()).lower()
    return [line for line in text.lower().splitlines() if CANARY in line and line.strip() not in innocent]


def test_there_are_enough_kinds_of_secret_files():
    assert len(KINDS) >= 60
    assert len(SECRETS) >= 73


def test_no_secret_file_is_indexed_and_each_is_named_with_its_reason(scova, planted):
    scova("index", planted)
    skips = {one["path"]: one for one in scova("status", planted, "--skipped", "--json").json["skips"]}
    with Index.open(planted) as index:
        indexed = set(index.files())
    assert sorted(indexed & SECRETS.keys()) == []
    assert sorted(INNOCENT.keys() - indexed) == []
    assert {skips[path]["reason"] for path in SECRETS} == {"secret"}
    assert all("allow_secrets" in skips[path]["detail"] for path in SECRETS)


def test_a_secret_file_that_appears_later_is_not_indexed_by_an_update(planted):
    for path in SECRETS:
        (planted / path).unlink()
    with Index.open(planted) as index:
        index.refresh()
        plant(planted, SECRETS)
        index.update(SECRETS)
        assert sorted(index.files().keys() & SECRETS.keys()) == []


def test_no_secret_is_sent_to_an_embedder_elsewhere(scova, planted, endpoint):
    scova("index", planted)
    assert any("hash_password" in text for text in endpoint.texts)
    assert [secret_lines(text) for text in endpoint.texts if secret_lines(text)] == []


def test_no_secret_is_pushed_to_a_server_or_taken_by_it(scova, planted, tmp_path):
    data = tmp_path / "data"
    token = scova("token", "create", "--project", "*", "--scope", "admin", "--data", data).out.strip()
    words = ("push", planted, "--server")
    with running(data) as server:
        done = scova(*words, server.url, "--project", "p", env=os.environ | {"SCOVA_TOKEN": token})
        assert done.code == 0, done.err
        careless = os.environ | {"SCOVA_TOKEN": token, "SCOVA_INDEX_SECRETS": "1"}
        done = scova(*words, server.url, "--project", "all", "--json", env=careless)
        assert done.code == 0, done.err
        assert {one["path"] for one in done.json["skipped"]} <= SECRETS.keys()
    stores = list(data.glob("tenants/*/store.db"))
    assert len(stores) == 2
    for store in stores:
        with SqliteStore.open(store, "p") as opened:
            assert sorted(opened.files().keys() & SECRETS.keys()) == []
            assert sorted(INNOCENT.keys() - opened.files().keys()) == []


def test_grep_shows_no_secret(scova, planted):
    found = scova("grep", "-i", CANARY, planted, "--json").json
    assert sorted({one["path"] for one in found["files"]} & SECRETS.keys()) == []
    assert found["files"], "of innocent files it shows what it finds"


def test_grep_shows_no_secret_in_a_file_that_was_none_when_it_was_indexed(scova, planted):
    plant(planted, dict.fromkeys(SECRETS, f"{CANARY} = 1\n"))
    scova("index", planted)
    plant(planted, SECRETS)
    found = scova("grep", "-i", CANARY, planted, "--json", "--no-refresh").json
    assert sorted({one["path"] for one in found["files"]} & SECRETS.keys()) == []


def test_grep_shows_no_key_in_a_file_that_is_left_out_for_another_reason(scova, project):
    key = SECRETS["home/.ssh/id_rsa"]
    (project / "large.txt").write_text(key * 9000)
    (project / "kept.pgp").write_text(key)
    scova("index", project)
    found = scova("grep", "-i", CANARY, project, "--json").json
    assert found["files"] == []


def test_a_search_shows_no_secret_of_an_index_that_an_earlier_version_made(scova, project):
    (project / "terraform.tfvars").write_text(SECRETS["infra/terraform.tfvars"])
    with Index.open(project, index_secrets=True) as index:
        index.refresh()
        assert "terraform.tfvars" in index.files()
    found = scova("search", f'"{CANARY}"', project, "--json", "--no-refresh").json
    assert [one["path"] for one in found["results"]] == []
    scova("index", project)
    with Index.open(project) as index:
        assert "terraform.tfvars" not in index.files()


def test_a_named_project_and_an_evaluation_leave_secrets_out_too(scova, planted):
    scova("project", "create", "shop")
    scova("project", "add", "shop", f"folder:{planted}")
    done = scova("project", "build", "shop")
    assert done.code in (0, 3), done.err
    found = scova("search", "--project", "shop", CANARY, "--json").json
    assert not [one["path"] for one in found["results"] if one["path"].partition("/")[2] in SECRETS]


def test_one_line_in_the_settings_of_the_user_allows_a_file(scova, planted):
    allow("infra/terraform.tfvars", "**/wg0.conf", f"{planted}/ops/kubeconfig", "/elsewhere/*.pem")
    scova("index", planted)
    with Index.open(planted) as index:
        assert index.files().keys() & SECRETS.keys() == {"infra/terraform.tfvars", "net/wg0.conf", "ops/kubeconfig"}
    found = scova("grep", "-i", CANARY, planted, "--json", "-g", "infra/*").json
    assert {one["path"] for one in found["files"]} == {"infra/terraform.tfvars"}
    allow()
    scova("index", planted)
    with Index.open(planted) as index:
        assert index.files().keys() & SECRETS.keys() == set()


def test_a_project_cannot_allow_its_secrets(planted):
    (planted / ".scovaignore").write_text("!.env\n!terraform.tfvars\n!id_rsa*\n!*.jks\n")
    with Index.open(planted) as index:
        index.refresh()
        assert index.files().keys() & SECRETS.keys() == set()
    (planted / "scova.toml").write_text("allow_secrets = ['*']\n")
    try:
        allowed = config.load(planted).allow_secrets
    except ConfigError as refused:
        assert "allow_secrets" in refused.message
    else:
        assert allowed == ()
