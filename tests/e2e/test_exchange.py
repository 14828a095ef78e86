"""`scova export` and `scova import`: out and in again is the same, byte for byte, and what is wrong changes nothing."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import SCOVA
from exchanged import contents, plain, write_plain
from scova.index import Index
from scova.lock import writer_lock

ROOT = Path(__file__).parents[2]
BOTH = pytest.mark.parametrize("form", ["json", "jsonl"])


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out put"


@pytest.fixture
def exported(scova, project, out):
    """An indexed project, exported with its vectors."""
    assert scova("export", project, "--to", out, "--vectors").code == 0
    return project


def state(scova, project, *words):
    """Everything there is, as files."""
    place = project.parent / "state"
    assert scova("export", project, "--to", place, "--no-refresh", *words).code == 0
    found = contents(place)
    shutil.rmtree(place)
    return found


@BOTH
@pytest.mark.parametrize("words", [[], ["--vectors"]])
def test_out_in_and_out_again_is_the_same(scova, project, tmp_path, form, words):
    other, data = tmp_path / "another name", tmp_path / "data"
    other.mkdir()
    first = scova("export", project, "--to", tmp_path / "1", "--format", form, *words, "--json").json
    assert scova("import", tmp_path / "1", other, "--data", data).code == 0
    second = scova(
        "export", other, "--to", tmp_path / "2", "--format", form, *words, "--data", data, "--no-refresh", "--json"
    )
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert second.json | {"folder": first["folder"]} == first and first["files"] == 5
    assert bool(first["vectors"]) == bool(words)
    assert scova("audit", other, "--data", data).code == 0


@BOTH
def test_out_in_and_out_again_is_the_same_for_a_real_repository(scova, tmp_path, form):
    root, data = ROOT / "src", tmp_path / "data"
    assert scova("export", root, "--to", tmp_path / "1", "--format", form, "--data", tmp_path / "own").code == 0
    assert scova("import", tmp_path / "1", root, "--data", data).code == 0
    assert scova("export", root, "--to", tmp_path / "2", "--format", form, "--data", data, "--no-refresh").code == 0
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert scova("audit", root, "--data", data).code == 0
    for words in (["callers", "atomic_write"], ["def", "Incoming"], ["outline", "scova/types.py"]):
        asked = [*words, root, "--no-refresh", "--json"]
        one, two = scova(*asked, "--data", tmp_path / "own").json, scova(*asked, "--data", data).json
        assert one | {"freshness": 0} == two | {"freshness": 0} and one != {}


def test_json_and_jsonl_say_the_same(scova, project, tmp_path):
    scova("export", project, "--to", tmp_path / "json")
    scova("import", tmp_path / "json", project, "--data", tmp_path / "data")
    scova("export", project, "--to", tmp_path / "1", "--format", "jsonl", "--data", tmp_path / "data", "--no-refresh")
    scova("export", project, "--to", tmp_path / "2", "--format", "jsonl")
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


def test_a_refresh_after_an_import_parses_and_embeds_nothing_that_is_equal(scova, exported, out, tmp_path, monkeypatch):
    """On another machine: no index, no cache, the same tree."""
    monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / "elsewhere"))
    done = scova("import", out, exported, "--json").json
    assert (done["added"], done["chunks"] > 5, done["embedded"]) == (5, True, 0) and done["reused"] == done["chunks"]
    assert (
        scova("search", "hash_password", exported, "--no-refresh", "--json").json["results"][0]["path"] == "src/auth.py"
    )
    before = state(scova, exported)
    (exported / "new.py").write_text("def brand_new(): pass\n")
    (exported / "config.toml").unlink()
    report = scova("index", exported, "--json").json
    assert (report["added"], report["changed"], report["removed"], report["unchanged"]) == (1, 0, 1, 4)
    assert report["embedded"] <= 2, "those of the new file alone"
    assert scova("index", exported, "--json").json["change_seq"] == report["change_seq"]
    (exported / "new.py").unlink()
    (exported / "config.toml").write_text('[shop]\nname = "tiny"\ncurrency = "EUR"\n')
    scova("index", exported)
    after = state(scova, exported)
    assert after["code-definitions.json"] == before["code-definitions.json"]


def test_the_shared_cache_spares_embedding_when_vectors_come_along(scova, project, tmp_path, monkeypatch):
    for form in ("json", "jsonl"):
        monkeypatch.delenv("SCOVA_CACHE", raising=False)
        scova("export", project, "--to", tmp_path / form, "--format", form, "--vectors")
        monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / f"cache {form}"))
        assert scova("import", tmp_path / form, project, "--json").json["embedded"] == 0
        monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / f"cache without {form}"))
        for path in (tmp_path / form).iterdir():
            if path.name == "vectors.jsonl":
                path.unlink()
        if form == "jsonl":
            assert scova("import", tmp_path / form, project, "--json").json["embedded"] > 0


def test_an_import_replaces_what_differs_removes_what_is_gone_and_leaves_the_rest(scova, exported, out):
    (exported / "src/auth.py").write_text("def hash_password():\n    return 'other'\n")
    (exported / "later.py").write_text("def came_later(): pass\n")
    scova("index", exported)
    done = scova("import", out, exported, "--json").json
    assert (done["added"], done["changed"], done["removed"], done["unchanged"]) == (0, 1, 1, 4)
    found = {
        json.loads(line)["metadata"]["file_path"]: json.loads(line)["generation"]
        for line in state(scova, exported, "--format", "jsonl")["chunks.jsonl"].splitlines()
    }
    assert found["src/auth.py"] == 3 and found["README.md"] == 1 and "later.py" not in found
    again = scova("import", out, exported, "--json").json
    assert (again["unchanged"], again["changed"], again["change_seq"]) == (5, 0, done["change_seq"])
    assert scova("audit", exported).code == 0
    report = scova("index", exported, "--json").json
    assert (report["added"], report["changed"]) == (1, 1), "and the tree has the last word"


def test_an_import_that_is_killed_has_happened_or_not(project, tmp_path):
    with Index.open(project) as index:
        index.refresh()
        index.export(tmp_path / "old")
        for number in range(200):
            (project / f"more{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 20)
        index.refresh()
        index.export(tmp_path / "new")
        for number in range(12):
            folder = tmp_path / ("old" if number % 2 else "new")
            child = subprocess.Popen([SCOVA, "import", folder, project], stdout=subprocess.DEVNULL)
            try:
                child.wait(0.25 + number * 0.05)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            files = len(index._opened().files())
            assert files in (5, 205) and index._opened().audit() == []
            assert {chunk.file_path for chunk in _chunks(index)} <= set(index._opened().files())
        index.refresh()
        assert len(index._opened().files()) == 205


def _chunks(index):
    with index._opened().reader() as reader:
        yield from reader.chunks(reader.rows())


def damages(out):
    """Ways to spoil an export, with the file each of them must be blamed on."""
    graph = out / "code-graph.json"

    def cut(path):
        path.write_bytes(path.read_bytes()[:-30])

    def edit(path, change):
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))

    chunks = out / "code-definitions.json"
    return {
        "truncated": (lambda: cut(chunks), chunks),
        "truncated graph": (lambda: cut(graph), graph),
        "no JSON": (lambda: chunks.write_text("chunks: none"), chunks),
        "not text": (lambda: chunks.write_bytes(bytes(range(256))), chunks),
        "empty": (lambda: chunks.write_bytes(b""), chunks),
        "wrong type": (lambda: edit(chunks, lambda v: v["chunks"][0].update(text=5)), chunks),
        "another text": (lambda: edit(chunks, lambda v: v["chunks"][0].update(text="x")), chunks),
        "outside": (lambda: edit(chunks, lambda v: v["chunks"][-1]["metadata"].update(file_path="../x")), chunks),
        "twice": (lambda: edit(chunks, lambda v: v["chunks"].append(v["chunks"][0])), chunks),
        "chunk gone": (lambda: edit(chunks, lambda v: v["chunks"].pop()), graph),
        "file gone from graph": (lambda: edit(graph, lambda v: v["files"].pop()), out),
        "newer graph": (lambda: edit(graph, lambda v: v.update(version=99)), graph),
        "a folder": (lambda: (chunks.unlink(), chunks.mkdir()), chunks),
    }


@pytest.mark.parametrize("name", damages(Path()))
def test_a_corrupt_file_names_itself_and_changes_nothing(scova, exported, out, tmp_path, name):
    (exported / "more.py").write_text("x = 1\n")
    scova("index", exported)
    before = state(scova, exported)
    damage, blamed = damages(out)[name]
    damage()
    done = scova("import", out, exported)
    assert done.code == 2 and str(blamed) in done.err and "hint:" in done.err and done.out == ""
    assert state(scova, exported) == before
    fresh = tmp_path / "fresh data"
    assert scova("import", out, exported, "--data", fresh).code == 2
    assert not fresh.exists(), "nothing is begun before everything is known to be right"


def test_a_missing_file_is_an_empty_set(scova, exported, out):
    (out / "code-graph.json").unlink()
    (out / "doc-chunks.json").unlink()
    assert scova("import", out, exported).code == 0
    kinds = scova("status", exported, "--json").json["chunk_types"]
    assert kinds["documentation"] == 0 and kinds["definitions"] > 0
    assert scova("audit", exported).code == 0


def test_chunks_of_another_program_can_be_searched_until_the_tree_has_the_say(scova, project, tmp_path):
    text = (project / "src/auth.py").read_text()
    lines = text.splitlines(keepends=True)
    head, tail = "".join(lines[:6]), "".join(lines[6:])
    folder = write_plain(
        tmp_path / "foreign",
        plain("src/auth.py", tail, metadata={"start_line": 7}, title="theirs", tags=["theirs"]),
        plain("src/auth.py", head, "data"),
        plain("gone/away.md", "nobody has this file\n", "documentation"),
    )
    done = scova("import", folder, project, "--json").json
    assert (done["files"], done["chunks"]) == (2, 3)
    found = scova("search", "hash_password", project, "--no-refresh", "--json").json["results"]
    assert found[0]["title"] == "theirs" and (found[0]["start_line"], found[0]["path"]) == (7, "src/auth.py")
    gone = scova("search", "nobody has this file", project, "--no-refresh", "--json").json["results"]
    assert "gone/away.md" not in {one["path"] for one in gone}, "what the tree does not have is not shown"
    assert scova("audit", project).code == 0
    report = scova("index", project, "--json").json
    assert (report["added"], report["changed"], report["removed"]) == (4, 1, 1)
    assert "theirs" not in {one["title"] for one in scova("search", "hash_password", project, "--json").json["results"]}
    assert scova("def", "hash_password", project).code == 0
    assert scova("audit", project).code == 0


def test_imported_chunks_that_leave_gaps_are_given_where_they_stand_by_now(scova, project, tmp_path):
    lines = (project / "src/auth.py").read_text().splitlines(keepends=True)
    folder = write_plain(
        tmp_path / "foreign",
        plain("src/auth.py", "".join(lines[7:10]), metadata={"start_line": 8}),
        plain("src/auth.py", "never_there = 'hash_password'\n", "data", metadata={"start_line": 30}),
        plain("src/auth.py", "far_away = 'hash_password'\n", metadata={"start_line": 10**12}),
    )
    (project / "src/auth.py").write_text("# hash\n" + "".join(lines))
    assert scova("import", folder, project).code == 0
    found = scova("search", "hash_password", project, "--no-refresh", "--json").json
    assert [(one["path"], one["start_line"], one["end_line"]) for one in found["results"]] == [("src/auth.py", 9, 11)]
    assert found["freshness"]["moved"] == 1 and found["freshness"]["dropped"] == 2


def test_chunks_of_another_engine_are_read_again_by_the_next_refresh(scova, exported, out, tmp_path):
    graph = json.loads((out / "code-graph.json").read_text())
    (out / "code-graph.json").write_text(json.dumps(graph | {"engine": 10**6}))
    scova("import", out, exported, "--data", tmp_path / "data")
    report = scova("index", exported, "--data", tmp_path / "data", "--json").json
    assert (report["changed"], report["unchanged"]) == (5, 0)


def test_vectors_that_are_not_what_they_say_are_refused(scova, project, tmp_path, monkeypatch):
    out = tmp_path / "out"
    scova("export", project, "--to", out, "--format", "jsonl", "--vectors")
    lines = [json.loads(line) for line in (out / "vectors.jsonl").read_text().splitlines()]
    turned = [one | {"vector": one["vector"][::-1]} for one in lines]
    short = [one | {"vector": one["vector"][:16]} for one in lines]
    monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / "cache"))
    for wrong in (turned, short):
        (out / "vectors.jsonl").write_text("".join(json.dumps(one) + "\n" for one in wrong))
        done = scova("import", out, project)
        assert done.code == 2 and "and are not" in done.err and "hint:" in done.err
        assert scova("status", project).code == 3 or scova("status", project, "--json").json["files"] == 0


def test_where_an_export_may_go(scova, project, tmp_path):
    """Not where it would be indexed itself, nor where other files lie."""
    (project / ".gitignore").write_text("/ignored/\n")
    scova("index", project)
    for place in (project, project / "sub", project / "sub/deeper", project / "src"):
        done = scova("export", project, "--to", place)
        assert done.code == 2 and "would be indexed itself" in done.err and "ignored" in done.err
    assert not (project / "sub").exists(), "nothing is left behind by a refusal"
    assert scova("export", project, "--to", project / "ignored/x").code == 0
    assert scova("index", project, "--json").json["files"] == 6
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.txt").write_text("mine")
    done = scova("export", project, "--to", tmp_path / "full")
    assert done.code == 2 and "thesis.txt" in done.err and (tmp_path / "full/thesis.txt").read_text() == "mine"
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file/below"):
        done = scova("export", project, "--to", place)
        assert done.code == 2 and "not a folder" in done.err
    done = scova("export", project, "--to", "/proc/nowhere")
    assert done.code == 2 and "/proc/nowhere" in done.err and "hint:" in done.err
    link = tmp_path / "link"
    link.symlink_to(project / "src")
    assert "would be indexed" in scova("export", project, "--to", link).err


def test_words_that_make_no_sense(scova, project, tmp_path):
    assert scova("export", project).code == 2
    assert scova("export", project, "--to", tmp_path / "o", "--format", "xml").code == 2
    assert scova("export", tmp_path / "nowhere", "--to", tmp_path / "o").code == 2
    done = scova("export", project, "--to", tmp_path / "o", "--no-refresh")
    assert done.code == 3 and "not indexed" in done.err and not (tmp_path / "o").exists()
    assert scova("import").code == 2
    done = scova("import", tmp_path / "nowhere", project)
    assert done.code == 2 and "does not exist" in done.err
    (tmp_path / "empty").mkdir()
    scova("index", project)
    done = scova("import", tmp_path / "empty", project)
    assert done.code == 2 and "holds no exported files" in done.err
    assert scova("status", project, "--json").json["files"] == 5, "an empty folder does not empty an index"
    assert scova("import", project / "README.md", project).code == 2
    scova("export", project, "--to", tmp_path / "o")
    assert scova("import", tmp_path / "o", tmp_path / "nowhere").code == 2
    assert scova("import", tmp_path / "o", project, "--wait", "-1").code == 2


def test_without_an_embedder_there_are_no_vectors_to_write(scova, project, tmp_path, monkeypatch):
    monkeypatch.setenv("SCOVA_EMBEDDER", "none")
    done = scova("export", project, "--to", tmp_path / "o", "--vectors")
    assert done.code == 2 and "no embedder" in done.err
    assert scova("export", project, "--to", tmp_path / "o").code == 0
    assert scova("import", tmp_path / "o", project).code == 0


def test_an_import_waits_for_its_turn_or_says_who_is_writing(scova, exported, out):
    with Index.open(exported) as index, writer_lock(index.layout.lock):
        done = scova("import", out, exported, "--wait", "0")
    assert done.code == 3 and "another process is writing" in done.err and f"process {os.getpid()}" in done.err
    assert scova("import", out, exported).code == 0


def test_an_import_into_the_folder_one_stands_in(scova, exported, out, tmp_path):
    done = scova("import", out, "--data", tmp_path / "data", "--json", cwd=exported)
    assert done.code == 0 and done.json["files"] == 5
    assert scova("export", "--to", "../relative", "--data", tmp_path / "data", cwd=exported).code == 0
    assert (exported.parent / "relative/code-graph.json").exists()


def test_the_methods_of_an_index_do_the_same(project, tmp_path):
    with Index.open(project) as index:
        index.refresh()
        done = index.export(tmp_path / "out", form="jsonl", vectors=True)
        assert (done.files, done.format) == (5, "jsonl") and done.chunks == done.vectors
    with Index.open(project, data=str(tmp_path / "data")) as index:
        report = index.import_from(tmp_path / "out")
        assert (report.added, report.embedded) == (5, 0)
        assert index.search("hash_password").results
        assert index.callers("hash_password").roots[0].nodes
        after = index.refresh()
        assert (after.changed, after.added, after.embedded, after.unchanged) == (0, 0, 0, 5)
