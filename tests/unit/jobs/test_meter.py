"""Progress, rate and remaining time, from what a build tells."""

import pytest

from scova.jobs.meter import WINDOW_SECONDS, Meter
from scova.types import Job, Progress


@pytest.fixture
def clock():
    class Clock:
        now = 100.0

        def __call__(self):
            return self.now

    return Clock()


def job(**fields):
    return Job("job-1", "index", "shop", "/shop", "running", **fields)


def tell(meter, clock, *progress, seconds=1.0):
    for one in progress:
        clock.now += seconds
        meter.take(one)
    return meter.advance


def test_files_chunks_and_bytes_come_from_parsing_and_vectors_from_embedding(clock):
    meter = Meter(job(), clock)
    tell(meter, clock, Progress("scan", 0, 0), Progress("parse", 10, 40, 90, 5000))
    said = tell(meter, clock, Progress("text", 0, 0), Progress("embed", 30, 60))
    assert (said.stage, said.files_processed, said.files_total) == ("embed", 10, 40)
    assert (said.chunks_processed, said.bytes_processed) == (90, 5000)
    assert (said.vectors_processed, said.vectors_total) == (30, 60)


def test_the_rate_is_that_of_the_last_seconds_and_the_rest_is_reckoned_with_it(clock):
    meter = Meter(job(), clock)
    tell(meter, clock, *(Progress("parse", 10 * turn, 1000) for turn in range(1, 31)))  # ten a second for long
    said = tell(meter, clock, *(Progress("parse", 300 + 40 * turn, 1000) for turn in range(1, 13)))  # then forty
    assert said.rate == pytest.approx(40, rel=0.05), "what was before the window does not count"
    assert said.eta_seconds == pytest.approx((1000 - 780) / 40, rel=0.05)
    assert WINDOW_SECONDS < 12


def test_nothing_is_reckoned_before_anything_is_known(clock):
    meter = Meter(job(), clock)
    assert tell(meter, clock, Progress("scan", 0, 0)).eta_seconds is None
    meter = Meter(job(), clock)
    meter.take(Progress("parse", 5, 10))  # at the same instant
    assert (meter.advance.rate, meter.advance.eta_seconds) == (0.0, None)


def test_a_stage_is_measured_by_itself(clock):
    meter = Meter(job(), clock)
    tell(meter, clock, *(Progress("parse", 100 * turn, 500) for turn in range(1, 6)))
    said = tell(meter, clock, Progress("embed", 7, 70))
    assert (said.rate, said.eta_seconds) == (7.0, 9.0)


def test_stages_that_take_turns_at_the_same_files_are_measured_together(clock):
    """A build of pages fetches some, parses them, computes their vectors, and goes on fetching."""
    meter = Meter(job(), clock)
    tell(meter, clock, *(Progress("fetch", turn, 40) for turn in range(1, 11)))
    said = tell(meter, clock, Progress("parse", 10, 40, 30))
    assert (said.stage, said.files_processed) == ("parse", 10)
    assert said.rate == pytest.approx(9 / 10, rel=0.1)
    tell(meter, clock, Progress("embed", 30, 30))
    said = tell(meter, clock, Progress("fetch", 11, 40, 30))
    assert said.rate == 1.0, "one page since, not eleven"
    assert tell(meter, clock, Progress("embed", 33, 33)).rate == 3.0, "and three vectors"


def test_the_next_source_begins_at_nothing_and_nothing_goes_backwards(clock):
    meter = Meter(job(), clock)
    tell(meter, clock, *(Progress("fetch", turn, 40) for turn in range(1, 41)))
    said = tell(meter, clock, Progress("fetch", 0, 0))
    assert (said.files_processed, said.files_total, said.rate, said.eta_seconds) == (0, 0, 0.0, None)
    said = tell(meter, clock, Progress("fetch", 2, 10), seconds=2.0)
    assert (said.files_processed, said.rate, said.eta_seconds) == (2, pytest.approx(2 / 3, abs=0.01), 12.0)


def test_what_is_fetched_counts_what_earlier_attempts_fetched_already(clock):
    meter = Meter(job(files_processed=80, files_total=100), clock)
    said = tell(meter, clock, Progress("fetch", 0, 0), Progress("fetch", 30, 60))
    assert (said.files_processed, said.files_total) == (30, 60), "of another source than that of the first attempt"


def test_what_earlier_attempts_did_is_added_to_what_is_left(clock):
    meter = Meter(job(files_processed=800, files_total=1500), clock)
    assert meter.advance.files_processed == 800, "until something better is known"
    said = tell(meter, clock, Progress("scan", 0, 0), Progress("parse", 100, 650))
    assert (said.files_processed, said.files_total) == (950, 1500)
    said = tell(meter, clock, Progress("parse", 650, 650))
    assert (said.files_processed, said.files_total) == (1500, 1500)


def test_when_there_is_more_to_do_than_before_that_is_the_total(clock):
    meter = Meter(job(files_processed=800, files_total=1500), clock)
    said = tell(meter, clock, Progress("parse", 10, 2000))
    assert (said.files_processed, said.files_total) == (10, 2000)
