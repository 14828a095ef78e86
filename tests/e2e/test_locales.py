"""One index asked and refreshed from shells with many locales, in turn: names of files are bytes, and no shell changes them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

import locales
from conftest import SCOVA
from scova import Index
from until import until

NAMES = [
    "café.py",
    "ελληνικά.py",
    "файл.py",
    "文档/查询.md",
    "日本語/プログラム.py",
    "עברית.py",
    "한국어.py",
    "plain.py",
]
NOT_UTF8 = b"caf\xe9.py"  # the name that a program of another locale gave
SHELLS = [*locales.MADE, "C.UTF-8", "C without UTF-8 mode"]


def shell(name: str) -> dict[str, str]:
    if name in locales.MADE:
        chosen = locales.environment(name)
    else:
        chosen = {"LC_ALL": name} if name == "C.UTF-8" else locales.WITHOUT_UTF8_MODE
    return {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))} | chosen


def run(where, *words, fails=False, cwd=None) -> str:
    """What a command says in such a shell. Words are bytes, as a shell completes them from the disk."""
    command = [os.fsencode(SCOVA), *(os.fsencode(word) for word in words)]
    done = subprocess.run(command, env=shell(where), cwd=cwd, capture_output=True, timeout=120, check=False)
    said = done.stderr.decode(errors="replace")
    assert "Traceback" not in said, f"{where}: {said}"
    well = (0, 3)  # the latter says that there is a file that could not be read: the one whose name is no text
    assert fails or done.returncode in well, f"{where}: {done.returncode} {said}"
    return done.stdout.decode(errors="replace")


def fill(root: Path) -> Path:
    """Files with names in five scripts, and one with a name that is no text."""
    for number, name in enumerate(NAMES):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def login_{number}(password):\n    return password\n")
    Path(os.fsdecode(os.fsencode(root) + b"/" + NOT_UTF8)).write_text("def broken():\n    pass\n")
    (root / ".gitignore").write_text("*.log\n")
    (root / "日本語" / "x.log").write_text("nothing\n")
    return root


def exported(root: Path, to: Path) -> dict[str, bytes]:
    """Every file of an export, made by this process."""
    shutil.rmtree(to, ignore_errors=True)
    with Index.open(root) as index:
        index.export(to)
    return {path.name: path.read_bytes() for path in to.iterdir()}


@pytest.fixture
def root(tmp_path):
    return fill(tmp_path / "プロジェクト é")


def test_there_are_twelve_locales():
    assert len({*SHELLS}) == 12


@pytest.mark.parametrize("shells", [SHELLS[0::4], SHELLS[1::4], SHELLS[2::4], SHELLS[3::4]], ids=" ".join)
def test_locales_ask_and_refresh_one_index_in_turn_and_nothing_in_it_changes(root, tmp_path, shells):
    run("C.UTF-8", "index", root)
    before = exported(root, tmp_path / "out")
    for where in shells:
        (root / "文档" / "new.py").write_text("x = 1\n")  # the whole tree is walked for it, and without it again
        asked = json.loads(run(where, "search", "login password", root, "--json", "-k", "20"))
        assert {result["path"] for result in asked["results"]} >= set(NAMES), where
        (root / "文档" / "new.py").unlink()
        run(where, "index", root)
        assert exported(root, tmp_path / "out") == before, where
    assert len(os.listdir(Path(os.environ["XDG_CACHE_HOME"]) / "scova" / "projects")) == 1


@pytest.mark.parametrize("where", ["zh_CN.GBK", "ja_JP.EUC-JP", "C without UTF-8 mode"])
def test_every_command_answers_in_a_tree_with_a_name_that_cannot_be_shown(root, where):
    run("C.UTF-8", "index", root)
    (root / "日本語" / "x.log").unlink()
    for words in (
        ["search", "login", "."],
        ["search", "path:файл login", "."],
        ["grep", "login", "."],
        ["grep", "login", ".", "-g", "日本語/*"],
        ["def", "login_3", "."],
        ["outline", "文档", "."],
        ["callers", "login_4", "."],
        ["usages", "login_4", "."],
        ["context", "login_4", "."],
        ["status", ".", "--skipped"],
        ["audit", "."],
        ["config", "."],
        ["index", ".", "--force"],
        ["repair", "."],
        ["jobs"],
        ["gc"],
        ["doctor", "."],
        ["project", "list"],
    ):
        run(where, *words, cwd=root, fails=True)
    assert run("C.UTF-8", "grep", "-l", "login_", ".", "--no-refresh", cwd=root).count("\n") == len(NAMES)


def test_a_path_is_named_as_a_shell_completes_it_or_as_it_is_read(root):
    run("C.UTF-8", "index", root)
    for name in ("日本語/プログラム.py".encode(), "日本語/プログラム.py".encode("euc-jp")):
        found = run("ja_JP.EUC-JP", "outline", name, root, "--json")
        assert [file["path"] for file in json.loads(found)["files"]] == ["日本語/プログラム.py"]


@pytest.mark.parametrize("where", ["C.UTF-8", "zh_CN.GBK", "C without UTF-8 mode"])
def test_a_folder_whose_own_name_is_not_utf8_is_indexed_and_asked(tmp_path, where):
    root = fill(tmp_path / "x").rename(os.fsdecode(os.fsencode(tmp_path) + b"/proj\xe9t\xff"))
    run(where, "index", root)
    assert "login_4" in run(where, "search", "login_4", root)
    assert json.loads(run(where, "status", root, "--json"))["files"] == len(NAMES) + 1
    for words in (["grep", "login_4"], ["def", "login_4"], ["callers", "login_4"], ["outline"], ["context", "login_4"]):
        run(where, *words, root, fails=True)
    assert run(where, "audit", root)
    run(where, "index", "--background", root, fails=True)


def test_clearing_up_in_another_locale_removes_no_index_of_a_folder_that_is_there(root):
    run("C.UTF-8", "index", root)
    for where in ("zh_CN.GBK", "C without UTF-8 mode"):
        run(where, "gc")
        assert json.loads(run("C.UTF-8", "status", root, "--json"))["indexed"], where


@pytest.mark.parametrize("where", ["zh_CN.GBK", "C without UTF-8 mode"])
def test_a_watcher_brings_in_what_changes_under_its_true_name(root, tmp_path, where):
    command = [SCOVA, "watch", root, "--quiet-ms", "50", "--max-wait-ms", "500"]
    with (tmp_path / "said").open("wb") as said:
        watch = subprocess.Popen(command, env=shell(where), stdout=said, stderr=said)
    try:
        until(lambda: json.loads(run("C.UTF-8", "status", root, "--json", fails=True))["files"] == len(NAMES) + 1)
        (root / "日本語" / "новый.py").write_text("def brought_in():\n    pass\n")
        (root / "café.py").unlink()
        until(lambda: "новый" in run("C.UTF-8", "search", "brought_in", root, "--no-refresh", fails=True))
        assert "login_0" not in run("C.UTF-8", "grep", "login_0", root, "--no-refresh", fails=True)
    finally:
        watch.terminate()
        assert watch.wait(20) == 0
    assert b"Traceback" not in (tmp_path / "said").read_bytes()


def test_named_projects_and_jobs_made_in_one_locale_work_in_another(root):
    run("zh_CN.GBK", "project", "create", "docs")
    run("zh_CN.GBK", "project", "add", "docs", b"folder:" + os.fsencode(root))
    built = run("C.UTF-8", "project", "build", "docs", fails=True)
    assert "login_4" in run("ja_JP.EUC-JP", "search", "login_4", "--project", "docs"), built
    run("ru_RU.KOI8-R", "project", "build", "docs", fails=True)
    assert "login_4" in run("C.UTF-8", "search", "login_4", "--project", "docs")


def test_the_python_api_keeps_names_as_bytes_in_any_locale(root):
    script = (
        "from scova import Index\n"
        "with Index.open('.') as index:\n"
        "    index.refresh(force=True)\n"
        "    print(sorted(result.chunk.file_path.encode('utf-8', 'surrogateescape').hex() for result in"
        " index.search('login password', limit=50).results if result.chunk.chunk_type != 'symbols'))\n"
    )
    said = {}
    for where in ("C.UTF-8", "zh_CN.GBK", "ja_JP.EUC-JP", "C without UTF-8 mode"):
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=root, env=shell(where), capture_output=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        said[where] = done.stdout
    assert len(set(said.values())) == 1, said
    assert "файл.py".encode().hex().encode() in said["C.UTF-8"]


@pytest.mark.parametrize("where", ["zh_CN.GBK", "C without UTF-8 mode"])
def test_agents_hear_true_names_and_give_them(root, where):
    async def talk():
        server = StdioServerParameters(command=str(SCOVA), args=["mcp"], cwd=str(root), env=shell(where))
        with anyio.fail_after(100):
            async with Client(server) as client:
                found = await client.call_tool("search", {"query": "login_4"})
                outlined = await client.call_tool("outline", {"path": "日本語", "project": str(root)})
                return str(found.content), str(outlined.content)

    run("C.UTF-8", "index", root)
    for said in anyio.run(talk):
        assert "日本語/プログラム.py" in said
    assert run("C.UTF-8", "grep", "-l", "login_", root, "--no-refresh").count("\n") == len(NAMES)
