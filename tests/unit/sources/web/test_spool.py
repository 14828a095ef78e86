"""Fetched pages stay on disk, whole, and are handed to a build from there."""

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from scova.errors import StoreDamaged, StoreTooNew
from scova.sources.web.spool import Spool, SpooledPage, SpoolSource, Validators
from scova.types import Document, Item, Skip, is_racy

URI = "http://h.example/a?b=1"


def page(text="# A\n", uri=URI, source_id="s1", **values):
    return SpooledPage(source_id, uri, text, **values)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pages.db"


@pytest.fixture
def spool(path):
    with Spool(path) as opened:
        yield opened


def test_a_page_comes_back_as_it_was(spool, path):
    kept = page("Grüße \ud800 \n", final_url="http://h.example/c", etag='"1"', last_modified="yesterday", media_type="text/html",
                language="json", title="T", fetched_at="2024-01-01T00:00:00Z")  # fmt: skip
    spool.put(kept)
    assert spool.get("s1", URI) == kept
    with Spool(path) as again:
        assert again.get("s1", URI) == kept
        assert again.get("s1", "http://h.example/other") is None
        assert again.get("s2", URI) is None


def test_validators_are_those_of_the_last_answer(spool):
    assert spool.validators("s1", URI) == Validators()
    spool.put(page(etag="1", last_modified="x"))
    spool.put(page(etag="2"))
    assert spool.validators("s1", URI) == Validators("2", "")
    spool.refresh("s1", URI, Validators("", "y"), "now")
    assert spool.validators("s1", URI) == Validators("2", "y")
    assert spool.get("s1", URI).fetched_at == "now"
    assert spool.uris("s1") == [URI]


def test_equal_pages_of_a_source_are_known(spool):
    for number, text in enumerate(["same", "other", "same"]):
        spool.put(page(text, uri=f"u{number}"))
    spool.put(page("same", uri="u9", source_id="s2"))
    assert spool.same("s1", page("same").digest) == ["u0", "u2"]


def test_removing_a_source_leaves_the_others(spool):
    for source_id in ("s1", "s2"):
        for uri in ("a", "b", "c"):
            spool.put(page(uri=uri, source_id=source_id))
    spool.remove("s1")
    spool.remove("s2", ["b", "not there"])
    assert (spool.source_ids(), spool.uris("s1"), spool.uris("s2")) == (["s2"], [], ["a", "c"])


def test_many_threads_and_two_openings_put_pages(spool, path):
    with Spool(path) as other, ThreadPoolExecutor(8) as pool:
        list(
            pool.map(lambda number: (spool, other)[number % 2].put(page(str(number), uri=f"u{number:03}")), range(100))
        )
    assert [spool.get("s1", uri).text for uri in spool.uris("s1")] == [str(number) for number in range(100)]


def test_a_killed_process_leaves_what_it_had_put(path):
    code = (
        "import sys; from pathlib import Path; from scova.sources.web.spool import *\n"
        "spool = Spool(Path(sys.argv[1]))\n"
        "for number in range(10**9):\n"
        "    spool.put(SpooledPage('s1', f'u{number:06}', 'text %d ' % number * 1000)); print(number, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    said = [int(process.stdout.readline()) for _ in range(20)]
    os.kill(process.pid, signal.SIGKILL)
    said += [int(line) for line in process.stdout]
    process.wait()
    process.stdout.close()
    with Spool(path) as spool:
        uris = spool.uris("s1")
        assert len(uris) - len(said) in (0, 1), "all that was said to be kept is, and at most the one after it"
        assert all(spool.get("s1", uri).text == f"text {number} " * 1000 for number, uri in enumerate(uris))


def test_a_source_hands_out_pages_in_the_order_asked(spool, path):
    spool.put(page("# One\n", uri="http://h.example/1"))
    spool.put(page('{"a": 1}', uri="http://h.example/2", language="json"))
    source = pickle.loads(pickle.dumps(SpoolSource(path, "s1", ["http://h.example/2", "gone", "http://h.example/1"])))
    second, gone, first = source.items()
    assert (first.path, second.path) == ("s1/http://h.example/1", "s1/http://h.example/2")
    assert (gone.path, gone.reason) == ("s1/gone", "vanished")
    document = source.read(first)
    assert isinstance(document, Document)
    assert (document.path, document.text, document.language) == (first.path, "# One\n", "markdown")
    assert (document.mark, document.digest) == (first.mark, page("# One\n").digest)
    assert source.read(second).language == "json"


def test_the_mark_changes_with_the_content_and_only_then(spool, path):
    source = SpoolSource(path, "s1", [URI])
    marks = []
    for text in ("aaaa", "aaaa", "bbbb"):
        spool.put(page(text, fetched_at=str(len(marks))))
        marks += [item.mark for item in source.items()]
    assert marks[0] == marks[1] != marks[2]
    assert not any(is_racy(mark.changed_ns, 10**18) for mark in marks)


def test_a_page_that_went_between_listing_and_reading_is_skipped(spool, path):
    spool.put(page())
    source = SpoolSource(path, "s1", [URI])
    (item,) = source.items()
    spool.remove("s1")
    assert source.read(item).reason == "vanished"


def test_reading_never_raises_for_a_damaged_spool(path):
    source = SpoolSource(path, "s1", [URI])
    item = Item(f"s1/{URI}", mark=(0, 0))
    assert isinstance(source.read(item), Skip)
    path.write_bytes(b"not a database" * 100)
    assert source.read(item).reason == "unreadable"


def test_a_foreign_or_newer_file_is_refused_with_a_way_out(path):
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(StoreDamaged) as problem:
        Spool(path)
    assert "delete" in problem.value.hint
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreTooNew):
        Spool(path)
