"""Checkpoints that are damaged, foreign or from the future are never built from; retention is bounded; stopping writes one."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projected import build, build_all, catalog, findings, make, paths, state, use_cache
from scova.errors import CheckpointError, IndexBusy
from scova.projects import project_build_status
from scova.projects.building.checkpoint import Begun, Checkpoint, Failed, Stats, _digest, encoded, shown
from scova.projects.building.checkpoints import KEPT, Checkpoints
from scova.projects.building.log import KEPT as KEPT_LOGS
from scova.projects.removal import remove_source
from until import until

TESTS = Path(__file__).parents[2]


def folder_of(name):
    return catalog().layout(name).checkpoints


def newest(name):
    """Checkpoints under their own ids, newest first."""
    return sorted(folder_of(name).glob("ckpt_*.json"), reverse=True)


def chunks_of(name):
    """All chunks, but for the ids that tell the project."""
    return [row[:2] + row[3:] for row in state(name)["chunks"]]


def flipped(data, chance):
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]


def resigned(data, **changed):
    """The same with other values, and a digest that fits."""
    kept = {**json.loads(data), **changed}
    kept.pop("digest")
    return json.dumps({**kept, "digest": _digest(kept)}).encode()


def of_another(data):
    return resigned(data, project_id="another")


def of_the_future(data):
    return resigned(data, version=99)


DAMAGES = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "without its end": lambda data: data[:-1],
    "zeros": lambda data: bytes(len(data)),
    "flipped": lambda data: flipped(data, random.Random(3)),
    "no object": lambda data: b"[1, 2]",
    "nested": lambda data: b"[" * 200_000,
    "not a text": lambda data: b"\xff\xfe\x00" * 9,
    "other values": lambda data: data.replace(b'"finished": false', b'"finished": true '),
    "foreign": of_another,
    "future": of_the_future,
    "future format": lambda data: resigned(data, version=99, completed_source_ids={"packed": "in a new way"}),
    "wrong types": lambda data: resigned(data, completed_source_ids=5),
    "wrong items": lambda data: resigned(data, completed_source_ids=[1, None]),
    "wrong attempts": lambda data: resigned(data, failed_sources=[{"source_id": "x", "attempts": "many", "error": ""}]),
    "wrong stats": lambda data: resigned(data, stats={"chunks_added": "x"}),
}


SAID = {"foreign": "`another`", "future": "newer", "future format": "newer"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The cache of a user with a project that is half built, and with the same under another name that is built whole."""
    root = tmp_path_factory.mktemp("built")
    for name, count in (("a", 2), ("b", 130), ("c", 1)):
        (root / name).mkdir()
        for number in range(count):
            (root / name / f"note_{number:03d}.md").write_text(f"# Note {number}\n\nOf {name}, number{number}.\n")
    specs = [f"folder:{root / name}" for name in "abc"]
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("SCOVA_")]:
            patch.delenv(name)
        for name in ("HOME", "XDG_CONFIG_HOME"):
            patch.setenv(name, str(root / "home"))
        use_cache(patch, root / "cache")
        make("whole", specs)
        build_all("whole")
        make("p", specs)
        stopping = []
        build("p", stop=lambda: bool(stopping), put=lambda told: stopping.append(1) if told.total == 130 else None)
    return root / "cache"


@pytest.fixture
def half(built, cache):
    """A project `p` of which one source is built and another has begun, and `whole`, which is what it is to become."""
    shutil.copytree(built, cache, dirs_exist_ok=True)
    assert project_build_status("p").state == "checkpoint_available"
    assert len(paths("p")) == 102


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_latest_checkpoint_is_stepped_back_from_with_a_word(half, kind):
    latest = folder_of("p") / "latest.json"
    latest.write_bytes(DAMAGES[kind](latest.read_bytes()))
    assert "latest.json" in project_build_status("p").recommendation
    results = build_all("p")
    assert "latest.json" in results[0].message
    assert SAID.get(kind, "damaged") in results[0].message
    assert results[0].sources_processed == 2, "the copy under its own id is as new"
    assert chunks_of("p") == chunks_of("whole")
    assert findings("p") == []
    assert not project_build_status("p").recommendation.count("damaged")


@pytest.mark.parametrize("kind", ["truncated", "future", "foreign"])
def test_one_is_stepped_back_to_that_is_whole_however_many_are_not(half, kind):
    for path in [folder_of("p") / "latest.json", newest("p")[0]]:
        path.write_bytes(DAMAGES[kind](path.read_bytes()))
    results = build_all("p")
    assert "latest.json" in results[0].message
    assert paths("p") == paths("whole")
    assert findings("p") == []


def test_when_none_is_whole_the_build_begins_anew_and_says_so(half):
    for path in folder_of("p").iterdir():
        path.write_bytes(b"{")
    result = build("p")
    assert "anew" in result.message
    assert result.sources_processed == 3
    assert paths("p") == paths("whole")


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_checkpoint_asked_for_by_id_is_refused_and_nothing_is_touched(half, kind):
    path = newest("p")[0]
    path.write_bytes(DAMAGES[kind](path.read_bytes()))
    before = state("p")
    with pytest.raises(CheckpointError) as refused:
        build("p", checkpoint_id=path.stem)
    assert path.stem in refused.value.message
    assert SAID.get(kind, "damaged") in refused.value.message
    assert state("p") == before


@pytest.mark.parametrize("wanted", ["latest", "../latest", "../../project", "/etc/passwd", "ckpt_*", ""])
def test_an_id_is_looked_up_and_never_a_path(half, wanted):
    if not wanted:
        return
    with pytest.raises(CheckpointError):
        build("p", checkpoint_id=wanted)


def test_no_flipped_bit_is_believed(tmp_path):
    """Of any single flipped bit: the checkpoint is refused, or it is exactly what was written."""
    kept = Checkpoints(tmp_path, "p")
    written = kept.save(
        Checkpoint(
            "p",
            completed=("a-1", "b-2"),
            current=Begun("c-3", urls_completed=("http://x/1",), pending_chunks=3),
            parked=(Begun("d-4", files_completed=("x.py",)),),
            failed=(Failed("e-5", 2, "why"),),
            stats=Stats(1, 2, 3, 4),
        )
    )
    path = tmp_path / f"{written.checkpoint_id}.json"
    data = path.read_bytes()
    for place in range(len(data)):
        for bit in (0, 3, 6):
            path.write_bytes(data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :])
            try:
                assert kept.load(written.checkpoint_id) == written
            except CheckpointError:
                continue


_NAMES = st.lists(st.text(max_size=8), max_size=3).map(tuple)
_BEGUN = st.builds(Begun, st.text(max_size=8), _NAMES, _NAMES, st.integers(0, 9))
_CHECKPOINTS = st.builds(
    Checkpoint,
    st.just("p"),
    completed=_NAMES,
    current=st.none() | _BEGUN,
    parked=st.lists(_BEGUN, max_size=2).map(tuple),
    failed=st.lists(st.builds(Failed, st.text(max_size=8), st.integers(1, 3), st.text(max_size=8)), max_size=2).map(
        tuple
    ),
    stats=st.builds(Stats, *[st.integers(0, 1 << 40)] * 4),
    finished=st.booleans(),
)


@given(_CHECKPOINTS)
@settings(max_examples=60)
def test_whatever_is_saved_is_loaded_as_it_was(tmp_path, checkpoint):
    kept = Checkpoints(tmp_path, "p")
    saved = kept.save(checkpoint)
    assert kept.load(saved.checkpoint_id) == saved == kept.latest()[0]
    assert saved.build_id == (checkpoint.build_id or saved.checkpoint_id)
    assert shown(saved) | {"checkpoint_id": "", "build_id": checkpoint.build_id, "created_at": ""} == shown(checkpoint)


@given(st.sampled_from(sorted(shown(Checkpoint("p")))), st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["source_id", "attempts", "error", "x"]), inner),
    max_leaves=5,
))  # fmt: skip
@settings(max_examples=150)
def test_any_value_in_any_field_is_taken_whole_or_refused(tmp_path, field, value):
    """Even with a digest that fits: nothing but a checkpoint or CheckpointError ever comes out, and it can be written again."""
    path = tmp_path / "ckpt_x.json"
    path.write_bytes(resigned(encoded(Checkpoint("p", "ckpt_x", completed=("a",))), **{field: value}))
    try:
        found = Checkpoints(tmp_path, "p").load("ckpt_x")
    except CheckpointError:
        return
    encoded(found.of(frozenset(("a",))).failing("a", "why").going_on(Begun("b")).completing("a"))
    assert found.attempts("a") >= 0


def test_only_so_many_checkpoints_and_logs_are_kept(folder):
    make("p", [f"folder:{folder(f'f{n}', 1)}" for n in range(30)])
    build_all("p", options={"max_sources_per_build": 1})
    assert len(newest("p")) == KEPT
    assert (folder_of("p") / "latest.json").exists()
    assert len(list(catalog().layout("p").logs.glob("build-*.jsonl"))) == KEPT_LOGS
    last = json.loads((folder_of("p") / "latest.json").read_bytes())
    assert last["checkpoint_id"] == newest("p")[0].stem, "the newest is the one that sorts last"


def test_a_checkpoint_has_the_fields_that_were_specified(half):
    kept = json.loads((folder_of("p") / "latest.json").read_bytes())
    assert {"checkpoint_id", "project_id", "created_at", "completed_source_ids", "in_progress_source", "stats"} <= set(
        kept
    )
    assert set(kept["in_progress_source"]) == {"source_id", "urls_completed", "files_completed", "pending_chunks"}
    assert set(kept["stats"]) == {"chunks_added", "vectors_added", "tokens_used", "duration_ms"}
    assert kept["stats"]["chunks_added"] == 102
    assert kept["stats"]["vectors_added"] == 102


# --- stopping, and two at once


def test_stopping_writes_a_checkpoint_and_the_next_build_goes_on_there(site, pages):
    urls = pages(60)
    make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    stopping = []
    result = build("p", stop=lambda: bool(stopping), put=stopping.append)
    assert "stopped" in result.message
    assert result.progress.has_more
    done = json.loads((folder_of("p") / "latest.json").read_bytes())["in_progress_source"]["urls_completed"]
    assert 20 <= len(done) < 60
    mark = site.mark
    build_all("p")
    assert not {one.url for one in site.since(mark)} & {*done}
    assert len(paths("p")) == 60


def test_stopping_does_not_wait_for_a_slow_page(site, pages):
    """The page would take longer than this test may: whoever stops gets an answer at once, and the page is not given up."""
    (url,) = pages(1, seconds=600.0)
    make("p", [f"url:{url}"])
    result = build("p", stop=lambda: bool(site.asked_for("/page/0")))
    assert "stopped" in result.message
    assert result.errors == ()
    assert result.progress.has_more


def started(name):
    """A build in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "crash.slices", name, "{}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )


def test_of_two_builds_at_once_the_second_hears_who_the_first_is(site, pages):
    (url,) = pages(1, seconds=600.0)
    (source_id,) = make("p", [f"url:{url}"])
    first = started("p")
    until(lambda: site.asked_for("/page/0"), "the first build")
    with pytest.raises(IndexBusy) as refused:
        build("p")
    assert f"process {first.pid}" in refused.value.message
    assert "`p`" in refused.value.message
    status = project_build_status("p")
    assert status.state == "in_progress"
    assert str(first.pid) in status.builder
    for other in (lambda: remove_source("p", source_id), lambda: catalog().delete("p")):
        with pytest.raises(IndexBusy) as refused:
            other()
        assert f"process {first.pid}" in refused.value.message
    assert build("p", dry_run=True).progress.remaining == 1, "asking what would be done is always possible"
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    assert project_build_status("p").state != "in_progress"
    site.pages["/page/0"].seconds = 0.0
    assert not build("p").progress.has_more, "the lock died with its holder"


def test_two_projects_can_be_built_at_once(site, pages, folder):
    (url,) = pages(1, seconds=600.0)
    make("slow", [f"url:{url}"])
    make("quick", [f"folder:{folder('f', 2)}"])
    first = started("slow")
    until(lambda: site.asked_for("/page/0"), "the first build")
    assert not build("quick").progress.has_more
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()


def test_a_source_that_was_removed_and_added_again_is_built_again(folder):
    """A checkpoint that has it as done is about what is not there any more."""
    specs = [f"folder:{folder('a', 2)}", f"folder:{folder('b', 2)}"]
    ids = make("p", specs)
    build("p", options={"max_sources_per_build": 1})
    remove_source("p", ids[0])
    make("p", specs)
    build_all("p")
    assert len(paths("p")) == 4
    assert findings("p") == []


def test_tags_that_change_while_a_source_is_half_built_are_on_all_of_it(folder):
    spec = f"folder:{folder('a', 250)}"
    make("p", [spec], tags=["old"])
    stopping = []
    build("p", stop=lambda: bool(stopping), put=stopping.append)
    make("p", [spec], tags=["new"])
    build_all("p")
    tags = {tuple(row[6].split("\n")) for row in state("p")["chunks"]}
    assert all("new" in each and "old" not in each for each in tags), tags
    assert len(paths("p")) == 250
