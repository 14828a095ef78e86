"""The query language: what each piece means, and what a query that cannot be read says."""

import re
from pathlib import Path

import pytest

import scova.parse
from scova.errors import QueryError
from scova.search.asked.operators import KINDS
from scova.search.asked.query import LONGEST_QUERY, MOST_DEMANDS, Demand, Shape, Way, parse
from scova.types import ChunkType, Filters


def test_words_of_a_question_are_kept_and_those_without_meaning_dropped_from_content():
    query = parse("how does the router match paths")
    assert query.words == ("how", "does", "the", "router", "match", "paths")
    assert query.content == ("router", "match", "paths")
    assert query.shape is Shape.QUESTION


def test_a_question_of_stop_words_only_keeps_them():
    assert parse("how to do it").content == ("how", "to", "do", "it")


@pytest.mark.parametrize(
    "text", ["parse_config", "parseConfig", "HTTPServer", "Class.method", "std::vector", "Router", "g", "run()"]
)
def test_a_single_name_is_an_identifier(text):
    query = parse(text)
    assert query.shape is Shape.IDENTIFIER
    assert query.identifiers == (text.removesuffix("()"),)


def test_a_name_among_words_makes_the_query_mixed():
    query = parse("how does parse_config find the file")
    assert query.shape is Shape.MIXED
    assert query.identifiers == ("parse_config",)


def test_names_are_asked_for_in_full_and_by_their_last_component():
    assert parse("Server.handle_request").names == ("server.handle_request", "handle_request")


def test_quotes_make_a_phrase_whose_words_count_too():
    query = parse('errors "not found" here')
    assert query.phrases == ("not found",)
    assert query.words == ("errors", "not", "found", "here")


def test_plus_and_minus_demand_and_forbid():
    query = parse("+config reader -test")
    assert (query.must, query.must_not) == (("config",), (Demand("test"),))
    assert query.words == ("config", "reader")


def test_operators_join_their_neighbours():
    query = parse("alpha AND beta OR gamma NOT delta")
    assert query.must == ("alpha",)
    assert query.either == ((Demand("beta"), Demand("gamma")),)
    assert query.must_not == (Demand("delta"),)


def test_separate_or_groups_stay_separate():
    assert parse("a OR b c OR d").either == ((Demand("a"), Demand("b")), (Demand("c"), Demand("d")))


def test_operators_in_lower_case_are_words():
    query = parse("read and write or not")
    assert not query.restricts
    assert "and" in query.words


PARS, FIG = Demand("pars", Way.PREFIX), Demand("fig", Way.PART)


@pytest.mark.parametrize("text", ["pars* *fig*", "+pars* +*fig*", "pars* AND *fig*"])
def test_a_star_demands_what_begins_so_or_has_it_inside(text):
    query = parse(text)
    assert query.either == ((PARS,), (FIG,))
    assert query.stars == (PARS, FIG)
    assert [star.pattern for star in query.stars] == ["pars*", "*fig*"]


@pytest.mark.parametrize(
    ("text", "either", "must_not"),
    [
        ("foo OR pars*", ((Demand("foo"), PARS),), ()),
        ("pars* OR *fig* OR foo", ((PARS, FIG, Demand("foo")),), ()),
        ('pars* OR "a word"', ((PARS, Demand("a word", Way.PHRASE)),), ()),
        ('"one" OR foo', ((Demand("one", Way.PHRASE), Demand("foo")),), ()),
        ("foo -pars*", (), (PARS,)),
        ("foo NOT *fig*", (), (FIG,)),
        ('foo -"one"', (), (Demand("one", Way.PHRASE),)),
        ("foo -one,", (), (Demand("one"),)),
    ],
)
def test_stars_and_phrases_are_joined_and_negated_like_words(text, either, must_not):
    query = parse(text)
    assert (query.either, query.must_not) == (either, must_not)
    assert query.stars == tuple(item for group in either for item in group if item.pattern)


@pytest.mark.parametrize(
    "text", ['foo -""', 'foo NOT ""', 'foo -"  "', "foo -*", "foo -**", "foo NOT *", "foo -", "foo *", "foo +"]
)
def test_signs_and_stars_without_a_word_forbid_nothing(text):
    assert not parse(text).restricts
    assert parse(text).words == ("foo",)


@pytest.mark.parametrize("text", ["foo AND NOT bar", "foo AND -bar", "NOT bar AND foo", "+foo -bar"])
def test_and_demands_whatever_else_is_forbidden(text):
    query = parse(text)
    assert (query.must, query.must_not) == (("foo",), (Demand("bar"),))


def test_not_turns_a_place_round():
    assert parse("foo NOT path:tests").filters == Filters(not_paths=("tests",))
    assert parse("foo +path:tests AND lang:go").filters == Filters(paths=("tests",), languages=("go",))
    assert parse("foo lang:h,.H").filters == Filters(languages=("c", "cpp"))
    assert parse("foo", Filters(languages=("h",))).filters == Filters(languages=("c", "cpp"))


def test_symbols_may_be_joined_though_they_are_no_words():
    assert parse('"=>" OR "->"').either == ((Demand("=>", Way.PHRASE), Demand("->", Way.PHRASE)),)


@pytest.mark.parametrize("join", [" +{}", " -{}", " {}*", ' "{}"', " OR {}"])
def test_demands_are_bounded_and_plain_words_are_not(join):
    assert len(parse("a" + "".join(f" w{number}" for number in range(1000))).words) == 1001
    parse("a" + "".join(join.format(f"w{number}") for number in range(MOST_DEMANDS - 1)))
    with pytest.raises(QueryError) as caught:
        parse("a" + "".join(join.format(f"w{number}") for number in range(MOST_DEMANDS + 1)))
    assert str(MOST_DEMANDS) in caught.value.hint


def test_pasted_code_stays_text():
    query = parse('print("hello world") -> x * y - http://example')
    assert not query.restricts
    assert query.filters == Filters()


def test_filters_are_taken_from_the_text_and_joined_with_those_given():
    query = parse("router path:src/** -path:docs lang:py kind:fn type:docs tag:test,example", Filters(paths=("lib",)))
    assert query.filters == Filters(
        paths=("lib", "src/**"),
        not_paths=("docs",),
        languages=("python",),
        chunk_types=(ChunkType.DOCUMENTATION,),
        tags=("test", "example"),
        kinds=("function",),
    )
    assert query.words == ("router",)


def test_a_filter_value_may_be_quoted():
    assert parse('router path:"my docs/a b"').filters.paths == ("my docs/a b",)


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("", "no word to find", "Add one"),
        ("   ", "no word to find", "Add one"),
        ("path:src", "no word to find", "Add one"),
        ('find "this', "character 6", "second"),
        ("find path:", "path: at character 6", "path:src/**"),
        ("x lang:pythn", "pythn", "python"),
        ("x kind:klass", "klass", "class"),
        ("x type:definitins", "definitins", "definitions"),
        ("x -lang:python", "only path:", "-path:"),
        ("x AND", "AND at character 3", "lower case"),
        ("OR x", "OR at character 1", "lower case"),
        ("x AND OR y", "OR at character 7", "lower case"),
        ("x NOT NOT y", "NOT at character 7", "lower case"),
        ("x OR -y", "OR at character 3", "Leave the OR out"),
        ("NOT x OR y", "OR at character 7", "Leave the OR out"),
        ("x OR lang:go", "lang: holds for the whole query", "lang:go,python"),
        ("x lang:go OR lang:python", "lang: holds for the whole query", "lang:go,python"),
        ("x NOT lang:go", "only path:", "-path:"),
        ("*", "no word to find", "Add one"),
        ("-", "no word to find", "Add one"),
        ("-word", "no word to find", "Add one"),
        ('"" OR ""', "no word to find", "Add one"),
        ("() OR ()", "no word to find", "Add one"),
        ('x lang:""', "lang: at character 3", "lang:python"),
        ("x" * (LONGEST_QUERY + 1), "characters", str(LONGEST_QUERY)),
    ],
)
def test_a_query_that_cannot_be_read_says_where_and_what_to_do(text, said, hint):
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert said in caught.value.message
    assert hint in caught.value.hint


def test_neighbouring_words_are_also_one_compound():
    assert parse("the type adapters").compounds == ("typeadapters", "typeadapter")
    assert "typeadapter" in parse("the type adapters").terms


@pytest.mark.parametrize("text", ["router tests", "mock server", "router path:tests/**", "router tag:test"])
def test_tests_are_wanted_when_words_or_filters_say_so(text):
    assert parse(text).wants_tests


def test_tests_are_not_wanted_otherwise():
    assert not parse("router latest path:src/**").wants_tests


def test_every_kind_the_parser_can_find_can_be_asked_for():
    queries = (Path(scova.parse.__file__).parent / "queries").glob("*.scm")
    found = {kind for query in queries for kind in re.findall(r"@def\.(\w+)", query.read_text())}
    assert found
    assert found <= KINDS
