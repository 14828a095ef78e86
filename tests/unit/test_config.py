"""Settings: who wins, and what is refused."""

import json
import os
import time

import pytest

from scova import config
from scova.errors import ConfigError


@pytest.fixture(autouse=True)
def nothing_said_yet(monkeypatch):
    monkeypatch.setattr(config, "_noted", set())


def test_defaults_and_their_origin(tmp_path):
    values = config.load(tmp_path)
    assert values.embedder == "static"
    assert set(values.origins.values()) == {"default"}


def test_stronger_places_win(tmp_path, monkeypatch):
    config.user_file().parent.mkdir(parents=True)
    config.user_file().write_text("workers = 1\nmax_file_bytes = 11\n")
    assert config.load(tmp_path).workers == 1
    (tmp_path / "pyproject.toml").write_text("[tool.scova]\nmax_file_bytes = 10\n")
    assert config.load(tmp_path).max_file_bytes == 10
    (tmp_path / "scova.toml").write_text("max_file_bytes = 9\n")
    assert config.load(tmp_path).max_file_bytes == 9
    monkeypatch.setenv("SCOVA_MAX_FILE_BYTES", "12")
    assert config.load(tmp_path).max_file_bytes == 12
    monkeypatch.delenv("SCOVA_MAX_FILE_BYTES")
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / "scova.toml").unlink()
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
    config.user_file().parent.mkdir(parents=True)
    config.user_file().write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load(tmp_path)
    assert said in caught.value.message + caught.value.hint
    assert "config.toml" in caught.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_file_bytes = -1", "1 or more"),
        ("max_file_bytes = 'large'", "whole number"),
        ("include = 'src'", "a list of texts"),
        ("exclude = ['a', 3]", "a list of texts"),
        ("exclude = ['']", "-x"),
        ("include = ['[b-a]']", "-p"),
        ("languages =", "TOML"),
    ],
)
def test_what_is_wrong_in_a_project_is_said(tmp_path, text, said):
    (tmp_path / "scova.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load(tmp_path)
    assert said in caught.value.message + caught.value.hint
    assert "scova.toml" in caught.value.message


OTHERS = sorted(set(config.SETTINGS) - {"max_file_bytes", "include", "exclude", "languages"})
WORDS = {"data": "~", "embedder": "https://host/v1", "serve_store": "postgresql://a@b/c"}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("file", ["scova.toml", "pyproject.toml"])
def test_a_project_sets_nothing_but_what_is_allowed(tmp_path, name, file, caplog):
    default = config.SETTINGS[name].default
    value = WORDS.get(name, {bool: not default, int: 7, str: "x", tuple: ["x"]}[type(default)])
    written = json.dumps(value)
    (tmp_path / file).write_text(f"{'[tool.scova]' * (file != 'scova.toml')}\n{name} = {written}\n")
    values = config.load(tmp_path)
    assert getattr(values, name) == default
    assert values.origins[name] == "default"
    assert values.ignored == (f"`{name}` in {tmp_path / file}",)
    assert [record.getMessage().count("\n") for record in caplog.records] == [0]
    config.load(tmp_path)
    assert len(caplog.records) == 1, "it is said once"


def test_a_project_only_lowers_the_size_of_files(tmp_path):
    (tmp_path / "scova.toml").write_text("max_file_bytes = 400000000\n")
    values = config.load(tmp_path)
    assert values.max_file_bytes == 5_000_000
    assert "can only be lowered" in values.ignored[0]
    config.user_file().parent.mkdir(parents=True)
    config.user_file().write_text("max_file_bytes = 1000\n")
    (tmp_path / "scova.toml").write_text("max_file_bytes = 2000\n")
    assert config.load(tmp_path).max_file_bytes == 1000
    (tmp_path / "scova.toml").write_text("max_file_bytes = 500\n")
    assert config.load(tmp_path).max_file_bytes == 500


def test_what_a_project_excludes_comes_beside_what_the_user_does(tmp_path, monkeypatch):
    config.user_file().parent.mkdir(parents=True)
    config.user_file().write_text("exclude = ['private/**']\ninclude = ['src/**']\n")
    (tmp_path / "scova.toml").write_text("exclude = ['docs/**']\ninclude = ['**']\nlanguages = ['go']\n")
    values = config.load(tmp_path)
    assert values.exclude == ("private/**", "docs/**")
    assert values.include == ("src/**",), "the user's own stands"
    assert values.languages == ("go",)
    assert "your own settings say otherwise" in values.ignored[0]
    monkeypatch.setenv("SCOVA_EXCLUDE", "a/**, *.md")
    assert config.load(tmp_path).exclude == ("a/**", "*.md")
    assert config.load(tmp_path, {"exclude": ["b"]}).exclude == ("b",)


def test_names_of_a_stranger_are_shown_short_and_harmless(tmp_path):
    many = "\n".join(f"x{number} = 1" for number in range(50))
    (tmp_path / "scova.toml").write_text(f'"a\\u001b[31m" = 1\n{"y" * 300} = 1\nexlude = ["a"]\n{many}\n')
    (said,) = config.load(tmp_path).ignored
    assert "\x1b" not in said and len(said) < 400 and "\n" not in said
    assert "did you mean `exclude`" in said and "more in" in said


@pytest.mark.parametrize("name", ["scova.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    "kind", ["zero", "pipe", "outside", "keys", "less keys", "table", "brackets", "huge", "folder"]
)
def test_a_file_of_settings_that_is_meant_to_hurt_does_not(tmp_path, name, kind):
    path = tmp_path / "root" / name
    path.parent.mkdir()
    head = "" if name == "scova.toml" else "[tool.scova]\n"
    if kind == "zero":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "outside":
        (tmp_path / "outside.toml").write_text(f"{head}exclude = ['a']\n")
        path.symlink_to(tmp_path / "outside.toml")
    elif kind == "keys":
        path.write_text(head + ".".join(["a"] * 200_000) + " = 1\n")
    elif kind == "less keys":
        path.write_text(head + ".".join(["a", '"b"', "'c'"] * 4_000) + " = 1\n")
    elif kind == "table":
        path.write_text(f"{head}a = {{b = {{ {'.'.join(['a'] * 20_000)} = 1}}}}\n")
    elif kind == "brackets":
        path.write_text(f"{head}a = {'[' * 20_000}\n")
    elif kind == "huge":
        path.write_bytes(head.encode())
        os.truncate(path, 4_000_000_000)
    else:
        path.mkdir()
    began = time.process_time()
    try:
        assert config.load(path.parent).exclude == ()
    except ConfigError as error:
        assert kind in ("less keys", "table", "brackets") and "is not valid TOML" in error.message
    assert time.process_time() - began < 5


def test_a_user_is_told_that_their_own_file_cannot_be_used(tmp_path):
    config.user_file().parent.mkdir(parents=True)
    config.user_file().write_bytes(b"#" * 100_000)
    with pytest.raises(ConfigError, match="larger than"):
        config.load(tmp_path)


def test_a_users_own_file_may_be_a_link(tmp_path):
    (tmp_path / "dotfiles.toml").write_text("workers = 3\n")
    config.user_file().parent.mkdir(parents=True)
    config.user_file().symlink_to(tmp_path / "dotfiles.toml")
    assert config.load(tmp_path).workers == 3


def test_a_server_has_settings_in_its_own_folder(tmp_path):
    (tmp_path / "scova.toml").write_text("serve_rate = 5\n")
    values = config.load_server(tmp_path)
    assert (values.serve_rate, values.ignored) == (5, ())


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
