"""The text index beside tantivy: build, size, warm query, cold process, one-file update, and whether updates stay exact.

    python bench/speed/postings.py BENCH --questions FOLDER [--sizes 10000 100000] [--tenfold]

BENCH holds `repos/`; FOLDER holds JSON files, each a list of objects with a "query". Documents are windows of 40 lines of
real code (repeated, with a mark of their own, where there are too few). Both sides index the same terms, made by our
tokeniser and counted in neither side's build, and answer the same questions: any of the words, best ten. A cold process
has loaded what any scova process loads; then importing the engine, and opening the index and answering, are timed apart.
"""

import argparse
import itertools
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import tantivy

sys.path.insert(0, str(Path(__file__).parents[1]))
from machine import save

from scova.search.searchers import kernels
from scova.search.searchers.text import TextQuery, TextSearcher
from scova.stores.invert import PostingsBuilder, document_terms
from scova.stores.merge import Spills, write_segment
from scova.stores.postings import Segment
from scova.types import Chunk, ChunkId, ChunkType, Row

WINDOW = 40
PER_PART = 1000  # about what a worker sends at once
SHARED = """
import json, sys, time
from pathlib import Path
from scova.types import Hit
from scova.tokens import scored_terms, words
begun = time.perf_counter()
"""
COLD_OURS = f"""{SHARED}
from scova.stores.postings import Segment
from scova.search.searchers.text import TextSearcher
loaded = time.perf_counter()
found = TextSearcher.open(Segment.open(Path(sys.argv[1]))).search(sys.argv[2], 10)
print(json.dumps([loaded - begun, time.perf_counter() - loaded, len(found) > 0]))
"""
COLD_PEER = f"""{SHARED}
import tantivy
loaded = time.perf_counter()
index = tantivy.Index.open(sys.argv[1])
asked = [(tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "body", t)) for w in words(sys.argv[2]) for t in scored_terms(w)]
found = index.searcher().search(tantivy.Query.boolean_query(asked), 10).hits
print(json.dumps([loaded - begun, time.perf_counter() - loaded, len(found) > 0]))
"""


def windows(repos: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every window of every file that is text."""
    for path in sorted(repos.rglob("*")):
        name = path.relative_to(repos).as_posix()
        if "/.git/" in name or path.is_symlink() or not path.is_file() or path.stat().st_size > 500_000:
            continue
        try:
            lines = path.read_text().splitlines(keepends=True)
        except UnicodeDecodeError:
            continue
        for start in range(0, len(lines), WINDOW):
            yield name, "".join(lines[start : start + WINDOW])


def documents(repos: Path, size: int) -> list[Chunk]:
    """So many chunks of real code, mixed over the repositories."""
    found = list(windows(repos))
    random.Random(1).shuffle(found)
    chosen = sorted(itertools.islice(itertools.cycle(found), size), key=lambda window: window[0])
    numbered = enumerate(chosen, 1)
    return [document(row, path, text + (f"\ncopy{row}" if size > len(found) else "")) for row, (path, text) in numbered]


def document(row: int, path: str, text: str) -> Chunk:
    return Chunk(ChunkId(str(row)), "", text, ChunkType.DEFINITIONS, path, 1, WINDOW, "", "", row=Row(row))


def timed(action: Callable[[], object]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return {"wall_s": round(time.perf_counter() - wall, 3), "cpu_s": round(time.process_time() - cpu, 3)}


def each(make: Callable[[], Callable[[str], object]], questions: list[str]) -> dict[str, float]:
    """Milliseconds per question, the best of five rounds, for the machine is shared. `make` gives an engine that remembers
    no answer: every question is looked up anew; only the system's page cache is warm."""
    rounds: list[list[float]] = []
    for _ in range(6):
        taken = []
        for question in questions:
            action = make()
            begun = time.perf_counter()
            action(question)
            taken.append((time.perf_counter() - begun) * 1000)
        rounds.append(taken)
    best = sorted(min(times) for times in zip(*rounds[1:], strict=True))
    return {"p50_ms": round(best[len(best) // 2], 3), "p95_ms": round(best[len(best) * 95 // 100], 3)}


def cold(folder: Path, questions: list[str]) -> dict[str, dict[str, float]]:
    """Milliseconds of a fresh process, sides in turn; medians of fifteen. The bare interpreter shows how busy the machine is."""
    scripts = {
        "bare": ("print('[0, 0]')", folder),
        "scova": (COLD_OURS, folder / "1.seg"),
        "tantivy": (COLD_PEER, folder / "peer"),
    }
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in scripts}
    for question in questions[:15]:
        for name, (script, index) in scripts.items():
            command = [sys.executable, "-c", script, str(index), question]
            begun = time.perf_counter()
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            taken[name].append((time.perf_counter() - begun, *json.loads(done.stdout)[:2]))
    names = ("process_ms", "import_ms", "open_and_answer_ms")
    return {
        side: {
            name: round(statistics.median(column) * 1000, 1)
            for name, column in zip(names, zip(*rows, strict=True), strict=True)
        }
        for side, rows in taken.items()
    }


def ours(chunks: list[Chunk], questions: list[str], folder: Path) -> dict[str, object]:
    """Everything of our side."""
    path, spills, gathered = folder / "1.seg", Spills(folder), []

    def gather() -> None:
        for start in range(0, len(chunks), PER_PART):
            builder = PostingsBuilder()
            for chunk in chunks[start : start + PER_PART]:
                builder.add(chunk)
            gathered.append(builder.finish().with_rows([chunk.row for chunk in chunks[start : start + PER_PART]]))

    def write() -> None:
        for part in gathered:
            spills.add(part)
        write_segment(path, spills.parts(), applied_seq=1)

    size = sum(len(chunk.text) for chunk in chunks)
    terms = timed(lambda: deque(map(document_terms, chunks), maxlen=0))
    inverting, merging = timed(gather), timed(write)
    segment = Segment.open(path)
    searcher = TextSearcher.open(segment)

    warm = each(lambda: fresh_searcher(segment), questions)
    has_numpy, kernels.has_numpy = kernels.has_numpy, lambda: False
    plain = each(lambda: fresh_searcher(segment), questions)
    kernels.has_numpy = has_numpy
    new = [document(chunk.row + len(chunks), chunk.file_path, chunk.text + "\nchanged") for chunk in chunks[:5]]
    gone = [(chunk.row, "") for chunk in chunks[:5]]
    update = timed(lambda: searcher.update_incremental(new, (), gone).search(questions[0], 10))
    return {
        "terms_mb_per_cpu_s": round(size / 1e6 / terms["cpu_s"], 1),
        "terms": terms,
        "terms_and_inverting": inverting,
        "merging": merging,
        "build_cpu_s_without_terms": round(inverting["cpu_s"] - terms["cpu_s"] + merging["cpu_s"], 3),
        "postings": len(searcher.lives[0].segment.docs),
        "index_mb": round(path.stat().st_size / 1e6, 1),
        "warm_numpy": warm,
        "warm_plain_python": plain,
        "one_file_update_ms": round(update["wall_s"] * 1000, 1),
        "largest_score_change_after_update_against_rebuild": drift_ours(searcher, chunks, questions[:20]),
    }


def fresh_searcher(segment: Segment) -> Callable[[str], object]:
    """A searcher that has not been asked anything."""
    searcher = TextSearcher.open(segment)
    return lambda question: searcher.search(question, 10)


def tenfold(segment: Segment, questions: list[str], folder: Path) -> dict[str, object]:
    """The same documents ten times under other rows, merged: how merging and answering grow."""
    copies = []
    for copy in range(10):
        rows = array("q", (row + copy * 10**9 for row in segment.rows))
        copies.append(replace(segment, rows=memoryview(rows)))
    merging = timed(lambda: write_segment(folder / "10.seg", copies, applied_seq=1, durable=False))
    many = Segment.open(folder / "10.seg")
    rate = round(len(many.docs) / 1e6 / merging["cpu_s"], 1)
    return {
        "documents": len(many),
        "merging": merging,
        "million_postings_per_cpu_s": rate,
        "index_mb": round((folder / "10.seg").stat().st_size / 1e6),
        "peak_mb_of_the_whole_run": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "warm_numpy": each(lambda: fresh_searcher(many), questions),
    }


def replaced(chunks: list[Chunk]) -> dict[int, Chunk]:
    """One document in ten, changed."""
    return {
        chunk.row: document(chunk.row + len(chunks), chunk.file_path, chunk.text + "\nchanged")
        for chunk in chunks[::10]
    }


def drift_ours(searcher: TextSearcher, chunks: list[Chunk], questions: list[str]) -> float:
    """How far the best ten's scores, after replacing one document in ten, are from those of an index built anew."""
    new = replaced(chunks)
    updated = searcher.update_incremental(list(new.values()), (), [(Row(row), "") for row in new])
    anew = TextSearcher.open(Segment.of(new.get(chunk.row, chunk) for chunk in chunks))
    return max(
        abs(a.score - b.score)
        for question in questions
        for a, b in zip(updated.search(question, 10), anew.search(question, 10), strict=True)
    )


def peer_index(folder: Path) -> tantivy.Index:
    folder.mkdir()
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("row", stored=True, tokenizer_name="raw", index_option="basic")
    schema.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    return tantivy.Index(schema.build(), path=str(folder))


def peer_add(index: tantivy.Index, texts: dict[int, str], gone: list[int] | None = None) -> None:
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    for row in gone or ():
        writer.delete_documents_by_term("row", str(row))
    for row, text in texts.items():
        entry = tantivy.Document()
        entry.add_text("row", str(row))
        entry.add_text("body", text)
        writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()


def peer_search(index: tantivy.Index, question: str) -> list[tuple[float, object]]:
    pieces = TextQuery.any_of(question).terms
    asked = [(tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "body", piece)) for piece in pieces]
    return index.searcher().search(tantivy.Query.boolean_query(asked), 10).hits


def peer_text(chunk: Chunk) -> str:
    """The same terms, as words between spaces; fields share the dictionary as on our side."""
    return " ".join(term for term, count in document_terms(chunk)[0].items() for _ in range(count))


def peer(chunks: list[Chunk], questions: list[str], folder: Path) -> dict[str, object]:
    """Everything of tantivy's side."""
    index = peer_index(folder / "peer")
    texts = {chunk.row: peer_text(chunk) for chunk in chunks}
    build = timed(lambda: peer_add(index, texts))
    size = sum(path.stat().st_size for path in (folder / "peer").iterdir())
    warm = each(lambda: lambda question: peer_search(index, question), questions)
    same = {chunk.row: texts[chunk.row] for chunk in chunks[:5]}
    update = timed(lambda: (peer_add(index, same, list(same)), peer_search(index, questions[0])))
    new = {row: peer_text(chunk) for row, chunk in replaced(chunks).items()}
    peer_add(index, new, list(new))
    anew = peer_index(folder / "anew")
    peer_add(anew, {**texts, **new})
    if index.searcher().num_docs != anew.searcher().num_docs:
        raise SystemExit("the two indexes of tantivy do not hold the same documents")
    drift = max(
        abs(a[0] - b[0])
        for question in questions[:20]
        for a, b in zip(peer_search(index, question), peer_search(anew, question), strict=True)
    )
    return {
        "build": build,
        "index_mb": round(size / 1e6, 1),
        "warm": warm,
        "one_file_update_ms": round(update["wall_s"] * 1000, 1),
        "largest_score_change_after_update_against_rebuild": drift,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--tenfold", action="store_true", help="also ten times the largest size, ours alone")
    asked = parser.parse_args()
    files = sorted(asked.questions.glob("*.json"))
    questions = [entry["query"] for path in files for entry in json.loads(path.read_text())]
    questions = [question for question in questions if 5 <= len(question.split()) <= 8]
    random.Random(2).shuffle(questions)
    figures: dict[str, object] = {}
    for size in asked.sizes:
        chunks = documents(asked.bench / "repos", size)
        with tempfile.TemporaryDirectory() as folder:
            figures[str(size)] = {
                "megabytes": round(sum(len(chunk.text) for chunk in chunks) / 1e6, 1),
                "questions": len(questions[:200]),
                "scova": ours(chunks, questions[:200], Path(folder)),
                "tantivy": peer(chunks, questions[:200], Path(folder)),
                "cold": cold(Path(folder), questions),
            }
            if asked.tenfold and size == max(asked.sizes):
                figures["tenfold"] = tenfold(Segment.open(Path(folder, "1.seg")), questions[:200], Path(folder))
    print(json.dumps(figures, indent=1))
    print(save("postings", {"figures": figures}))


if __name__ == "__main__":
    main()
