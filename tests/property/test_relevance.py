"""Whatever is asked, and whatever it is filtered by, the judgement is a probability that agrees with itself."""

from hypothesis import given
from hypothesis import strategies as st

from indexed import view_of
from scova.errors import QueryError
from scova.search.answer import answer
from scova.search.ranking.relevance import NOTHING_BELOW
from scova.types import Answer, ChunkType, Filters, Mode, Query

VIEW = view_of(
    {
        "src/queue.py": "class Queue:\n    def push_item(self, item):\n        self.items.append(item)\n",
        "docs/queue.md": "# Queue\n\nItems are taken in the order they were pushed.\n",
    }
)
words = st.sampled_from(
    [
        "queue",
        "push_item",
        "order",
        "penguin",
        "how",
        '"items are"',
        "+self",
        "-order",
        "pus*",
        "*tem*",
        "OR",
        "é",
        "队列",
        "_",
    ]
)
typed = st.one_of(st.text(max_size=30), st.lists(words, min_size=1, max_size=6).map(" ".join))
some = st.lists(st.sampled_from(["src", "docs/**", "*.py", "nowhere"]), max_size=2).map(tuple)
filters = st.builds(
    Filters,
    paths=some,
    not_paths=some,
    languages=st.sampled_from([(), ("python",), ("cobol",)]),
    chunk_types=st.sampled_from([(), (ChunkType.DATA,), (ChunkType.DOCUMENTATION,)]),
    kinds=st.sampled_from([(), ("class",)]),
    tags=st.sampled_from([(), ("test",)]),
)


def asked(query: Query) -> Answer | None:
    try:
        return answer(VIEW, query)
    except QueryError:
        return None


@given(typed, filters, st.sampled_from([Mode.HYBRID, Mode.TEXT, Mode.SYMBOL]), st.integers(1, 20))
def test_a_judgement_is_a_probability_that_does_not_depend_on_the_page(text, chosen, mode, limit):
    found = asked(Query(text, mode, limit, filters=chosen))
    if found is None:
        return
    assert 0.0 <= found.relevance <= 1.0
    if found.nothing_relevant:
        assert found.relevance < NOTHING_BELOW
    if not found.results:
        assert found.nothing_relevant
    whole = asked(Query(text, mode, 50, filters=chosen))
    assert whole is not None
    assert (whole.relevance, whole.nothing_relevant) == (found.relevance, found.nothing_relevant)


@given(typed, filters)
def test_what_was_counted_or_demanded_and_found_is_never_nothing(text, chosen):
    found = asked(Query(text, filters=chosen))
    if found is not None and found.literal.count:
        assert not found.nothing_relevant
    if found is not None and found.results and chosen.paths:
        assert not found.nothing_relevant
