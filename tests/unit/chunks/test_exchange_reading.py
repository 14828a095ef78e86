"""Exchange files read: nothing is taken for granted, and what is wrong is named with its file and place."""

import codecs
import io
import json
import os
from pathlib import Path

import pytest

from exchanged import ENGINE, TIME, files, plain, write, write_plain
from scova.chunks.exchange import stream
from scova.chunks.exchange.incoming import Incoming
from scova.chunks.exchange.names import Format
from scova.chunks.exchange.objects import Embedded
from scova.errors import ExchangeError, NotAFolder
from scova.types import Outline

BOTH = pytest.mark.parametrize("form", list(Format))


def read(folder):
    with Incoming(Path(folder)) as incoming:
        return list(incoming.files())


def without_marks(given):
    return [(file.path, file.digest, file.language, file.chunks, file.outline, file.generation) for file in given]


@BOTH
def test_what_was_written_is_read_back(tmp_path, form):
    write(tmp_path / "out", form=form)
    with Incoming(tmp_path / "out") as incoming:
        assert without_marks(incoming.files()) == without_marks(files())
        assert (incoming.project, incoming.engine, incoming.format) == ("shop", ENGINE, form)
        assert [file.mark.size for file in incoming.files()] == [file.mark.size for file in files()]
        assert all(file.mark.changed_ns == 0 for file in incoming.files()), "a mark means something on one machine only"


@BOTH
def test_vectors_are_read_back_to_the_bit(tmp_path, form):
    def vector(chunk):
        return Embedded("m", chunk.embed_key, bytes(range(256))) if chunk.ordinal != 1 else None

    done = write(tmp_path / "out", form=form, vectors=vector)
    with Incoming(tmp_path / "out") as incoming:
        found = {embedded.key: embedded for embedded, _ in incoming.vectors()}
        wanted = [vector(chunk) for file in files() for chunk in file.chunks if vector(chunk)]
        assert (
            found == {one.key: one for one in wanted} and done.vectors == len(wanted) and incoming.widths == {"m": 256}
        )
        for embedded, where in incoming.vectors():
            assert incoming.chunk(where).embed_key == embedded.key


def test_a_missing_file_is_an_empty_set(tmp_path):
    write(tmp_path)
    (tmp_path / "code-graph.json").unlink()
    (tmp_path / "code-definitions.json").unlink()
    types = {chunk.chunk_type.value for file in read(tmp_path) for chunk in file.chunks}
    assert types == {"symbols", "data", "documentation"}
    for name in os.listdir(tmp_path):
        (tmp_path / name).unlink()
    assert read(tmp_path) == []


def test_a_folder_that_is_not_there_or_none(tmp_path):
    with pytest.raises(NotAFolder, match="does not exist"):
        read(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotAFolder, match="not a folder"):
        read(tmp_path / "file")


def test_chunks_of_other_programs_need_little_and_may_be_in_any_order(tmp_path):
    write_plain(
        tmp_path,
        plain("z.py", "last\nlines\n", metadata={"start_line": 5}, tags=None),
        plain("a.md", "prose\n", "documentation", created_at="2024-05-01T10:00:00.123456789+02:00"),
        plain("z.py", "first\n", "data", extra={"ignored": [1]}, embedding=[0.5, 1]),
    )
    prose, code = read(tmp_path)
    assert (prose.path, prose.digest, prose.outline, prose.generation) == ("a.md", "", Outline(), 0)
    assert prose.chunks[0].created_at == prose.chunks[0].updated_at == "2024-05-01T08:00:00.123Z"
    spans = [(one.text, one.ordinal, one.start_line, one.end_line, one.tags) for one in code.chunks]
    assert spans == [("first\n", 0, 1, 1, ()), ("last\nlines\n", 1, 5, 6, ())]
    assert all(len(one.content_hash) == 64 for one in code.chunks)


def test_an_embedding_counts_when_it_says_which_model_made_it(tmp_path):
    write_plain(
        tmp_path,
        plain("a.py", "one\n", embedding=[0.1, -0.4, 0.2], embedding_model="theirs"),
        plain("a.py", "two\n", embedding=[0.1, -0.4, 0.2]),
        plain("a.py", "three\n", embedding=[], embedding_model="theirs"),
    )
    with Incoming(tmp_path) as incoming:
        ((embedded, _),) = incoming.vectors()
        assert embedded.model == "theirs" and embedded.vector == bytes([32, 256 - 127, 64])


def test_vectors_of_no_chunk_are_left_out(tmp_path):
    write(tmp_path, form=Format.JSONL)
    line = {"model": "m", "key": "ab" * 32, "vector": [1, 2]}
    (tmp_path / "vectors.jsonl").write_text(json.dumps(line) + "\n")
    with Incoming(tmp_path) as incoming:
        assert list(incoming.vectors()) == []


WRONG_CHUNKS = {
    "a text that is not what its hash says": (
        {"content_hash": "00" * 32},
        "content_hash is not the SHA-256 of its text",
    ),
    "a hash that is no string": ({"content_hash": 5}, "content_hash is not a string"),
    "no text": ({"text": None}, "text is missing"),
    "a text that is no string": ({"text": ["a"]}, "text is not a string"),
    "half of a surrogate pair": ({"text": "a\ud800b"}, "half of a surrogate pair"),
    "no id": ({"id": None}, "id is missing"),
    "an empty id": ({"id": ""}, "id is empty"),
    "a type nobody knows": ({"chunk_type": "poem"}, "chunk_type `poem` is none of"),
    "a type of another file": ({"chunk_type": "data"}, "only `definitions` belong here"),
    "no path": ({"metadata": {}}, "file_path is missing"),
    "metadata that is no object": ({"metadata": [1]}, "metadata is not an object"),
    "a path that leaves the tree": ({"metadata": {"file_path": "../x"}}, "`../x` does not lie in the tree"),
    "a path that leaves the tree on the way": ({"metadata": {"file_path": "a/../../x"}}, "does not lie in the tree"),
    "an absolute path": ({"metadata": {"file_path": "/etc/passwd"}}, "does not lie in the tree"),
    "an empty path": ({"metadata": {"file_path": ""}}, "does not lie in the tree"),
    "a path with a zero character": ({"metadata": {"file_path": "a\0b"}}, "zero character"),
    "line zero": ({"metadata": {"file_path": "a.py", "start_line": 0}}, "start_line is 0, and must be 1 or more"),
    "a line that is no number": (
        {"metadata": {"file_path": "a.py", "start_line": "1"}},
        "start_line is not a whole number",
    ),
    "a line that is half": ({"metadata": {"file_path": "a.py", "start_line": 1.5}}, "not a whole number"),
    "a line that is true": ({"metadata": {"file_path": "a.py", "start_line": True}}, "not a whole number"),
    "an end before the start": (
        {"metadata": {"file_path": "a.py", "start_line": 5, "end_line": 4}},
        "before start_line 5",
    ),
    "tags that are no list": ({"tags": "a"}, "tags is not a list"),
    "a tag that is no string": ({"tags": ["a", 1]}, "an element of tags is not a string"),
    "names that are no list": ({"metadata": {"file_path": "a.py", "names": 3}}, "names is not a list"),
    "a negative generation": ({"generation": -1}, "generation is -1"),
    "a generation beyond all numbers": ({"generation": 10**30}, "generation is too large"),
    "a time that is none": ({"created_at": "yesterday"}, "created_at `yesterday` is not a time"),
    "a vector of words": ({"embedding": ["a"]}, "embedding is not a list of numbers"),
    "a vector of whole numbers too large": ({"embedding": [1, 300]}, "beyond -128 to 127"),
    "no object at all": (None, "it is not an object"),
}


@pytest.mark.parametrize("name", WRONG_CHUNKS)
def test_a_wrong_chunk_is_named(tmp_path, name):
    change, said = WRONG_CHUNKS[name]
    wrong = change if change is None else plain("a.py", "two\n") | change
    text = json.dumps({"chunks": [plain("a.py", "one\n"), wrong]}, indent=0)
    (tmp_path / "code-definitions.json").write_text(text)
    with pytest.raises(ExchangeError) as error:
        read(tmp_path)
    assert "code-definitions.json" in error.value.message and "chunk 2 (line" in error.value.message
    assert said in error.value.message and "nothing was changed" in error.value.hint


def test_chunks_that_cannot_be_together_are_named(tmp_path):
    pairs = {
        "is that of another chunk": plain("b.py", id="same"),
        "project is `b`, and `a` before": plain("b.py", metadata={"project": "b"}),
        "generation is 2, and 1 in another chunk": plain("a.py", "other", generation=2),
    }
    for said, second in pairs.items():
        first = plain("a.py", id="same", generation=1, metadata={"project": "a"})
        write_plain(tmp_path, first, second)
        with pytest.raises(ExchangeError, match=said):
            read(tmp_path)


@pytest.mark.parametrize("ordinals", [(1, 1), (0, None)])
def test_ordinals_are_all_different_or_not_there_at_all(tmp_path, ordinals):
    chunks = [plain("a.py", f"{n}\n", metadata={"ordinal": ordinal}) for n, ordinal in enumerate(ordinals)]
    with pytest.raises(ExchangeError, match=r"chunks of `a.py` have the same ordinal"):
        read(write_plain(tmp_path, *chunks))


@BOTH
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_never_taken_for_a_whole_one(tmp_path, form, share):
    """JSON ends with a bracket; lines are counted against the graph, and the graph against itself."""
    for name in os.listdir(write(tmp_path / "out", form=form) and tmp_path / "out"):
        write(tmp_path / "out", form=form)
        path = tmp_path / "out" / name
        data = path.read_bytes()
        path.write_bytes(data[: min(int(len(data) * share), len(data) - 2)])  # the line feed at its end may be missing
        with pytest.raises(ExchangeError) as error:
            read(tmp_path / "out")
        assert str(tmp_path) in error.value.message and error.value.hint


@BOTH
def test_whole_lines_that_are_missing_are_noticed(tmp_path, form):
    for name in os.listdir(write(tmp_path, form=form) and tmp_path):
        for line in range(len((tmp_path / name).read_text().splitlines())):
            write(tmp_path, form=form)
            lines = (tmp_path / name).read_text().splitlines(keepends=True)
            (tmp_path / name).write_text("".join(lines[:line] + lines[line + 1 :]))
            with pytest.raises(ExchangeError):
                read(tmp_path)


def test_files_of_two_exports_do_not_pass_for_one(tmp_path):
    write(tmp_path)
    graph = (tmp_path / "code-graph.json").read_bytes()
    write(tmp_path, files()[:1])
    (tmp_path / "code-graph.json").write_bytes(graph)
    with pytest.raises(ExchangeError, match="has 1 chunks by this, and 0 are there"):
        read(tmp_path)


def test_both_formats_in_one_folder_are_refused(tmp_path):
    write(tmp_path, form=Format.JSONL)
    (tmp_path / "doc-chunks.json").write_text('{"chunks": []}')
    with pytest.raises(ExchangeError, match="both formats"):
        read(tmp_path)


WRONG_GRAPHS = {
    "another version": ({"version": 2}, "newer scova"),
    "no version": ({"version": None}, "version is missing"),
    "a version that is none": ({"version": "1"}, "version is not a whole number"),
    "files that are no list": ({"files": {}}, "`files` is not a list"),
    "a digest that is none": ({"files": [{"path": "a", "digest": "x", "chunks": 0}]}, "digest is not a SHA-256"),
    "a file twice": ({"files": [{"path": "q", "chunks": 0}] * 2}, "is that of another file"),
    "a path that leaves": ({"files": [{"path": "../a", "chunks": 0}]}, "does not lie in the tree"),
    "a symbol on line 0": ({"files": [{"path": "a", "chunks": 0, "symbols": [{"name": "f", "start_line": 0}]}]}, "start_line is 0"),
    "a symbol that ends early": (
        {"files": [{"path": "a", "chunks": 0, "symbols": [{"name": "f", "start_line": 3, "end_line": 2}]}]}, "end_line is 2"),
    "a call of a number": ({"files": [{"path": "a", "chunks": 0, "calls": [{"name": 1, "line": 1}]}]}, "name is not a string"),
    "a call that is no object": ({"files": [{"path": "a", "chunks": 0, "calls": ["g"]}]}, "an element of calls is not an object"),
    "too many files": ({"count": 9}, "the graph is of 9 files"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_GRAPHS)
def test_a_wrong_graph_is_named(tmp_path, name):
    change, said = WRONG_GRAPHS[name]
    graph = {"version": 1, "engine": ENGINE, "count": 1, "files": [{"path": "q.py", "chunks": 0}]} | change
    (tmp_path / "code-graph.json").write_text(json.dumps(graph))
    with pytest.raises(ExchangeError, match=said.replace("(", r"\(")) as error:
        read(tmp_path)
    assert "code-graph.json" in error.value.message or str(tmp_path) in error.value.message


WRONG_VECTORS = {
    "no key": {"model": "m", "vector": [1]},
    "a key that is none": {"model": "m", "key": "zz", "vector": [1]},
    "no model": {"key": "ab" * 32, "vector": [1]},
    "no vector": {"model": "m", "key": "ab" * 32},
    "an empty vector": {"model": "m", "key": "ab" * 32, "vector": []},
    "another width": {"model": "m", "key": "ab" * 32, "vector": [1, 2, 3]},
    "no object": [1],
}


@pytest.mark.parametrize("name", WRONG_VECTORS)
def test_a_wrong_vector_is_named(tmp_path, name):
    write(tmp_path, form=Format.JSONL)
    right = {"model": "m", "key": "cd" * 32, "vector": [1, 2]}
    (tmp_path / "vectors.jsonl").write_text(f"{json.dumps(right)}\n\n{json.dumps(WRONG_VECTORS[name])}\n")
    with pytest.raises(ExchangeError, match=r"vectors.jsonl.*vector 2 \(line 3\)"):
        read(tmp_path)


def test_what_is_no_file_is_named_and_never_waited_for(tmp_path):
    (tmp_path / "code-data.json").mkdir()
    with pytest.raises(ExchangeError, match=r"code-data.json` is not a file"):
        read(tmp_path)
    (tmp_path / "code-data.json").rmdir()
    os.mkfifo(tmp_path / "code-data.json")
    with pytest.raises(ExchangeError, match=r"code-data.json` is not a file"):
        read(tmp_path)


# --- the stream


def streamed(data, listed="chunks"):
    others = {}
    found = list(stream.elements(io.BytesIO(data), Path("f.json"), listed=listed, others=others))
    return found, others


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
def test_elements_are_those_of_the_list_wherever_blocks_end(monkeypatch, block):
    monkeypatch.setattr(stream, "BLOCK", block)
    values = [
        {"a": 'zwölf \\ " \U0001f600'},
        12,
        -1.5e3,
        "x]",
        [],
        {},
        None,
        True,
        "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    ]
    for indent in (None, 1):
        for plainly in (True, False):
            text = json.dumps({"b": [1], "chunks": values, "c": {"d": 2}, "n": 17}, indent=indent, ensure_ascii=plainly)
            data = codecs.BOM_UTF8 + text.encode()
            found, others = streamed(data)
            assert [one.value for one in found] == values and others == {"b": [1], "c": {"d": 2}, "n": 17}
            assert [one.number for one in found] == list(range(1, len(values) + 1))
            for one in found:
                assert json.loads(data[one.start : one.start + one.size]) == one.value
                assert one.line == data[: one.start].count(b"\n") + 1


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        (b"", "line 1, column 1", "it ends early: an object was expected"),
        (b"[]", "line 1, column 1", "an object was expected"),
        (b'{"chunks": [', "line 1, column 13", "it ends early"),
        (b'{"chunks": [\n1,\n 2', "line 3, column 3", "it ends early: `,` or `]` was expected"),
        (b'{"chunks": [\n1,\n {"a": "b', "line 3", "it ends early: not JSON: Unterminated string"),
        (b'{"chunks": [1 2]}', "line 1, column 15", "`,` or `]` was expected"),
        (b'{"chunks": [1,]}', "line 1, column 15", "not JSON: Expecting value"),
        (b'{"chunks": 5}', "line 1, column 12", "`chunks` is not a list"),
        (b'{"chunks": []} {}', "line 1, column 16", "behind the end"),
        (b'{1: 2}', "line 1", "name of a member"),
        (b'{"a" 2}', "line 1, column 6", "`:` was expected"),
        (b'{"chunks": [NaN]}', "line 1", "NaN is not JSON"),
        (b'{"chunks": ["\xff"]}', "byte 14", "not UTF-8"),
        (b'{"chunks": ["\xe2\x82', "byte 14", "not UTF-8"),
        (b'{"chunks": [' + b"[" * 100_000, "line 1", "nested too deeply"),
        (b'{"chunks": [' + b"9" * 5000 + b"]}", "line 1", "not JSON"),
        (b'{"chunks": ["a\nb"' + b" " * 100 + b"]}", "line 1", "not JSON: Invalid control character"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("block", [1, 1 << 20])
def test_what_is_no_json_is_named_with_its_place(monkeypatch, block, data, place, said):
    if block == 1 and len(data) > 10_000:
        block = 1000  # the same, in less time
    monkeypatch.setattr(stream, "BLOCK", block)
    with pytest.raises(ExchangeError) as error:
        streamed(data)
    assert "f.json" in error.value.message and place in error.value.message and said in error.value.message


def test_an_error_early_in_a_large_file_is_found_without_reading_the_rest():
    data = io.BytesIO(b'{"chunks": [ {"a": x' + b" " * (8 << 20))
    with pytest.raises(ExchangeError, match="column 20"):
        list(stream.elements(data, Path("f"), listed="chunks", others={}))
    assert data.tell() <= stream.BLOCK


def test_a_value_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(stream, "LARGEST_VALUE", 3 << 20)
    with pytest.raises(ExchangeError, match="longer than"):
        streamed(b'{"chunks": ["' + b"a" * (9 << 20))
    with pytest.raises(ExchangeError, match="longer than"):
        list(stream.lines(io.BytesIO(b"9" * (4 << 20)), Path("f")))


def test_lines_count_blank_ones_and_forgive_a_mark():
    data = codecs.BOM_UTF8 + '{"a": 1}\n\n  \n{"b": "ö"}'.encode()
    found = list(stream.lines(io.BytesIO(data), Path("f")))
    assert [(one.value, one.number, one.line) for one in found] == [({"a": 1}, 1, 1), ({"b": "ö"}, 2, 4)]
    assert [json.loads(data[one.start : one.start + one.size]) for one in found] == [{"a": 1}, {"b": "ö"}]
    with pytest.raises(ExchangeError, match="line 2, column 2"):
        list(stream.lines(io.BytesIO(b"{}\n{x}\n"), Path("f")))
    with pytest.raises(ExchangeError, match=r"line 1: not UTF-8"):
        list(stream.lines(io.BytesIO(b'"\xff"\n'), Path("f")))


def test_times_are_given_to_the_millisecond(tmp_path):
    assert read(write_plain(tmp_path, plain(created_at=TIME)))[0].chunks[0].created_at == TIME
