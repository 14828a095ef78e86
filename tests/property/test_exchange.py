"""Whatever chunks there are: written and read back they are the same, in both formats, and writing them again gives the same bytes."""

import hashlib
import io
import json
import tempfile
from pathlib import Path
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from exchanged import ENGINE, contents, write
from scova.chunks.exchange import stream
from scova.chunks.exchange.incoming import Incoming
from scova.chunks.exchange.listing import read_chunks
from scova.chunks.exchange.names import Format
from scova.chunks.exchange.objects import Embedded
from scova.errors import ScovaError
from scova.types import Binding, Call, Chunk, ChunkId, ChunkType, Mark, Outline, ParsedFile, Symbol

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0/"), min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..")
)
PATH = st.lists(NAME, min_size=1, max_size=3).map("/".join)
LINE = st.integers(1, 10**6)
TIME = st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z")
TEXTS = st.lists(TEXT, max_size=3).map(tuple)


@st.composite
def outlines(draw):
    def span():
        start = draw(LINE)
        return start, start + draw(st.integers(0, 50))

    symbols = tuple(
        Symbol(
            draw(TEXT), draw(TEXT), draw(WORD), *span(), draw(TEXT), draw(TEXT), draw(TEXTS), draw(TEXTS), draw(TEXT)
        )
        for _ in range(draw(st.integers(0, 2)))
    )
    calls = draw(st.lists(st.builds(Call, TEXT, LINE, TEXT, TEXT), max_size=2).map(tuple))
    bindings = draw(
        st.lists(st.builds(Binding, TEXT, TEXT, TEXT, TEXT, st.integers(0, 9), TEXT), max_size=2).map(tuple)
    )
    return Outline(symbols, calls, draw(TEXTS), bindings, draw(TEXT))


@st.composite
def trees(draw):
    """Files of a tree, as a store would give them."""
    made = []
    for number, path in enumerate(sorted(draw(st.sets(PATH, max_size=4)))):
        generation, chunks = draw(st.integers(1, 2**40)), []
        for ordinal in range(draw(st.integers(0, 3))):
            text, start = draw(TEXT), draw(LINE)
            created = draw(TIME)
            chunks.append(
                Chunk(
                    ChunkId(f"{number}.{ordinal}{draw(WORD)}"), draw(TEXT), text, draw(st.sampled_from(ChunkType)), path, start,
                    start + draw(st.integers(0, 9)), draw(WORD), hashlib.sha256(text.encode()).hexdigest(), draw(TEXT), draw(WORD),
                    ordinal, draw(TEXTS), draw(TEXTS), project="shop", generation=generation, created_at=created,
                    updated_at=draw(TIME),
                )
            )  # fmt: skip
        digest = draw(st.sampled_from(["", "ab" * 32]))
        mark = Mark(draw(st.integers(0, 10**9)), 0)
        made.append(ParsedFile(path, digest, draw(WORD), mark, tuple(chunks), draw(outlines()), generation=generation))
    return made


def vector_of(chunk):
    """A vector for some of the chunks, always the same."""
    return Embedded("m", chunk.embed_key, chunk.embed_key[:5]) if chunk.embed_key[0] % 2 else None


@given(trees(), st.sampled_from(Format), st.sampled_from([None, vector_of]))
def test_chunks_survive_the_way_out_and_in(given_files, form, vectors):
    with tempfile.TemporaryDirectory() as place:
        one, two = Path(place) / "one", Path(place) / "two"
        write(one, given_files, form=form, vectors=vectors)
        with Incoming(one) as incoming:
            found = list(incoming.files())
            assert found == given_files and incoming.engine == ENGINE
            wanted = {v.key: v for file in given_files for c in file.chunks if vectors and (v := vectors(c))}
            assert {embedded.key: embedded for embedded, _ in incoming.vectors()} == wanted
        write(two, found, form=form, vectors=vectors)
        assert contents(one) == contents(two)
        chunks = [chunk for file in given_files for chunk in file.chunks]
        served = read_chunks(one, {})
        assert served == chunks
        again = read_chunks(one, {chunk.id: chunk for chunk in served})
        assert all(new is old for new, old in zip(again, served, strict=True)), "what did not change is not made anew"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=5), st.dictionaries(TEXT, JSON, max_size=3), st.integers(1, 40), st.booleans())
def test_a_stream_gives_what_the_whole_would(values, others, block, plainly):
    others.pop("chunks", None)
    data = json.dumps({**others, "chunks": values}, ensure_ascii=plainly).encode()
    beside = {}
    with patch.object(stream, "BLOCK", block):
        found = list(stream.elements(io.BytesIO(data), Path("f"), listed="chunks", others=beside))
    assert [one.value for one in found] == values and beside == others
    assert [json.loads(data[one.start : one.start + one.size]) for one in found] == values


@settings(max_examples=200)
@given(
    st.binary(max_size=200) | st.text(max_size=200).map(str.encode) | JSON.map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_are_read_or_refused_with_a_word(data):
    with tempfile.TemporaryDirectory() as place:
        for name in ("code-data.json", "code-graph.json", "chunks.jsonl", "graph.jsonl", "vectors.jsonl"):
            path = Path(place) / name
            path.write_bytes(data)
            try:
                with Incoming(Path(place)) as incoming:
                    list(incoming.files())
            except ScovaError as error:
                assert str(place) in error.message and error.hint
            path.unlink()


@settings(max_examples=60)
@given(st.data(), st.sampled_from(Format))
def test_a_flipped_byte_is_noticed_or_changes_no_text(data, form):
    """Every text has its hash beside it: what is read is what was written, or nothing is."""
    from exchanged import files

    with tempfile.TemporaryDirectory() as place:
        write(Path(place), form=form)
        path = data.draw(st.sampled_from(sorted(Path(place).iterdir())))
        content = bytearray(path.read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
        try:
            with Incoming(Path(place)) as incoming:
                found = {chunk.text for file in incoming.files() for chunk in file.chunks}
        except ScovaError as error:
            assert str(place) in error.message
        else:
            assert found == {chunk.text for file in files() for chunk in file.chunks}
