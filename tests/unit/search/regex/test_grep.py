"""Every match, in files as they are now, at one moment of the index."""

import shutil
import threading

import pytest

from scova.core.deadline import Deadline, asking
from scova.errors import QueryError
from scova.index import Index
from scova.search.regex.grep import Asked, Place, grep, stored_reader
from scova.search.regex.matcher import Matcher, Options
from scova.search.regex.pieces import Pieces
from scova.search.regex.room import Room
from scova.search.regex.scan import Looking, Wanted, scan_files
from scova.stores.derived import newest_grams
from until import until


@pytest.fixture
def index(project):
    with Index.open(project) as opened:
        opened.refresh()
        yield opened


def lines(found) -> list[tuple[str, int]]:
    return [(file.path, line.number) for file in found.files for line in file.lines if line.matched]


def test_lines_spans_and_totals(index):
    found = index.grep("hash_password")
    assert lines(found) == [
        ("src/auth.py", 8),
        ("src/auth.py", 18),
        ("tests/test_auth.py", 1),
        ("tests/test_auth.py", 4),
        ("tests/test_auth.py", 5),
    ]
    assert (found.count, found.matches, found.searched, found.truncated) == (5, 6, 5, False)
    assert found.files[1].lines[-1].spans == ((11, 24), (39, 52))
    assert found.freshness.change_seq > 0


def test_files_that_cannot_match_are_not_read(index):
    read = []
    store = index._opened()
    with store.reader() as reader:
        place = Place(reader, newest_grams(index.layout, store.store_id), lambda path, _: read.append(path))
        grep(Asked.of("no_such_word_anywhere"), place)
    assert read == []


def test_without_the_n_gram_index_the_answer_is_the_same(index):
    before = index.grep("item", ignore_case=True)
    shutil.rmtree(index.layout.grams_folder)
    after = index.grep("item", ignore_case=True)
    assert lines(after) == lines(before)
    assert after.scanned == after.searched == 5
    assert index.is_stale()
    index.refresh()
    assert newest_grams(index.layout, index._opened().store_id) is not None


def test_a_file_changed_or_added_a_moment_ago_is_searched(index, project):
    (project / "src/auth.py").write_text("def brand_new_name():\n    pass\n")
    (project / "src/new.py").write_text("brand_new_name()\n")
    (project / "config.toml").unlink()
    index.refresh()
    assert newest_grams(index.layout, index._opened().store_id).applied_seq < index._opened().reader().change_seq
    assert lines(index.grep("brand_new_name")) == [("src/auth.py", 1), ("src/new.py", 1)]
    assert lines(index.grep("pbkdf2")) == []
    assert lines(index.grep("currency")) == []


def test_a_changed_file_is_searched_by_the_language_it_had_and_a_new_header_by_either(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "tool").write_text("#!/bin/sh\necho old\n")
    (tree / "box.h").write_text("namespace a {\n}\n")
    with Index.open(tree, data=str(tmp_path / "data"), embedder="none") as index:
        index.refresh()
        (tree / "tool").write_text("#!/bin/sh\necho needle\n")
        (tree / "box.h").write_text("namespace a { int needle; }\n")
        (tree / "new.h").write_text("int needle;\n")
        index.pending_files()
        found = {kind: [file.path for file in index.grep("needle", types=[kind]).files] for kind in ("sh", "cpp", "c")}
    assert found == {"sh": ["tool"], "cpp": ["box.h", "new.h"], "c": ["new.h"]}


def test_what_the_index_leaves_out_though_it_is_text_is_searched_and_secrets_are_not(project):
    (project / "app.min.js").write_text("var needle_in_minified=1;" * 500)
    (project / "made.py").write_text("# @generated\nneedle_in_generated = 1\n")
    (project / "data.bin").write_text("needle_in_text_of_a_binary_name\n")
    (project / "real.png").write_bytes(b"\x89PNG\0needle_in_binary\n")
    (project / ".env").write_text("needle_in_secret=1\n")
    with Index.open(project) as index:
        index.refresh()
        found = {file.path for file in index.grep("needle_in_").files}
    assert found == {"app.min.js", "made.py", "data.bin"}


def test_context_is_shown_once_and_in_order(index):
    found = index.grep("password", before=1, after=2, globs=["src/auth.py"])
    numbers = [line.number for line in found.files[0].lines]
    assert numbers == sorted(set(numbers))
    shown = {line.number: line.matched for line in found.files[0].lines}
    assert shown[8]
    assert shown[7] is False


def test_counting_per_file_and_limits(index):
    assert index.grep("password", most=1, globs=["src/*"]).count == 1
    limited = index.grep("password", limit=2)
    assert len(lines(limited)) == 2
    assert limited.truncated
    assert limited.count == index.grep("password").count
    assert all(file.lines == () for file in index.grep("password", lines=False).files)


def test_lines_that_do_not_match(index):
    found = index.grep("e", invert=True, globs=["config.toml"])
    assert [line.text for line in found.files[0].lines] == ["[shop]"]


def test_lines_can_be_handed_on_instead_of_being_kept(index):
    told = []
    found = index.grep("password", tell=told.append)
    assert [file.path for file in told] == [file.path for file in found.files]
    assert all(file.lines for file in told)
    assert not any(file.lines for file in found.files)


def test_the_store_can_take_the_place_of_the_folder(index):
    store = index._opened()
    with store.reader() as reader:
        found = grep(Asked.of("hash_password"), Place(reader, None, stored_reader(reader)))
    assert lines(found) == lines(index.grep("hash_password"))


def test_a_file_that_vanished_is_passed_over(index, project):
    (project / "src/auth.py").unlink()
    assert lines(index.grep("pbkdf2")) == []


def test_a_symlink_that_took_the_place_of_a_file_is_not_followed(index, project, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "auth.py").write_text("pbkdf2 outside\n")
    shutil.rmtree(project / "src")
    (project / "src").symlink_to(secret)
    assert lines(index.grep("pbkdf2")) == []


@pytest.mark.parametrize(
    "options", [{"before": -1}, {"limit": -1}, {"characters": -1}, {"nonsense": 1}, {"types": ["pyton"]}]
)
def test_bad_options_are_refused(index, options):
    with pytest.raises(QueryError):
        index.grep("x", **options)


def test_an_audit_finds_files_that_the_n_gram_index_does_not_know(index, project, monkeypatch):
    assert index.audit() == []
    from scova.stores.grams.reader import Grams

    monkeypatch.setattr(Grams, "open", classmethod(_without_first(Grams.open)))
    assert ("grams", "missing") in [(finding.part, finding.problem) for finding in index.audit()]


def _without_first(opened):
    from dataclasses import replace

    def open_without(cls, *arguments):
        grams = opened(*arguments)
        return replace(grams, files=grams.files[1:])

    return open_without


def test_a_damaged_n_gram_index_is_found_and_rebuilt(index, project):
    path = index.layout.grams()[0]
    data = bytearray(path.read_bytes())
    data[5000] ^= 0xFF
    path.write_bytes(data)
    assert any(finding.subject.startswith("grams/") for finding in index.audit())
    index.close()
    found, _ = Index.repair(project)
    assert found
    with Index.open(project) as again:
        assert again.audit() == []
        assert again.grep("hash_password").count == 5


def test_a_changed_file_that_is_left_out_is_searched_once(tmp_path):
    (tmp_path / "tree").mkdir()
    generated = tmp_path / "tree" / "made.py"
    generated.write_text("# Code generated by a program. DO NOT EDIT.\nneedle = 1\n")
    with Index.open(tmp_path / "tree", data=str(tmp_path / "data"), embedder="none") as index:
        index.refresh()
        generated.write_text("# Code generated by a program. DO NOT EDIT.\nneedle = 1\nneedle = 2\n")
        index.pending_files()
        found = index.grep("needle")
        assert [(file.path, file.count) for file in found.files] == [("made.py", 2)]


def test_options_beside_a_whole_question_are_refused(index):
    with pytest.raises(QueryError, match="options"):
        index.grep(Asked.of("item"), limit=3)


def test_a_limit_cuts_with_the_lines_around_what_is_kept_and_no_others(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.txt").write_text("one\nhit\nthree\nfour\nfive\nhit\nseven\nhit\n")
    with Index.open(tmp_path / "tree", data=str(tmp_path / "data"), embedder="none") as index:
        index.refresh()

        def numbers(**options):
            return [line.number for file in index.grep("hit", **options).files for line in file.lines]

        assert numbers(before=1, after=1, limit=1) == [1, 2, 3]
        assert numbers(before=2, limit=1) == [1, 2]
        assert numbers(after=3, limit=2) == [2, 3, 4, 5, 6, 7]
        assert numbers(before=1, limit=2) == [1, 2, 5, 6]


def test_a_pattern_that_is_too_large_is_refused_before_anything_is_read(index):
    def read(path, doubtful):
        raise AssertionError(path)

    store = index._opened()
    with store.reader() as reader, pytest.raises(QueryError, match="too large"):
        grep(Asked.of("x{1,9000}y"), Place(reader, None, read))
    with pytest.raises(QueryError, match="too large"):
        index.search("x{1,9000}y", mode="regex")


@pytest.mark.parametrize("ask", [lambda index: index.grep("e"), lambda index: index.search("e", mode="regex")])
def test_a_search_ends_with_what_it_is_told(index, ask):
    class Enough(Exception):
        pass

    def stop():
        raise Enough

    with asking(Deadline(stop=stop)), pytest.raises(Enough):
        ask(index)


def test_a_problem_in_one_thread_ends_the_others(tmp_path):
    """Whoever is at the second half of the files would go through all of them."""
    paths = [f"{number:03}.txt" for number in range(100)]
    for path in paths:
        (tmp_path / path).write_text("word\n")
    begun, failed, read_on = threading.Event(), threading.Event(), []

    def read(path, doubtful):
        if path == paths[0]:
            assert begun.wait(120)
            failed.set()
            raise OSError("gone")
        begun.set()
        assert failed.wait(120)
        until(lambda: stoppable._is_closed, "the others to be told")
        read_on.append(path)
        return b"word\n"

    stoppable = Pieces(Matcher(("word",), Options()))
    with pytest.raises(OSError, match="gone"):
        looking = Looking(read, stoppable, Wanted(), Room(0, 0, after=0), Deadline())
        list(scan_files([(path, False) for path in paths], looking))
    assert read_on == [paths[50]]


def test_spans_beyond_ascii_are_counted_in_characters(tmp_path):
    (tmp_path / "a.txt").write_bytes("é日é x é\n".encode() + "é".encode() + b"\xff\xe2\x82 \xc3\xa9 x\n")
    with Index.open(tmp_path, embedder="none", data=str(tmp_path / "data")) as opened:
        opened.refresh()
        spans = [[line.text[slice(*span)] for span in line.spans] for line in opened.grep("é|x").files[0].lines]
    assert spans == [["é", "é", "x", "é"], ["é", "é", "x"]]
