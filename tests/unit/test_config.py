"""Settings: who wins, and what is refused."""

import pytest

from scova import config
from scova.errors import ConfigError


def test_defaults_and_their_origin(tmp_path):
    values = config.load(tmp_path)
    assert values.embedder == "static"
    assert set(values.origins.values()) == {"default"}


def test_stronger_places_win(tmp_path, monkeypatch):
    config.user_file().parent.mkdir(parents=True)
    config.user_file().write_text("workers = 1\nmax_file_bytes = 11\n")
    assert config.load(tmp_path).workers == 1
    (tmp_path / "pyproject.toml").write_text("[tool.scova]\nworkers = 2\n")
    assert config.load(tmp_path).workers == 2
    (tmp_path / "scova.toml").write_text("workers = 3\n")
    assert config.load(tmp_path).workers == 3
    monkeypatch.setenv("SCOVA_WORKERS", "4")
    assert config.load(tmp_path).workers == 4
    values = config.load(tmp_path, {"workers": 5, "embedder": None})
    assert (values.workers, values.max_file_bytes) == (5, 11)
    assert values.origins["workers"] == "flag"
    assert values.origins["max_file_bytes"] == str(config.user_file())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wrokers = 2", "workers"),
        ("workers = -1", "0 or more"),
        ("workers = true", "whole number"),
        ("workers = '2'", "whole number"),
        ("refresh = 1", "true or false"),
        ("embedder = 'gpt'", "static"),
        ("embedder = 'ftp://host/v1'", "https://HOST/v1"),
        ("embedder_batch = 9", "10 to 100"),
        ("embedder_batch = 101", "10 to 100"),
        ("embedder_width = -1", "0 to 16384"),
        ("embedder_timeout_ms = 0", "100 to"),
        ("embedder_price = 0.02", "as text"),
        ("embedder_price = 'cheap'", "0 or more"),
        ("embedder_price = '-1'", "0 or more"),
        ("embedder_price = 'nan'", "0 or more"),
        ("workers =", "TOML"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, said):
    (tmp_path / "scova.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load(tmp_path)
    assert said in caught.value.message + caught.value.hint
    assert "scova.toml" in caught.value.message


@pytest.mark.parametrize(("value", "expected"), [("yes", True), ("0", False), ("off", False), ("TRUE", True)])
def test_words_for_true_and_false_in_the_environment(tmp_path, monkeypatch, value, expected):
    monkeypatch.setenv("SCOVA_REFRESH", value)
    assert config.load(tmp_path).refresh is expected


def test_nonsense_in_the_environment_names_the_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("SCOVA_REFRESH", "perhaps")
    with pytest.raises(ConfigError, match="SCOVA_REFRESH"):
        config.load(tmp_path)
    monkeypatch.setenv("SCOVA_REFRESH", "1")
    monkeypatch.setenv("SCOVA_WORKERS", "many")
    with pytest.raises(ConfigError, match="SCOVA_WORKERS"):
        config.load(tmp_path)


@pytest.mark.parametrize(
    "address", ["http://localhost:11434/v1", "https://api.example.invalid/v1", "http://[::1]:8080/v1", "https://host"]
)
def test_an_embedder_may_be_an_address(tmp_path, monkeypatch, address):
    monkeypatch.setenv("SCOVA_EMBEDDER", address)
    assert config.load(tmp_path).embedder == address


@pytest.mark.parametrize(
    "address",
    ["http://", "https:///v1", "http://host:port/v1", "http://[::1/v1", "http://ho st/v1", "http://host/v1#x"],
)
def test_an_address_that_is_none_is_refused(tmp_path, monkeypatch, address):
    monkeypatch.setenv("SCOVA_EMBEDDER", address)
    with pytest.raises(ConfigError, match="SCOVA_EMBEDDER"):
        config.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCOVA_EMBEDDER", "https://me:hunter2@host/v1"),
        ("SCOVA_EMBEDDER", "https://host/v1?key=hunter2"),
        ("SCOVA_EMBEDDER_KEY_ENV", "sk-hunter2"),
    ],
)
def test_a_secret_in_the_wrong_place_is_refused_and_not_repeated(tmp_path, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=name) as caught:
        config.load(tmp_path)
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_the_user_may_choose_an_endpoint_in_their_own_file(tmp_path):
    config.user_file().parent.mkdir(parents=True)
    config.user_file().write_text("embedder = 'http://localhost:1/v1'\nembedder_key_env = 'MY_KEY'\n")
    values = config.load(tmp_path)
    assert (values.embedder, values.embedder_key_env) == ("http://localhost:1/v1", "MY_KEY")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("", ""),
        ("postgresql://ann@db/shop", "postgresql://ann@db/shop"),
        ("postgresql://ann:hidden@db/shop", "postgresql://ann:…@db/shop"),
        ("postgresql://ann:hid@den@db:5432/shop?sslmode=require", "postgresql://ann:…@db:5432/shop?sslmode=require"),
        ("postgresql:///shop?host=db&password=hidden&user=ann", "postgresql:///shop?host=db&password=…&user=ann"),
        ("postgresql:///shop?sslpassword=hidden", "postgresql:///shop?sslpassword=…"),
    ],
)
def test_the_password_of_a_database_is_not_shown(tmp_path, url, shown):
    values = config.load(tmp_path, {"serve_store": url})
    assert values.serve_store == url
    assert config.SETTINGS["serve_store"].shown(values.serve_store) == shown


def test_a_database_of_another_kind_is_refused_without_telling_its_password(tmp_path):
    with pytest.raises(ConfigError) as caught:
        config.load(tmp_path, {"serve_store": "mysql://ann:hidden@db/shop"})
    assert "postgresql://" in caught.value.message
    assert "hidden" not in caught.value.message + caught.value.hint
