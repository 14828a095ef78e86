"""Text into vectors by a model in a folder of this machine, in the ONNX format, where `onnxruntime` and `tokenizers` are installed.

Responsible for what the folder must hold (`onnx_folder` reads it), for running the model, and for making one vector of what
it gives: its own vector of the text where it gives one, else the mean over the tokens. Never touches the network.

Each text is run by itself, without others beside it. Padding, and the scales that quantised models take from all they are
given at once, may make a vector depend on its neighbours, and equal text must give equal vectors. It costs little: on one
thread of a processor a batch is hardly faster than its texts one by one, and slower where they are long.

A process runs the model with what it loaded itself: threads of the runtime do not survive a fork. A worker process has one
thread for it, since there is one worker for each core; any other process has as many as there are cores.
"""

import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scova.core.python_process import is_worker
from scova.embed.onnx_folder import find_model, identity, most_tokens, require_packages
from scova.errors import EmbedderError
from scova.types import Spent, Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_POOLER = "pooler_output"  # made for another purpose than to compare texts: taken only where there is nothing else
_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
_HINT = "choose a model that makes vectors of texts, exported for `feature-extraction`"


class _Loaded(NamedTuple):
    """A model that is ready to run."""

    session: Any
    tokenizer: Any
    inputs: dict[str, str]  # each with its type
    output: str

    def run(self, text: str) -> "NDArray[np.float64]":
        """What the model says of one text, as one row of numbers."""
        import numpy as np

        encoding = self.tokenizer.encode(text)
        mask = np.array(encoding.attention_mask)
        given = dict(zip(_INPUTS, (encoding.ids, mask, encoding.type_ids, range(len(mask))), strict=True))
        feed = {
            name: np.array([given[name]], dtype=np.int32 if kind == "tensor(int32)" else np.int64)
            for name, kind in self.inputs.items()
        }
        said = np.asarray(self.session.run([self.output], feed)[0], dtype=np.float64)
        if said.ndim == 3:
            return np.asarray(said[0][mask == 1].mean(axis=0))
        if said.ndim == 2:
            return np.asarray(said[0])
        raise ValueError(f"its output `{self.output}` has {said.ndim} dimensions, not 2 or 3")


class OnnxEmbedder:
    """A model in a folder. Constructing it looks for files and packages, and loads neither. Threads may share it."""

    is_remote = False
    batch_size = 64  # a worker takes so many at a time
    spent = Spent()

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser()
        self._file = find_model(self._folder)
        require_packages()
        self._loaded: dict[
            int, _Loaded
        ] = {}  # by process; what a fork inherited is kept, since ending it waits for threads
        self._loading = threading.Lock()

    def __reduce__(self) -> "tuple[type[OnnxEmbedder], tuple[Path]]":
        """Goes to another process as its folder's path."""
        return OnnxEmbedder, (self._folder,)

    def __repr__(self) -> str:
        return f"OnnxEmbedder({str(self._folder)!r})"

    @property
    def mark(self) -> tuple[int, int, int]:
        """What a stat tells of the model's file: another one whenever it was replaced."""
        status = self._file.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns

    @cached_property
    def model(self) -> str:
        """The folder's name, and what the model's file holds."""
        return identity(self._folder, self._file)

    @cached_property
    def width(self) -> int:
        """Components per vector, as many as one word gives."""
        return len(self._vector("width"))

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        """The vector of one text; zeros for a blank one."""
        return self._vector(text) if text.strip() else bytes(self.width)

    def _vector(self, text: str) -> Vector:
        """Scaled so that its largest component is 127 and rounded to int8, as the shipped model does it."""
        import numpy as np

        loaded = self._ready()
        try:
            numbers = loaded.run(text)
        except Exception as error:  # the runtime and the tokenizer have no narrower class in common
            raise self._unusable(error) from error
        if not numbers.size or not np.isfinite(numbers).all():
            raise EmbedderError(f"the model in {self._folder} gives numbers that are not finite", _HINT)
        largest = np.abs(numbers).max() or 1.0
        vector: bytes = np.rint(numbers / largest * 127.0).astype(np.int8).tobytes()
        return vector

    def _ready(self) -> _Loaded:
        process = os.getpid()
        if process not in self._loaded:
            with self._loading:
                if process not in self._loaded:
                    self._loaded[process] = self._load()
        return self._loaded[process]

    def _load(self) -> _Loaded:
        try:
            return _load(self._folder, self._file)
        except Exception as error:  # as above
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> EmbedderError:
        said = " ".join(str(error).split())[:300]
        return EmbedderError(f"the model in {self._folder} cannot be used: {said}", _HINT)


def _load(folder: Path, file: Path) -> _Loaded:
    import onnxruntime
    import tokenizers

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors alone: they are raised as well
    if is_worker():
        options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    inputs = {one.name: one for one in session.get_inputs()}
    if "input_ids" not in inputs or not inputs.keys() <= set(_INPUTS):
        raise ValueError(f"it takes {', '.join(sorted(inputs))}, where {', '.join(_INPUTS)} can be given")
    tokens = inputs["input_ids"].shape[-1:]
    exactly = tokens[0] if tokens and isinstance(tokens[0], int) else 0  # what some models want, no more and no less
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(exactly or most_tokens(folder))
    if exactly:
        tokenizer.enable_padding(length=exactly)
    kinds = {name: one.type for name, one in inputs.items()}
    return _Loaded(session, tokenizer, kinds, _output(session.get_outputs()))


def _output(outputs: Sequence[Any]) -> str:
    """The name of the output to read: a vector of the whole text before vectors of tokens."""
    ranked = sorted(outputs, key=lambda one: (one.name == _POOLER, len(one.shape or ()) != 2))
    return str(ranked[0].name)
