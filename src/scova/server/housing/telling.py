"""What clients may know of an error: what it means for them, and what they can do. Where a server keeps things, what it reaches them by and
who it is on its machine (hosts, addresses, paths, processes) is for its log.
"""

import errno

from scova.errors import (
    Cancelled,
    DerivedDamaged,
    DiskFull,
    EmbedderError,
    FolderAway,
    IndexBusy,
    IndexExists,
    IndexMissing,
    IndexReadOnly,
    IndexState,
    Overtaken,
    ProjectError,
    ScovaError,
    StoreAway,
    StoreDamaged,
    StoreTooNew,
    UsageError,
    VectorsAway,
)


class Busy(IndexBusy):
    """Others are at it; in words that are made for clients."""


_AGAIN = "try again in a few seconds"
_OWNER = "whoever runs the server finds the reason in its log"

# These are about what clients said, and about what is theirs.
_PLAIN = (Busy, Cancelled, IndexExists, IndexMissing, Overtaken, ProjectError, UsageError)

# The first that fits.
_WORDS: tuple[tuple[type[Exception], str, str], ...] = (
    (
        DiskFull,
        "there is no room left on the disk of this server",
        "delete a project that nobody needs (`DELETE /projects/ID`), or tell whoever runs the server; questions are answered",
    ),
    (FolderAway, "the data folder of this server cannot be read", _OWNER),
    (StoreAway, "the database of this server does not answer", f"{_AGAIN}; nothing was left half done"),
    (IndexBusy, "others are busy with this project, or keep the whole server busy", _AGAIN),
    (IndexReadOnly, "this server cannot write to where it keeps the project", f"questions are answered; {_OWNER}"),
    (VectorsAway, "the server that holds the vectors does not answer", "ask with mode `text`, or try again later"),
    (DerivedDamaged, "a part of the index has to be made again", f"{_AGAIN}; if that goes on, {_OWNER}"),
    (StoreDamaged, "what this server keeps cannot be read", _OWNER),
    (
        StoreTooNew,
        "this was written by a newer scova than this server runs",
        "whoever runs the server has to update it",
    ),
    (IndexState, "the index is not in a state to answer", f"{_AGAIN}; if that goes on, {_OWNER}"),
    (EmbedderError, "the embedder of this server does not answer", "ask with mode `text`, or try again later"),
    (OSError, "this server could not read or write a file of its own", _OWNER),
)


def fit(error: Exception) -> ScovaError:
    """The same error in words for clients; of the same class, so that it means the same to whoever handles it."""
    if isinstance(error, ScovaError) and isinstance(error, _PLAIN):
        return error
    error = full_of(error) or error
    for kind, message, hint in _WORDS:
        if isinstance(error, kind):
            return kind(message, hint) if issubclass(kind, ScovaError) else ScovaError(message, hint)
    return ScovaError("something went wrong on this server", _OWNER)


def full_of(error: Exception) -> DiskFull | None:
    """The error for a disk that is full, where that is what the system says; None where it says something else."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(str(error), "free some space, then try again")
    return None


def being_built(project_id: str) -> Busy:
    """The error for what cannot be done while a project is built, or while a source of it is removed."""
    return Busy(f"project `{project_id}` is being built", "wait for its job, or cancel it: GET /jobs lists them")


def being_written(project_id: str) -> Busy:
    """The error for who waited too long for other writers."""
    return Busy(f"others are writing to `{project_id}`", _AGAIN)
