"""What the folder of an ONNX model holds: which file is the model, what it is called, how many tokens it takes.

Looks at files, and whether packages are there; runs no model and imports none of the packages.
"""

import json
from importlib.util import find_spec
from pathlib import Path

from scova.core.small_files import STATE_LIMIT, read_small
from scova.errors import EmbedderError

PACKAGES = ("onnxruntime", "tokenizers")
MOST_TOKENS = 512  # where the folder does not say
_MODELS = ("model.onnx", "onnx/model.onnx")
_WEIGHTS = ("_data", ".data")  # behind the model's name: where large models keep theirs
_SANE_TOKENS = 1 << 20  # tokenizers without a limit say so by a number of thirty digits


def find_model(folder: Path) -> Path:
    """The model's file. EmbedderError when the folder lacks it, or the tokenizer."""
    if not folder.is_dir():
        raise EmbedderError(f"there is no folder {folder}", "set `embedder` to `onnx:` and the folder of a model")
    found = next((folder / name for name in _MODELS if (folder / name).is_file()), None)
    missing = [] if found else ["`model.onnx` (nor `onnx/model.onnx`)"]
    missing += [] if (folder / "tokenizer.json").is_file() else ["`tokenizer.json`"]
    if missing or found is None:
        raise EmbedderError(
            f"{folder} has no {' and no '.join(missing)}",
            "put both there: the model as ONNX, and its tokenizer as Hugging Face's `tokenizers` writes it",
        )
    return found


def require_packages() -> None:
    """EmbedderError when a package is not installed."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise EmbedderError(
            f"a model in a folder needs {' and '.join(f'`{name}`' for name in missing)}", "pip install 'scova[onnx]'"
        )


def identity(folder: Path, file: Path) -> str:
    """`onnx:`, the folder's name, and the beginning of the SHA-256 of the model, with its weights where they lie beside it."""
    import hashlib

    digest = hashlib.sha256()
    for path in (file, *(file.with_name(file.name + ending) for ending in _WEIGHTS)):
        if path == file or path.is_file():
            try:
                with path.open("rb") as opened:
                    while block := opened.read(1 << 20):
                        digest.update(block)
            except OSError as error:
                raise EmbedderError(f"{path} cannot be read: {error.strerror}", "make it readable") from error
    return f"onnx:{folder.resolve().name}:{digest.hexdigest()[:12]}"


def most_tokens(folder: Path) -> int:
    """How many tokens of a text the model takes."""
    try:
        said = json.loads(read_small(folder / "tokenizer_config.json", STATE_LIMIT) or b"")
    except (ValueError, RecursionError):
        return MOST_TOKENS
    limit = said.get("model_max_length") if isinstance(said, dict) else None
    return limit if type(limit) is int and 0 < limit <= _SANE_TOKENS else MOST_TOKENS
