"""What someone found who tried to break the exact questions; one test for each defect."""

import pytest

from scova import Index
from scova.build import footprint
from scova.errors import QueryError


def damaged_grams(index):
    (path,) = index.layout.grams()
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.chmod(0o644)
    path.write_bytes(data)


def test_a_damaged_ngram_index_loses_no_match(tmp_path, project):
    with Index.open(project, data=str(tmp_path / "data")) as index:
        index.refresh()
        before = [(file.path, file.count) for file in index.grep("hash_password").files]
        assert before
    with Index.open(project, data=str(tmp_path / "data")) as index:
        damaged_grams(index)
        assert [(file.path, file.count) for file in index.grep("hash_password").files] == before
        assert index.search("hash_password", mode="regex").results
        assert any(finding.part == "grams" for finding in index.audit())


@pytest.mark.parametrize("command", ["def", "callers", "callees", "usages", "context"])
def test_a_name_that_is_no_text_is_refused(scova, project, command):
    done = scova(command, b"\xff".decode("utf-8", "surrogateescape"), project)
    assert done.code == 2
    assert "no name" in done.err
    assert "Traceback" not in done.err


def test_a_glob_that_is_no_text_matches_nothing(scova, project):
    done = scova("grep", "hash", "-g", b"\xff".decode("utf-8", "surrogateescape"), project)
    assert (done.code, done.out) == (1, "")


def test_an_index_of_another_version_says_so_even_without_a_refresh(scova, project, monkeypatch, tmp_path):
    data = str(tmp_path / "data")
    with Index.open(project, data=data) as index:
        monkeypatch.setattr(footprint, "ENGINE", 0)
        files = index.refresh().files
    monkeypatch.undo()
    old = scova("callers", "hash_password", project, "--data", data, "--no-refresh", "--json").json
    assert old["freshness"]["pending_files"] == files
    renewed = scova("callers", "hash_password", project, "--data", data)
    assert "another version of scova" in renewed.err


def test_words_that_begin_with_a_dash_can_be_given(scova, project):
    (project / "-dash.py").write_text("def dashed():\n    return '-dash'\n")
    for words in (["grep", "--", "-dash", project], ["grep", "-e", "-dash", project], ["grep", project, "-e", "-dash"]):
        done = scova(*words)
        assert (done.code, done.out) == (0, "-dash.py:2:    return '-dash'\n"), words
    assert "dashed" in scova("outline", "--", "-dash.py", project).out
    assert "dashed" in scova("def", "--at", "-dash.py:1", project).out


def test_a_pattern_or_a_name_of_a_megabyte_is_refused_at_once(project, tmp_path):
    with Index.open(project, data=str(tmp_path / "data"), embedder="none") as index:
        index.refresh()
        with pytest.raises(QueryError, match="longer"):
            index.grep("a" * 1_000_000, fixed=True)
        with pytest.raises(QueryError, match="longer"):
            index.usages("." * 1_000_000)
        assert index.grep("hash_password", types="py", globs="src/*").count
