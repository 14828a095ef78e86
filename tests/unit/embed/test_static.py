"""The shipped embedder: what its vectors promise, and what a broken model file does."""

import json
import math
import pickle
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from scova.embed.static import StaticEmbedder, split_part
from scova.errors import EmbedderError

CODE = '''
def read_config(path: str) -> dict[str, str]:
    """Parse a configuration file."""
    with open(path) as handle:
        return {key.strip(): value for key, value in (line.split("=") for line in handle)}
'''
TEXTS = [
    CODE,
    "open a file and parse the configuration",
    "func (s *Server) ListenAndServeTLS(certFile, keyFile string) error { return s.listen(certFile) }",
    "zzyzxqwv frobnicate_the_Quuxinator99",
    "x",
    "größe = länge * 2  # naïve",
    "設定ファイルを読む open",
    "a " * 500 + "socket",
]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def values(vector: bytes) -> tuple[int, ...]:
    return struct.unpack(f"{len(vector)}b", vector)


def cosine(left: bytes, right: bytes) -> float:
    a, b = values(left), values(right)
    size = math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size else 0.0


def test_a_vector_fills_the_range_of_int8(embedder: StaticEmbedder) -> None:
    for vector in embedder.embed(TEXTS):
        assert len(vector) == embedder.width
        assert max(map(abs, values(vector))) == 127


def test_both_paths_agree(embedder: StaticEmbedder) -> None:
    for text, vector in zip(TEXTS, embedder.embed(TEXTS), strict=True):
        alone = embedder.embed_query(text)
        assert cosine(vector, alone) > 0.999
        assert max(abs(x - y) for x, y in zip(values(vector), values(alone), strict=True)) <= 1


def test_lookups_by_scan_and_by_dictionary_agree() -> None:
    few, many = StaticEmbedder(), StaticEmbedder()
    many.embed([" ".join(f"word{i}{chr(97 + i % 26)}" for i in range(200))])
    for text in TEXTS:
        assert StaticEmbedder().embed_query(text) == many.embed_query(text)
    assert few.embed_query(TEXTS[0]) == many.embed_query(TEXTS[0])


@pytest.mark.parametrize("text", ["", "   \n\t", "+-*/ (){}", "_" * 5, "x" * 65])
def test_a_text_without_tokens_is_all_zeros(embedder: StaticEmbedder, text: str) -> None:
    assert embedder.embed_query(text) == bytes(embedder.width)
    assert embedder.embed([text, CODE])[0] == bytes(embedder.width)


def test_a_batch_keeps_order_and_equals_its_single_texts(embedder: StaticEmbedder) -> None:
    texts = [TEXTS[i % len(TEXTS)] if i % 7 else "" for i in range(600)]
    assert embedder.embed(texts) == [vector for text in texts for vector in embedder.embed([text])]
    assert embedder.embed([]) == []


def test_fresh_embedders_give_equal_bytes(embedder: StaticEmbedder) -> None:
    again = StaticEmbedder()
    assert again.model == embedder.model
    assert again.embed(TEXTS) == embedder.embed(TEXTS)
    assert again.embed_query(CODE) == embedder.embed_query(CODE)


def test_one_that_has_been_used_can_be_sent_to_another_process(embedder: StaticEmbedder) -> None:
    text = "def parse_config(path): return json.load(open(path))"
    vectors = embedder.embed([text])
    assert pickle.loads(pickle.dumps(embedder)).embed([text]) == vectors


def test_meaning_is_nearer_than_noise(embedder: StaticEmbedder) -> None:
    query = embedder.embed_query("load settings from a file")
    other = "def draw_circle(canvas, radius, colour): canvas.ellipse(radius, radius, fill=colour)"
    assert cosine(query, embedder.embed_query(CODE)) > cosine(query, embedder.embed_query(other)) + 0.1


def test_the_identity_names_the_weights(embedder: StaticEmbedder) -> None:
    name, rest = embedder.model.split(":")
    digest, power = rest.split("^")
    assert name == "scova-static-2"
    assert len(digest) == 12
    assert int(digest, 16) >= 0
    assert float(power) == embedder.header["power"]


def test_files_that_give_other_vectors_have_other_identities(tmp_path: Path) -> None:
    """The same weights, but repeated words count otherwise: vectors of one must never be taken for the other's."""
    shipped = (Path(sys.modules[StaticEmbedder.__module__].__file__ or "").with_name("static.bin")).read_bytes()
    assert shipped.count(b'"power": 0.75') == 1
    other = StaticEmbedder(model_file(tmp_path, shipped.replace(b'"power": 0.75', b'"power": 0.50')))
    text = "read read read the file"
    assert other.embed_query(text) != StaticEmbedder().embed_query(text)
    assert other.model != StaticEmbedder().model


def test_a_query_needs_no_numpy() -> None:
    script = "import sys; from scova.embed.static import StaticEmbedder as S; v = S().embed_query('open a file'); sys.exit(not any(v) or 'numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_unknown_parts_are_split_into_the_longest_known_pieces() -> None:
    known = {"open": 1, "##tele": 2, "##metry": 3, "o": 4, "##x": 5}
    assert split_part("open", known.get) == (1,)
    assert split_part("opentelemetry", known.get) == (1, 2, 3)
    assert split_part("o?x", known.get) == (4, 5)
    assert split_part("qq", known.get) == ()


def model_file(folder: Path, raw: bytes) -> Path:
    path = folder / "model.bin"
    path.write_bytes(raw)
    return path


def with_header(header: object) -> bytes:
    head = json.dumps(header).encode()
    return struct.pack("<4sII", b"SCVM", 1, len(head)) + head


SECTIONS = {"vocabulary": [512, 10], "starts": [576, 12], "scales": [640, 8], "table": [704, 512]}
WHOLE = {"name": "m", "digest": "0" * 64, "width": 256, "vocab_size": 2, "sections": SECTIONS}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"SCVM",
        b"NOPE" + bytes(100),
        struct.pack("<4sII", b"SCVM", 2, 2) + b"{}",
        struct.pack("<4sII", b"SCVM", 1, 1 << 30) + b"{}",
        struct.pack("<4sII", b"SCVM", 1, 8) + b"{broken!",
        struct.pack("<4sII", b"SCVM", 1, 2) + b"\xff\xfe",
        with_header([]),
        with_header({}),
        with_header({**WHOLE, "width": "wide"}),
        with_header({**WHOLE, "sections": {}}),
        with_header(WHOLE),  # the sections lie beyond the end of the file
    ],
)
def test_a_damaged_file_is_an_embedder_error(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(EmbedderError) as caught:
        StaticEmbedder(model_file(tmp_path, raw))
    assert caught.value.hint


def test_a_file_cut_short_is_noticed_on_opening(tmp_path: Path) -> None:
    whole = (Path(sys.modules[StaticEmbedder.__module__].__file__ or "").with_name("static.bin")).read_bytes()
    with pytest.raises(EmbedderError):
        StaticEmbedder(model_file(tmp_path, whole[:-100]))


def test_a_missing_file_is_an_embedder_error(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError):
        StaticEmbedder(tmp_path / "none.bin")


def test_a_file_removed_after_opening_is_an_embedder_error(tmp_path: Path) -> None:
    path = model_file(tmp_path, with_header(WHOLE) + bytes(2000))
    embedder = StaticEmbedder(path)
    path.unlink()
    with pytest.raises(EmbedderError):
        embedder.embed_query("open")
