"""What a worker does with files: whatever one of them does to its parser, the others come through."""

import logging
import os
import signal
import threading

import pytest

from scova import Index
from scova.build.embed import FreshVectors
from scova.build.plan import Task
from scova.build.work import LARGEST_BATCH, MOST_FILES, SMALLEST_BATCH, Work, batches
from scova.embed.static import StaticEmbedder
from scova.errors import EmbedderError
from scova.parse import document as module
from scova.parse.language import language_of
from scova.sources.folder import FolderSource
from scova.stores.embeddings import EmbeddingCache
from scova.types import Item, Mark

LARGE = "# one of many lines\n" * 6000  # more than is parsed without a worker
SOUND = "def sound():\n    return 1\n"
real_outline = module.outline


def fails_on_bombs(text, language):
    """The parser, with a defect: what the text names happens."""
    if "recursion bomb" in text:
        return fails_on_bombs(text, language)
    if "memory bomb" in text:
        raise MemoryError
    if "native bomb" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    return real_outline(text, language)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    # Workers must be forked to have the defect: threads that other tests left behind do nothing any more.
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(module, "outline", fails_on_bombs)
    root = tmp_path / "project"
    root.mkdir()
    (root / "sound.py").write_text(SOUND)
    return root


def tasks_of(source):
    return [Task(item, "") for item in source.items() if isinstance(item, Item)]


def test_an_exception_costs_the_file_that_raised_it_and_says_which(folder, caplog):
    (folder / "a.py").write_text("# a recursion bomb\n")
    (folder / "b.py").write_text("# a memory bomb\n")
    source = FolderSource(folder, language_of=language_of)
    with caplog.at_level(logging.ERROR):
        batch = Work(source, "project")(tasks_of(source))
    assert [file.path for file in batch.files] == ["sound.py"]
    skips = {skip.skip.path: skip.skip for skip in batch.skips}
    assert {skip.reason for skip in skips.values()} == {"crashed"}
    assert "RecursionError: maximum recursion depth exceeded" in skips["a.py"].detail
    assert "MemoryError" in skips["b.py"].detail
    assert "a.py" in caplog.text
    assert "Traceback" in caplog.text


def test_postings_cover_the_files_that_came_through(folder):
    """A file that failed must leave nothing behind, or every later posting would name the wrong chunk."""
    (folder / "a.py").write_text("# a recursion bomb\n")
    source = FolderSource(folder, language_of=language_of)
    batch = Work(source, "project")(tasks_of(source))
    (folder / "a.py").unlink()
    alone = Work(source, "project")(tasks_of(source))
    assert batch.postings.terms == alone.postings.terms
    assert batch.postings.docs == alone.postings.docs
    assert batch.postings.lengths == alone.postings.lengths


def test_a_native_crash_costs_that_file_even_when_it_is_the_only_one_to_read(folder, tmp_path):
    with Index.open(folder, data=str(tmp_path / "data")) as index:
        index.refresh()
        (folder / "bad.py").write_text("# a native bomb\n" + LARGE)
        report = index.refresh()
        assert report.unreadable == 1
        skip = next(skip for skip in index.skips() if skip.path == "bad.py")
        assert (skip.reason, skip.detail) == ("crashed", "its parser crashed on it: killed by SIGSEGV")
        assert {result.chunk.file_path for result in index.search("sound").results} == {"sound.py"}
        (folder / "bad.py").write_text("# still a native bomb\n")
        assert index.refresh().unreadable == 1  # small now, but what crashed once is not trusted again
        (folder / "bad.py").write_text("def mended():\n    return 2\n")
        assert index.refresh().unreadable == 0
        assert index.search("mended").results[0].chunk.file_path == "bad.py"


def test_one_file_is_refreshed_beside_other_threads(folder, tmp_path, monkeypatch):
    """As in a server: workers come from a fork server there."""
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        with Index.open(folder, data=str(tmp_path / "data")) as index:
            assert index.refresh().added == 1
            (folder / "sound.py").write_text("def changed():\n    return 2\n" + LARGE)
            assert index.refresh().changed == 1
            assert index.search("changed").results
    finally:
        done.set()
        other.join()


@pytest.mark.parametrize("size", [0, 1, 30_000, 700_000])
def test_batches_hold_every_task_once_in_order_and_get_smaller(size):
    tasks = [Task(Item(f"{number}.py", Mark(size, 1)), "") for number in range(1000)]
    groups = list(batches(tasks, workers=2))
    assert [task for group in groups for task in group] == tasks
    assert max(map(len, groups)) <= MOST_FILES
    sizes = [size * len(group) for group in groups]
    assert all(total < LARGEST_BATCH + size for total in sizes)
    assert sizes[-1] <= max(SMALLEST_BATCH, size) + size
    assert list(batches([], workers=2)) == []


def test_a_worker_embeds_what_the_cache_does_not_have(folder, tmp_path):
    source, embedder = FolderSource(folder, language_of=language_of), StaticEmbedder()
    fresh = FreshVectors(EmbeddingCache(tmp_path / "embeddings.db").opener(), embedder)
    work = Work(source, "project", fresh=fresh)
    batch = work(tasks_of(source))
    chunks = [chunk for file in batch.files for chunk in file.chunks]
    expected = embedder.embed([chunk.embedded_text for chunk in chunks])
    assert batch.vectors == dict(zip((chunk.embed_key for chunk in chunks), expected, strict=True))
    with fresh.open_cache() as cache:
        cache.put(embedder.model, batch.vectors)
    assert work(tasks_of(source)).vectors == {}


def test_a_model_that_fails_costs_vectors_and_no_text(folder, tmp_path, monkeypatch):
    """The text is committed before anyone hears of it, and searched without vectors."""

    def fails(self, texts):
        raise EmbedderError("out of order", "mend it")

    monkeypatch.setattr(StaticEmbedder, "embed", fails)
    for number in range(30):  # more than is done without a worker
        (folder / f"{number}.py").write_text(f"def function_{number}():\n    return {number}\n")
    with Index.open(folder, data=str(tmp_path / "data")) as index:
        with pytest.raises(EmbedderError):
            index.refresh()
        found = index.search("function_7", mode="text").results
        assert found[0].chunk.file_path == "7.py"
