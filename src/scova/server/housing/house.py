"""What a server expects of the place where it keeps everything. A House holds projects, tokens and jobs; a Home is one project in it, open.

Two are built: `folder.py` (embedded: SQLite in the data folder) and `database.py` (PostgreSQL, for any number of processes).
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scova.errors import FolderAway, IndexExists, IndexMissing
from scova.protocols import Embedder, JobLedger, TokenLedger, VectorCache, WholeStore
from scova.stores.layout import Layout

if TYPE_CHECKING:
    from scova.protocols.vectors import VectorIndex


class Home(Protocol):
    """One project, open."""

    @property
    def project_id(self) -> str: ...

    @property
    def layout(self) -> Layout:
        """Where files derived from it lie, on this machine, with whatever else belongs to the project here."""
        ...

    @property
    def address(self) -> str:
        """What names this project, and no other, to every process that serves it."""
        ...

    @property
    def store(self) -> WholeStore:
        """To write to."""
        ...

    @property
    def asked(self) -> WholeStore:
        """The same store, for questions: they wait for no writer."""
        ...

    @property
    def cache(self) -> VectorCache:
        """Vectors of what was pushed to it."""
        ...

    @property
    def is_there(self) -> bool:
        """Whether it has not been removed since it was opened."""
        ...

    def vectors(self, url: str, embedder: Embedder) -> "VectorIndex":
        """The index at this address that holds its vectors."""
        ...

    def exclusive(self, *, wait_seconds: float) -> AbstractContextManager[None]:
        """Be the one who writes, of all processes; IndexBusy when another still does after waiting."""
        ...

    def building(self) -> AbstractContextManager[None]:
        """Be the one who builds from its sources, of all processes that do not share this layout; IndexBusy while another does."""
        ...

    def remove(self) -> None:
        """Remove the project with all it holds, in one step. For whoever has it exclusively."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class House(Protocol):
    """Where projects live. Safe from any thread; other processes may be at it too."""

    @property
    def words(self) -> str:
        """How a command is told to use it, without any secret."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether processes write to it whose derived files are not seen here, so that those here must follow by themselves."""
        ...

    @property
    def tokens(self) -> TokenLedger: ...

    @property
    def jobs(self) -> JobLedger: ...

    def names(self) -> list[str]:
        """Every project, in order."""
        ...

    def create(self, project_id: str) -> None:
        """Make an empty project: there whole, or not at all. IndexExists when there is one."""
        ...

    def open(self, project_id: str) -> Home:
        """A project; IndexMissing when there is none of that name."""
        ...

    def tidy(self) -> None:
        """What is to be done once a day or so, by any process."""
        ...

    def close(self) -> None:
        """Let go of everything; what is open is closed by whoever opened it, before."""
        ...


def gone(project_id: str) -> IndexMissing:
    """The error for a project that is not there, or not any more."""
    return IndexMissing(f"there is no project `{project_id}`", "`POST /projects` makes it")


def taken(project_id: str) -> IndexExists:
    """The error for a project that is there already."""
    return IndexExists(f"there is a project `{project_id}` already", "use it, or choose another id")


def folder_away(folder: Path) -> FolderAway:
    """The error for a data folder that is not there any more, or cannot be read."""
    return FolderAway(f"`{folder}` cannot be read", "put it back, or start the server anew")
