"""Embedders by name: `static` ships with scova, `none` is none, `onnx:FOLDER` is a model in a folder,
and an address is an endpoint that speaks as OpenAI's does.

Knows which there are, and nothing of how they work; each is loaded when it is chosen. A model on this machine is loaded once for a
process: whoever asks for it meanwhile shares it, and it goes with the last who holds it. An endpoint is opened for each who asks,
since how much was spent, and by when it must answer, is theirs.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from scova.errors import ConfigError

if TYPE_CHECKING:
    from scova.embed.endpoint import RemoteSettings
    from scova.protocols import Embedder

ONNX = "onnx:"

_shared: "WeakValueDictionary[object, Embedder]" = WeakValueDictionary()  # by what tells one model from another
_sharing = threading.Lock()


def is_remote(spec: str) -> bool:
    """Whether this embedder is behind an address: texts are sent to it."""
    return spec.startswith(("http://", "https://"))


def open_embedder(
    spec: str, remote: "RemoteSettings | None" = None, *, widths: Path | None = None
) -> "Embedder | None":
    """The embedder that `spec` names; None for none. `remote` and the file of known `widths` count for an address only."""
    if spec == "none":
        return None
    if spec == "static":
        from scova.embed.static import StaticEmbedder

        return _once(spec, StaticEmbedder)
    if spec.startswith(ONNX):
        from scova.embed.onnx import OnnxEmbedder

        found = OnnxEmbedder(
            Path(spec.removeprefix(ONNX))
        )  # loads nothing yet; another file in its place is another model
        return _once((spec, found.mark), lambda: found)
    if not is_remote(spec):
        raise ConfigError(
            f"there is no embedder `{spec}`",
            "choose `static`, `none`, `onnx:FOLDER`, or an address (`https://HOST/v1`)",
        )
    if remote is None or not remote.model:
        raise ConfigError(
            "`embedder` is an endpoint, and nothing says which of its models to use",
            "set `embedder_model`, or `embedder` to `static`",
        )
    from scova.embed.remote import RemoteEmbedder

    return RemoteEmbedder(spec, remote, widths=widths)


def _once(key: object, make: "Callable[[], Embedder]") -> "Embedder":
    """The embedder of this key that somebody holds, or a new one."""
    with _sharing:
        found = _shared.get(key)
        if found is None:
            found = _shared[key] = make()
        return found
