"""What every ledger of jobs does. Run on each implementation."""

import json
import threading
from functools import partial

import pytest

from scova.stores.jobs import LEASE_SECONDS, MOST_DEATHS, SqliteJobs
from scova.stores.jobs.rules import KEPT
from scova.stores.postgres import Connections, PostgresJobs, migrate
from scova.types import Advance, Hold, Job

KINDS = ("index",)


class Clock:
    """The clock that all processes share, moved by the test."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class DatabaseClock:
    """The clock of the database cannot be moved; so all that is kept by it is, the other way."""

    def __init__(self, connections):
        self._connections = connections
        self._now = 1000.0

    @property
    def now(self):
        return self._now

    @now.setter
    def now(self, value):
        with self._connections.lent() as connection:
            moved = "lease_until - %(by)s * interval '1 second', pause_until - %(by)s * interval '1 second'"
            connection.execute(f"UPDATE jobs SET (lease_until, pause_until) = ({moved})", {"by": value - self._now})
        self._now = value


@pytest.fixture(params=["sqlite", "postgres"])
def ledgers(request, tmp_path):
    """How the ledger is opened once more, as another process would; and its clock."""
    if request.param == "sqlite":
        clock = Clock()
        yield lambda: SqliteJobs(tmp_path / "jobs.db", clock=clock), clock
        return
    url = request.getfixturevalue("postgres_url")
    made = [Connections(url)]
    migrate(made[0])

    def another():
        made.append(Connections(url))
        return PostgresJobs(made[-1], tmp_path)

    yield another, DatabaseClock(made[0])
    for connections in made:
        connections.close()


@pytest.fixture
def clock(ledgers):
    return ledgers[1]


@pytest.fixture
def opened(ledgers):
    """Opens the ledger once more, as another process would."""
    made = []

    def another():
        made.append(ledgers[0]())
        return made[-1]

    yield another
    for one in made:
        one.close()


@pytest.fixture
def ledger(opened):
    return opened()


def job(number=1, **fields):
    values = {"kind": "index", "project_id": "shop", "path": f"/shop/{number}", "status": "queued"}
    return Job(f"job-{number}", **{**values, "created_at": "2026-01-01T00:00:00+0000", **fields})


def test_files_about_jobs_have_a_folder(ledger, tmp_path):
    assert ledger.folder == tmp_path


def test_a_job_comes_back_as_it_was_submitted_in_any_process(ledger, opened):
    submitted = ledger.submit(job(options={"force": True, "data": "/elsewhere"}))
    assert submitted == opened().get("job-1") == ledger.list(5)[0]
    assert submitted.status == "queued" and submitted.options == {"force": True, "data": "/elsewhere"}
    assert ledger.get("job-2") is None


def test_the_newest_come_first_and_can_be_chosen_by_state(ledger):
    for number in range(5):
        ledger.submit(job(number))
    ledger.claim("a", KINDS)
    assert [one.job_id for one in ledger.list(3)] == ["job-4", "job-3", "job-2"]
    assert [one.job_id for one in ledger.list(9, status=("running",))] == ["job-0"]


def test_the_same_wish_is_the_same_job_while_it_is_queued_or_running(ledger, opened):
    assert ledger.submit(job(1)).job_id == "job-1"
    assert opened().submit(job(2, path="/shop/1")).job_id == "job-1"
    ledger.claim("a", KINDS)
    assert ledger.submit(job(3, path="/shop/1")).job_id == "job-1"
    assert ledger.submit(job(4, path="/shop/1", options={"force": True})).job_id == "job-4", "another wish"
    assert ledger.submit(job(5, path="/shop/1", kind="import")).job_id == "job-5", "another kind"
    ledger.finish(ledger.get("job-1")._replace(status="done"), "a")
    assert ledger.submit(job(6, path="/shop/1")).job_id == "job-6", "that one is over"


def test_a_job_that_is_being_cancelled_is_not_given_for_a_new_wish(ledger):
    ledger.submit(job(1))
    ledger.claim("a", KINDS)
    ledger.cancel("job-1")
    assert ledger.submit(job(2, path="/shop/1")).job_id == "job-2"
    assert ledger.beat("job-1", "a") is Hold.CANCELLED, "and the first one goes on being cancelled"


def test_jobs_are_given_out_once_in_order_and_by_kind(ledger, opened):
    for number in range(3):
        ledger.submit(job(number))
    ledger.submit(job(3, kind="import"))
    given = [opened().claim(f"owner-{number}", KINDS) for number in range(4)]
    assert [one and one.job_id for one in given] == ["job-0", "job-1", "job-2", None]
    assert {(one.status, one.attempts) for one in given[:3]} == {("running", 1)}
    assert all(one.started_at for one in given[:3])
    assert ledger.claim("x", ("import", "index")).job_id == "job-3"


def test_however_many_ask_at_once_each_job_goes_to_one_of_them(opened):
    first = opened()
    for number in range(40):
        first.submit(job(number))
    given, begin = [], threading.Barrier(8)

    def take(name):
        ledger = opened()
        begin.wait()
        while one := ledger.claim(f"{name}", KINDS):
            given.append(one.job_id)

    threads = [threading.Thread(target=take, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(given) == sorted(f"job-{number}" for number in range(40))


def test_a_hold_lasts_while_it_beats_and_lapses_when_it_does_not(ledger, opened, clock):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    for _ in range(5):
        clock.now += LEASE_SECONDS - 1
        assert opened().claim("b", KINDS) is None
        assert ledger.beat("job-1", "a") is Hold.HELD
    clock.now += LEASE_SECONDS
    taken = opened().claim("b", KINDS)
    assert (taken.job_id, taken.attempts, taken.status) == ("job-1", 2, "running")
    assert "taken up again" in taken.message


def test_who_lost_a_hold_can_change_nothing_any_more(ledger, clock):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    clock.now += LEASE_SECONDS
    ledger.claim("b", KINDS)
    before = ledger.get("job-1")
    assert ledger.beat("job-1", "a", Advance(files_processed=7)) is Hold.LOST
    assert ledger.finish(before._replace(status="failed"), "a") is False
    ledger.release("job-1", "a", "mine")
    assert ledger.get("job-1") == before
    assert ledger.beat("job-1", "b") is Hold.HELD


def test_a_job_whose_process_dies_again_and_again_is_failed_and_says_so(ledger, clock):
    ledger.submit(job())
    for number in range(MOST_DEATHS):
        assert ledger.claim(f"owner-{number}", KINDS).attempts == number + 1
        clock.now += LEASE_SECONDS
    assert ledger.claim("last", KINDS) is None
    failed = ledger.get("job-1")
    assert failed.status == "failed" and f"killed {MOST_DEATHS} times in a row" in failed.message
    assert failed.finished_at


def test_only_deaths_in_a_row_count(ledger, clock):
    ledger.submit(job())
    for number in range(3 * MOST_DEATHS):
        assert ledger.claim(f"owner-{number}", KINDS), number
        if number % 3 == 2:
            ledger.release("job-1", f"owner-{number}", "stopped in good order")
        else:
            clock.now += LEASE_SECONDS
    assert ledger.get("job-1").status in ("queued", "running")


@pytest.mark.parametrize("now", [0.0, 5.0, 900.0, 1_000_000.0])
def test_after_a_restart_of_the_machine_a_job_is_free_within_one_lease(ledger, clock, now):
    """The clock counts from the start of the machine: whatever it says afterwards, nobody holds the job any more."""
    ledger.submit(job())
    ledger.claim("a", KINDS)
    clock.now = now
    assert ledger.claim("b", KINDS)


def test_even_when_the_clock_says_what_it_said_before_the_restart(ledger, clock):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    clock.now += 3  # by chance the machine has been up for as long as it had been then
    assert ledger.claim("b", KINDS) is None
    clock.now += LEASE_SECONDS
    assert ledger.claim("b", KINDS)


def test_how_far_it_is_can_be_read_by_others(ledger, opened):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    advance = Advance("parse", 10, 50, 100, 1234, 3, 9, 12.5, 3.2)
    assert ledger.beat("job-1", "a", advance) is Hold.HELD
    seen = opened().get("job-1")
    assert {name: getattr(seen, name) for name in Advance._fields} == advance._asdict()


def test_how_it_ended_is_kept(ledger, opened):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    ledger.beat("job-1", "a", Advance("grams", 49, 50, rate=7.0, eta_seconds=2.0))
    result = {"report": {"added": 49}, "failed": [{"path": "ü.py", "reason": "crashed", "detail": "'"}]}
    assert ledger.finish(ledger.get("job-1")._replace(status="partial", message="one failed", result=result), "a")
    seen = opened().get("job-1")
    assert (seen.status, seen.message, seen.result) == ("partial", "one failed", result)
    assert seen.finished_at and (seen.rate, seen.eta_seconds) == (0.0, None)
    assert seen.files_processed == seen.files_total == 50, "the one that failed was dealt with too"
    assert ledger.claim("b", KINDS) is None and ledger.beat("job-1", "a") is Hold.LOST


def test_a_queued_job_is_cancelled_at_once(ledger):
    ledger.submit(job())
    assert ledger.cancel("job-1").status == "cancelled"
    assert ledger.claim("a", KINDS) is None


def test_a_running_job_is_cancelled_by_whoever_holds_it(ledger, opened):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    assert opened().cancel("job-1").status == "running"
    assert ledger.beat("job-1", "a", Advance("parse", 1, 2)) is Hold.CANCELLED
    assert ledger.finish(ledger.get("job-1")._replace(status="cancelled"), "a")
    assert opened().get("job-1").status == "cancelled"


def test_a_running_job_whose_process_is_gone_is_cancelled_at_once(ledger, clock):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    clock.now += LEASE_SECONDS
    assert ledger.cancel("job-1").status == "cancelled"


def test_a_cancelled_job_whose_process_dies_before_it_hears_of_it_is_cancelled_by_the_next(ledger, clock):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    ledger.cancel("job-1")
    clock.now += LEASE_SECONDS
    assert ledger.claim("b", KINDS) is None
    assert ledger.get("job-1").status == "cancelled"


def test_a_cancelled_job_that_is_given_back_stays_cancelled(ledger):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    ledger.cancel("job-1")
    ledger.release("job-1", "a", "stopped")
    assert ledger.get("job-1").status == "cancelled"


def test_cancelling_what_is_over_or_unknown_changes_nothing(ledger):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    ledger.finish(ledger.get("job-1")._replace(status="done"), "a")
    assert ledger.cancel("job-1").status == "done"
    assert ledger.cancel("nobody") is None


def test_a_job_that_is_given_back_goes_on_at_once_and_keeps_how_far_it_was(ledger, opened):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    ledger.beat("job-1", "a", Advance("parse", 10, 50))
    ledger.release("job-1", "a", "its process ended")
    seen = ledger.get("job-1")
    assert (seen.status, seen.message, seen.files_processed) == ("queued", "its process ended", 10)
    assert opened().claim("b", KINDS).attempts == 2


def test_a_job_that_has_to_wait_stays_queued_with_the_reason_until_it_is_told_that_it_runs(ledger, clock):
    ledger.submit(job())
    for turn in range(3):
        assert ledger.claim(f"owner-{turn}", KINDS).attempts == 1, "it was not begun"
        assert turn == 0 or (ledger.get("job-1").status, ledger.get("job-1").message) == ("queued", "busy: 17")
        ledger.beat("job-1", f"owner-{turn}")
        ledger.release("job-1", f"owner-{turn}", "busy: 17", pause_seconds=2.0, begun=False)
        assert (ledger.get("job-1").status, ledger.get("job-1").started_at) == ("queued", "")
        assert ledger.claim("impatient", KINDS) is None
        clock.now += 2.0
    ledger.claim("last", KINDS)
    ledger.beat("job-1", "last", Advance("scan"))
    seen = ledger.get("job-1")
    assert (seen.status, seen.message, seen.attempts) == ("running", "", 1) and seen.started_at


def test_an_attempt_that_was_begun_counts_even_if_it_has_to_wait(ledger, clock):
    """Whoever takes it up next must know that an earlier attempt may have written something down."""
    ledger.submit(job())
    began = ledger.claim("a", KINDS).started_at
    ledger.beat("job-1", "a", Advance("parse", 3, 9))
    ledger.release("job-1", "a", "the database went away", pause_seconds=2.0)
    seen = ledger.get("job-1")
    assert (seen.status, seen.message, seen.started_at) == ("queued", "the database went away", began)
    clock.now += 2.0
    again = ledger.claim("b", KINDS)
    assert (again.attempts, again.status, again.files_processed) == (2, "queued", 3)
    ledger.beat("job-1", "b", Advance("parse", 3, 9))
    assert ledger.get("job-1").status == "running"


def test_a_job_that_waits_is_cancelled_at_once_and_its_holder_finds_out(ledger, clock):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    ledger.release("job-1", "a", "busy", pause_seconds=1.0)
    clock.now += 1.0
    ledger.claim("b", KINDS)
    assert ledger.cancel("job-1").status == "cancelled"
    assert ledger.beat("job-1", "b", Advance("scan")) is Hold.LOST


def test_a_pause_made_before_a_restart_of_the_machine_is_over(ledger, clock):
    ledger.submit(job())
    ledger.claim("a", KINDS)
    ledger.release("job-1", "a", "busy", pause_seconds=2.0)
    clock.now = 3.0
    assert ledger.claim("b", KINDS)


def test_old_jobs_are_forgotten_by_project_and_open_ones_never(ledger):
    """However busy one project is, another keeps its history."""
    ledger.submit(job("open", path="/open"))
    ledger.submit(job("quiet", project_id="quiet"))
    ledger.cancel("job-quiet")
    for number in range(KEPT + 20):
        ledger.submit(job(number))
        ledger.cancel(f"job-{number}")
    assert ledger.get("job-0") is None and ledger.get(f"job-{KEPT + 19}")
    assert ledger.get("job-open").status == "queued"
    assert ledger.get("job-quiet").status == "cancelled"
    assert KEPT < len(ledger.list(10_000)) < KEPT + 5
    assert [one.job_id for one in ledger.list(3, project_id="quiet")] == ["job-quiet"]


def test_values_of_a_job_are_plain_data(ledger):
    ledger.submit(job(options={"force": True}))
    assert json.loads(json.dumps(ledger.get("job-1")._asdict()))["options"] == {"force": True}


def test_a_job_that_comes_further_each_time_is_never_given_up(ledger, clock):
    ledger.submit(job())
    for number in range(3 * MOST_DEATHS):
        assert ledger.claim(f"owner-{number}", KINDS), number
        ledger.beat("job-1", f"owner-{number}", Advance(files_processed=10 * (number + 1), files_total=1000))
        clock.now += LEASE_SECONDS


def at_once(works):
    """Run these in threads that begin together; gives what they raised."""
    raised, begin = [], threading.Barrier(len(works))

    def run(work):
        begin.wait()
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_the_same_wish_of_many_at_once_is_one_job(opened):
    """However long it is: an index of a database may not take it."""
    became = []
    options = {"why": "".join(chr(33 + n * n % 90) for n in range(20_000))}

    def wish(ledger, number):
        became.append(ledger.submit(job(number, path="/shop", options=options)).job_id)

    assert at_once([partial(wish, opened(), number) for number in range(6)]) == []
    assert len(became) == 6 and len(set(became)) == 1
    assert len(opened().list(10)) == 1


def test_holds_stay_apart_under_many_hands(opened):
    """Some take, beat, give back and finish while others cancel: every job ends once, and no call fails."""
    first, finished = opened(), []
    for number in range(24):
        first.submit(job(number))

    def work(ledger, name):
        while one := ledger.claim(name, KINDS):
            if ledger.beat(one.job_id, name, Advance("parse", 1, 2)) is Hold.HELD and one.attempts < 2:
                ledger.release(one.job_id, name, "once more")
            elif ledger.finish(one._replace(status="done"), name):
                finished.append(one.job_id)

    def cancel(ledger):
        for number in range(0, 24, 3):
            ledger.cancel(f"job-{number}")

    workers = [partial(work, opened(), f"owner-{n}") for n in range(4)]
    assert at_once([*workers, partial(cancel, opened())]) == []
    work(first, "last")  # one may have been in another's hands when all others looked
    assert len(finished) == len(set(finished))
    assert {one.status for one in first.list(30)} <= {"done", "cancelled"}
