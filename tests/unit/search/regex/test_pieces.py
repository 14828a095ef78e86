"""A text in pieces: the same lines as in one go, and an end whenever it is asked for."""

import os
import random
import subprocess

import pytest

from scova.core.deadline import never
from scova.errors import Cancelled, ScovaError
from scova.search.regex.matcher import Matcher, Options
from scova.search.regex.pieces import Pieces, pieces

PLAIN = Options()


class Enough(Exception):
    pass


class After:
    """Raises when it has been asked so many times."""

    def __init__(self, times):
        self.left = times

    def __call__(self):
        self.left -= 1
        if self.left < 0:
            raise Enough


def in_pieces(matcher, data, *, bytes_at_once, every=True, stop=never):
    with Pieces(matcher, stop, at_once=bytes_at_once * matcher.states) as some:
        return list(some.found(data, every=every))


@pytest.mark.parametrize(
    ("data", "longest", "expected"),
    [
        (b"", 3, []),
        (b"abc", 3, [b"abc"]),
        (b"a\nb\nc", 4, [b"a\nb\n", b"c"]),
        (b"a\nlonger\nb\n", 4, [b"a\n", b"longer\n", b"b\n"]),
        (b"longer", 2, [b"longer"]),
        (b"\n\n\n", 1, [b"\n", b"\n", b"\n"]),
    ],
)
def test_pieces_are_whole_lines_and_only_a_single_one_is_longer(data, longest, expected):
    assert [data[start:end] for start, end in pieces(data, longest)] == expected


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("options", [PLAIN, Options(word=True), Options(whole_line=True), Options(ignore_case=True)])
@pytest.mark.parametrize("pattern", ["b+", r"\bé", "", "$", "x?", r"\w+", "^b"])
@pytest.mark.parametrize(
    "data", [b"b bb\nabba\n\nB\nb", "é b\n日b é bé\nbbbbbbbbbbbbb\n".encode(), b"b\xff\nbb b\n\xc3\n"]
)
def test_the_same_lines_are_found_in_pieces_and_in_another_process(pattern, data, options, every):
    matcher = Matcher((pattern,), options)
    whole = [(start, end, list(spans)) for start, end, spans in matcher.found(data, every=every)]
    for bytes_at_once in (8, 1):  # some lines by themselves; every line that is not empty in another process
        found = in_pieces(matcher, data, bytes_at_once=bytes_at_once, every=every)
        assert [(start, end, list(spans)) for start, end, spans in found] == whole


def test_it_ends_between_two_pieces():
    stop = After(3)
    with pytest.raises(Enough):
        in_pieces(Matcher(("no",), PLAIN), b"line\n" * 1000, bytes_at_once=5, stop=stop)
    assert stop.left == -1


@pytest.mark.parametrize("options", [PLAIN, Options(word=True)])
def test_it_ends_between_two_matches_of_a_line(options):
    """Each of them may have to be looked for up to the end of the line."""
    stop = After(10)
    with pytest.raises(Enough):
        in_pieces(Matcher(("a.*b|a",), options), b"a " * 1000, bytes_at_once=10_000, stop=stop)


def test_it_ends_within_a_line_that_the_exact_matcher_goes_through():
    stop = After(10)
    with pytest.raises(Enough):
        in_pieces(
            Matcher((r"\bé.*b",), PLAIN), "é".encode() + b"a" * 10_000 + b"b\xff", bytes_at_once=100_000, stop=stop
        )


def test_a_line_that_takes_long_is_ended_with_its_process(monkeypatch):
    made = processes(monkeypatch)

    def stop():
        if made:
            raise Enough

    # No two places have the same past, so nothing can be remembered, and all states are gone through for every byte: minutes.
    line = random.Random(1).randbytes(10_000_000).translate(bytes(b"xz"[byte % 2] for byte in range(256)))
    with pytest.raises(Enough):
        in_pieces(Matcher(("x[xz]{1,2000}y",), PLAIN), line, bytes_at_once=10, stop=stop)
    (process,) = made
    assert process.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def processes(monkeypatch):
    """Every process that is started from now on."""
    made = []

    class Noted(subprocess.Popen):
        def __init__(self, *words, **options):
            super().__init__(*words, **options)
            made.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return made


def test_a_process_that_dies_is_told_of(monkeypatch):
    real = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda command, **options: real([command[0], "-c", "raise SystemExit(7)"], **options)
    )
    with pytest.raises(ScovaError, match=r"a process of its own \(it ended with status 7\)"):
        in_pieces(Matcher(("a",), PLAIN), b"aaa", bytes_at_once=1)


def test_whoever_is_still_at_it_when_it_is_closed_is_stopped():
    some = Pieces(Matcher(("a",), PLAIN))
    found = some.found(b"a\na\na\n")
    next(found)
    some.close()
    with pytest.raises(Cancelled):
        list(found)
