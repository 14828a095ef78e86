"""A model in a folder as the embedder: what is said where something is missing, and what its vectors promise where it runs."""

import hashlib
import json
import multiprocessing
import pickle
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from scova import config
from scova.embed.onnx import OnnxEmbedder
from scova.embed.onnx_folder import find_model, identity, most_tokens
from scova.embed.opening import open_embedder
from scova.errors import ConfigError, EmbedderError

WORDS = ["[PAD]", "[UNK]", "parse", "config", "file", "network", "socket", "width"]
TABLE = [
    [0.0, 0.0, 9.0, 9.0],
    [0.1, 0.1, 0.0, 0.0],
    [1.0, 0.0, 0.0, 0.0],
    [0.9, 0.1, 0.0, 0.0],
    [0.8, 0.0, 0.1, 0.0],
    [0.0, 1.0, 0.0, -0.5],
    [0.0, 0.9, 0.0, -0.4],
    [0.0, 0.0, 1.0, 0.0],
]


def values(vector: bytes) -> tuple[int, ...]:
    return struct.unpack(f"{len(vector)}b", vector)


def folder_of(folder: Path, *names: str) -> Path:
    """A folder with files of these names."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}")
    return folder


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(EmbedderError, match=r"no folder .*/nowhere"):
        open_embedder(f"onnx:{tmp_path}/nowhere")


@pytest.mark.parametrize(
    ("there", "missing"),
    [
        ((), r"no `model.onnx` \(nor `onnx/model.onnx`\) and no `tokenizer.json`"),
        (("tokenizer.json",), "no `model.onnx`"),
        (("model.onnx",), "no `tokenizer.json`"),
        (("onnx/model.onnx",), "no `tokenizer.json`"),
    ],
)
def test_a_folder_that_is_not_whole_says_which_file_is_missing(tmp_path, there, missing):
    with pytest.raises(EmbedderError, match=missing) as raised:
        open_embedder(f"onnx:{folder_of(tmp_path, *there)}")
    assert raised.value.hint
    assert ("model.onnx" in raised.value.message) == (not any("model.onnx" in name for name in there))


@pytest.mark.parametrize("name", ["model.onnx", "onnx/model.onnx"])
def test_the_model_may_lie_in_either_place(tmp_path, name):
    assert find_model(folder_of(tmp_path, name, "tokenizer.json")) == tmp_path / name


@pytest.mark.skipif(
    bool(find_spec("onnxruntime") and find_spec("tokenizers")), reason="shows what is said without the packages"
)
def test_without_the_packages_the_message_says_how_to_get_them(tmp_path):
    with pytest.raises(EmbedderError, match="needs `") as raised:
        open_embedder(f"onnx:{folder_of(tmp_path, 'model.onnx', 'tokenizer.json')}")
    assert raised.value.hint == "pip install 'scova[onnx]'"


def test_a_model_is_known_by_the_name_of_its_folder_and_by_all_its_weights(tmp_path):
    folder = folder_of(tmp_path / "mini", "model.onnx")
    alone = identity(folder, folder / "model.onnx")
    assert alone == f"onnx:mini:{hashlib.sha256(b'{}').hexdigest()[:12]}"
    (folder / "model.onnx_data").write_bytes(b"weights")
    assert identity(folder, folder / "model.onnx") != alone


@pytest.mark.parametrize(
    ("said", "tokens"),
    [('{"model_max_length": 128}', 128), ('{"model_max_length": 1e30}', 512), ("[]", 512), ("no", 512)],
)
def test_texts_are_cut_where_the_model_says(tmp_path, said, tokens):
    (tmp_path / "tokenizer_config.json").write_text(said)
    assert most_tokens(tmp_path) == tokens


def test_nothing_said_is_512_tokens(tmp_path):
    assert most_tokens(tmp_path) == 512


def test_the_setting_takes_whole_paths_only(tmp_path):
    for whole in (f"onnx:{tmp_path}", "onnx:~/models/mini"):
        assert config.load(tmp_path, {"embedder": whole}).embedder == whole
    for bad in ("onnx", "onnx:", "onnx:models/mini"):
        with pytest.raises(ConfigError, match="onnx:/FOLDER"):
            config.load(tmp_path, {"embedder": bad})


def test_a_project_may_not_have_a_model_loaded(tmp_path):
    (tmp_path / "scova.toml").write_text(f'embedder = "onnx:{tmp_path}"')
    values = config.load(tmp_path)
    assert values.embedder == "static"
    assert "`embedder`" in values.ignored[0]


def test_naming_it_loads_neither_runtime_nor_numpy():
    code = "import sys, scova.embed.onnx; print({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def made(folder: Path, *, pooled: bool = False, tokens: int | str = "tokens") -> Path:
    """A real model: one row of TABLE for each word, or (`pooled`) the largest of them as the vector of the text."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    tokenizers = pytest.importorskip("tokenizers")
    from onnx import TensorProto, helper

    folder.mkdir()
    words = {word: number for number, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=32)  # as many that are published do: it must not count
    tokenizer.save(str(folder / "tokenizer.json"))
    weights = helper.make_tensor("table", TensorProto.FLOAT, [8, 4], [number for row in TABLE for number in row])
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [1, tokens, 4])]
    if pooled:
        nodes.append(helper.make_node("ReduceMax", ["last_hidden_state"], ["sentence_embedding"], axes=[1], keepdims=0))
        outputs.append(helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, 4]))
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, tokens])]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, [weights])
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), str(folder / "model.onnx"))
    return folder


def test_the_vector_is_the_mean_over_the_tokens_scaled_to_int8(tmp_path):
    embedder = open_embedder(f"onnx:{made(tmp_path / 'tiny')}")
    assert embedder.width == 4
    assert values(embedder.embed_query("parse network")) == (127, 127, 0, -64)
    assert embedder.embed(["", "parse"]) == [bytes(4), bytes([127, 0, 0, 0])]


def test_a_vector_of_the_whole_text_goes_before_those_of_tokens(tmp_path):
    embedder = OnnxEmbedder(made(tmp_path / "tiny", pooled=True))
    assert values(embedder.embed_query("parse network")) == (127, 127, 0, 0)


def test_what_fills_a_model_of_fixed_length_up_does_not_count(tmp_path):
    embedder = OnnxEmbedder(made(tmp_path / "tiny", tokens=6))
    assert values(embedder.embed_query("parse network")) == (127, 127, 0, -64)
    assert embedder.embed_query("socket " * 6 + "parse " * 50) == embedder.embed_query("socket")


def test_a_text_is_cut_at_the_limit(tmp_path):
    folder = made(tmp_path / "tiny")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 2}))
    embedder = OnnxEmbedder(folder)
    assert embedder.embed_query("parse parse socket socket") == embedder.embed_query("parse")


def test_it_goes_to_other_processes_even_after_it_ran_here(tmp_path):
    embedder = OnnxEmbedder(made(tmp_path / "tiny"))
    here = embedder.embed(["config file"])
    assert pickle.loads(pickle.dumps(embedder)).embed(["config file"]) == here
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(embedder.embed, (["config file"],)).get(60) == here


def test_a_file_that_is_no_model_is_an_error_that_names_the_folder(tmp_path):
    folder = made(tmp_path / "tiny")
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(EmbedderError, match="tiny cannot be used"):
        OnnxEmbedder(folder).embed(["config"])
