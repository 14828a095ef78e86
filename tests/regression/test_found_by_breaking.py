"""Defects that a hostile tester found before the first release; each stays mended."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SCOVA, write_project
from scova import Index, Query
from until import until_old


def test_searches_that_come_while_the_first_build_runs_wait_for_it(tmp_path):
    root = write_project(tmp_path / "project")
    for number in range(150):
        (root / f"more_{number}.py").write_text(f"def more_{number}():\n    return {number}\n" * 20)
    command = [str(SCOVA), "search", "hash_password", str(root), "--data", str(tmp_path / "data"), "--json"]
    many = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    ends = [process.communicate(timeout=120) for process in many]
    assert [process.returncode for process in many] == [0] * 4, ends
    assert all('"src/auth.py"' in out for out, _ in ends)


def test_an_answer_from_an_older_index_says_how_much_is_missing(scova, project):
    until_old(project)
    scova("index", project)
    (project / "new.py").write_text("def brand_new():\n    return 1\n")
    answer = scova("search", "brand_new", project, "--no-refresh", "--json").json
    assert answer["freshness"]["pending_files"] == 1
    assert scova("search", "brand_new", project, "--json").json["freshness"]["pending_files"] == 0


def test_output_that_cannot_show_a_character_is_no_reason_to_fail(scova, project):
    (project / "uni.py").write_text("def 日本語():\n    return '🎉'\n")
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    assert scova("search", "日本語", project, env=environment).code == 0
    assert scova("search", "日本語", project, "--json", env=environment).json["results"][0]["path"] == "uni.py"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_channels_that_are_closed_from_the_start(project, closed):
    command = f"{SCOVA} search hash_password {project} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    done = subprocess.run(["bash", "-c", f"{SCOVA} search '\"' {project} 2>&-"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


def test_repairing_what_was_never_indexed_indexes_it(scova, project):
    assert scova("repair", project).code == 0
    assert scova("audit", project).code == 0
    assert scova("search", "hash_password", project, "--no-refresh").code == 0


def test_a_relative_data_folder_is_relative_to_where_one_stands(scova, project, tmp_path):
    assert scova("index", project, "--data", "here", cwd=tmp_path).code == 0
    assert (tmp_path / "here" / "store.db").exists()
    assert not (project / "here").exists()


def test_flags_mean_the_same_as_operators(scova, project):
    for flag, operator in (
        ("--language=Python", "lang:Python"),
        ("--kind=func", "kind:func"),
        ("--path=src", "path:src"),
    ):
        by_flag = scova("search", "password", project, flag, "--json").json
        by_operator = scova("search", f"password {operator}", project, "--json").json
        assert [r["id"] for r in by_flag["results"]] == [r["id"] for r in by_operator["results"]] != []
    done = scova("search", "password", project, "--language", "pyhton")
    assert done.code == 2
    assert "python" in done.err


def test_a_qualified_name_finds_its_definition_before_a_namesake_in_a_test(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "src/w.py").write_text("class Widget:\n    def paint(self):\n        return 'red'\n")
    (tmp_path / "tests/test_w.py").write_text(
        "def paint():\n    return Widget().paint()\n\n\nclass TestWidget:\n    pass\n"
    )
    with Index.open(tmp_path, data=".scova") as index:
        index.refresh()
        for text in ("Widget.paint", "paint", "Widget"):
            for mode in ("hybrid", "symbol"):
                best = index.search(text, mode=mode).results[0]
                assert best.chunk.file_path == "src/w.py", (text, mode)


def test_pages_of_a_budget_show_everything_once(project, tmp_path):
    for number in range(25):
        (project / f"salad_{number}.py").write_text(
            f"def salad_{number}():\n" + "    cucumber()\n" * (3 + 4 * (number % 7))
        )
    with Index.open(project, data=str(tmp_path / "data")) as index:
        index.refresh()
        wanted = {r.chunk.id for r in index.search("cucumber salad", limit=200).results}
        seen: list[str] = []
        handle, pages = "", 0
        while pages < 200:
            answer = index.search(Query("cucumber salad", limit=10, budget=260, after=handle))
            assert answer.tokens <= 260
            seen += [r.chunk.id for r in answer.results if "called_by_result" not in r.shares]
            handle, pages = answer.next, pages + 1
            if not handle:
                break
    assert sorted(seen) == sorted(set(seen))
    assert set(seen) >= wanted


def test_a_budget_too_small_for_anything_says_what_it_takes(scova, project):
    done = scova("search", "hash_password", project, "--budget", "3")
    assert done.code == 2
    assert "raise the budget" in done.err


def test_a_phrase_without_words_and_one_inside_unspaced_text(scova, project):
    (project / "odd.py").write_text("arrow = lambda f: f  # a ~> b\n日本語テキスト = 1\n")
    for phrase in ('"~>"', '"日本語"'):
        found = scova("search", phrase, project, "--json").json
        assert {r["path"] for r in found["results"]} == {"odd.py"}, phrase
        assert found["literal"]["count"] == 1


def test_settings_with_a_private_key_inside_are_secrets(scova, project):
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
    (project / "service.json").write_text(f'{{"private_key": "-----BEGIN PRIVATE KEY-----\\n{body}\\n"}}\n')
    (project / "talks.md").write_text("A key begins with `-----BEGIN PRIVATE KEY-----`.\n")
    scova("index", project)
    skips = {s["path"]: s["reason"] for s in scova("status", project, "--skipped", "--json").json["skips"]}
    assert skips == {"service.json": "secret"}


def test_the_first_words_of_help_do_not_need_an_index():
    done = subprocess.run(
        [sys.executable, "-m", "scova.cli.main", "--help"], capture_output=True, text=True, cwd=Path("/")
    )
    assert done.returncode == 0
    assert "exit codes" in done.stdout


def test_a_name_that_is_only_explained_is_found_before_one_that_is_like_it(tmp_path, scova):
    """Names of other packages are defined nowhere here; the guide that uses one was below everything that has a part of it."""
    root = write_project(tmp_path / "project")
    (root / "guide.md").write_text("# Uploads\n\nNames are made safe by `secure_filename` before a file is saved.\n")
    (root / "src/cookie.py").write_text("class SecureCookieSession:\n    def open(self):\n        return 'cookie'\n")
    found = scova("search", "secure_filename", root, "--json").json["results"]
    assert found[0]["path"] == "guide.md"
