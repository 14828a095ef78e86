"""The order of answers, and why."""

from dataclasses import fields, replace

import pytest

from candidates import light
from scova.search.asked.evidence import wanted
from scova.search.asked.query import parse
from scova.search.ranking.coherence import LENT_SIGNALS
from scova.search.ranking.fuse import fuse
from scova.search.ranking.known import Known
from scova.search.ranking.rank import CHUNK_SIGNALS, FILE_SIGNALS, REPEATED, rank
from scova.search.ranking.weights import SIGNALS, Weights
from scova.types import ChunkType, Ties

TIES = {"cache/store.py": Ties(frozenset([1]), frozenset()), "cache/user.py": Ties(frozenset(), frozenset([1]))}


def ties_of(paths):
    return [TIES.get(path, Ties(frozenset(), frozenset())) for path in paths]


def known_of(query, ties=ties_of):
    return Known(wanted(query.content, lambda term: 1.0), ties)


def ranked(text, lights, texts=None, vectors=None, *, limit=10, weights=None):
    given = texts if texts is not None else {one.row: 1.0 for one in lights}
    query = parse(text)
    return rank(fuse(lights, given, vectors or {}), query, known=known_of(query), limit=limit, weights=weights)


def paths(*args, **options):
    return [one.light.file_path for one in ranked(*args, **options)]


def test_every_weight_has_its_signal():
    assert {*FILE_SIGNALS, *CHUNK_SIGNALS, *LENT_SIGNALS} == set(SIGNALS) == {field.name for field in fields(Weights)}


def test_an_exact_identifier_ranks_first_against_better_words_and_paths():
    lights = [
        light(1, "router/router.py", names=("RouterGroup",)),
        light(2, "router/router.py", names=("make_router",)),
        light(3, "lib/mux.py", names=("Router",), kind="class"),
    ]
    assert ranked("Router", lights, {1: 9.0, 2: 9.0, 3: 1.0})[0].light.row == 3


@pytest.mark.parametrize("tag", ["test", "vendored", "generated", "example"])
def test_what_is_not_the_real_thing_ranks_below_it(tag):
    lights = [light(1, "x/router.py", names=("route",), tags=(tag,)), light(2, "y/router.py", names=("route",))]
    assert paths("match routes", lights, {1: 2.0, 2: 1.5}) == ["y/router.py", "x/router.py"]


def test_tests_are_not_lowered_when_asked_for():
    lights = [light(1, "x/test_a.py", tags=("test",)), light(2, "y/a.py")]
    assert paths("match routes tests", lights, {1: 2.0, 2: 1.5})[0] == "x/test_a.py"
    assert paths("match routes path:x/tests/**", lights, {1: 2.0, 2: 1.5})[0] == "x/test_a.py"


def test_asking_for_tests_does_not_lift_vendored_code():
    lights = [light(1, "x/a.py", tags=("test", "vendored")), light(2, "y/a.py")]
    assert paths("router tests", lights, {1: 1.5, 2: 1.0}) == ["y/a.py", "x/a.py"]


def test_prose_ranks_below_code_unless_prose_is_asked_for():
    lights = [light(1, "x.md", tags=("docs",), chunk_type=ChunkType.DOCUMENTATION), light(2, "y.py")]
    assert paths("install steps", lights) == ["y.py", "x.md"]
    assert paths("install steps type:documentation", lights, {1: 2.0, 2: 1.0})[0] == "x.md"


def test_other_files_come_before_a_second_chunk_of_the_same_file():
    lights = [light(1, "a.py"), light(2, "a.py"), light(3, "b.py"), light(4, "c.py")]
    assert paths("cache entries", lights, {1: 5.0, 2: 4.9, 3: 4.0, 4: 3.5}) == ["a.py", "b.py", "c.py", "a.py"]


def test_when_there_is_no_other_file_all_its_chunks_are_shown():
    assert len(ranked("cache", [light(row, "a.py") for row in range(1, 7)])) == 6


def test_shares_add_up_to_the_score_and_name_what_was_taken():
    lights = [
        light(1, "cache/store.py", names=("Store",)),
        light(2, "cache/store.py", names=("Store.get",)),
        light(3, "t.py", tags=("test",)),
    ]
    for one in ranked("cache store", lights, {1: 3.0, 2: 2.0, 3: 1.0}, {1: 0.5, 2: 0.2, 3: 0.1}):
        assert sum(one.shares.values()) == pytest.approx(one.score)
    second = ranked("cache store", lights[:2], {1: 3.0, 2: 2.0})[1]
    assert second.shares[REPEATED] < 0


def test_equal_scores_go_by_path_then_line_whatever_order_they_came_in():
    lights = [light(1, "b.py"), light(2, "a.py", line=50), light(3, "c.py")]
    assert paths("cache", lights) == paths("cache", lights[::-1]) == ["a.py", "b.py", "c.py"]
    same = [light(1, "a.py", line=90), light(2, "a.py", line=5)]
    assert [one.light.row for one in ranked("cache", same)] == [2, 1]


@pytest.mark.parametrize("signal", SIGNALS)
def test_each_signal_can_be_turned_off(signal):
    lights = [
        light(1, "cache/store.py", names=("Store",), tags=("test", "docs"), chunk_type=ChunkType.SYMBOLS),
        light(2, "cache/store.py", names=("store_size",), tags=("test", "docs")),
        light(3, "cache/store.py", names=("LIMIT",), chunk_type=ChunkType.DATA, tags=("test", "docs")),
        light(4, "cache/user.py"),
    ]
    given = ({1: 3.0, 2: 2.0, 3: 1.0, 4: 1.0}, {1: 0.5, 2: 0.2, 3: 0.1})
    on = ranked("cache store_size", lights, *given)
    off = ranked("cache store_size", lights, *given, weights=replace(Weights(), **{signal: 0.0}))
    assert any(signal in one.shares for one in on)
    assert not any(signal in one.shares for one in off)


def test_the_limit_is_kept_and_nothing_is_an_answer_to_nothing():
    lights = [light(row, f"{row}.py") for row in range(1, 30)]
    assert len(ranked("cache", lights, limit=7)) == 7
    assert ranked("cache", lights, limit=0) == []
    assert ranked("cache", []) == []


def test_a_longer_list_begins_with_the_shorter_one():
    lights = [light(row, f"{row % 9}.py", names=(f"name_{row}",)) for row in range(1, 60)]
    texts = {row: float(row * 7 % 13) for row in range(1, 60)}
    short, long = (ranked("cache name", lights, texts, limit=limit) for limit in (5, 40))
    assert [one.light.row for one in long[:5]] == [one.light.row for one in short]


def test_who_types_one_name_costs_no_look_at_what_files_define_and_use():
    """Nothing is lent then, so nothing has to be read of the store."""
    lights, asked = [light(1, "a.py", names=("Router",)), light(2, "b.py")], []

    def ties(paths):
        asked.extend(paths)
        return [Ties(frozenset(), frozenset()) for _ in paths]

    for text, looked_at in (("Router", []), ("match routes", ["a.py", "b.py"])):
        rank(fuse(lights, {1: 1.0, 2: 1.0}, {}), parse(text), known=known_of(parse(text), ties))
        assert asked == looked_at
