"""What a build of a project works with, wherever the project is kept: its sources, where its files lie, and the index they go into."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from scova.projects.manifest import Manifest
from scova.stores.project_layout import ProjectLayout

if TYPE_CHECKING:
    from scova.build.build import Tools
    from scova.config import Config
    from scova.protocols import Embedder


class Works(Protocol):
    """One project, to be built into."""

    @property
    def manifest(self) -> Manifest: ...

    @property
    def place(self) -> ProjectLayout:
        """Where what was fetched and how far a build is are kept."""
        ...

    @property
    def config(self) -> "Config": ...

    @property
    def embedder(self) -> "Embedder | None":
        """Where its vectors come from."""
        ...

    @property
    def indexed(self) -> bool:
        """Whether there is an index yet."""
        ...

    def tools(self) -> "Tools":
        """What a build of the index works with; the store is made if there is none."""
        ...

    def building(self) -> AbstractContextManager[None]:
        """Be the one who builds the project; IndexBusy, naming the other, while another does."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Be the one who writes to its index; IndexBusy after waiting too long for another."""
        ...


def give_up_at(works: Works, moment: float) -> None:
    """Have a remote embedder give up then, by the monotonic clock: what has no vector by then gets it in a later build."""
    if works.embedder is not None and works.embedder.is_remote:
        from scova.embed.remote import RemoteEmbedder

        if isinstance(works.embedder, RemoteEmbedder):
            works.embedder.deadline = moment
