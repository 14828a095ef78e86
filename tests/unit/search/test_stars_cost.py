"""What words with a star cost: looked up among the words of the index, not in every text. Counted in texts read and terms compared, not in time."""

import pytest

from indexed import view_of
from scova.chunks.chunkset import ChunkSet
from scova.core.deadline import Deadline, asking
from scova.search import demand
from scova.search.answer import answer
from scova.search.ranking import symbols
from scova.search.searchers import text, vocabulary
from scova.types import ChunkType, Filters, Mode, Query

LETTERS = "abcdefghijklmnopqrstuvwxyz"
COUNT = 1500  # files, more than are left to their texts


@pytest.fixture(scope="module")
def view():
    """Texts that share some words and have some of their own."""
    return view_of(
        {
            f"f{number}.py": f"def session_{number}(value):\n    return quick_{number % 7}(zebra, {LETTERS[number % 26]}word)\n"
            for number in range(COUNT)
        }
    )


@pytest.fixture
def read(monkeypatch):
    """The rows of every text that is read."""
    rows = []
    real = ChunkSet.chunks

    def chunks(self, wanted):
        rows.extend(wanted)
        return real(self, wanted)

    monkeypatch.setattr(ChunkSet, "chunks", chunks)
    return rows


@pytest.mark.parametrize("mode", [Mode.TEXT, Mode.HYBRID, Mode.SYMBOL])
@pytest.mark.parametrize(
    "asked",
    [
        "session " + " ".join(f"-{letter}*" for letter in LETTERS),
        "session " + " ".join(f"-*{letter}*" for letter in LETTERS),
        " OR ".join(f"*{letter}*" for letter in LETTERS),
        " ".join(f"{letter}*" for letter in "sqzv"),
        "session -nowhere* -*nowhere*",
        "+session +value",
    ],
)
def test_hardly_a_text_is_read_however_many_stars_there_are(view, read, asked, mode):
    answer(view, Query(asked, mode=mode))
    assert len(read) <= demand.AT_ONCE + 50, "as many as are left to their texts, and those that are shown"


def test_the_words_of_the_index_are_gone_through_once_for_each_pattern(view, monkeypatch):
    asked = []
    real = vocabulary.fitting

    def fitting(segment, prefix, part=""):
        asked.append((prefix, part))
        return real(segment, prefix, part)

    monkeypatch.setattr(vocabulary, "fitting", fitting)
    view = view_of({f"f{number}.py": f"def zebra_{number}():\n    return stripes\n" for number in range(800)})
    answer(view, Query("*ebra* -*tripesx* *tripe* OR *ebra*", mode=Mode.TEXT))
    assert asked
    assert len(asked) == len(set(asked)) * len(view.text.lives)


@pytest.mark.parametrize(
    "asked", ["q*", "*uick*", "-q*", "-*uick*", "session -qui*", "zeb* -*word*", "ses* OR +value", "*_1* -*_12*"]
)
@pytest.mark.parametrize("left", [0, 10**6])
def test_what_the_index_tells_is_what_the_texts_tell(view, asked, left, monkeypatch):
    """With every row left to its text, and with as much as can be told by the index."""
    query = Query(asked if not asked.startswith("-") else f"value {asked}", mode=Mode.TEXT, limit=1000)
    filters = Filters(chunk_types=(ChunkType.DEFINITIONS,))
    monkeypatch.setattr(demand, "AT_ONCE", left or 1)
    found = demand.demanded(view, demand_of(query, filters))
    monkeypatch.setattr(demand, "AT_ONCE", 10**6)
    assert found == demand.demanded(view, demand_of(query, filters))


def demand_of(query, filters):
    from scova.search.asked.query import parse

    return parse(query.text, filters)


def test_a_star_finds_all_that_fits_however_many_words_that_are(view):
    found = answer(view, Query("session_*", mode=Mode.TEXT, filters=Filters(chunk_types=(ChunkType.DEFINITIONS,))))
    assert found.total == COUNT
    assert found.cut == ()


def test_the_bound_on_what_a_star_stands_for_is_said(view, monkeypatch):
    monkeypatch.setattr(text, "MOST_WORDS", 100)
    (said,) = answer_with_cuts(view, Query("*ession*", mode=Mode.TEXT))
    assert said.startswith("`*ession*` fits 1,500 words")
    assert "the 100 most frequent of them were looked for" in said
    monkeypatch.setattr(symbols, "MOST_STARRED", 20)
    (said,) = answer_with_cuts(view, Query("sess*", mode=Mode.SYMBOL))
    assert "`sess*` fits more than 20 names" in said


def answer_with_cuts(view, query):
    with asking(Deadline()) as deadline:
        answer(view, query)
        return deadline.cuts


def test_a_lookup_ends_at_the_deadline_and_what_was_not_looked_up_passes_nothing(view):
    over = Deadline(1.0, clock=iter([0.0, *[9.0] * 100]).__next__)
    with asking(over):
        assert answer(view, Query("value -*uick_3*", mode=Mode.TEXT)).results == ()
    assert any("was not looked up" in sentence for sentence in over.cuts)
