"""What the doctor sees when something is not as it should be."""

import sqlite3
from pathlib import Path

import pytest

from endpoint import Endpoint, serving
from scova.config import user_file
from scova.doctor.check import FAIL, OK, WARN
from scova.doctor.clients import clients
from scova.doctor.machine import _cache, _disk, _watches, machine
from scova.doctor.project import project as project_checks
from scova.errors import NotAFolder
from scova.index import Index
from scova.install.clients import Around
from scova.install.record import Records


def states(checks):
    return {check.name: check.state for check in checks}


def test_a_sound_machine_has_no_failure(tmp_path):
    checks = list(machine(tmp_path / "cache"))
    assert FAIL not in {check.state for check in checks}
    assert {"scova", "command", "mcp", "cache", "disk", "git", "watching", "model", "grammars"} == {
        check.name for check in checks
    }
    assert all(check.hint for check in checks if check.state == WARN)


def test_a_cache_that_cannot_be_written_fails(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    check = _cache(file / "cache")
    assert check.state == FAIL and "SCOVA_CACHE" in check.hint


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    import shutil

    usage = shutil.disk_usage(tmp_path)
    for free, state in ((50_000_000, FAIL), (500_000_000, WARN), (5_000_000_000, OK)):
        monkeypatch.setattr(shutil, "disk_usage", lambda path, free=free: usage._replace(free=free))
        assert _disk(tmp_path).state == state


def test_low_limits_of_the_system_are_named(tmp_path):
    for watches, instances, state in ((8192, 128, WARN), (524288, 16, WARN), (524288, 128, OK)):
        (tmp_path / "max_user_watches").write_text(f"{watches}\n")
        (tmp_path / "max_user_instances").write_text(f"{instances}\n")
        check = _watches(tmp_path)
        assert check.state == state
        assert bool(check.hint) == (state == WARN)
    assert _watches(tmp_path / "none").state == OK


def test_a_project_from_nothing_to_damaged(project, tmp_path):
    data = str(tmp_path / "data")
    assert states(project_checks(str(project), data)) == {"settings": OK, "index": WARN}
    with Index.open(project, data=data) as index:
        while index.is_stale():  # files that were written a moment ago are looked at once more
            index.refresh()
    assert states(project_checks(str(project), data)) == {"settings": OK, "index": OK, "fresh": OK, "watcher": OK}
    for derived in (tmp_path / "data" / "text").glob("*.seg"):
        derived.write_bytes(b"torn")
    damaged = [check for check in project_checks(str(project), data) if check.state == FAIL]
    assert damaged and all("repair" in check.hint for check in damaged)
    store = Path(data) / "store.db"
    for name in ("store.db-wal", "store.db-shm"):
        (Path(data) / name).unlink(missing_ok=True)
    store.write_bytes(b"no database" * 1000)
    (broken,) = [check for check in project_checks(str(project), data) if check.name == "index"]
    assert broken.state == FAIL and broken.hint
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(store).execute("select * from files")


def test_a_wrong_setting_fails(project):
    user_file().parent.mkdir(parents=True)
    user_file().write_text("workerz = 1\n")
    (check,) = project_checks(str(project), None)
    assert (check.name, check.state) == ("settings", FAIL)
    assert "workers" in check.hint


def test_settings_of_a_project_that_do_not_count_are_named(project):
    (project / "scova.toml").write_text("data = '~'\nworkers = 1\n")
    (check,) = [one for one in project_checks(str(project), None) if one.name == "settings" and one.state == WARN]
    assert "`data`, `workers`" in check.message and str(user_file()) in check.hint


def test_an_embedder_of_ones_own_is_tried(project, monkeypatch):
    with serving(Endpoint()) as endpoint:
        monkeypatch.setenv("SCOVA_EMBEDDER", endpoint.address)
        monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
        (check,) = [one for one in project_checks(str(project), None) if one.name == "embedder"]
        assert (check.state, endpoint.texts) == (OK, ["is it there"])
        assert "32 numbers" in check.message
    (check,) = [one for one in project_checks(str(project), None) if one.name == "embedder"]
    assert check.state == FAIL and check.hint


def test_no_project_is_an_error(tmp_path):
    with pytest.raises(NotAFolder):
        list(project_checks(str(tmp_path / "nowhere"), None))


def test_clients_that_would_not_start_fail_and_say_what_to_do(tmp_path):
    around = Around.here(tmp_path)
    records = Records(tmp_path / "records")
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"scova": {"command": "/gone/scova", "args": ["mcp"]}}}')
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{oh")
    (around.home / ".codex").mkdir()
    found = {check.name: check for check in clients(around, records)}
    assert found["claude-code"].state == FAIL
    assert found["claude-code"].hint == "scova install claude-code --scope project"
    assert found["cursor"].state == FAIL and "by hand" in found["cursor"].hint
    assert found["codex"].state == OK and "scova install codex" in found["codex"].message
    assert "zed" not in found
