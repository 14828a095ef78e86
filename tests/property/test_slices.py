"""Whatever sources, limits, failures, stops and crashes there are: slices come to an end, and everything is built once and only once."""

from contextlib import contextmanager, suppress
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from scova.errors import ProjectError
from scova.projects.building import slice as slices
from scova.projects.building.checkpoint import Checkpoint
from scova.projects.building.log import BuildLog
from scova.projects.building.options import STRATEGIES, ChunkOptions
from scova.projects.building.slice import MOST_ATTEMPTS, Put, Slice, in_turn
from scova.projects.building.watching import Timer
from scova.projects.feeds.feed import Batch
from scova.projects.spec import SourceSpec, SourceType
from scova.types import Progress, Region

BATCH, PARTS = 3, {"files": 7, "urls": 4}


class Crashed(Exception):
    """The process died here."""


class World:
    """Sources as they are, and what a build does with them. Time goes on by so much with every batch."""

    def __init__(self, sizes, *, bad, kinds, seconds):
        self.specs = [SourceSpec(SourceType.FOLDER, f"/{number}") for number in range(len(sizes))]
        self.names = {
            spec.source_id: [f"n{n}" for n in range(size)] for spec, size in zip(self.specs, sizes, strict=True)
        }
        self.kinds = {spec.source_id: kind for spec, kind in zip(self.specs, kinds, strict=True)}
        self.bad = {(self.specs[s % len(sizes)].source_id, f"n{n}"): times for (s, n), times in bad.items()}
        self.seconds = seconds
        self.now = 0.0
        self.saved = Checkpoint("p")
        self.put_after_saved = []
        self.there = {spec.source_id: set() for spec in self.specs}
        self.steps = 0
        self.dies_at = self.stops_at = 0
        self.told = None

    def step(self):
        self.steps += 1
        if self.steps == self.dies_at:
            raise Crashed

    # --- the shop

    def expect(self, specs):
        """Only of what nothing is settled of, and first what is taken up next."""
        begun = {spec.source_id for spec in specs if self.saved.begun(spec.source_id).names}
        assert not begun, begun

    def feed(self, spec):
        return Feed(self, spec)

    def put(self, spec, batch, tell):
        self.step()
        tell(Progress("scan", 0, 0))
        tell(Progress("parse", len(batch.names), len(batch.names), len(batch.names)))
        self.now += self.seconds
        known = self.saved.begun(spec.source_id).names
        self.put_after_saved += [
            name for name in batch.names if name in known or spec.source_id in self.saved.completed
        ]
        self.there[spec.source_id] |= {*batch.names}
        self.step()
        return Put(chunks=len(batch.names))

    def complete(self, spec, feed, tell):
        self.step()
        assert self.there[spec.source_id] == {*self.names[spec.source_id]}, "completed, and something is missing"
        return Put()

    def said(self, error):
        return str(error)

    def save(self, checkpoint):
        self.step()
        self.saved = checkpoint
        self.step()
        return checkpoint

    def tell(self, told):
        """What is told of a source goes up, by no more than there is."""
        assert 0 <= told.done <= told.total
        assert told.chunks <= told.step.chunks
        assert told.step.stage == "scan" or (told.step.done, told.step.total) == (told.done, told.total)
        if self.told and (self.told.source_id, self.told.total) == (told.source_id, told.total):
            assert told.done >= self.told.done
            assert told.step.chunks >= self.told.step.chunks
        self.told = told


class Feed:
    def __init__(self, world, spec):
        self.world, self.spec = world, spec
        self.kind = world.kinds[spec.source_id]
        self.notes = []

    def names(self):
        if self.world.bad.get((self.spec.source_id, "n99"), 0) > 0:
            self.world.bad[self.spec.source_id, "n99"] -= 1
            raise ProjectError("it cannot be listed")
        return self.world.names[self.spec.source_id]

    def batches(self, left, turn):
        some, settled = [], 0
        for name in left:
            if turn.stop() or settled >= turn.most:
                break
            some.append(name)
            settled += not self.fails(name)
            turn.came(sum(not self.fails(one) for one in some))
            if len(some) == BATCH:
                yield self.batch(some)
                some = []
        if some:
            yield self.batch(some)

    def fails(self, name):
        return self.world.bad.get((self.spec.source_id, name), 0) > 0

    def batch(self, some):
        failed = {name: "not now" for name in some if self.fails(name)}
        for name in failed:
            self.world.bad[self.spec.source_id, name] -= 1
        return Batch(None, Region(), tuple(name for name in some if name not in failed), failed)

    def everything(self, skips):
        raise AssertionError


@contextmanager
def small_parts():
    kept = dict(slices.PART)
    slices.PART.update(PARTS)
    try:
        yield
    finally:
        slices.PART.update(kept)


def one_slice(world, options):
    timer = Timer(options.build_timeout_ms / 1000, stop=lambda: world.steps == world.stops_at, clock=lambda: world.now)
    run = Slice(world, options, BuildLog(Path()), timer)  # not entered: nothing is written
    known = frozenset(spec.source_id for spec in world.specs)
    world.told = None
    with suppress(Crashed):
        run.run(world.saved.of(known), world.specs)


@settings(max_examples=300)
@given(
    sizes=st.lists(st.integers(0, 20), min_size=1, max_size=5),
    kinds=st.lists(st.sampled_from(["files", "urls"]), min_size=5, max_size=5),
    bad=st.dictionaries(
        st.tuples(st.integers(0, 4), st.integers(0, 6) | st.just(99)), st.sampled_from([1, 2, 10**9]), max_size=9
    ),
    most=st.integers(1, 4),
    strategy=st.sampled_from(STRATEGIES),
    seconds=st.sampled_from([0.0, 25.0, 45.0, 70.0]),
    deaths=st.lists(st.integers(1, 60), max_size=4),
    stops=st.lists(st.integers(1, 60), max_size=3),
)
@example(
    sizes=[8, 1],
    kinds=["urls"] * 5,
    bad={(0, 0): 10**9, (0, 1): 10**9, (0, 2): 10**9},
    most=4,
    strategy="split",
    seconds=70.0,
    deaths=[],
    stops=[],
)  # the time is up when a batch of pages that never come is over
def test_slices_end_and_nothing_is_lost_or_done_twice(*, sizes, kinds, bad, most, strategy, seconds, deaths, stops):
    world = World(sizes, bad=bad, kinds=kinds[: len(sizes)], seconds=seconds)
    hopeless = {source_id for (source_id, name), times in world.bad.items()
                if times == 10**9 and name in [*world.names[source_id], "n99"]}  # fmt: skip
    options = ChunkOptions(max_sources_per_build=most, build_timeout_ms=60_000, timeout_strategy=strategy)
    total = sum(sizes)
    with small_parts():
        for turn in range(60 + 3 * total):
            world.dies_at = world.steps + deaths[turn] if turn < len(deaths) else 0
            world.stops_at = world.steps + stops[turn] if turn < len(stops) else -1
            one_slice(world, options)
            if not in_turn(world.specs, world.saved):
                break
        else:
            raise AssertionError(f"there is no end to it: {world.saved}")
    assert world.put_after_saved == []
    completed, failed = {*world.saved.completed}, {one.source_id for one in world.saved.failed}
    assert completed | failed == {spec.source_id for spec in world.specs}
    assert not completed & failed
    assert not completed & hopeless
    assert all(one.attempts == MOST_ATTEMPTS for one in world.saved.failed)
    # What was never beyond hope is built, unless `skip` was asked for, which gives up on what takes too many slices.
    fragile = {source_id for source_id, _ in world.bad}
    if strategy != "skip":
        assert failed <= fragile
        for source_id in failed:
            lost = {*world.names[source_id]} - world.there[source_id]
            assert not lost or seconds or "cannot be listed" in str(world.saved.failed) or all(
                (source_id, name) in world.bad for name in lost
            )  # fmt: skip
