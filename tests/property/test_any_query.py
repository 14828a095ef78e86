"""Whatever is typed, a query is read or refused with a hint; nothing else happens."""

from hypothesis import given
from hypothesis import strategies as st

from scova.errors import QueryError
from scova.search.asked.literal import count, holding, literal_of
from scova.search.asked.query import ParsedQuery, parse

pieces = st.sampled_from(
    [
        '"',
        "AND",
        "OR",
        "NOT",
        "+",
        "-",
        "*",
        "path:",
        "-path:",
        "lang:",
        "lang:py",
        "kind:",
        "type:",
        "tag:",
        '""',
        '-""',
        '-"a b"',
        '"a"',
        "-a*",
        "+*b*",
        "_*",
        "a*",
        "*b*",
        "::",
        " ",
        "(",
        "x",
    ]
)
typed = st.one_of(st.text(max_size=60), st.lists(st.one_of(pieces, st.text(max_size=4)), max_size=12).map(" ".join))


def read(text: str) -> ParsedQuery | None:
    try:
        return parse(text)
    except QueryError as error:
        assert error.message
        assert error.hint
        return None


@given(typed)
def test_parse_reads_or_raises_query_error(text):
    query = read(text)
    if query is not None:
        assert query.words or query.phrases or query.either
        assert bool(query.content) == bool(query.words)
        assert set(query.content) <= set(query.words)


@given(typed, st.text(max_size=80))
def test_what_is_read_can_be_asked_of_any_text(text, document):
    query = read(text)
    if query is not None:
        asked = [*query.must_not, *(item for group in query.demands for item in group)]
        assert all(holding(item)(document) in (True, False) for item in asked)
        assert count(literal_of(query), ()).count == 0
        assert isinstance(query.terms, tuple)
        assert query.wants_tests in (True, False)
