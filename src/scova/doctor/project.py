"""How a project's settings, its index and its watcher are."""

from collections.abc import Iterator

from scova.config import Config, user_file
from scova.counted import counted
from scova.doctor.check import FAIL, OK, WARN, Check
from scova.errors import ConfigError, IndexForeign, NotAFolder, ScovaError, UsageError
from scova.index import Index
from scova.index.embedder import embedder_of
from scova.types import Status


def project(path: str, data: str | None) -> Iterator[Check]:
    """Every check of one project. NotAFolder when there is none."""
    try:
        index = Index.open(path, data=data)
    except NotAFolder:
        raise
    except ConfigError as error:
        yield Check("settings", FAIL, error.message, error.hint)
        return
    except (IndexForeign, UsageError) as error:
        yield Check("index", FAIL, error.message, error.hint)
        return
    yield Check("settings", OK, _changed_settings(index))
    hint = f"a project may not set this; `scova config` shows what holds, and {user_file()} is yours"
    yield from (Check("settings", WARN, f"ignored: {line}", hint) for line in index.config.ignored)
    yield from _embedder(index.config)
    with index:
        try:
            status = index.status()
        except (ScovaError, OSError) as error:
            hint = error.hint if isinstance(error, ScovaError) else "look at the folder, or choose another with --data"
            yield Check("index", FAIL, str(error), hint)
            return
    yield from _index(status)


def _changed_settings(index: Index) -> str:
    changed = [f"{name} ({origin})" for name, origin in index.config.origins.items() if origin != "default"]
    return ", ".join(changed) or "all by default"


def _embedder(config: Config) -> Iterator[Check]:
    """Whether an embedder other than the shipped one, which is looked at in any case, makes a vector of a few words."""
    if config.embedder in ("static", "none"):
        return
    try:
        embedder = embedder_of(config)
        assert embedder is not None
        embedder.embed_query("is it there")
    except ScovaError as error:
        yield Check("embedder", FAIL, error.message, error.hint)
    else:
        yield Check("embedder", OK, f"{embedder.model}, {embedder.width} numbers")


def _index(status: Status) -> Iterator[Check]:
    if not status.indexed:
        yield Check("index", WARN, f"{status.root} is not indexed yet", f"scova index {status.root}")
        return
    size = f"{counted(status.files, 'file')}, {counted(status.chunks, 'chunk')}, {status.bytes_on_disk / 1e6:.1f} MB in {status.data}"
    yield Check("index", OK, size)
    yield from (Check("index", FAIL, f"{part} is damaged", "scova repair") for part in status.damaged)
    yield from (Check("index", WARN, f"{name} is behind: {why}", "scova repair") for name, why in status.behind.items())
    fresh = status.freshness
    pending = [counted(fresh.pending_files, "file")] * bool(fresh.pending_files)
    pending += [counted(fresh.pending_embeddings, "vector")] * bool(fresh.pending_embeddings)
    if pending and not status.writer:
        words = f"not in it yet: {' and '.join(pending)}; the next search does that"
        yield Check("fresh", OK if fresh.pending_files < status.files else WARN, words, "scova index does it now")
    else:
        yield Check("fresh", OK, f"being written by {status.writer}" if status.writer else "up to date")
    yield _watcher(status)


def _watcher(status: Status) -> Check:
    watcher = status.watcher
    if not status.watcher_alive or watcher is None:
        return Check("watcher", OK, "none runs; each search looks for changes itself")
    words = f"process {watcher.pid} is {watcher.state}, {watcher.folders} folders"
    if watcher.last_error or watcher.state == "polling":
        return Check("watcher", WARN, f"{words}: {watcher.last_error or watcher.note}", "scova status says more")
    return Check("watcher", OK, words)
