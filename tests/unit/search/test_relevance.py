"""Whether anything relevant was found: the judgement, and what it rests on."""

from dataclasses import replace
from math import log

import pytest

from indexed import view_of
from scova.embed.static import StaticEmbedder
from scova.search.answer import answer
from scova.search.asked.query import parse
from scova.search.find import Finding
from scova.search.judge import evidence
from scova.search.ranking.rank import Ranked
from scova.search.ranking.relevance import CERTAIN, FITTED_MODEL, NOTHING_BELOW, Evidence, judged
from scova.search.ranking.weights import Weights
from scova.search.searchers.vector import Embedding, VectorSearcher
from scova.types import ChunkType, Filters, Mode, Query

FILES = {
    "auth/session.py": '''
class SessionStore:
    """Keeps signed sessions of users until they expire."""

    def load_session(self, cookie):
        """Read the session from a signed cookie; refuse one whose signature is wrong."""
        return self.signer.verify(cookie)


def expire_sessions(store, now):
    """Remove every session that was not used for a week."""
    return [one for one in store if one.used < now]
''',
    "http/router.py": '''
class Router:
    """Leads a request to the handler that its path matches."""

    def add_route(self, path, handler):
        self.routes[path] = handler

    def match_route(self, path):
        """The handler of the longest prefix of the path."""
        return max(prefix for prefix in self.routes if path.startswith(prefix))
''',
    "README.md": "# Server\n\nA small web server with routes and signed sessions.\n",
}
NONSENSE = "penguin marmalade volcano"


@pytest.fixture(scope="module")
def view():
    return view_of(FILES)


@pytest.fixture(scope="module")
def meant(view):
    """The same moment with vectors of the shipped model."""
    return with_vectors(view, StaticEmbedder().model)


def with_vectors(view, model):
    static = StaticEmbedder()
    chunks = list(view.chunk_set.all())
    delta = dict(zip([one.row for one in chunks], static.embed([one.embedded_text for one in chunks]), strict=True))
    embedding = Embedding(static.width, static.embed_query, lambda chunks: {}, model)
    return replace(view, vector=VectorSearcher.open(embedding, None, delta=delta))


def test_the_numbers_are_of_the_model_that_is_shipped():
    """Whoever ships another model fits them again: bench/quality/relevance.py."""
    assert StaticEmbedder().model == FITTED_MODEL


def test_the_shares_add_up_to_the_log_odds():
    for known in (Evidence(0.4, 1.6, 0.2), Evidence(0.4, 1.6, 0.2, nearest=0.3)):
        found = judged(known)
        assert log(found.relevance / (1.0 - found.relevance)) == pytest.approx(sum(found.shares.values()))


def test_more_evidence_of_any_kind_never_makes_it_less_likely():
    least = Evidence(0.2, 0.8, 0.1, nearest=0.2)
    for more in ({"words": 0.5}, {"matched": 2.0}, {"named": 0.6}, {"nearest": 0.4}):
        assert judged(least._replace(**more)).relevance > judged(least).relevance


def test_nothing_is_said_below_the_threshold_and_only_there():
    for known in (Evidence(), Evidence(nearest=0.1)):
        assert judged(known).nothing and judged(known).relevance < NOTHING_BELOW
    for known in (Evidence(1.0, 4.0, 1.0), Evidence(1.0, 4.0, 1.0, nearest=0.6)):
        assert not judged(known).nothing


def test_what_stands_there_literally_and_a_named_place_are_never_nothing():
    assert judged(Evidence(literally=True)) == CERTAIN
    assert judged(Evidence(nearest=0.0, placed=True)).nothing is False
    assert judged(Evidence(nearest=0.0)).nothing is True


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.TEXT, Mode.VECTOR])
@pytest.mark.parametrize(
    "text", ["how is a session read from a signed cookie", "which handler matches the path of a request"]
)
def test_a_question_that_is_answered_here_is_not_flagged(view, meant, mode, text):
    for moment in (view, meant) if mode is not Mode.VECTOR else (meant,):
        found = answer(moment, Query(text, mode))
        assert found.results and not found.nothing_relevant and found.relevance > 0.5


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.TEXT, Mode.VECTOR])
@pytest.mark.parametrize("text", [NONSENSE + " path", "how does the kettle brew tea for a penguin"])
def test_nonsense_is_flagged_though_the_nearest_are_given(view, meant, mode, text):
    for moment in (view, meant) if mode is not Mode.VECTOR else (meant,):
        found = answer(moment, Query(text, mode))
        assert found.nothing_relevant and found.relevance < 0.2
    assert answer(meant, Query(NONSENSE + " path")).results


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.TEXT, Mode.VECTOR, Mode.SYMBOL])
@pytest.mark.parametrize("text", ["SessionStore", "match_route", "Router.add_route", "expire_sessions()"])
def test_an_identifier_that_exists_is_never_flagged(meant, mode, text):
    found = answer(meant, Query(text, mode))
    assert (found.relevance, found.nothing_relevant) == (1.0, False)


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.TEXT, Mode.VECTOR])
@pytest.mark.parametrize(
    "text",
    [
        "cookie",  # one word that occurs
        "Cookie",  # in other case
        f"{NONSENSE} match_route",  # an identifier among whatever else
        f'{NONSENSE} "longest prefix"',
        f"+signature {NONSENSE}",
        f"rout* {NONSENSE}",
        f"*session* {NONSENSE}",
        f"signature OR marmalade {NONSENSE}",
    ],
)
def test_what_was_written_and_found_is_never_flagged(meant, mode, text):
    found = answer(meant, Query(text, mode))
    assert found.results and not found.nothing_relevant


def test_a_place_that_was_named_is_never_flagged_but_judged(meant):
    for query in (Query(f"path:auth {NONSENSE}"), Query(NONSENSE, filters=Filters(paths=("auth",)))):
        found = answer(meant, query)
        assert found.results and not found.nothing_relevant and found.relevance < 0.2


def test_one_word_that_occurs_nowhere_is_flagged(meant):
    assert answer(meant, Query("flibbertigibbet")).nothing_relevant
    assert answer(meant, Query("flibbertigibbet -session")).nothing_relevant


SCOPED = FILES | {"go/pool.go": "package pool\n\n// Take waits for a free worker.\nfunc Take() {\n\twait()\n}\n"}


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.VECTOR])
@pytest.mark.parametrize("name", ["cookie", "load_session", "Router.add_route", f"{NONSENSE} match_route"])
@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("lang:go", Filters(languages=("go",))),
        ("kind:function path:*.go", Filters(kinds=("function",), paths=("*.go",))),
        ("path:go/**", Filters(paths=("go/**",))),
        ("tag:docs", Filters(tags=("docs",))),
    ],
)
def test_what_stands_elsewhere_only_is_not_literally_here(mode, name, said, given):
    moment = with_vectors(view_of(SCOPED), StaticEmbedder().model)
    for query in (Query(f"{name} {said}", mode), Query(name, mode, filters=given)):
        found = answer(moment, query)
        assert found.results and found.relevance < 0.9 and "literally" not in found.judged_by
    assert answer(moment, Query(name, mode)).relevance == 1.0


def test_a_word_that_may_only_be_found_elsewhere_is_flagged():
    moment = with_vectors(view_of(SCOPED), StaticEmbedder().model)
    found = answer(moment, Query("cookie lang:go"))
    assert found.results and found.nothing_relevant and not found.literal.count
    assert answer(moment, Query("take lang:go")).relevance == 1.0
    assert answer(moment, Query("Signature")).relevance == 1.0
    assert answer(moment, Query("signature -cookie")).relevance < 1.0, "it stands beside a cookie, and nowhere else"
    assert answer(moment, Query("match_route -cookie")).relevance == 1.0


def test_a_term_counts_by_the_best_of_the_places_where_it_stands():
    """The file's name says it in full; that a name inside shortens it does not take this away."""
    here = view_of({"configuration.py": "def read_config(path):\n    return open(path).read()\n"})
    finding = Finding(here, parse(f"{NONSENSE} configuration"), None, 3)
    defining = [one.light for one in here.chunk_set.all() if one.chunk_type is ChunkType.DEFINITIONS]
    known = evidence(finding, [Ranked(light, 1.0, {}) for light in defining])
    assert known.words == pytest.approx(finding.wanted.shares["configur"])


def test_nothing_found_is_nothing_relevant(meant):
    for query in (
        Query('"never written"'),
        Query("marmalade", Mode.SYMBOL),
        Query("route", filters=Filters(paths=("x",))),
    ):
        found = answer(meant, query)
        assert (found.results, found.relevance, found.nothing_relevant) == ((), 0.0, True)


def test_every_page_is_judged_alike(meant):
    text = "how is a session read from a signed cookie"
    first = answer(meant, Query(text, limit=1))
    rest = answer(meant, Query(text, limit=1, after=first.next))
    assert first.relevance == rest.relevance == answer(meant, Query(text, limit=50)).relevance


def test_similarities_of_another_model_have_no_say(view):
    other = with_vectors(view, "other:1")
    asked = answer(other, Query("which handler matches the path of a request"))
    assert "nearest" not in asked.judged_by and not asked.nothing_relevant


def test_similarities_have_no_say_while_vectors_are_missing(meant):
    chunks = list(meant.chunk_set.all())
    partly = replace(meant, vector=meant.vector.update_incremental((), (), [(chunks[0].row, "")]))
    assert "nearest" in answer(meant, Query("which handler matches")).judged_by
    assert "nearest" not in answer(partly, Query("which handler matches")).judged_by


def test_the_weights_of_the_ranking_do_not_matter_beyond_the_order(meant):
    """Evidence is taken from the results, not from their scores."""
    text = "which handler matches the path of a request"
    plain, doubled = Weights(), Weights(text=1.4, file_text=1.6)
    assert answer(meant, Query(text), weights=plain).judged_by == answer(meant, Query(text), weights=doubled).judged_by


@pytest.mark.parametrize(("name", "is_code"), [("e.g.", False), ("node.js", True), ("a_b", True), ("os.path", True)])
def test_only_what_code_alone_writes_so_counts_as_an_identifier(name, is_code):
    here = view_of({"a.py": "e = g\nnode = js\na_b = 1\nimport os\nprint(os.path)\n" * 3})
    ranked = [type("One", (), {"light": one.light})() for one in here.chunk_set.all()]
    known = evidence(Finding(here, parse(f"{NONSENSE} {name}"), None, 3), ranked)
    assert known.literally is is_code
