"""Every kind of question ends at its deadline with what it has, and says what it lacks. By a clock that is over after so many looks."""

import pytest

from scova import Filters, Index, Mode
from scova.core.deadline import Deadline, asking
from scova.errors import OutOfTime

FILES = 40
MANY = 20  # looks at the clock


class Clock:
    """Past any deadline once it has been looked at so many times; counts the looks."""

    def __init__(self, looks):
        self.most = looks
        self.looks = -1  # the deadline looks once when it is made

    def __call__(self):
        self.looks += 1
        return 0.0 if self.looks <= self.most else 1e9


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Files that all call, mention and document one function, and another for each."""
    folder = tmp_path_factory.mktemp("tree")
    (folder / "common.py").write_text("def shared():\n    return 'the text'\n")
    for number in range(FILES):
        calls = "".join(f"    helper_{number}_{line}(shared())  # about session\n" for line in range(30))
        helpers = "".join(f"def helper_{number}_{line}(value):\n    return shared()\n\n\n" for line in range(30))
        (folder / f"part_{number:02}.py").write_text(
            f"from common import shared\n\n\ndef use_{number}():\n{calls}\n\n{helpers}"
        )
        (folder / f"part_{number:02}.md").write_text(f"# Part {number}\n\nIt calls `shared()` about the text.\n")
    with Index.open(folder, data=str(tmp_path_factory.mktemp("data") / "index"), embedder="none") as handle:
        handle.refresh()
        yield handle


QUESTIONS = {
    "regex": lambda index: index.search("shared", mode=Mode.REGEX),
    "grep": lambda index: index.grep("shared"),
    "phrase": lambda index: index.search('"the text"', limit=50),
    "word not there": lambda index: index.search('shared -"about session"', limit=50),
    "prefix": lambda index: index.search("helper_* shar*", limit=50),
    "counted": lambda index: index.search("shared", limit=50),
    "usages": lambda index: index.usages("shared", limit=1000),
    "callers": lambda index: index.callers("shared", depth=3),
    "callees": lambda index: index.callees("use_1", depth=3),
    "outline": lambda index: index.outline("", files=1000),
    "definitions": lambda index: index.definitions("helper_*", limit=1000),
    "bodies": lambda index: index.definitions("helper_1_*", limit=1000, body=True),
    "context": lambda index: index.context("shared", budget=100_000),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_whose_time_is_up_ends_soon_and_says_what_it_lacks(index, kind):
    ask = QUESTIONS[kind]
    counting = Clock(10**9)
    with asking(Deadline(1.0, clock=counting)):
        whole = ask(index)
        assert whole.cut == ()
    for looks in (0, counting.looks // 2) if counting.looks > MANY else (0,):
        clock = Clock(looks)
        with asking(Deadline(1.0, clock=clock)):
            found = ask(index)
        assert found.cut
        assert all(sentence.startswith("Cut: ") and "`deadline_ms`" in sentence for sentence in found.cut)
        assert clock.looks <= looks + MANY, "it goes on with nothing once it is over"
        assert getattr(found, "truncated", True) or hasattr(found, "nothing_relevant")
        assert not getattr(found, "nothing_relevant", False)
    assert compared(ask(index)) == compared(whole), "nothing of what was cut is remembered"


def test_what_was_cut_is_not_remembered_as_the_answer(index):
    whole = index.search("part shared value").total
    index.search("something else")
    with asking(Deadline(1.0, clock=Clock(0))):
        assert index.search("part shared value").total < whole
    assert index.search("part shared value").total == whole


def compared(found):
    """What must be the same whenever it is asked: not how long it took."""
    return (found.results, found.total, found.literal) if hasattr(found, "timings") else found


class Gone(Exception):
    pass


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_ends_at_the_next_look_once_nobody_waits(index, kind):
    looks = []

    def stop():
        looks.append(1)
        raise Gone

    with asking(Deadline(stop=stop)), pytest.raises(Gone):
        QUESTIONS[kind](index)
    assert len(looks) <= 2, "one for each thread"


def test_every_chunk_that_was_not_read_in_time_is_left_out_and_none_passes_unread(index):
    """Neither what must be there nor what must not is taken on trust."""
    for text in ('"about session"', 'shared -"about session"'):
        every = {result.chunk.id for result in index.search(text, limit=1000).results}
        with asking(Deadline(1.0, clock=Clock(2))):
            found = {result.chunk.id for result in index.search(text, limit=1000).results}
        assert found <= every


def test_long_path_patterns_end_with_an_error_rather_than_with_an_answer_about_some_files(index):
    paths = tuple(f"*{number:05}*" for number in range(400))
    with asking(Deadline(1.0, clock=Clock(20))), pytest.raises(OutOfTime, match="within 1 s"):
        index.search("shared", filters=Filters(paths=paths))


def test_each_question_under_one_deadline_says_only_what_it_lacks_itself(index):
    with asking(Deadline(1.0, clock=Clock(10**9))) as deadline:
        deadline.cut("an earlier question was cut")
        assert index.usages("shared").cut == ()
