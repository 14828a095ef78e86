"""Named projects for tests: made of specs, built to the end, and looked into without asking the code under test."""

import os
import sqlite3
import threading
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from scova.build.inspect import inspect
from scova.config import cache_folder
from scova.projects import BuildOptions, Catalog, Library, chosen, chunk_options, project_build, read_spec
from scova.sources.web.spool import Spool
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import embeddings_db

CHUNKS = """SELECT file_path, ordinal, id, chunk_type, a.word, b.word, c.word, title, symbol, names, start_line, end_line,
    hex(k.content_hash), text FROM chunks k JOIN indexed_files f USING (file_id, generation) JOIN chunk_texts USING (row)
    JOIN vocabulary a ON a.number = k.language JOIN vocabulary b ON b.number = k.kind JOIN vocabulary c ON c.number = k.tags
    ORDER BY 1, 2, 3"""
_SYMBOLS = """SELECT file_path, ordinal, name, qualified, start_line, end_line FROM symbols JOIN indexed_files USING (file_id, generation)
    ORDER BY 1, 2"""
_ROWS = """SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM chunk_texts), (SELECT count(*) FROM symbols),
    (SELECT count(*) FROM chunk_generations)"""
_SKIPS = "SELECT path, reason FROM skips ORDER BY 1"


def catalog() -> Catalog:
    return Catalog(cache_folder())


def make(name: str, words: Iterable[str], **wanted: object) -> list[str]:
    """A project of these sources, all with the same tags and patterns; returns their ids."""
    specs = [chosen(read_spec(each, base=Path.cwd()), **wanted) for each in words]
    if name not in catalog():
        catalog().create(name)
    for start in range(0, len(specs), 50):
        catalog().add(name, specs[start : start + 50])
    return [spec.source_id for spec in specs]


def build(
    name: str, *, options: dict[str, object] | None = None, clock=None, stop=None, tell=None, put=None, **call: object
):
    """One slice; `tell` hears of every step, `put` only of batches that were put."""
    tell = after_batches(put) if put else tell
    more = {key: value for key, value in (("clock", clock), ("stop", stop), ("tell", tell)) if value is not None}
    return project_build(name, BuildOptions(chunk_options=chunk_options(options or {}), **call), **more)


def after_batches(tell):
    """Of all that a slice tells, only what it tells when it has put a batch, and written that down."""
    put = 0

    def heard(told):
        nonlocal put
        before, put = put, told.chunks
        if put > before:
            tell(told)

    return heard


def build_all(name: str, *, most: int = 60, **how: object) -> list:
    """Slices until nothing is left; fails when that does not come about."""
    results = [build(name, **how)]
    while results[-1].progress.has_more:
        assert len(results) < most, f"still something left after {most} slices: {results[-1].message}"
        results.append(build(name, **how))
    return results


def rows(name: str, query: str) -> list[tuple]:
    store = catalog().layout(name).data.store_db
    if not store.exists():
        return []
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(query).fetchall()


def state(name: str) -> dict[str, list[tuple]]:
    """All chunks, symbols and skips, and how many rows there are: two builds of the same things must agree in all of it."""
    asked = {"chunks": CHUNKS, "symbols": _SYMBOLS, "rows": _ROWS, "skips": _SKIPS}
    return {part: rows(name, query) for part, query in asked.items()}


def paths(name: str) -> set[str]:
    """The documents in the store."""
    return {path for (path,) in rows(name, "SELECT file_path FROM indexed_files")}


def generations(name: str) -> dict[str, int]:
    return dict(rows(name, "SELECT file_path, generation FROM indexed_files"))


def text_of(name: str, path: str) -> str:
    return "\n".join(row[-1] for row in rows(name, CHUNKS) if row[0] == path)


def findings(name: str) -> list[object]:
    """What does not agree in the index of a project, and what its spool has that the store does not, or the other way round."""
    with Library.open(name) as library:
        tools = library.tools()
        with EmbeddingCache(embeddings_db(cache_folder())) as cache:
            found: list[object] = [*inspect(tools.store, tools.layout, cache, tools.embedder)]
        manifest, pages_db = library.manifest, library.place.pages_db
    known = {spec.source_id for spec in manifest.sources}
    stored = paths(name)
    found += [f"of no source: {path}" for path in stored if path.partition("/")[0] not in known]
    if pages_db.exists():
        web = {spec.source_id for spec in manifest.sources if spec.type in ("url", "sitemap")}
        with Spool(pages_db) as spool:
            spooled = {f"{one}/{uri}" for one in spool.source_ids() for uri in spool.uris(one)}
        fetched = {path for path in stored if path.partition("/")[0] in web}
        found += [f"in spool or store alone: {path}" for path in sorted(spooled ^ fetched)]
    return found


class Peak:
    """The most memory that a process and all of its group took together, shared pages counted once (PSS), in MB."""

    def __init__(self, group: int) -> None:
        self.mb = 0.0
        self._group = group
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> float:
        self._over.set()
        self._thread.join()
        return self.mb

    def _watch(self) -> None:
        while not self._over.wait(0.03):
            self.mb = max(self.mb, sum(map(_share_mb, members(self._group))))


def members(group: int) -> list[int]:
    """The processes of a group that are alive."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def _share_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def use_cache(monkeypatch, cache: Path) -> Path:
    """From here on projects lie in this folder, and pages of this machine may be fetched."""
    monkeypatch.setenv("SCOVA_CACHE", str(cache))
    monkeypatch.setenv("SCOVA_FETCH_ALLOW", "127.0.0.0/8")
    os.makedirs(cache, exist_ok=True)
    return cache
