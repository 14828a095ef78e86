"""Generated questions of every kind, at every door: each is answered or refused in words, looks at its deadline often, and ends when it is told.

`make test` takes a sample over a part of this repository. `make hostile` asks 300 over the standard library of Python (above 10,000 chunks), and
holds what each costs against plain questions of the same run: at most 20 times as much, or the answer says what was cut; and never more than
0.3 s of a processor between two looks at the deadline. Two groups of kinds cost more by now, and are listed: those that read every text that
may match, for exact counts, are bounded by the deadline alone; those of many short stars, and of a thousand words, by 250 times.
"""

import json
import os
import statistics
import sysconfig
import threading
import time
from pathlib import Path

import pytest

from e2e.test_mcp import on_stdio, talk
from hostile.questions import plain, questions, words_of
from scova import Index
from scova.core.deadline import Deadline, asking
from scova.errors import ScovaError
from scova.server.limits import QUESTION_SECONDS
from scova.server.tenants.asked import Asked

WHOLE = bool(os.environ.get("HOSTILE"))
SEED = int(os.environ.get("HOSTILE_SEED", "18"))
COUNT = 300 if WHOLE else 44
OTHER_DOORS = 40 if WHOLE else 4
MOST_TIMES = 20  # as much as a plain question
EXHAUSTIVE = frozenset(("word", "phrase", "sign", "phrases out", "regex", "grep", "usages"))
MANY_WORDS = frozenset(("prefixes", "parts", "parts out", "one of prefixes", "one of parts", "very long"))
MOST_TIMES_OF_MANY = 250
MOST_SECONDS = 0.3  # of a processor, between two looks


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What is asked about."""
    root = tmp_path_factory.mktemp("asked") / "tree"
    source = Path(sysconfig.get_path("stdlib")) if WHOLE else Path(__file__).parents[2] / "src" / "scova"
    for path in source.rglob("*.py"):
        inside = path.relative_to(source)
        if inside.parts[0] not in ("site-packages", "test") and (
            WHOLE or inside.parts[0] in ("search", "mcp", "types.py")
        ):
            (root / inside).parent.mkdir(parents=True, exist_ok=True)
            (root / inside).write_bytes(path.read_bytes())
    return root


@pytest.fixture(scope="module")
def words(folder):
    return words_of([path.read_text(errors="replace") for path in sorted(folder.rglob("*.py"))[:200]], SEED)


@pytest.fixture(scope="module")
def index(folder):
    with Index.open(folder, data=str(folder.parent / "data"), embedder="static" if WHOLE else "none") as handle:
        handle.refresh()
        yield handle


def ask(index, question):
    """The question as a server asks it; None where it is refused in words."""
    body = dict(question.body)
    try:
        if question.route == "/search":
            return index.search(body.pop("query"), **body)
        if question.route == "/grep":
            return index.grep(body.pop("pattern"), **body)
        if question.route == "/callers":
            direction = body.pop("direction")
            return getattr(index, direction)(body.pop("name"), **body)
        if question.route == "/context":
            return index.context(body.pop("subject"), **body)
        return getattr(Asked, question.route[1:])(index, **body)
    except ScovaError as error:
        assert error.message and error.hint, question
        return None


class Looks:
    """Counts looks at a deadline, and the most of a processor that a thread took between two."""

    def __init__(self):
        self.count, self.longest = 0, 0.0
        self._last: dict[int, float] = {}
        self.look()

    def look(self):
        now, thread = time.thread_time(), threading.get_ident()
        self.longest = max(self.longest, now - self._last.get(thread, now))
        self._last[thread] = now
        self.count += 1


def worked(index, question):
    """The answer, the looks, and the time of the processor."""
    looks, begun = Looks(), time.process_time()
    with asking(Deadline(QUESTION_SECONDS, clock=time.process_time, stop=looks.look)):
        found = ask(index, question)
    looks.look()
    return found, looks, time.process_time() - begun


def test_every_question_ends_at_the_look_at_which_it_is_told_to(index, words):
    class Told(Exception):
        pass

    ended = 0
    for question in questions(words, SEED, COUNT):
        ask(index, question)  # what is remembered is not looked up again
        _, looks, _ = worked(index, question)
        left = looks.count // 3

        def stop() -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Told

        with asking(Deadline(stop=stop)):
            try:
                ask(index, question)
            except Told:
                ended += 1
                assert left >= -3, (question, "no more than a look by each thread")
            else:
                assert looks.count < 20, question  # over before it was told to
    assert ended > COUNT / 2


@pytest.mark.skipif(not WHOLE, reason="`make hostile` measures time")
@pytest.mark.timeout(3000)
def test_no_question_costs_much_more_than_a_plain_one_unless_its_answer_says_what_was_cut(index, words):
    for question in plain(words, SEED, 20):
        ask(index, question)  # what is read once is not measured
    usual = statistics.median(worked(index, question)[2] for question in plain(words, SEED + 1, 60))
    dear, slow = [], []
    for question in questions(words, SEED, COUNT):
        ask(index, question)
        found, looks, seconds = worked(index, question)
        most = QUESTION_SECONDS + 1 if question.kind in EXHAUSTIVE else usual * most_times(question)
        if seconds > most and found is not None and not found.cut:
            dear.append((round(seconds / usual), question.kind, question.words))
        if looks.longest > MOST_SECONDS:
            slow.append((round(looks.longest, 2), question.kind, question.words))
    assert not slow
    assert not dear, (usual, sorted(dear, reverse=True))


def most_times(question):
    return MOST_TIMES_OF_MANY if question.kind in MANY_WORDS else MOST_TIMES


def test_an_agent_is_answered_or_refused_in_words(folder, index, words):
    some = list(questions(words, SEED, COUNT))[:: COUNT // OTHER_DOORS]

    async def conversation(client):
        return [await client.call_tool(question.tool, dict(question.arguments)) for question in some]

    for question, answer in zip(some, talk(on_stdio(folder), conversation), strict=True):
        said = answer.structured_content
        assert said.get("hint") if answer.is_error else "total" in said, (question, said)
        assert "Traceback" not in json.dumps(said)


def test_a_command_is_answered_or_refused_in_words(folder, index, words, scova, monkeypatch):
    monkeypatch.setenv("SCOVA_DATA", str(folder.parent / "data"))
    monkeypatch.setenv("SCOVA_EMBEDDER", "static" if WHOLE else "none")
    for question in list(questions(words, SEED + 1, COUNT))[:: COUNT // OTHER_DOORS]:
        done = scova(*question.words, cwd=folder)
        assert done.code in (0, 1, 2), (question, done.err)
        assert "Traceback" not in done.err
        assert "cut" in json.loads(done.out) if done.code != 2 else "hint" in done.err
