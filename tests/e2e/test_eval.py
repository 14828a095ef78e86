"""`scova eval` by the real command, on real git repositories."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from endpoint import Endpoint, serving
from scova.config import cache_folder
from scova.evaluation.copying import copies

TEXTS = {
    "src/animals.py": 'def first(value):\n    """Zebras quaggas okapis tapirs."""\n    return value + 1\n',
    "src/cookies.py": (
        'def reject(cookie):\n    """Refuse browser crumbs that have grown stale and mouldy."""\n    return cookie.age > 10\n\n\n'
        "def accept(cookie):\n    return not reject(cookie)\n"
    ),
    "src/header.py": "def quote(header_value):\n    return repr(header_value)\n",
    "src/other.py": "def unrelated(number):\n    return number * 2\n",
    "tests/test_cookies.py": (
        "from src.cookies import accept, reject\n\n\ndef test_reject_mouldy_cookie():\n    assert reject(1)\n\n\n"
        "def test_accept_fresh_cookie():\n    assert accept(1)\n"
    ),
}


def git(root, *words):
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


def write(root, texts):
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    write(root, TEXTS)
    git(root, "init", "-q")
    git(root, "add", "src/header.py")
    git(root, "commit", "-q", "-m", "Quote awkward header values")
    git(root, "add", "src/cookies.py", "tests")
    git(root, "commit", "-q", "-m", "Reject stale cookies and accept fresh ones")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "wip")
    return root


def state(root):
    """Everything below a folder with its content and its times, but for when it was last read."""
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_ctime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(root.rglob("*"))
    }


def by_text(found):
    return {one["text"]: one for one in found["questions"]}


def test_every_kind_is_asked_of_every_mode_and_of_grep(repository, scova):
    found = scova("eval", repository, "--json").json
    assert {one["kind"]: one["asked"] for one in found["kinds"]} == {"history": 2, "docs": 2, "tests": 2}
    questions = by_text(found)
    assert {text: one["relevant"] for text, one in questions.items()} == {
        "Quote awkward header values": ["src/header.py"],
        "Reject stale cookies and accept fresh ones": ["src/cookies.py", "tests/test_cookies.py"],
        "Zebras quaggas okapis tapirs": ["src/animals.py"],
        "Refuse browser crumbs that have grown stale and mouldy": ["src/cookies.py"],
        "reject mouldy cookie": ["src/cookies.py"],
        "accept fresh cookie": ["src/cookies.py"],
    }
    names = [one["name"] for one in found["systems"]]
    assert names == ["hybrid", "vector", "text", "symbol", "grep"]
    assert questions["Quote awkward header values"]["ndcg"]["grep"] == 1.0
    assert questions["Quote awkward header values"]["first"]["hybrid"] == 1
    for system in found["systems"]:
        scores = {score["kind"]: score for score in system["scores"]}
        assert list(scores) == ["all", "history", "docs", "tests"]
        values = [one["ndcg"][system["name"]] for one in found["questions"]]
        assert scores["all"]["ndcg"] == pytest.approx(sum(values) / 6, abs=1e-3)
        assert scores["all"]["ndcg_low"] <= scores["all"]["ndcg"] <= scores["all"]["ndcg_high"]
    difference = found["differences"][0]
    assert (difference["system"], difference["against"], difference["kind"]) == ("hybrid", "grep", "all")
    assert difference["better"] + difference["worse"] + difference["equal"] == difference["questions"] == 6


def test_a_doc_comment_is_not_found_by_its_own_words(repository, scova):
    """These words stand nowhere else: whoever finds the file has seen the comment."""
    found = by_text(scova("eval", repository, "--json").json)["Zebras quaggas okapis tapirs"]
    assert (found["ndcg"]["grep"], found["ndcg"]["text"]) == (0.0, 0.0)
    assert scova("search", "zebras quaggas okapis tapirs", repository, "--mode", "text", "--json").json["results"]


def test_the_file_of_a_test_counts_for_nobody(repository, scova):
    """It alone holds every word of the question, and would come first."""
    found = by_text(scova("eval", repository, "--json").json)["accept fresh cookie"]
    assert (found["first"]["grep"], found["first"]["text"]) == (1, 1)


def test_nothing_is_written_into_the_tree_and_no_temporary_folder_is_left(repository, scova):
    before = state(repository)
    left = copies(cache_folder()) / "999999999-killed"
    left.mkdir(parents=True)
    assert scova("eval", repository).code == 0
    assert state(repository) == before
    assert not os.listdir(copies(cache_folder())), "neither its own nor what a process left that was killed"


def test_temporary_files_in_the_tree_are_refused(repository, scova, monkeypatch):
    inside = repository / "inside"
    inside.mkdir()
    monkeypatch.setenv("SCOVA_CACHE", str(inside))
    done = scova("eval", repository)
    assert done.code == 2
    assert "SCOVA_CACHE" in done.err


def test_the_same_seed_gives_the_same_figures(tmp_path, scova):
    root = tmp_path / "many"
    words = [
        "amber",
        "birch",
        "cedar",
        "dogwood",
        "elder",
        "fir",
        "ginkgo",
        "hazel",
        "ivy",
        "juniper",
        "kauri",
        "larch",
    ]
    for number, word in enumerate(words):
        other = words[(number + 5) % len(words)]
        doc = f"Plant every {word} seedling behind tall {other} trees."
        write(root, {f"src/{word}.py": f'def grow_{word}(count):\n    """{doc}"""\n    return count * {number}\n'})

    def asked(*options):
        found = scova("eval", root, "--questions", "6", "--json", *options).json
        return {key: value for key, value in found.items() if key != "seconds"}

    first = asked("--seed", "1")
    assert len(first["questions"]) == 6
    assert asked("--seed", "1") == first
    assert by_text(asked("--seed", "2")).keys() != by_text(first).keys()


def test_the_table_says_what_was_asked_and_where_grep_was_better(repository, scova):
    done = scova("eval", repository, "--show", "9")
    assert done.code == 0
    assert "6 questions (history 2, docs 2, tests 2), seed 0" in done.out
    assert "NDCG@10" in done.out
    assert "recall@10" in done.out
    assert "hybrid − grep" in done.out
    assert "doc comments in question were taken out" in done.out
    losses = scova("eval", repository, "--show", "9", "--json").json["losses"]
    assert done.out.count(" → ") == len(losses)
    assert all(one["ndcg"]["hybrid"] < one["ndcg"]["grep"] for one in losses)
    assert "left out" not in done.out


def test_a_folder_without_history_says_so_and_goes_on(tmp_path, scova):
    write(tmp_path / "plain", TEXTS)
    done = scova("eval", tmp_path / "plain")
    assert done.code == 0
    assert "left out: history: the folder is in no git repository" in done.out


def test_nothing_to_ask_is_an_error_that_names_the_reasons(tmp_path, scova):
    write(tmp_path / "plain", {"notes.txt": "Only a few notes.\n"})
    done = scova("eval", tmp_path / "plain", "--json")
    assert (done.code, done.out) == (2, "")
    assert "history: the folder is in no git repository" in done.err
    assert "docs: no function" in done.err
    assert "tests: no test" in done.err
    done = scova("eval", tmp_path / "plain", "--kinds", "history")
    assert done.code == 2
    assert "docs" not in done.err.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kinds", "hystory"], "no kind of question `hystory`"),
        (["--kinds", ","], "no kinds of questions"),
        (["--questions", "0"], "not a number"),
        (["--embedder", "onnx"], "`static`, `none`, or the address"),
        (["--embedder", "static", "--embedder-model", "m"], "takes no name"),
        (["--embedder", "http://127.0.0.1:1/v1"], "embedder_model"),
        (["--embedder-model", "m"], "no address before it"),
        (["--embedder", "static", "--embedder", "static"], "twice"),
    ],
)
def test_wrong_words_are_refused_with_a_hint(repository, scova, words, said):
    done = scova("eval", repository, *words)
    assert done.code == 2
    assert said in done.err
    assert "hint:" in done.err


def test_a_folder_of_a_model_may_have_blanks_in_its_name(repository, scova, tmp_path):
    folder = tmp_path / "my models" / "mini"
    done = scova("eval", repository, "--embedder", f"onnx:{folder}")
    assert done.code == 2
    assert str(folder) in done.err and "takes no name" not in done.err
    done = scova("eval", repository, "--embedder", f"onnx:{folder}", "--embedder-model", "m")
    assert (done.code, "takes no name" in done.err) == (2, True)


def test_what_the_settings_make_the_same_is_refused_as_named_twice(repository, scova, monkeypatch):
    monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
    address = "http://127.0.0.1:9/v1"
    done = scova("eval", repository, "--embedder", address, "--embedder-model", "m", "--embedder", address)
    assert done.code == 2
    assert f"`{address}` with the model `m` is named twice" in done.err


def test_embedders_are_compared_and_the_index_keeps_its_own(repository, scova):
    scova("index", repository)
    with serving(Endpoint()) as endpoint:
        words = ["--embedder", "static", "--embedder", endpoint.address, "--embedder-model", "m", "--embedder", "none"]
        found = scova("eval", repository, "--json", *words).json
        assert any("Quote awkward header values" in text for text in endpoint.texts)
    assert [one["name"] for one in found["systems"]] == [
        *("hybrid static", "vector static", "hybrid m", "vector m", "hybrid none", "text", "symbol", "grep")
    ]
    pairs = [(one["system"], one["against"]) for one in found["differences"] if one["kind"] == "all"]
    assert pairs == [
        *(("hybrid static", "grep"), ("hybrid m", "grep"), ("hybrid none", "grep")),
        *(("hybrid m", "hybrid static"), ("hybrid none", "hybrid static")),
    ]
    assert scova("status", repository, "--json").json["freshness"]["pending_embeddings"] == 0
    report = scova("index", repository, "--json").json
    assert (report["embedded"], report["changed"]) == (0, 0)


def test_no_embedder_is_shown_a_comment_in_question(repository, scova):
    with serving(Endpoint()) as endpoint:
        words = ["--kinds", "docs", "--embedder", endpoint.address, "--embedder-model", "m"]
        assert scova("eval", repository, "--json", *words).code == 0
    assert {text for text in endpoint.texts if "okapis" in text} == {"Zebras quaggas okapis tapirs"}
    assert any("def first" in text for text in endpoint.texts)


def test_an_endpoint_that_is_down_is_an_error_not_a_figure(repository, scova, monkeypatch):
    monkeypatch.setenv("SCOVA_EMBEDDER_TIMEOUT_MS", "1000")
    done = scova("eval", repository, "--embedder", "http://127.0.0.1:9/v1", "--embedder-model", "m")
    assert (done.code, done.out) == (2, "")
    assert "127.0.0.1:9" in done.err


def test_every_json_key_is_documented(repository, scova):
    said = (Path(__file__).parents[2] / "docs/reference/json.md").read_text()
    said = said[said.index("## eval") : said.index("## jobs")]
    found = scova("eval", repository, "--json").json
    samples = [
        found,
        *(found[name][0] for name in ("kinds", "systems", "differences", "questions")),
        found["systems"][0]["scores"][0],
    ]
    for key in {key for sample in samples for key in sample}:
        assert f"`{key}`" in said, key


def test_hostile_names_are_shown_inert(tmp_path, scova):
    root = tmp_path / "odd"
    write(root, TEXTS)
    os.rename(root / "src/animals.py", root / "src/ani\x1b[31mmals.py")
    done = scova("eval", root, "--show", "50")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert json.loads(scova("eval", root, "--json").out)
