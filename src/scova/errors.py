"""Everything scova raises on purpose, drawn once:

    ScovaError                      shown to the user as `error: message`, then `hint: hint`
      UsageError                    the request itself is wrong: fix it and ask again
        ConfigError                 a setting is unknown, of the wrong type or out of range
        QueryError                  the query cannot be read
          OutOfTime                 the question takes longer than it may, and a part of its answer is worth nothing
        FolderTooBroad              the folder is more than a project: a home, a disk, several repositories
        NotAFolder                  the path to index does not exist, or is no folder, or may not be read
      IndexState                   the index is not in a state to answer
        IndexMissing                nothing has been indexed here
        IndexExists                 there is one of that name already
        IndexBusy                   another process, or another thread, is writing; names it
        IndexClosed                 the handle was closed: nothing more can be asked of it
        IndexForeign                what lies in the folder of the index was not made by scova for this user
        IndexReadOnly               the folder of the index cannot be written to
        Unsettled                   the folder does not hold still long enough for an answer of one certain moment
        DiskFull                    there is no room left on the disk
        StoreAway                   the database does not answer
          FolderAway                the data folder of a server is not there
        StoreDamaged                store.db cannot be read
        StoreTooNew                 written by a newer scova
        DerivedDamaged              a derived file is missing or torn; it will be rebuilt from the store
        VectorsAway                 the server that holds the vectors does not answer; text and names do without it
        Overtaken                   the index moved on while a question was answered, more often than it was asked again
      Cancelled                     whoever asked for this work does not want it any more
      WatchLost                     the system does not tell about file changes (any more)
      ExchangeError                 files to be imported are damaged or do not belong together; names the file and the place
      ProjectError                  what is kept of a project is damaged, or of a newer scova
        CheckpointError             a checkpoint that was asked for cannot be gone on from
      PushError                     a server cannot be reached, or does not take what is pushed to it
      ClientError                   an agent client's configuration cannot be changed safely; it is left as it is
      EmbedderError                 the embedding model is missing, damaged or does not answer

One unreadable file is never an error: it is a Skip in the Report.
"""


class ScovaError(Exception):
    """Base of all errors a user may see. `hint` says what to do next, in one sentence."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type["ScovaError"], tuple[str, str]]:
        return type(self), (self.message, self.hint)


class UsageError(ScovaError):
    """The request itself is wrong."""


class ConfigError(UsageError):
    """A setting is unknown, of the wrong type or out of range."""


class QueryError(UsageError):
    """The query cannot be read."""


class OutOfTime(QueryError):
    """The question takes longer than it may, and a part of its answer is worth nothing."""


class NotAFolder(UsageError):
    """The path to index does not exist, is no folder, or may not be read."""


class FolderTooBroad(UsageError):
    """The folder is more than a project, and nobody has said that all of it is to be indexed."""


class IndexState(ScovaError):
    """The index is not in a state to answer."""


class IndexMissing(IndexState):
    """Nothing has been indexed here yet."""


class IndexExists(IndexState):
    """There is one of that name already."""


class IndexBusy(IndexState):
    """Another process, or another thread of this one, is writing to this index."""


class IndexClosed(IndexState):
    """The handle was closed before, or while, something was asked of it."""


class IndexForeign(IndexState):
    """What lies in the folder of the index was not made by scova for this user. Nothing of it is opened."""


class IndexReadOnly(IndexState):
    """The folder of the index cannot be written to. It can still be asked."""


class Unsettled(IndexState):
    """The folder does not hold still long enough for an answer of one certain moment."""


class DiskFull(IndexState):
    """There is no room left on the disk for what is to be kept. What is there can still be asked, and removed."""


class StoreAway(IndexState):
    """The database does not answer, for now."""


class FolderAway(StoreAway):
    """The folder in which a server keeps everything is not there, or cannot be read, for now."""


class StoreDamaged(IndexState):
    """The store cannot be read."""


class StoreTooNew(IndexState):
    """The store was written by a newer scova."""


class DerivedDamaged(IndexState):
    """A derived file is missing or torn."""


class VectorsAway(IndexState):
    """The server that holds the vectors does not answer, or refuses to."""


class Overtaken(IndexState):
    """What a question is asked of has moved on beyond its moment: it is to be asked again, of a newer one."""


class Cancelled(ScovaError):
    """Whoever asked for this work does not want it any more."""


class WatchLost(ScovaError):
    """The system does not tell about file changes, or not any more."""


class ExchangeError(ScovaError):
    """Files to be imported are damaged, or do not belong together."""


class ProjectError(ScovaError):
    """What is kept of a project is damaged, or was made by a newer scova."""


class CheckpointError(ProjectError):
    """A checkpoint that was asked for cannot be gone on from."""


class PushError(ScovaError):
    """A server cannot be reached, or does not take what is pushed to it."""


class ClientError(ScovaError):
    """An agent client's configuration cannot be changed safely."""


class EmbedderError(ScovaError):
    """The embedding model is missing, damaged or does not answer."""
