"""Words in Qdrant: how near the answers of a process without a text index come to exact ones, how soon they come, what writing them costs.

    python bench/stores/sparse.py answers [--cold]   a retriever for the benchmark's evaluate.py (one JSON object on stdin, one on stdout);
                                                     asks both ways, gives one, and says on stderr how much they have in common
    python bench/stores/sparse.py first TREE         seconds until a new process answers about a tree, with and without words to ask
    python bench/stores/sparse.py write TREE         points written a second, without words and with them

Qdrant's engine (qdrant-edge) runs as a process behind tests/qdrant_server.py; with SCOVA_TEST_QDRANT_URL a live server is asked instead.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from uuid import uuid4

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tests"), str(Path(__file__).parent)]
import httpx2
import numpy  # noqa: F401 - a server has it
from vectors import chunks_of

import qdrant_server
import serving
from scova.build.build import Build, Tools
from scova.chunks.manager import ChunkManager
from scova.embed.static import StaticEmbedder
from scova.parse.language import language_of
from scova.protocols.vectors import Point
from scova.search.cold.answers import ColdSearch, ColdViews
from scova.search.coordinator import SearchCoordinator
from scova.search.view import Views
from scova.sources.folder import FolderSource
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import Layout
from scova.stores.sqlite import SqliteStore
from scova.stores.vectors import open_vectors
from scova.stores.vectors.words import weighed
from scova.types import Answer, Query, Result

QUESTION = "where is the cache of a query invalidated"


def answers(asked: dict, *, cold: bool) -> dict[str, object]:
    """Both answers to every question; those that were asked for as evaluate.py wants them."""
    with ExitStack() as stack:
        url = stack.enter_context(qdrant_server.running())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scova-bench-")))
        built, empty, embedder = Layout(folder / "built"), Layout(folder / "empty"), StaticEmbedder()
        built.root.mkdir()
        store = stack.enter_context(closing(SqliteStore.open(folder / "store.db", "bench")))
        cache = stack.enter_context(EmbeddingCache(folder / "embeddings.db"))
        names = {"store_id": store.store_id, "vectors": None}
        names["vectors"] = open_vectors(url, store_id=store.store_id, model=embedder.model, width=embedder.width)
        Build(Tools(built, store, cache, embedder, "bench", 2, vectors=names["vectors"])).run(
            FolderSource(Path(asked["root"]), language_of=language_of)
        )
        exact = SearchCoordinator(store, ChunkManager(store.reader), Views(built, cache, embedder, **names))
        rough = ColdSearch(store, ColdViews(empty, cache, embedder, **names))
        queries = [Query(text, limit=asked.get("top_k", 10)) for text in asked["queries"]]
        whole, _ = timed(exact.search, queries)
        nearly, spent = timed(rough.search, queries)
    common = [len(rows(a) & rows(b)) / max(len(rows(a)), 1) for a, b in zip(whole, nearly, strict=True)]
    said = {"root": Path(asked["root"]).name, "queries": len(queries), "overlap": round(statistics.mean(common), 4)}
    said["same_first"] = sum(first(a) == first(b) for a, b in zip(whole, nearly, strict=True))
    said["cold_p50_ms"] = round(1000 * statistics.median(spent), 1)
    print(json.dumps(said), file=sys.stderr, flush=True)
    return {"results": [list(map(entry, one.results)) for one in (nearly if cold else whole)]}


def timed(search: Callable[[Query], Answer], queries: list[Query]) -> tuple[list[Answer], list[float]]:
    found, spent = [], []
    for query in queries:
        started = time.perf_counter()
        found.append(search(query))
        spent.append(time.perf_counter() - started)
    return found, spent


def rows(found: Answer) -> set[int]:
    return {one.chunk.row for one in found.results}


def first(found: Answer) -> int:
    return found.results[0].chunk.row if found.results else 0


def entry(one: Result) -> dict[str, object]:
    return {"path": one.chunk.file_path, "start_line": one.chunk.start_line, "end_line": one.chunk.end_line}


def soon(tree: Path) -> dict[str, object]:
    """Seconds until a process that has just started gives its first answer, and its first exact one."""
    with ExitStack() as stack:
        url = stack.enter_context(qdrant_server.running())
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scova-bench-"))) / "data"
        with serving.served(data, serve_vectors=url) as one:
            one.post("/projects", project_id="p")
            with one.hall.tenants.lease("p") as tenant:
                with tenant.held():
                    report = Build(tenant.tools(patience=1)).run(FolderSource(tree, language_of=language_of))
                layout = tenant.layout
        said: dict[str, object] = {"chunks": report.chunks}
        for name, words in (("with words", ["--vectors", url]), ("without", [])):
            layout.remove_derived()
            with serving.running(data, *words) as server, httpx2.Client(base_url=server.url, timeout=60) as client:
                said[name] = waited(client)
    return said


def waited(client: httpx2.Client) -> dict[str, float]:
    """Of one process: until it answers at all, until it answers exactly; and how long answers took in between."""
    began, found, meanwhile = time.perf_counter(), {}, []
    while "exact" not in found:
        asked = time.perf_counter()
        answer = client.post("/search", json={"project_id": "p", "query": QUESTION})
        now = time.perf_counter()
        if answer.status_code == 200:
            found.setdefault("first", round(now - began, 2))
            if answer.json()["freshness"]["tiers"]["text"]:
                found["exact"] = round(now - began, 2)
            else:
                meanwhile.append(now - asked)
        time.sleep(0.05)
    return found | ({"meanwhile_p50_ms": round(1000 * statistics.median(meanwhile))} if meanwhile else {})


def written(tree: Path, most: int) -> dict[str, object]:
    """Points a second; words are made of texts within that time."""
    chunks, embedder = chunks_of(tree, most), StaticEmbedder()
    vectors = dict(zip((one.row for one in chunks), embedder.embed([one.embedded_text for one in chunks]), strict=True))
    ways = {
        "without words": lambda one: Point(one.row, vectors[one.row], one.light),
        "with words": lambda one: Point(one.row, vectors[one.row], one.light, weighed(one)),
    }
    said: dict[str, object] = {"points": len(chunks)}
    with qdrant_server.running() as url:
        for _ in range(3):
            for name, made in ways.items():
                index = open_vectors(url, store_id=uuid4().hex, model="bench", width=embedder.width)
                started = time.perf_counter()
                index.apply(map(made, chunks), [], upto=1)
                rate = round(len(chunks) / (time.perf_counter() - started))
                said[name] = max(rate, said.get(name, 0))
                index.drop()
                index.close()
    return said


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("what", choices=["answers", "first", "write"])
    words.add_argument("tree", type=Path, nargs="?")
    words.add_argument("--cold", action="store_true")
    words.add_argument("--most", type=int, default=10_000)
    given = words.parse_args()
    if given.what == "answers":
        found = answers(json.load(sys.stdin), cold=given.cold)
    else:
        found = soon(given.tree) if given.what == "first" else written(given.tree, given.most)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
