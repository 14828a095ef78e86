"""A folder whose files have CRLF ends answers as the same folder with LF ends does, and shows no carriage return anywhere."""

import json
import os
import pty
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from conftest import SCOVA
from e2e.test_mcp import on_stdio, talk
from indexed import with_crlf
from scova import Index
from serving import served

REPOSITORY = Path(__file__).parents[2]
SAMPLE = (
    "src/scova/search/regex",
    "src/scova/search/structure",
    "src/scova/sources/web",
    "docs/guides",
    "tests/golden",
)
ALSO = ("README.md", "CONTRIBUTING.md", "pyproject.toml", "src/scova/types.py", "src/scova/counted.py")

COMMANDS = """
search "how is a pattern matched in a very long line"
search "how is a pattern matched in a very long line" --json
search "room for matching lines" --mode text --json -k 20
search "room for matching lines" --mode vector --json -k 20
search Matcher --mode symbol --json
search "def \\w+_reader" --mode regex --json
search "class .*:" --mode regex
search Matcher --explain
search "robots sitemap charset" --budget 3000
search "robots sitemap charset" --budget 3000 --json
search "\\"line feed\\"" --json
search "grep +pattern -exchange" --json
search "pars* OR match*" -p "src/**" --json
search "how do I push a folder" -t documentation --json
search "user repository" -l kotlin --json -k 30
search "line" --tag test --json
search stored_reader
search "key: value" -t data --json
grep "return None"
grep "return" -c
grep -i "LINE FEED" --json
grep -w "line" -l
grep -F "(self," -m 2
grep -v "e" -c
grep "^class \\w+" -C 1
grep "^\\s*def _\\w+" -t py --heading
grep "[A-Z]\\w+Error" --limit 20 --json
def Matcher
def stored_reader --body
def Matcher --json
def add --json
outline src/scova/search/regex
outline tests/golden --json
outline docs/guides/grep.md
callers stored_reader
callers parse --depth 2 --json
callees grep --json
usages Span
usages QueryError --json
context stored_reader
context src/scova/search/regex/grep.py:100 --budget 4000 --json
status --json
"""
CHANGING = {"timings", "id", "revision_id", "content_hash", "root", "data", "bytes_on_disk", "indexed_at", "created_at", "updated_at",
            "last_marked_stale", "reload_ms"}  # fmt: skip


def _copied(to: Path) -> Path:
    for name in SAMPLE:
        shutil.copytree(REPOSITORY / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ALSO:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, to / name)
    return to


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {name: _timeless(one) for name, one in value.items() if name not in CHANGING}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def _answer(root: Path, line: str) -> tuple[int, object]:
    words = [quoted.replace('\\"', '"') or bare for quoted, bare in re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', line)]
    done = subprocess.run([SCOVA, *words], cwd=root, capture_output=True, timeout=110, check=False)
    text = done.stdout.decode()
    answer = json.loads(text) if "--json" in words else text
    assert not [each for each in _strings(answer) if "\r" in each], line
    return done.returncode, _timeless(answer)


def _strings(value: object) -> Iterator[str]:
    """Every string in an answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _strings(one)


def test_a_crlf_copy_of_this_repository_gives_the_same_answers_to_forty_commands(tmp_path, scova):
    """Line ends, and patterns that ask for them, aside."""
    plain, other = _copied(tmp_path / "lf" / "tree"), with_crlf(_copied(tmp_path / "crlf" / "tree"))
    for root in (plain, other):
        assert scova("index", root).code == 0
    commands = COMMANDS.strip().splitlines()
    assert len(commands) >= 40
    assert len({line.split()[0] for line in commands}) == 9
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.map(partial(_answer, root), commands) for root in (plain, other)]
        for line, expected, found in zip(commands, *answers, strict=True):
            assert expected[0] in (0, 1) and expected[1], line
            assert found == expected, line


# --- nothing of a line's end is shown, at any door


@pytest.fixture
def shop(project):
    """A small project with CRLF ends, in one file two before a line feed."""
    with_crlf(project)
    (project / "odd.py").write_bytes(b"def odd_one():\r\r\n    return 'odd'\r\n")
    return project


def _on_a_terminal(words: list[str], root: Path) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen([SCOVA, *words], cwd=root, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        parts = []
        try:
            while part := os.read(ours, 1 << 16):
                parts.append(part)
        except OSError:  # the other end is closed
            pass
        process.wait(60)
    os.close(ours)
    return b"".join(parts).replace(b"\r\n", b"\n").decode()  # a terminal ends its own lines so


@pytest.mark.parametrize(
    "words",
    [
        "search password", "search password --budget 500", "search return --mode regex", "grep password", "grep -C 2 password",
        "grep -v password", r"grep return.*\r", "def hash_password --body", "outline src", "callers hash_password", "usages hash_password",
        "context hash_password", "context odd.py:2", "def odd_one --body", "grep odd",
    ],
)  # fmt: skip
def test_no_line_ends_in_a_replacement_character_on_a_terminal(shop, scova, words):
    assert scova("index", shop).code == 0
    text = _on_a_terminal(words.split(), shop)
    assert "password" in text or "odd" in text or "return" in text
    assert "\ufffd" not in text and "\r" not in text


def test_no_carriage_return_reaches_an_agent(shop, scova):
    assert scova("index", shop).code == 0
    asked = [
        ("search", {"query": "how are passwords hashed"}),
        ("search", {"query": "password", "budget": 800}),
        ("grep", {"pattern": "password", "context": 2}),
        ("grep", {"pattern": r"\r$"}),
        ("definitions", {"name": "hash_password", "body": True}),
        ("usages", {"name": "hash_password"}),
        ("context", {"subject": "hash_password"}),
        ("outline", {"path": "src"}),
    ]

    async def conversation(client):
        return [await client.call_tool(name, arguments) for name, arguments in asked]

    for (name, _), answer in zip(asked, talk(on_stdio(shop), conversation), strict=True):
        assert not answer.is_error, (name, answer)
        assert not [each for each in _strings(answer.structured_content) if "\r" in each], name


CRLF, LF = "def one():\r\n    return 1\r\n", "def one():\n    return 1\n"


def test_what_was_pushed_with_crlf_ends_is_shown_without_and_matched_with_them(tmp_path):
    with served(tmp_path) as one:
        for name, text in (("crlf", CRLF), ("lf", LF)):
            one.post("/projects", project_id=name)
            one.index(name, {"a.py": text})
        for path, body in (
            ("/search", {"query": "one"}),
            ("/definitions", {"name": "one", "body": True}),
            ("/usages", {"name": "one"}),
            ("/context", {"subject": "one"}),
            ("/outline", {}),
            ("/grep", {"pattern": "return"}),
        ):
            answers = [one.post(path, project_id=name, **body).json() for name in ("crlf", "lf")]
            assert not [each for each in _strings(answers[0]) if "\r" in each], path
        for pattern, crlf, lf in ((r"1\r$", 1, 0), ("1$", 0, 1), (r"\r", 2, 0), (r"^    return 1.$", 1, 0)):
            counts = [one.post("/grep", pattern=pattern, project_id=name).json()["count"] for name in ("crlf", "lf")]  # fmt: skip
            assert counts == [crlf, lf], pattern


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_index_of_n_grams_rules_files_out_whatever_their_line_ends(tmp_path, ends):
    """They were all read where the store does not have the very bytes of a file."""
    root = tmp_path / "tree"
    root.mkdir()
    for number in range(300):
        (root / f"{number}.txt").write_bytes(f"word{number} and{ends}more words {'x' * 200}{ends}".encode())
    (root / "marked.txt").write_bytes(b"\xef\xbb\xbf" + f"needle{ends}".encode())
    (root / "mixed.txt").write_bytes(b"needle\r\nneedle\n")
    with Index.open(root, embedder="none", data=str(tmp_path / "data")) as index:
        index.refresh()
        found = index.grep("needle")
        ending = index.grep(r"needle\r")
    assert [file.path for file in found.files] == ["marked.txt", "mixed.txt"]
    assert found.scanned < 60
    assert [(file.path, file.count) for file in ending.files] == [("marked.txt", 1)] * (ends == "\r\n") + [
        ("mixed.txt", 1)
    ]
