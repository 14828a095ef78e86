"""How a build stands and what it brought, told in the form that was specified, and the log of it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from projected import build, build_all, catalog, make
from scova.projects import project_build_status
from scova.projects.building.log import BuildLog
from until import until

TESTS = Path(__file__).parents[2]
STATUS = {
    "success": bool,
    "project_id": str,
    "state": str,
    "pending_sources": int,
    "failed_sources": int,
    "recommendation": str,
}
CHECKPOINT = {
    "checkpoint_id": str,
    "created_at": str,
    "sources_completed": int,
    "sources_remaining": int,
    "chunks_so_far": int,
    "vectors_so_far": int,
}


def told(name):
    """The status as anyone gets it, held against what was specified."""
    said = json.loads(json.dumps(project_build_status(name).to_json()))
    for key, kind in STATUS.items():
        assert type(said[key]) is kind, key
    assert said["success"] is True
    assert said["project_id"] == name
    assert said["state"] in ("idle", "in_progress", "checkpoint_available")
    if said["checkpoint"] is not None:
        assert {key: type(value) for key, value in said["checkpoint"].items()} == CHECKPOINT
    assert said["recommendation"]
    assert said["failed_sources"] == len(said["failures"])
    return said


def test_idle_before_after_and_without_sources(folder):
    make("p", [])
    said = told("p")
    assert (said["state"], said["checkpoint"], said["pending_sources"]) == ("idle", None, 0)
    assert "add" in said["recommendation"]
    make("p", [f"folder:{folder(f'f{n}', 1)}" for n in range(2)])
    said = told("p")
    assert (said["state"], said["checkpoint"], said["pending_sources"]) == ("idle", None, 2)
    assert "2" in said["recommendation"]
    build("p")
    said = told("p")
    assert (said["state"], said["checkpoint"], said["pending_sources"], said["failed_sources"]) == ("idle", None, 0, 0)
    assert "nothing to do" in said["recommendation"]
    make("p", [f"folder:{folder('new', 1)}"])
    said = told("p")
    assert (said["state"], said["pending_sources"]) == ("idle", 1)
    assert "1" in said["recommendation"]


def test_checkpoint_available_between_two_slices(folder):
    make("p", [f"folder:{folder(f'f{n}', 2)}" for n in range(5)])
    result = build("p", options={"max_sources_per_build": 2})
    said = told("p")
    assert said["state"] == "checkpoint_available"
    assert said["pending_sources"] == 3
    checkpoint = said["checkpoint"]
    assert checkpoint["checkpoint_id"] == result.progress.checkpoint_id
    assert (checkpoint["sources_completed"], checkpoint["sources_remaining"]) == (2, 3)
    assert (checkpoint["chunks_so_far"], checkpoint["vectors_so_far"]) == (4, 4)
    assert "3" in said["recommendation"]
    assert "build" in said["recommendation"]
    build("p", options={"max_sources_per_build": 2})
    assert told("p")["checkpoint"]["chunks_so_far"] == 8, "counted over all slices of a build"


def test_in_progress_while_another_process_builds(site, pages, folder):
    (url,) = pages(1, seconds=600.0)
    make("p", [f"folder:{folder('f', 2)}", f"url:{url}"])
    other = subprocess.Popen(
        [sys.executable, "-m", "crash.slices", "p", "{}"],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdout=subprocess.DEVNULL,
    )
    until(lambda: site.asked_for("/page/0"), "the build")
    said = told("p")
    assert said["state"] == "in_progress"
    assert said["checkpoint"]["sources_completed"] == 1
    assert "wait" in said["recommendation"]
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    said = told("p")
    assert said["state"] == "checkpoint_available"
    assert said["checkpoint"]["sources_remaining"] == 1


def test_asking_for_the_status_touches_nothing(folder, cache):
    make("p", [f"folder:{folder('f', 1)}"])
    before = sorted((str(path), path.stat().st_mtime_ns) for path in cache.rglob("*"))
    told("p")
    assert sorted((str(path), path.stat().st_mtime_ns) for path in cache.rglob("*")) == before


def test_a_result_has_the_fields_that_were_specified(folder):
    make("p", [f"folder:{folder(f'f{n}', 3)}" for n in range(3)])
    result = build("p", options={"max_sources_per_build": 2})
    said = json.loads(json.dumps(result.to_json()))
    kinds = {
        "success": bool,
        "sources_processed": int,
        "chunks_added": int,
        "vectors_added": int,
        "errors": list,
        "message": str,
    }
    for key, kind in kinds.items():
        assert type(said[key]) is kind, key
    assert set(said["progress"]) == {
        "total_sources", "processed_this_run", "remaining", "has_more", "checkpoint_id", "estimated_remaining_ms"
    }  # fmt: skip
    assert set(said["metrics"]) == {
        "duration_ms", "fetch_time_ms", "chunk_time_ms", "embed_time_ms", "tokens_used", "estimated_cost_usd", "avg_source_time_ms"
    }  # fmt: skip
    assert said["sources_processed"] == 2
    assert (said["chunks_added"], said["vectors_added"]) == (6, 6)
    metrics = said["metrics"]
    assert 0 < metrics["avg_source_time_ms"] <= metrics["duration_ms"]
    assert metrics["fetch_time_ms"] + metrics["chunk_time_ms"] + metrics["embed_time_ms"] <= metrics["duration_ms"] + 5


def test_fetching_is_told_as_the_time_it_took(site, pages):
    make("p", [f"url:{url}" for url in pages(1, seconds=0.4)])
    metrics = build("p").metrics
    assert 400 <= metrics.fetch_time_ms <= metrics.duration_ms


def test_chunks_that_were_there_already_are_not_counted_as_added(folder):
    root = folder("f", 3)
    make("p", [f"folder:{root}"])
    assert build("p").chunks_added == 3
    again = build("p")
    assert (again.chunks_added, again.vectors_added) == (0, 0)
    (root / "note_0001.md").write_text("# Other\n\nthings\n")
    assert build("p").chunks_added == 1


def test_every_slice_writes_a_log_of_what_happened(folder, site):
    ids = make("p", [f"folder:{folder('f', 2)}", f"url:{site.url('/nothing')}"])
    build_all("p")
    logs = sorted(catalog().layout("p").logs.glob("build-*.jsonl"))
    assert logs
    notes = [json.loads(line) for line in logs[0].read_text().splitlines()]
    assert all({"at", "what"} <= set(note) for note in notes)
    whats = [note["what"] for note in notes]
    assert (whats[0], whats[-1]) == ("begin", "end")
    assert {note.get("source_id") for note in notes if note["what"] == "completed"} == {ids[0]}
    (failed,) = [note for note in notes if note["what"] == "failed"]
    assert failed["source_id"] == ids[1]
    assert "404" in failed["error"]
    assert notes[-1]["result"]["sources_processed"] == 2


def test_a_pdf_leaves_nothing_to_complain_about_at_the_end_of_a_process(tmp_path):
    from unit.sources.pdf.pdfs import Words, write_pdf

    make("p", [f"pdf:{write_pdf(tmp_path / 'x.pdf', [[Words('A page', 700)]])}"])
    done = subprocess.run(
        [sys.executable, "-m", "crash.slices", "p", "{}"],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_logs_sort_as_they_were_written_even_when_the_clock_is_set_back(tmp_path, monkeypatch):
    clock = iter([5_999_999_990, 5_000_000_000, 4_000_000_000, 7_000_000_000])
    monkeypatch.setattr("scova.projects.building.log.time.time_ns", lambda: next(clock))
    for number in range(4):
        with BuildLog(tmp_path) as log:
            log.note("begin", number=number)
    written = [json.loads(log.read_text())["number"] for log in sorted(tmp_path.glob("build-*"))]
    assert written == [0, 1, 2, 3]
