"""The embedder that the settings choose. The only place where settings become what an embedder takes."""

from typing import TYPE_CHECKING

from scova import config as settings
from scova.embed.opening import is_remote, open_embedder
from scova.stores.layout import embedder_widths

if TYPE_CHECKING:
    from scova.config import Config
    from scova.protocols import Embedder


def embedder_of(config: "Config") -> "Embedder | None":
    """The embedder that is in force; None for none. Opening it calls nobody."""
    if not is_remote(config.embedder):
        return open_embedder(config.embedder)
    from scova.embed.endpoint import (
        RemoteSettings,
    )  # what a search with the shipped model does without, it does not load

    remote = RemoteSettings(
        model=config.embedder_model,
        width=config.embedder_width,
        key=settings.secret(config.embedder_key_env),
        key_env=config.embedder_key_env,
        price=float(config.embedder_price),
        batch=config.embedder_batch,
        timeout_seconds=config.embedder_timeout_ms / 1000,
    )
    return open_embedder(config.embedder, remote, widths=embedder_widths(settings.cache_folder()))
