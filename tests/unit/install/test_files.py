"""Files that cannot be changed safely are refused with a clear word, and stay as they are."""

import os

import pytest

from scova.errors import ClientError
from scova.install.apply import apply
from scova.install.clients import Around, client_named
from scova.install.files import MOST_BYTES, look, put
from scova.install.plan import Setup
from scova.install.record import Record, Records
from scova.install.text.trace import Trace

COMMAND = ["/opt/scova", "mcp"]


@pytest.fixture
def setup(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    return Setup(client_named("claude-code"), "project", Around.here(project), Records(tmp_path / "records"))


@pytest.fixture
def config(tmp_path, setup):
    return tmp_path / "project" / ".mcp.json"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"mcpServers": {', "not valid JSON: line 1, column 17"),
        (b'{\n"a": 1,\n"a": 2}', "line 3, column 1: `a` is there twice"),
        (b"[]", "cannot take the entry: it is not an object"),
        (b'{"mcpServers": [1]}', "cannot take the entry: `mcpServers` is not an object"),
        (b'{"mcpServers": {"scova": null}}', "did not write"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_a_broken_configuration_is_refused_and_untouched(content, why, setup, config):
    config.write_bytes(content)
    with pytest.raises(ClientError) as caught:
        setup.install(COMMAND)
    assert why in caught.value.message
    assert "nothing was changed" in caught.value.message and caught.value.hint
    assert config.read_bytes() == content


def test_broken_toml_is_refused(tmp_path, setup):
    codex = Setup(client_named("codex"), "project", Around.here(tmp_path / "project"), setup.records)
    path = tmp_path / "project" / ".codex" / "config.toml"
    path.parent.mkdir()
    for content in ("a = 1\na = 2\n", "a = ", "mcp_servers = {}\n", "[[mcp_servers]]\n"):
        path.write_text(content)
        with pytest.raises(ClientError, match="nothing was changed"):
            codex.install(COMMAND)
        assert path.read_text() == content


def test_too_large_a_file_is_refused(setup, config):
    with config.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ClientError, match="which no configuration has"):
        setup.install(COMMAND)


def test_a_read_only_file_is_refused(setup, config):
    config.write_text("{}")
    config.chmod(0o444)
    with pytest.raises(ClientError, match="read-only"):
        setup.install(COMMAND)


def test_a_folder_in_its_place_is_refused(setup, config):
    config.mkdir()
    with pytest.raises(ClientError, match="is not a file"):
        setup.install(COMMAND)


def test_a_link_is_followed_and_stays_a_link(setup, config, tmp_path):
    real = tmp_path / "project" / "settings" / "servers.json"
    real.parent.mkdir()
    real.write_text("{}")
    config.symlink_to(real)
    apply(setup.install(COMMAND), setup.records)
    assert config.is_symlink() and "scova" in real.read_text()
    apply(setup.uninstall(), setup.records)
    assert config.is_symlink() and real.read_text() == "{}"


def test_a_link_that_leads_out_of_the_project_is_refused(setup, config, tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_text("{}")
    config.symlink_to(outside)
    with pytest.raises(ClientError, match="leads elsewhere"):
        setup.install(COMMAND)
    assert outside.read_text() == "{}"


def test_links_that_lead_nowhere_or_round_in_circles_are_refused(setup, config, tmp_path):
    config.symlink_to(tmp_path / "project" / "gone.json")
    with pytest.raises(ClientError, match="not there"):
        setup.install(COMMAND)
    config.unlink()
    config.symlink_to(config)
    with pytest.raises(ClientError, match="cannot be read"):
        setup.install(COMMAND)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(setup, config):
    config.write_text("{}")
    config.chmod(0o200)
    with pytest.raises(ClientError, match="cannot be read"):
        setup.install(COMMAND)


def test_a_file_that_changes_meanwhile_is_left_to_the_other(setup, config):
    config.write_text("{}")
    changes = setup.install(COMMAND)
    config.write_text('{"theirs": 1}')
    with pytest.raises(ClientError, match="meanwhile"):
        apply(changes, setup.records)
    assert config.read_text() == '{"theirs": 1}'


def test_when_one_file_cannot_be_written_none_is(setup, config, tmp_path):
    changes = setup.install(COMMAND)
    (tmp_path / "project" / "CLAUDE.md").write_text("appeared meanwhile")
    with pytest.raises(ClientError, match="meanwhile"):
        apply(changes, setup.records)
    assert not config.exists()


def test_nothing_unfinished_is_left(setup, config, tmp_path):
    apply(setup.install(COMMAND), setup.records)
    assert {path.name for path in (tmp_path / "project").iterdir()} == {".mcp.json", "CLAUDE.md"}


def test_mode_and_bytes_of_a_replaced_file(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"a")
    path.chmod(0o640)
    put(look(path, [tmp_path]), b"b\r\n\xff")
    assert path.read_bytes() == b"b\r\n\xff"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_damaged_record_is_no_record(tmp_path):
    records = Records(tmp_path)
    record = Record("/a/b", ("cursor",), Trace("\n  ", "\n", 1), True, ("/a",), {"command": "x"})
    records.put(record)
    assert records.get(tmp_path) is None
    from pathlib import Path

    assert records.get(Path("/a/b")) == record
    file = next(tmp_path.iterdir())
    for content in (
        b"",
        b"{}",
        b"[1]",
        file.read_bytes().replace(b'"\\n  "', b"5"),
        file.read_bytes().replace(b'"\\n  "', b'"rm"'),
    ):
        file.write_bytes(content)
        assert records.get(Path("/a/b")) is None
