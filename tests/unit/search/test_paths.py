"""What a path says about a question."""

import pytest

from scova.search.asked.evidence import wanted
from scova.search.ranking.paths import path_evidence, path_words


def asked(text, names=()):
    words = wanted(text.split(), lambda term: 1.0)
    return lambda path: path_evidence(path, words, frozenset(names))


def test_a_file_named_by_the_question_is_covered_both_ways():
    found = asked("session store")("lib/session_store.rb")
    assert (found.coverage, found.precision) == (1.0, 1.0)


def test_more_words_in_the_name_make_it_less_precise():
    evidence = asked("session")
    assert evidence("session.py").precision > evidence("session_cookie_mixin.py").precision > 0


def test_relatives_of_a_word_count_as_the_word():
    assert asked("parsing requests")("src/request_parser.go").precision == 1.0


def test_a_shortened_word_counts_but_less():
    evidence = asked("configuration")
    assert 0 < evidence("config.py").coverage < evidence("configuration.py").coverage


@pytest.mark.parametrize("path", ["routing/mod.rs", "routing/index.ts", "routing/__init__.py", "routing/init.lua"])
def test_a_file_that_stands_for_its_folder_is_called_as_the_folder(path):
    assert asked("routing")(path).precision == 1.0


def test_folders_count_apart_and_only_for_what_the_name_leaves_open():
    found = asked("cache store")("cache/redis_store.py")
    assert found.coverage == found.folders == 0.5
    assert asked("cache")("cache/cache.py").folders == 0.0


def test_a_file_called_exactly_as_an_identifier_is_fully_named():
    assert asked("typeadapter", names=("typeadapter",))("gson/TypeAdapter.java").precision == 1.0


def test_a_path_without_any_asked_word_says_nothing():
    assert asked("session")("src/router.py") == (0.0, 0.0, 0.0)


def test_every_dot_but_the_last_belongs_to_the_name():
    assert path_words("a/Serializer.Json.cs").own == path_words("a/SerializerJson.cs").own


@pytest.mark.parametrize("path", ["", "/", ".", "..", ".gitignore", "a//b", "ключ.py", "a.b.c.d"])
def test_any_path_can_be_read(path):
    assert path_words(path).whole == path_words(path).whole.lower()
