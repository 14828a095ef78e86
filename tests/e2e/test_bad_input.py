"""Bad input: a clear word, the right exit code, never a traceback, nothing lost."""

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scova.config import user_file


def store_of(data: Path) -> Path:
    return next(data.rglob("store.db"))


@pytest.fixture
def indexed(project, tmp_path, scova):
    """An indexed project and the folder of its index."""
    data = tmp_path / "data"
    assert scova("index", project, "--data", data).code == 0
    return project, data


def test_a_folder_that_does_not_exist(scova, tmp_path):
    for command in ("index", "status", "audit", "repair"):
        done = scova(command, tmp_path / "nowhere")
        assert done.code == 2
        assert "nowhere" in done.err and "hint:" in done.err
    assert scova("search", "x", tmp_path / "nowhere").code == 2


def test_a_file_instead_of_a_folder(scova, project):
    done = scova("index", project / "README.md")
    assert done.code == 2
    assert "not a folder" in done.err


def test_an_empty_folder(scova, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    done = scova("index", empty, "--json")
    assert done.code == 0
    assert done.json["files"] == 0
    assert scova("search", "anything", empty).code == 1
    assert scova("audit", empty).code == 0


def test_an_empty_query_and_a_bad_limit(scova, project):
    for words in (["search", "", project], ["search", "x", project, "-k", "0"], ["search", "x", project, "-k", "-3"]):
        done = scova(*words)
        assert done.code == 2
        assert "hint:" in done.err


@pytest.mark.parametrize("budget", ["0", "-5"])
def test_a_budget_that_holds_nothing_is_refused(scova, project, budget):
    done = scova("search", "password", project, "--budget", budget)
    assert (done.code, done.out) == (2, "") and f"the budget is {budget}" in done.err and "hint:" in done.err


def test_no_command_gives_the_list_of_them(scova):
    for words, listed in (([], "find every line that matches"), (["project"], "list all projects")):
        done = scova(*words)
        assert (done.code, done.out) == (2, "")
        assert listed in done.err and "required" in done.err


def test_going_on_without_the_question_says_that_it_is_needed_again(scova):
    done = scova("search", "--next", "after-3")
    assert done.code == 2
    assert "with `--next` the same one again" in done.err


def test_status_of_a_folder_that_is_not_indexed_gives_the_command_with_its_path(scova, project):
    done = scova("status", project)
    assert done.code == 3
    assert f"run `scova index {project}`" in done.out


def test_unknown_words_on_the_command_line(scova, project):
    assert scova("serach", "x").code == 2
    assert scova("search", "x", project, "--mode", "psychic").code == 2
    assert scova("search", "x", project, "--no-such-flag").code == 2


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("search", "foo", "--bogus"), "`--help` lists the options"),
        (("search", "foo", "--budgt", "3"), "did you mean `--budget`?"),
        (("grep", "foo", "src", "tests"), "one folder is taken; `-g GLOB`"),
        (("search", "foo", "src", "tests"), "one folder is taken; `--path GLOB`"),
        (("search", "where", "are", "passwords", "checked"), "in quotes"),
        (("search", "src", "session cookie"), 'comes first, then the folder: "session cookie" src'),
        (("grep", "src", "session cookie"), 'comes first, then the folder: "session cookie" src'),
    ],
)
def test_the_hint_fits_what_is_wrong_with_the_words(project, monkeypatch, scova, words, hint):
    monkeypatch.chdir(project)
    done = scova(*words)
    said = done.err.partition("hint: ")[2]
    assert (done.code, done.out) == (2, "") and hint in said
    assert ("in quotes" in said) == (hint == "in quotes")


def test_a_binary_named_py_is_listed_and_said(scova, project):
    (project / "blob.py").write_bytes(bytes(range(256)) * 40)
    done = scova("index", project, "--json")
    assert done.code == 3
    assert done.json["skipped"] >= 1
    listed = scova("status", project, "--skipped", "--json").json["skips"]
    assert {"path": "blob.py", "reason": "binary"}.items() <= next(s for s in listed if s["path"] == "blob.py").items()


def test_a_huge_minified_file_is_not_read(scova, project):
    with (project / "app.js").open("w") as file:
        file.write("var a=1;" * (50_000_000 // 8))
    done = scova("index", project, "--json")
    assert done.code == 3
    skip = next(s for s in scova("status", project, "--skipped", "--json").json["skips"] if s["path"] == "app.js")
    assert skip["reason"] in ("too-large", "minified")
    assert skip["detail"]


def test_invalid_utf8_is_read_all_the_same(scova, project):
    (project / "latin.py").write_bytes("def größe_berechnen():\n    return 'schön'\n".encode("latin-1"))
    assert scova("index", project).code == 0
    found = scova("search", "größe_berechnen", project, "--json").json["results"]
    assert found[0]["path"] == "latin.py"


def test_a_symlink_loop_and_a_link_that_leads_out(scova, project, tmp_path):
    (project / "loop").symlink_to(project)
    (tmp_path / "secret.py").write_text("password = 'from outside'\n")
    (project / "out.py").symlink_to(tmp_path / "secret.py")
    done = scova("index", project, "--json")
    assert done.code == 0
    assert all("outside" not in r["text"] for r in scova("search", "from outside", project, "--json").json["results"])
    skips = {s["path"]: s["reason"] for s in scova("status", project, "--skipped", "--json").json["skips"]}
    assert skips["loop"] == skips["out.py"] == "symlink"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become another user")
def test_no_permission_on_a_file_and_on_a_folder(project, tmp_path):
    """Run as nobody: root may read everything."""
    (project / "private.py").write_text("x = 1\n")
    (project / "private.py").chmod(0)
    (project / "closed").mkdir(mode=0)
    data = tmp_path / "data"
    data.mkdir()
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    for path in [data, *project.rglob("*"), project]:
        if path.name not in ("private.py", "closed"):
            os.chown(path, 65534, 65534)
    script = (
        "import os, sys; os.setgid(65534); os.setuid(65534); os.environ.update(HOME=sys.argv[2], XDG_CACHE_HOME=sys.argv[2]);"
        "sys.argv = ['scova', 'index', sys.argv[1], '--data', sys.argv[2], '--json'];"
        "from scova.cli.main import main; sys.exit(main())"
    )
    if not os.access(sys.executable, os.X_OK) or not _nobody_can_run_python():
        pytest.skip("the interpreter itself is not readable by other users here")
    done = subprocess.run([sys.executable, "-c", script, project, data], capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr


def _nobody_can_run_python() -> bool:
    done = subprocess.run(
        [sys.executable, "-c", "import os; os.setuid(65534); import scova.index, simsimd"], capture_output=True
    )
    return done.returncode == 0


def test_a_corrupt_store_is_said_and_repaired(indexed, scova):
    project, data = indexed
    before = scova("search", "hash password", project, "--data", data, "--json").json["results"]
    store = store_of(data)
    for suffix in ("-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    store.write_bytes(b"this is not a database" * 500)
    for command in (["status", project], ["search", "hash", project], ["index", project], ["audit", project]):
        done = scova(*command, "--data", data)
        assert done.code == 2, command
        assert "scova repair" in done.err
    assert scova("repair", project, "--data", data).code == 0
    assert scova("audit", project, "--data", data).code == 0
    after = scova("search", "hash password", project, "--data", data, "--json").json["results"]
    strip = lambda results: [{k: v for k, v in r.items() if k != "revision_id"} for r in results]  # noqa: E731
    assert strip(after) == strip(before)


@pytest.mark.parametrize("damage", ["half", "zero", "flip"])
def test_a_torn_store_never_gives_a_traceback(indexed, scova, damage):
    project, data = indexed
    store = store_of(data)
    content = bytearray(store.read_bytes())
    if damage == "half":
        content = content[: len(content) // 2]
    elif damage == "zero":
        content = bytearray()
    else:
        for place in range(100, len(content), 997):
            content[place] ^= 0xFF
    store.write_bytes(content)
    for command in (["status", project], ["search", "hash", project], ["index", project], ["audit", project]):
        scova(*command, "--data", data)
    assert scova("repair", project, "--data", data).code == 0
    assert scova("audit", project, "--data", data).code == 0
    assert scova("search", "hash_password", project, "--data", data).code == 0


def test_a_store_of_a_future_version_is_left_alone(indexed, scova):
    project, data = indexed
    connection = sqlite3.connect(store_of(data))
    connection.execute("PRAGMA user_version = 9999")
    connection.commit()
    connection.close()
    before = store_of(data).read_bytes()
    for command in (["search", "hash", project], ["index", project], ["repair", project]):
        done = scova(*command, "--data", data)
        assert done.code == 2
        assert "newer" in done.err and "hint:" in done.err
    assert store_of(data).read_bytes() == before


@pytest.mark.parametrize("kind", ["*.seg", "*.vec"])
@pytest.mark.parametrize("damage", ["gone", "empty", "half", "flip"])
def test_a_damaged_derived_file_is_covered_found_and_mended(indexed, scova, kind, damage):
    """Derived files are only caches: answers stay right. One that is gone or torn comes back with the next refresh, which a
    search begins with; flipped bits are found by an audit, and a repair makes the file anew."""
    project, data = indexed
    wanted = [r["path"] for r in scova("search", "hash_password", project, "--data", data, "--json").json["results"]]
    path = next(data.rglob(kind))
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "flip":
        flipped = bytearray(content)
        for place in range(len(content) // 3, len(content), 61):
            flipped[place] ^= 0x55
        path.write_bytes(flipped)
    else:
        path.write_bytes(content[: len(content) // 2 if damage == "half" else 0])
    done = scova("search", "hash_password", project, "--data", data, "--json")
    assert done.code == 0
    if damage != "flip":
        assert [r["path"] for r in done.json["results"]] == wanted
    assert scova("audit", project, "--data", data).code == (3 if damage == "flip" else 0)
    assert scova("repair", project, "--data", data).code == 0
    assert scova("audit", project, "--data", data).code == 0


def test_files_that_vanish_while_being_read(scova, tmp_path):
    """A folder that is being emptied while it is indexed: no error, and the next run agrees with the tree."""
    root = tmp_path / "vanishing"
    root.mkdir()
    for number in range(400):
        (root / f"f{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 50)
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("scova")), "index", str(root), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for number in range(0, 400, 2):
        (root / f"f{number}.py").unlink()
        time.sleep(0.002)
    _, err = process.communicate(timeout=120)
    assert process.returncode in (0, 3), err
    assert "Traceback" not in err
    assert scova("index", root, "--json").json["files"] == 200
    assert scova("audit", root).code == 0


def test_bad_settings_name_the_file_and_suggest(scova, project):
    mine = user_file()
    mine.parent.mkdir(parents=True)
    mine.write_text("workrs = 2\n")
    done = scova("config", project)
    assert done.code == 2
    assert "workrs" in done.err and "workers" in done.err
    mine.write_text("workers = -2\n")
    assert "0 or more" in scova("index", project).err
    mine.write_text("workers = [\n")
    assert "TOML" in scova("index", project).err
    mine.unlink()
    (project / "scova.toml").write_text("exclude = [\n")
    assert "TOML" in scova("index", project).err
    (project / "scova.toml").write_text("languages = ['pyhton']\n")
    done = scova("index", project)
    assert done.code == 2 and "did you mean python" in done.err


def test_settings_of_a_project_that_do_not_count_are_named_once(scova, project):
    (project / "scova.toml").write_text("data = 'here'\nindex_secrets = true\nexlude = ['x']\n")
    for words in (["index", project], ["search", "x", project, "--json"], ["status", project], ["config", project]):
        done = scova(*words)
        said = [line for line in done.err.split("\n") if "ignored" in line]
        assert len(said) == 1, done.err
        assert "`data`, `index_secrets`, `exlude` (did you mean `exclude`?)" in said[0]
    assert not (project / "here").exists()
    assert "index_secrets" in scova("status", project, "--json").json["ignored_settings"][0]
    assert "index_secrets" in scova("config", project, "--json").json["ignored"][0]
    assert scova("config", project, "--json").json["index_secrets"] == {"value": False, "origin": "default"}


def test_an_index_folder_that_cannot_be_written(scova, project):
    for words in (["index", project], ["search", "x", project]):
        done = scova(*words, "--data", "/proc/nothing")
        assert done.code == 2
        assert "error: the index folder `/proc/nothing` cannot be made" in done.err
        assert "hint: choose another with --data" in done.err
