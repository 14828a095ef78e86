"""How bench/quality/abbreviated.py rewrites questions and sums up what came of it."""

import sys
from pathlib import Path

import pytest

_PATHS = [*sys.path]
sys.path.insert(0, str(Path(__file__).parents[3] / "bench" / "quality"))
try:
    import abbreviated
finally:
    sys.path[:] = _PATHS


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("how the configuration of a request is read", "how the cfg of a req is read"),
        ("dependencies, properties and addresses", "deps, props and addrs"),
        ("Errors in the message.", "errs in the msg."),
        (
            "what Request.context and get_value(request_value) do",
            "what Request.context and get_value(request_value) do",
        ),
        ("the Request class", "the Request cls"),
        ("Context", "Context"),
        ("nothing of the kind", "nothing of the kind"),
    ],
)
def test_words_are_shortened_and_names_left_alone(question, short):
    assert abbreviated.shortened(question) == short


def test_short_words_are_written_out():
    written = abbreviated.written_out("which args does the config of an app have")
    assert written == "which arguments does the configuration of an application have"


def test_a_short_word_stands_for_one_long_word():
    shorts = [short for short, _ in abbreviated.USUAL]
    assert len(shorts) == len(set(shorts)) >= 100
    assert all(len(short) < len(long) for short, long in abbreviated.USUAL)


def test_differences_are_paired_over_repositories():
    one = [{"with": 1.0, "without": 0.5}, {"with": 0.5, "without": 0.5}]
    two = [{"with": 0.25, "without": 0.5}]
    found = abbreviated.summary([one, two])
    assert found == {
        "repositories": 2,
        "questions": 3,
        "without": 0.5,
        "with": 0.5,
        "difference": 0.0,
        "standard_error": 0.25,
        "better": 1,
        "worse": 1,
    }
