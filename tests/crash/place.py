"""A tree, the index of it, and what can be said of both: for tests that break the index and look at what is left.

Everything lies in one folder: `tree` (what is indexed), `kept/data` (its index) and `kept/cache` (the user's cache). What is
under `kept` is what a crash may hurt.
"""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from scova import Index, Mode, Query

WORDS = ("paint", "measure", "parcel", "ledger", "harbour", "lantern", "orchard", "quarry")
QUESTIONS = ("paint_3", "measure the parcel", "harbour lantern", "class Ledger", "added later")

State = dict[str, Any]


class Place:
    """One folder with a tree and its index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.kept = folder / "kept"
        self.data = self.kept / "data"
        self.cache = self.kept / "cache"

    @property
    def store(self) -> Path:
        return self.data / "store.db"

    def open(self, data: Path | None = None, **chosen: Any) -> Index:
        """The index; the cache that is used from here on in this process is the place's."""
        self.open_environment(None if data is None else data.with_name(f"{data.name}-cache"))
        return Index.open(self.tree, data=str(data or self.data), workers=2, **chosen)

    def open_environment(self, cache: Path | None = None) -> None:
        """The user's cache, for this process from here on."""
        os.environ["SCOVA_CACHE"] = str(cache or self.cache)

    def build(self, **chosen: Any) -> None:
        """What `scova index` does."""
        with self.open(**chosen) as index:
            finished(index)

    def rebuilt(self) -> State:
        """The state of an index that is made of the tree as it is, from nothing."""
        fresh = self.folder / "fresh"
        for path in (fresh, fresh.with_name("fresh-cache")):
            shutil.rmtree(path, ignore_errors=True)
        with self.open(fresh) as index:
            index.refresh()
            return state_of(index)

    def put_aside(self) -> Path:
        """A copy of what is kept, to begin from again and again. The log is there or not as it is on the disk."""
        aside = self.folder / "before"
        shutil.rmtree(aside, ignore_errors=True)
        if self.kept.exists():
            shutil.copytree(self.kept, aside)
        else:
            aside.mkdir()
        return aside

    def put_back(self, aside: Path) -> None:
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(aside, self.kept)


def finished(index: Index) -> None:
    """A build with all that belongs to its end."""
    report = index.refresh(wait_seconds=30)
    index.compactor.finished(report)


def write_tree(root: Path, files: int = 9) -> None:
    """A small project of several languages, the same every time."""
    for number in range(files):
        folder = root / f"part_{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module_{number}.py").write_text(module(number))
    (root / "README.md").write_text(
        "# Harbour\n\nEvery lantern has a ledger.\n\n## Parcels\n\nMeasure the parcel twice.\n"
    )
    (root / "shop.ts").write_text("export class Ledger {\n  add(item: string): void {\n    measure(item);\n  }\n}\n")


def module(number: int, more: str = "") -> str:
    name, other = WORDS[number % len(WORDS)], WORDS[(number + 1) % len(WORDS)]
    return (
        f'"""The {name} of the {other}."""\n\nimport {other}\n\n\nclass {name.title()}{number}:\n'
        f'    """Holds a {name}."""\n\n    def {name}_{number}(self, value):\n        return {other}.{other}_{number + 1}(value) + {number}\n\n\n'
        f"def {name}_all_{number}(values):\n    return [{name.title()}{number}().{name}_{number}(value) for value in values]\n{more}"
    )


# --- what an index says

_DUMPS = {
    "files": "SELECT file_path, content_hash, w.word, size FROM indexed_files f JOIN vocabulary w ON w.number = f.language ORDER BY 1",
    "chunks": """SELECT file_path, ordinal, id, chunk_type, a.word, b.word, c.word, title, symbol, names, start_line, end_line,
        hex(k.content_hash), hex(embed_key), text FROM chunks k JOIN indexed_files f USING (file_id, generation) JOIN chunk_texts USING (row)
        JOIN vocabulary a ON a.number = k.language JOIN vocabulary b ON b.number = k.kind JOIN vocabulary c ON c.number = k.tags
        ORDER BY 1, 2, 3""",
    "symbols": """SELECT file_path, ordinal, name, qualified, w.word, start_line, end_line, parent, signature, bases, decorators, doc
        FROM symbols s JOIN indexed_files USING (file_id, generation) JOIN vocabulary w ON w.number = s.kind ORDER BY 1, 2""",
    "calls": """SELECT file_path, ordinal, name, receiver, caller, line FROM calls JOIN indexed_files USING (file_id, generation)
        ORDER BY 1, 2""",
    "bindings": "SELECT file_path, package, imports, bound FROM bindings JOIN indexed_files USING (file_id, generation) ORDER BY 1",
    "rows": """SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM chunk_texts), (SELECT count(*) FROM symbols),
        (SELECT count(*) FROM calls), (SELECT count(*) FROM bindings), (SELECT count(*) FROM chunk_generations)""",
    "skips": "SELECT path, reason FROM skips ORDER BY 1",
}


def state_of(index: Index) -> State:
    """Everything an index knows and answers, without what depends on its history: numbers of rows, times, generations."""
    with closing(sqlite3.connect(index.layout.store_db)) as connection:
        state: State = {name: connection.execute(sql).fetchall() for name, sql in _DUMPS.items()}
    return {**state, **answers_of(index)}


def answers_of(index: Index) -> State:
    """What the index answers to some questions of every kind."""
    found: State = {}
    for text in QUESTIONS:
        for mode in (Mode.HYBRID, Mode.TEXT, Mode.VECTOR, Mode.SYMBOL):
            results = index.search(Query(text, mode=mode, limit=20)).results
            found[f"{mode.value}: {text}"] = [
                (r.chunk.file_path, r.chunk.start_line, r.chunk.text, r.score) for r in results
            ]
    for pattern in ("measure", "def paint_[0-9]+", "added_later"):
        lines = index.grep(pattern).files
        found[f"grep: {pattern}"] = repr(lines)
    found["define"] = repr(index.definitions("Paint0").definitions)
    found["callers"] = repr(index.callers("measure_1").roots)
    return found


def seen_in(index: Index) -> dict[str, str]:
    """The files of the newest committed change, with what they held."""
    with closing(sqlite3.connect(f"{index.layout.store_db.as_uri()}?mode=ro", uri=True)) as connection:
        return dict(connection.execute("SELECT file_path, content_hash FROM indexed_files"))


def leftovers(place: Place) -> list[str]:
    """Files under `kept` that no finished build leaves behind."""
    names = [path.relative_to(place.kept).as_posix() for path in place.kept.rglob("*") if path.is_file()]
    return sorted(name for name in names if "unfinished" in name or "/temporary/" in name)
