"""Every option of a build does what it says: each test fails when its option is ignored."""

import json

import pytest

from endpoint import Endpoint
from endpoint import serving as embedding
from projected import build, build_all, catalog, findings, generations, make, paths
from scova.errors import CheckpointError, UsageError
from scova.projects import chunk_options, project_build_status
from scova.projects.building.options import RANGES, STRATEGIES
from scova.projects.building.slice import PART
from scova.projects.feeds import folder as folder_feed
from scova.projects.feeds import pages as pages_feed


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def checkpoint_files(name):
    return sorted(path.name for path in catalog().layout(name).checkpoints.glob("*.json"))


def latest(name):
    return json.loads((catalog().layout(name).checkpoints / "latest.json").read_bytes())


# --- ranges


@pytest.mark.parametrize("name", RANGES)
def test_a_number_out_of_its_range_is_an_error_and_its_ends_are_not(name):
    low, high = RANGES[name]
    for wrong in (low - 1, high + 1, 0, -1, str(low), low + 0.5, None, True):
        with pytest.raises(UsageError) as refused:
            chunk_options({name: wrong})
        assert name in refused.value.message
        assert str(high) in refused.value.hint
    for right in (low, high):
        assert getattr(chunk_options({name: right}), name) == right


@pytest.mark.parametrize(
    "given",
    [{"timeout_strategy": "hurry"}, {"timeout_strategy": 1}, {"enable_checkpointing": 1}, {"no_such": 1}],
    ids=str,
)
def test_other_values_that_are_not_allowed_are_errors(given):
    with pytest.raises(UsageError):
        chunk_options(given)


def test_the_defaults_are_as_specified():
    options = chunk_options({})
    assert (options.max_sources_per_build, options.fetch_concurrency, options.embedding_batch_size) == (10, 3, 50)
    assert (options.enable_checkpointing, options.build_timeout_ms, options.timeout_strategy) == (
        True,
        300_000,
        "checkpoint",
    )
    assert {name: RANGES[name] for name in RANGES} == {
        "max_sources_per_build": (1, 50),
        "fetch_concurrency": (1, 10),
        "embedding_batch_size": (10, 100),
        "build_timeout_ms": (60_000, 1_800_000),
    }
    assert set(STRATEGIES) == {"checkpoint", "skip", "split"}
    assert PART == {"files": 500, "urls": 100}


# --- how much


@pytest.mark.parametrize("most", [1, 3, 5])
def test_max_sources_per_build_is_how_many_sources_a_slice_takes(folder, most):
    make("p", [f"folder:{folder(f'f{n}', 1)}" for n in range(7)])
    results = build_all("p", options={"max_sources_per_build": most})
    sizes = [result.sources_processed for result in results]
    assert sizes == [most] * (7 // most) + ([7 % most] if 7 % most else [])
    first = results[0].progress
    assert (first.total_sources, first.processed_this_run, first.remaining, first.has_more) == (7, most, 7 - most, True)
    assert first.estimated_remaining_ms is not None
    assert not results[-1].progress.has_more
    assert len(paths("p")) == 7


@pytest.mark.parametrize("most", [1, 4])
def test_fetch_concurrency_is_reached_and_never_exceeded(site, pages, most):
    """Each request waits at the server until so many are there and then some more, so that one too many would be seen."""
    site.gathering = most
    urls = pages(12, seconds=0.1)
    make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    build("p", options={"fetch_concurrency": most})
    assert site.most_busy == most
    assert len(paths("p")) == 12


@pytest.mark.parametrize("most", [1, 4])
def test_fetch_concurrency_holds_for_single_pages_too(site, pages, most):
    """Between sitemaps, so that one too many would be seen where they meet."""
    site.gathering = most
    urls = pages(24, seconds=0.1)
    single = [f"url:{url}" for url in urls[8:16]]
    make("p", [f"sitemap:{site.sitemap('/a.xml', urls[:8])}", *single, f"sitemap:{site.sitemap('/b.xml', urls[16:])}"])
    build_all("p", options={"fetch_concurrency": most, "max_sources_per_build": 10})
    assert site.most_busy == most
    assert len(paths("p")) == 24
    assert {site.counts[url] for url in urls} == {1}


def test_single_pages_alone_are_fetched_beside_each_other(site, pages):
    site.gathering = 3
    make("p", [f"url:{url}" for url in pages(9, seconds=0.1)])
    build("p")
    assert site.most_busy == 3


@pytest.mark.parametrize("size", [10, 37])
def test_embedding_batch_size_is_how_many_texts_a_call_has(tmp_path, monkeypatch, size):
    root = tmp_path / "one"
    root.mkdir()
    for number in range(90):
        (root / f"note_{number}.md").write_text(f"# Note {number}\n\nOnly here: word{number}.\n")
    with embedding(Endpoint()) as endpoint:
        monkeypatch.setenv("SCOVA_EMBEDDER", endpoint.address)
        monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
        monkeypatch.setenv("SCOVA_EMBEDDER_PRICE", "2.0")
        make("p", [f"folder:{root}"])
        result = build("p", options={"embedding_batch_size": size})
        sizes = [len(batch) for batch in endpoint.batches if batch]
    sizes = sizes[1:] if sizes[0] == 1 else sizes  # the first asks how wide the vectors are
    assert set(sizes[:-1]) == {size}
    assert 0 < sizes[-1] <= size
    assert sum(sizes) == result.vectors_added == result.chunks_added >= 90
    assert result.metrics.tokens_used >= 7 * sum(sizes)
    assert result.metrics.estimated_cost_usd == pytest.approx(result.metrics.tokens_used * 2.0 / 1e6, abs=2e-6)


# --- how long


def test_build_timeout_ms_ends_a_slice_within_one_batch(folder):
    """The clock passes the limit during the second batch: no third one is begun, and the next slice goes on there."""
    clock = Clock()
    make("p", [f"folder:{folder('f', 450)}"])

    def tell(told):
        clock.now += 31.0

    result = build("p", options={"build_timeout_ms": 60_000}, clock=clock, put=tell)
    assert len(paths("p")) == 2 * folder_feed.BATCH
    assert result.progress.has_more
    assert "time" in result.message
    assert 60_000 <= result.metrics.duration_ms <= 63_000
    assert len(latest("p")["in_progress_source"]["files_completed"]) == 2 * folder_feed.BATCH
    longer = build("p", options={"build_timeout_ms": 1_800_000}, clock=clock, put=tell)
    assert not longer.progress.has_more
    assert len(paths("p")) == 450


def test_build_timeout_ms_ends_fetching_too(site, pages):
    clock = Clock()
    urls = pages(60)
    make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])

    def tell(told):
        clock.now += 61.0

    result = build("p", options={"build_timeout_ms": 60_000}, clock=clock, put=tell)
    assert len(latest("p")["in_progress_source"]["urls_completed"]) < 2 * pages_feed.BATCH
    assert result.progress.has_more
    assert "time" in result.message
    asked = sum(count for url, count in site.counts.items() if "/page/" in url)
    assert asked <= pages_feed.BATCH + 3 + 3
    assert not build_all("p")[-1].progress.has_more
    assert len(paths("p")) == 60


def over_time(folder, strategy):
    """A project of a source that the time is not enough for, and two more; one slice of it."""
    clock = Clock()
    ids = make("p", [f"folder:{folder('large', 250)}", f"folder:{folder('b', 1)}", f"folder:{folder('c', 1)}"])

    def tell(told):
        clock.now += 40.0 if told.source_id == ids[0] else 0.0

    result = build("p", options={"build_timeout_ms": 60_000, "timeout_strategy": strategy}, clock=clock, put=tell)
    assert len(paths("p")) == 200
    assert result.progress.has_more
    return ids, result


def order_of(name, **options):
    """The sources that one more slice takes, in order."""
    taken = []
    result = build(name, options=options, tell=lambda told: taken.append(told.source_id))
    return list(dict.fromkeys(taken)), result


def test_out_of_time_with_checkpoint_the_next_slice_goes_on_with_the_same_source(folder):
    ids, result = over_time(folder, "checkpoint")
    assert result.errors == ()
    assert latest("p")["in_progress_source"]["source_id"] == ids[0]
    assert order_of("p", max_sources_per_build=1)[0] == [ids[0]]
    assert len(paths("p")) == 250


def test_out_of_time_with_skip_the_source_has_failed_and_comes_last(folder):
    ids, result = over_time(folder, "skip")
    assert [error["source_id"] for error in result.errors] == [ids[0]]
    assert "time" in result.errors[0]["error"]
    assert project_build_status("p").failed_sources == 1
    taken, ended = order_of("p")
    assert taken == [ids[1], ids[2], ids[0]]
    assert not ended.progress.has_more
    assert len(paths("p")) == 252
    assert project_build_status("p").failed_sources == 0


def test_out_of_time_with_split_the_source_is_parked_and_others_have_their_turn(folder):
    ids, result = over_time(folder, "split")
    assert result.errors == ()
    assert latest("p")["in_progress_source"] is None
    assert [one["source_id"] for one in latest("p")["parked_sources"]] == [ids[0]]
    taken, ended = order_of("p")
    assert taken == [ids[1], ids[2], ids[0]]
    assert not ended.progress.has_more
    assert len(paths("p")) == 252


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_sitemap_that_cannot_even_be_read_in_time_is_treated_as_the_strategy_says(site, pages, folder, strategy):
    """The clock passes the limit while the list of pages is being fetched: others do not wait for it forever."""
    clock = Clock()
    urls = pages(2)
    ids = make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}", f"folder:{folder('b', 1)}"])

    def before(path):
        clock.now += 61.0 if path == "/map.xml" else 0.0

    site.before = before
    result = build("p", options={"build_timeout_ms": 60_000, "timeout_strategy": strategy}, clock=clock)
    assert result.progress.has_more
    assert len(result.errors) == (strategy == "skip")
    site.before = lambda path: None
    taken, ended = order_of("p")
    assert taken == (ids if strategy == "checkpoint" else ids[::-1])
    assert not ended.progress.has_more
    assert len(paths("p")) == 3


# --- more than a slice takes of one source


def too_large(site, pages, folder, kind, strategy):
    """A source with more than fits into a slice, and a small one; one slice of it, and how many of the first it took."""
    first = f"sitemap:{site.sitemap('/map.xml', pages(130))}" if kind == "urls" else f"folder:{folder('large', 530)}"
    ids = make("p", [first, f"folder:{folder('small', 1)}"])
    result = build("p", options={"timeout_strategy": strategy, "fetch_concurrency": 10})
    assert sum(path.startswith(ids[0]) for path in paths("p")) == PART[kind]
    assert result.progress.has_more
    assert f"{PART[kind]}" in result.message, "the limit that cut is not told"
    return ids, result


@pytest.mark.parametrize("kind", ["urls", "files"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_source_with_more_than_a_slice_takes_is_cut_as_the_strategy_says_and_nothing_is_dropped(
    site, pages, folder, kind, strategy
):
    ids, result = too_large(site, pages, folder, kind, strategy)
    small = any(path.startswith(ids[1]) for path in paths("p"))
    status, kept = project_build_status("p"), latest("p")
    if strategy == "checkpoint":
        assert not small, "the slice must end with it"
        assert kept["in_progress_source"]["source_id"] == ids[0]
        assert (result.errors, status.failed_sources) == ((), 0)
    elif strategy == "split":
        assert small
        assert [one["source_id"] for one in kept["parked_sources"]] == [ids[0]]
        assert (result.errors, status.failed_sources) == ((), 0)
    else:
        assert small
        assert [error["source_id"] for error in result.errors] == [ids[0]]
        assert status.failed_sources == 1
    ended = build_all("p", options={"timeout_strategy": strategy, "fetch_concurrency": 10})[-1]
    assert ended.success
    assert len(paths("p")) == {"urls": 131, "files": 531}[kind]
    assert project_build_status("p").failed_sources == 0
    assert findings("p") == []
    if kind == "urls":
        assert {count for url, count in site.counts.items() if "/page/" in url} == {1}


# --- checkpoints


def test_without_checkpointing_none_is_written_and_with_it_one_after_every_batch(folder, monkeypatch):
    make("off", [f"folder:{folder('f', 250)}"])
    build("off", options={"enable_checkpointing": False})
    assert len(paths("off")) == 250
    assert checkpoint_files("off") == []
    assert project_build_status("off").checkpoint is None
    seen = []
    make("on", [f"folder:{folder('g', 250)}"])
    build("on", put=lambda told: seen.append(len(latest("on")["in_progress_source"]["files_completed"])))
    assert seen == [100, 200, 250]
    assert latest("on")["finished"]


def test_resume_from_checkpoint_false_begins_anew(folder):
    make("p", [f"folder:{folder(f'f{n}', 1)}" for n in range(3)])
    build("p", options={"max_sources_per_build": 2})
    assert build("p", options={"max_sources_per_build": 2}, resume_from_checkpoint=False).progress.remaining == 1
    assert build("p", options={"max_sources_per_build": 2}, resume_from_checkpoint=True).progress.remaining == 0


def test_checkpoint_id_goes_on_from_that_checkpoint(folder):
    ids = make("p", [f"folder:{folder(f'f{n}', 1)}" for n in range(4)])
    first = build("p", options={"max_sources_per_build": 1}).progress.checkpoint_id
    build("p", options={"max_sources_per_build": 2})
    taken = []
    result = build("p", checkpoint_id=first, tell=lambda told: taken.append(told.source_id))
    assert list(dict.fromkeys(taken)) == ids[1:]
    assert not result.progress.has_more
    with pytest.raises(CheckpointError) as refused:
        build("p", checkpoint_id="ckpt_of_another_day")
    assert "ckpt_of_another_day" in refused.value.message


def test_a_checkpoint_of_a_build_that_is_over_can_be_gone_on_from_when_there_is_a_new_source(folder):
    make("p", [f"folder:{folder('f', 1)}"])
    over = build("p").progress.checkpoint_id
    make("p", [f"folder:{folder(f'g{n}', 1)}" for n in range(3)])
    result = build("p", checkpoint_id=over, options={"max_sources_per_build": 1})
    assert (result.sources_processed, result.progress.has_more) == (1, True)
    assert project_build_status("p").state == "checkpoint_available"
    assert build("p", options={"max_sources_per_build": 1}).progress.remaining == 1


# --- dry_run and force


def tree_of(root):
    return {
        str(path.relative_to(root)): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(root.rglob("*"))
    }


def test_a_dry_run_touches_nothing_and_says_what_would_be_done(site, pages, folder, cache):
    urls = pages(3)
    make("p", [f"url:{urls[0]}", f"sitemap:{site.sitemap('/map.xml', urls[1:])}", f"folder:{folder('f', 2)}"])
    before = tree_of(cache)
    told = build("p", dry_run=True)
    assert tree_of(cache) == before
    assert site.log == []
    assert (told.sources_processed, told.chunks_added, told.progress.total_sources, told.progress.remaining) == (
        0,
        0,
        3,
        3,
    )
    assert told.progress.has_more
    assert urls[0] in told.message
    build("p", options={"max_sources_per_build": 1})
    before, mark = tree_of(cache), site.mark
    told = build("p", dry_run=True)
    assert tree_of(cache) == before
    assert site.mark == mark
    assert told.progress.remaining == 2
    assert urls[0] not in told.message


def test_force_fetches_again_without_validators_and_replaces_by_generation(site, pages):
    urls = pages(5)
    make("p", [f"sitemap:{site.sitemap('/map.xml', urls)}"])
    build("p")
    before, mark = generations("p"), site.mark
    build("p", force=True)
    asked = [one for one in site.since(mark) if "/page/" in one.url]
    assert sorted(one.url for one in asked) == sorted(urls)
    assert [(one.status, one.is_conditional) for one in asked] == [(200, False)] * 5
    assert all(generation > before[path] for path, generation in generations("p").items())
    assert findings("p") == []
