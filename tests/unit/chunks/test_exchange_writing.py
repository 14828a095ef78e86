"""Exchange files written: whole, together, in one order, and never over what is not theirs."""

import json
import os
import threading
from dataclasses import replace

import pytest

from exchanged import contents, files, stamped, write
from parsed import parsed
from scova.chunks.exchange.graph import Head
from scova.chunks.exchange.incoming import Incoming
from scova.chunks.exchange.names import Format
from scova.chunks.exchange.objects import Embedded
from scova.chunks.exchange.outgoing import Outgoing, prepare
from scova.chunks.exchange.turns import turn
from scova.errors import NotAFolder, UsageError

BOTH = pytest.mark.parametrize("form", list(Format))
NAMES = {
    Format.JSON: ["code-data.json", "code-definitions.json", "code-graph.json", "code-symbols.json", "doc-chunks.json"],
    Format.JSONL: ["chunks.jsonl", "graph.jsonl"],
}


@BOTH
def test_the_files_are_these_and_any_json_reader_reads_them(tmp_path, form):
    done = write(tmp_path / "new" / "out", form=form)
    found = contents(tmp_path / "new" / "out")
    assert sorted(found) == NAMES[form]
    assert (done.files, done.chunks, done.symbols, done.calls, done.vectors) == (3, 5, 2, 2, 0)
    assert done.bytes == sum(map(len, found.values()))
    if form is Format.JSON:
        chunks = [one for name in NAMES[form] if name != "code-graph.json" for one in json.loads(found[name])["chunks"]]
    else:
        chunks = [json.loads(line) for line in found["chunks.jsonl"].splitlines()]
    assert {one["id"] for one in chunks} == {chunk.id for file in files() for chunk in file.chunks}
    for one in chunks:
        assert list(one) == [
            "id", "title", "text", "chunk_type", "tags", "metadata", "created_at", "updated_at", "content_hash", "generation",
        ]  # fmt: skip
        assert list(one["metadata"]) == [
            "file_path", "start_line", "end_line", "language", "symbol", "kind", "revision_id", "ordinal", "names", "project",
        ]  # fmt: skip


@BOTH
def test_equal_chunks_give_equal_files(tmp_path, form):
    write(tmp_path / "a", form=form)
    with Incoming(tmp_path / "a") as incoming:
        write(tmp_path / "b", list(incoming.files()), form=form)
    left, right = contents(tmp_path / "a"), contents(tmp_path / "b")
    for name in left:  # the head says which engine it was; `write` always gives the same
        assert left[name] == right[name], name


def test_an_earlier_export_is_replaced_whole_in_whichever_format(tmp_path):
    def vector(chunk):
        return Embedded("m", chunk.embed_key, b"\1\2")

    write(tmp_path, form=Format.JSONL, vectors=vector)
    assert "vectors.jsonl" in contents(tmp_path)
    write(tmp_path, form=Format.JSONL)
    assert sorted(contents(tmp_path)) == NAMES[Format.JSONL]
    write(tmp_path, form=Format.JSON)
    assert sorted(contents(tmp_path)) == NAMES[Format.JSON]


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    for name in ("notes.txt", "a", "b", "c"):
        (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(UsageError, match="`a`, `b`, `c` …"):
        prepare(tmp_path)
    assert contents(tmp_path) == before
    with pytest.raises(NotAFolder):
        prepare(tmp_path / "notes.txt")
    with pytest.raises(NotAFolder):
        prepare(tmp_path / "notes.txt" / "below")


@BOTH
def test_an_export_that_fails_leaves_what_was_there(tmp_path, form):
    write(tmp_path, form=form)
    before = contents(tmp_path)
    with pytest.raises(RuntimeError), Outgoing(tmp_path, Head(1, 1), form=form, vectors=False) as outgoing:
        outgoing.add(stamped(parsed("new.py", "new\n")))
        raise RuntimeError("in between")
    assert contents(tmp_path) == before


def test_what_a_killed_export_left_behind_goes_and_what_a_running_one_writes_stays(tmp_path):
    child = os.spawnlp(os.P_WAIT, "true", "true")
    assert child == 0
    dead = os.posix_spawnp("true", ["true"], os.environ)
    os.waitpid(dead, 0)
    (tmp_path / f".chunks.jsonl.{dead}.unfinished").write_text("half")
    (tmp_path / f".chunks.jsonl.{os.getppid()}.unfinished").write_text("under way")
    write(tmp_path, form=Format.JSONL)
    assert sorted(contents(tmp_path)) == [f".chunks.jsonl.{os.getppid()}.unfinished", *NAMES[Format.JSONL]]


def test_nobody_opens_some_old_and_some_new_files(tmp_path):
    """A reader that comes while files are put in place waits; what it opened before stays what it was."""
    write(tmp_path, [stamped(parsed("a.py", "old\n"), generation=1)])
    read, opened = [], threading.Event()

    def reader():
        with Incoming(tmp_path) as incoming:
            opened.set()
            read.append([file.generation for file in incoming.files()])

    with turn(tmp_path, alone=True):
        thread = threading.Thread(target=reader)
        thread.start()
        assert not opened.wait(0.2)
    thread.join(120)
    assert read == [[1]]
    with Incoming(tmp_path) as before:
        write(tmp_path, [stamped(parsed("a.py", "new\n"), generation=2)])
        assert [file.chunks[0].text for file in before.files()] == ["old\n"]
    with Incoming(tmp_path) as after:
        assert [file.chunks[0].text for file in after.files()] == ["new\n"]


def test_a_size_that_is_not_known_is_written_as_none(tmp_path):
    file = stamped(parsed("a.py", "x\n"))
    write(tmp_path, [replace(file, mark=file.mark._replace(size=-1))])
    with Incoming(tmp_path) as incoming:
        assert [one.mark.size for one in incoming.files()] == [0]
