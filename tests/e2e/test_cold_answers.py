"""A process that has no text index of a large project yet answers searches at once from the words in Qdrant, says so, and is exact later."""

import threading

import pytest

import qdrant_server
from placed import ROOT, SMALL, Place, own_tree
from scova.embed.static import StaticEmbedder
from scova.errors import Overtaken, QueryError
from scova.search.cold.answers import ColdSearch, ColdViews, cold_answer
from scova.server.tenants import opened, readiness
from scova.stores.layout import Layout
from scova.stores.sqlite import SqliteStore
from scova.stores.vectors.qdrant import wire
from scova.types import Filters, Mode, Query
from serving import served
from until import until
from vector_indexes import indexes

QUERIES = [
    "one moment per answer",
    "merge segments",
    "where is the lock taken",
    "cosine int8",
    "class Graph",
    "best_first",
]
COLD = {"text": False, "symbols": False, "vectors": True, "sparse": True}
EXACT = {"text": True, "symbols": True, "vectors": True}


def contents():
    found = [path for tree in SMALL for path in sorted((ROOT / tree).rglob("*")) if path.suffix in (".py", ".md")]
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in found}


@pytest.fixture
def gate(monkeypatch):
    """Derived files are made when it is opened, and not before."""
    go, original = threading.Event(), opened.catch_up

    def gated(tools, holding):
        assert go.wait(120)
        original(tools, holding)

    monkeypatch.setattr(opened, "catch_up", gated)
    monkeypatch.setattr(opened, "COLD_CHUNKS", 20)
    monkeypatch.setattr(readiness, "MOMENT", 0.0)
    yield go
    go.set()


def filled(data, monkeypatch):
    """A server has pushed the tree; where its derived files lay is empty again, as in a process that begins."""
    monkeypatch.setattr(opened, "COLD_CHUNKS", 1 << 30)
    with served(data) as one:
        one.post("/projects", project_id="p")
        one.index("p", contents())
        with one.hall.tenants.lease("p") as tenant:
            tenant.tidy()
            layout = tenant.layout
        warm = {}
        for mode in ("hybrid", "text", "vector"):
            for query in QUERIES:
                warm[mode, query] = one.post("/search", project_id="p", query=query, mode=mode).json()
        warm["similar"] = one.post("/similar", project_id="p", text="lock of a writer").json()
    layout.remove_derived()
    monkeypatch.setattr(opened, "COLD_CHUNKS", 20)
    return warm


def places(said):
    return [(one["path"], one["start_line"]) for one in said["results"]]


@pytest.mark.parametrize("stores", ["embedded-qdrant", "postgresql-qdrant"], indirect=True)
def test_searches_are_answered_at_once_while_the_text_index_is_made_and_exactly_from_then_on(
    tmp_path, stores, gate, monkeypatch
):
    gate.set()
    warm = filled(tmp_path / "data", monkeypatch)
    gate.clear()
    with served(tmp_path / "data") as one:
        same = asked = 0
        for mode in ("hybrid", "text", "vector"):
            for query in QUERIES:
                answer = one.post("/search", project_id="p", query=query, mode=mode)
                said, exact = answer.json(), warm[mode, query]
                assert answer.status_code == 200 and said["freshness"]["tiers"] == COLD, (mode, query)
                assert exact["freshness"]["tiers"] == EXACT
                assert said["freshness"]["change_seq"] == exact["freshness"]["change_seq"]
                assert said["literal"] == {"text": "", "count": 0, "files": 0, "by_file": {}}, "it would not be exact"
                assert said["results"][0]["text"] and places(said)[0] == places(exact)[0]
                if mode == "vector":
                    assert said["results"] == exact["results"], "vectors are compared as ever"
                same += len(set(places(said)) & set(places(exact)))
                asked += len(places(exact))
        assert same / asked > 0.95
        status = one.client.get("/status", params={"project_id": "p"})
        assert (status.status_code, status.json()["ready"], status.json()["files"]) == (200, False, len(contents()))
        assert one.client.get("/stats", params={"project_id": "p"}).json()["chunks"] == status.json()["chunks"] > 100
        assert one.post("/similar", project_id="p", text="lock of a writer").json() == warm["similar"]
        for route, body in [
            ("/definitions", {"name": "Graph"}),
            ("/usages", {"name": "Graph"}),
            ("/search", {"query": "Graph", "mode": "symbol"}),
            ("/search", {"query": "segm*"}),
        ]:
            told = one.post(route, project_id="p", **body)
            assert (told.status_code, "is being made ready here" in told.json()["error"]) == (503, True), route
        assert one.post("/search", project_id="p", query='"open').status_code == 422
        gate.set()
        until(lambda: one.client.get("/status", params={"project_id": "p"}).json()["ready"], "the index to be ready")
        for (mode, query), exact in ((key, said) for key, said in warm.items() if key != "similar"):
            said = one.post("/search", project_id="p", query=query, mode=mode).json()
            assert said["freshness"]["tiers"] == EXACT
            assert (said["results"], said["total"], said["literal"]) == (
                exact["results"],
                exact["total"],
                exact["literal"],
            )
        with one.hall.tenants.lease("p") as tenant:
            assert tenant._cold is None


@pytest.mark.parametrize("stores", ["embedded-qdrant"], indirect=True)
def test_filters_demands_pages_and_what_is_newer_than_the_index_are_heeded(tmp_path, stores, gate, monkeypatch):
    gate.set()
    filled(tmp_path / "data", monkeypatch)
    gate.clear()
    with served(tmp_path / "data") as one:

        def found(query, **more):
            answer = one.post("/search", project_id="p", query=query, **more)
            assert answer.status_code == 200, answer.text
            assert answer.json()["freshness"]["tiers"] == COLD
            return answer.json()

        assert {place for place, _ in places(found("segments", paths=["docs/**"]))} <= {
            path for path in contents() if path.startswith("docs/")
        }
        assert {one["language"] for one in found("one moment", languages=["markdown"])["results"]} == {"markdown"}
        assert all("moment" in one["text"].lower() for one in found("answer +moment")["results"])
        assert all("segment" not in one["text"].lower() for one in found("merge -segment")["results"])
        phrase = found('"one moment"')["results"]
        assert phrase and all("one moment" in one["text"].lower() for one in phrase)
        first = found("postings of a segment", limit=5)
        after = found("postings of a segment", limit=5, after=first["next"])
        assert len({*places(first), *places(after)}) == 10
        with one.hall.tenants.lease("p") as tenant:
            before = tenant.vectors.applied_seq()
            one.index("p", {"new/xylophone.py": "def xylophone(dulcimer):\n    return dulcimer\n"})
            one.post("/delete", project_id="p", paths=["docs/decisions/one-moment.md"])
            assert tenant.vectors.applied_seq() == before, "too little to be worth an apply"
        said = found("xylophone dulcimer")
        assert said["results"][0]["path"] == "new/xylophone.py"
        for query in QUERIES:
            assert "docs/decisions/one-moment.md" not in {path for path, _ in places(found(query, limit=50))}


@pytest.mark.parametrize("stores", ["embedded-qdrant"], indirect=True)
def test_once_all_is_made_no_moment_is_held_on_to_though_nobody_asks(tmp_path, stores, gate, monkeypatch):
    gate.set()
    filled(tmp_path / "data", monkeypatch)
    gate.clear()
    with served(tmp_path / "data") as one:
        assert one.post("/search", project_id="p", query=QUERIES[0]).json()["freshness"]["tiers"] == COLD
        with one.hall.tenants.lease("p") as tenant:
            assert tenant._cold is not None
            gate.set()
            until(lambda: not tenant._ready.is_making, "the index to be made")
            assert tenant._ready.found is not None and tenant._cold is None


def test_while_qdrant_is_away_too_it_is_told_when_to_come_back(tmp_path, gate, monkeypatch):
    pytest.importorskip("qdrant_edge")
    monkeypatch.setattr(wire, "AWAY_SECONDS", 0.01)
    (tmp_path / "qdrant").mkdir()
    qdrant = qdrant_server.Server(tmp_path / "qdrant")
    qdrant.start()
    try:
        monkeypatch.setenv("SCOVA_SERVE_VECTORS", qdrant.url)
        gate.set()
        filled(tmp_path / "data", monkeypatch)
        gate.clear()
        qdrant.stop()
        with served(tmp_path / "data") as one:
            ask = {"project_id": "p", "query": "one moment per answer"}
            told = one.post("/search", **ask)
            assert (told.status_code, "is being made ready here" in told.json()["error"]) == (503, True)
            assert one.client.get("/status", params={"project_id": "p"}).json()["ready"] is False
            qdrant.start()
            said = until(lambda: (answer := one.post("/search", **ask)).status_code == 200 and answer.json(), "Qdrant")
            assert said["freshness"]["tiers"] == COLD
    finally:
        qdrant.stop()


def test_what_has_no_index_with_words_waits_as_ever(tmp_path, gate, monkeypatch):
    """Nor does an index that was lost, or is far behind, pass for one that knows everything."""
    with qdrant_server.running() as url:
        monkeypatch.setenv("SCOVA_SERVE_VECTORS", url)
        gate.set()
        filled(tmp_path / "data", monkeypatch)
        gate.clear()
        with served(tmp_path / "data") as one:
            with one.hall.tenants.lease("p") as tenant:
                tenant.vectors.drop()
            for route, asked in (("/search", {"query": "merge"}), ("/similar", {"text": "merge"})):
                told = one.post(route, project_id="p", **asked)
                assert (told.status_code, "is being made ready here" in told.json()["error"]) == (503, True), told.text
        monkeypatch.delenv("SCOVA_SERVE_VECTORS")
        with served(tmp_path / "data") as one:
            assert one.post("/search", project_id="p", query="merge").status_code == 503
            gate.set()
            until(lambda: one.post("/search", project_id="p", query="merge").status_code == 200, "the index")


class Cold(Place):
    """A place whose vectors and words lie beside its store, asked without any derived file."""

    def cold(self, vectors=None):
        empty = Layout(self.layout.root.with_name("empty"))
        empty.root.mkdir(exist_ok=True)
        names = {"store_id": self.store.store_id, "vectors": vectors or self.vectors}
        return ColdSearch(self.store, ColdViews(empty, self.cache, self.embedder, **names))


@pytest.fixture(params=["memory", "qdrant"])
def place(request, tmp_path):
    with indexes(request.param, request) as opening:
        store, embedder = SqliteStore.open(tmp_path / "store.db", "tree"), StaticEmbedder()
        made = Cold(tmp_path / "built", store, opening(store.store_id, embedder.model, embedder.width))
        yield made
        made.close()


@pytest.fixture
def tree(tmp_path):
    return own_tree(tmp_path / "tree")


def test_scores_by_words_are_nearly_those_of_the_text_index_and_those_by_meaning_the_same(place, tree):
    place.build(tree)
    cold, exact = place.cold(), place.searching()
    for query in QUERIES:
        asked = Query(query, Mode.TEXT)
        rough, whole = cold.search(asked), exact.search(asked)
        scores = {one.chunk.id: one.score for one in whole.results}
        assert {one.chunk.id: one.score for one in rough.results if one.chunk.id in scores} == pytest.approx(
            {one.chunk.id: scores[one.chunk.id] for one in rough.results if one.chunk.id in scores}, rel=0.05
        )
        assert rough.relevance == pytest.approx(whole.relevance, abs=0.05)
        by_meaning = [
            [(one.chunk.id, one.score) for one in each.search(Query(query, Mode.VECTOR)).results]
            for each in (cold, exact)
        ]
        assert by_meaning[0] == by_meaning[1]
    with pytest.raises(QueryError):
        cold.search(Query("x", limit=0))
    assert cold.search(Query("Graph", Mode.SYMBOL)) is None
    for starred in ("segm*", "*egmen*", "merge OR segm*"):
        assert cold.search(Query(starred)) is None, "the index has no beginnings of words"


def test_what_must_not_be_there_is_not_with_a_star_and_as_a_phrase_too(place, tree):
    place.build(tree)
    cold, exact = place.cold(), place.searching()
    for mode in (Mode.TEXT, Mode.HYBRID, Mode.VECTOR):
        for forbidden, held in (("-segm*", "segm"), ("NOT *egmen*", "egmen"), ('-"one moment"', "one moment")):
            query = Query(f"merge segments of one moment {forbidden}", mode, limit=20)
            rough, whole = cold.search(query), exact.search(query)
            assert rough.results and not any(held in one.chunk.text.lower() for one in rough.results)
            assert not any(held in one.chunk.text.lower() for one in whole.results)
            assert rough.results[0].chunk.id == whole.results[0].chunk.id
    either = Query('merge "one moment" OR segments', Mode.TEXT, limit=20)
    assert all(
        "one moment" in one.chunk.text.lower() or "segments" in one.chunk.text.lower()
        for one in cold.search(either).results
    )


def test_words_are_looked_for_by_the_spelling_that_is_usual_there_as_by_the_text_index(place, tmp_path):
    """Nobody says configuration but one: the others are found by `cfg`, more of them than tell how rare it is."""
    root = tmp_path / "spelled"
    root.mkdir()
    for number in range(12):
        (root / f"settings{number}.py").write_text(f"def load_cfg_{number}(cfg):\n    return cfg[{number}]\n")
        (root / f"part{number}.py").write_text(f"def step{number}(value):\n    return value + {number}\n")
    (root / "notes.md").write_text("# Notes\n\nThe configuration is read once.\n")
    place.build(root)
    cold, exact = place.cold(), place.searching()
    for mode in (Mode.TEXT, Mode.HYBRID):
        asked = Query("configuration", mode, limit=30)
        rough, whole = cold.search(asked), exact.search(asked)
        assert rough.spelled == whole.spelled == {"configuration": {"cfg": 0.9}}
        assert rough.total == whole.total >= 13
    text = Query("configuration", Mode.TEXT, limit=30)
    assert {one.chunk.id for one in cold.search(text).results} == {one.chunk.id for one in exact.search(text).results}


def test_chunks_that_have_no_vector_are_told_of(place, tree):
    """They are not in the index, so words do not find them there: an answer without them must not pass for one of everything."""
    place.build(tree)
    assert place.cold().search(Query("merge segments")).freshness.pending_embeddings == 0
    with place.store.reader() as reader:
        missing = reader.rows()[:3]
    place.vectors.apply((), missing, upto=place.vectors.applied_seq())
    fresh = place.cold().search(Query("merge segments")).freshness
    assert (fresh.pending_embeddings, fresh.tiers["vectors"]) == (3, False)


class Between:
    """An index in front of whose words something happens while they are asked."""

    def __init__(self, index, before=None, after=None):
        self._index, self.acts = index, {"before": before, "after": after}

    def __getattr__(self, name):
        return getattr(self._index, name)

    @property
    def words(self):
        return self

    def ask(self, *asked):
        self._act("before")
        heard = self._index.words.ask(*asked)
        self._act("after")
        return heard

    def _act(self, when):
        act, self.acts[when] = self.acts[when], None
        if act:
            act()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("mode", [Mode.TEXT, Mode.HYBRID])
def test_a_writer_between_the_steps_is_noticed_and_the_answer_is_of_one_moment(place, tree, when, mode):
    """The best result dies, and its point leaves the index, after the moment was pinned and before, or after, the index was asked."""
    place.build(tree)
    query = Query("one moment per answer", mode)
    best = place.cold().search(query).results[0].chunk.file_path

    def write():
        (tree / best).unlink()
        place.build(tree)
        place.mend()

    cold = place.cold(Between(place.vectors, **{when: write}))
    before = cold.coordinator.view().chunk_set.change_seq
    found = cold.search(query)
    paths = {one.chunk.file_path for one in found.results}
    if when == "before":
        assert found.freshness.change_seq > before and best not in paths and len(found.results) == 10
    else:
        assert found.freshness.change_seq == before and best in paths and len(found.results) == 10


def test_answers_hold_exactly_the_rows_of_their_moment_while_another_thread_writes_and_applies(place, tmp_path):
    root = tmp_path / "many"
    root.mkdir()

    def write(number):
        for file in range(6):
            if (file + number) % 3:
                (root / f"{file}.md").write_text(f"# Marker {file}\n\nGeneration {number} of the marker {file}.\n")
            else:
                (root / f"{file}.md").unlink(missing_ok=True)

    rows_at, failures, answers, done = {}, [], [], threading.Event()

    def remember():
        with place.store.reader() as moment:
            rows_at[moment.change_seq] = set(moment.rows())

    write(0)
    place.build(root)
    remember()
    cold, query = place.cold(), Query("generation of the marker", Mode.TEXT, limit=500)

    def ask():
        while not done.is_set():
            try:
                found = cold.coordinator.ranked(lambda view: cold_answer(view, query))
                answers.append((found.freshness.change_seq, {one.chunk.row for one in found.results}))
            except Overtaken:
                continue
            except BaseException as error:
                failures.append(error)
                return

    asking = threading.Thread(target=ask)
    asking.start()
    for number in range(1, 20):
        write(number)
        place.build(root)
        remember()
        place.mend()
    done.set()
    asking.join()
    assert not failures
    known = [(seq, rows) for seq, rows in answers if seq in rows_at]
    assert len({seq for seq, _ in known}) > 3
    assert all(rows == rows_at[seq] for seq, rows in known)


@pytest.mark.parametrize("word", ["segment", "row", "self"])
def test_what_must_not_be_there_is_in_no_answer_whatever_it_was_found_by(place, tree, word):
    """What comes up by its meaning in the place of what must not be there is looked at, too."""
    place.build(tree)
    cold, exact = place.cold(), place.searching()
    answered = 0
    for query in QUERIES:
        for mode in (Mode.VECTOR, Mode.HYBRID):
            asked = Query(f"{query} -{word}", mode, limit=20)
            found = cold.search(asked)
            if found is None:
                continue
            answered += 1
            assert not [one.chunk.file_path for one in found.results if word in one.chunk.text.lower()], (query, mode)
            if mode is Mode.VECTOR:
                assert [one.chunk.id for one in found.results] == [one.chunk.id for one in exact.search(asked).results]
    assert answered > len(QUERIES) or word == "self", "what is nearly everywhere may be left to the text index"


def test_a_filter_by_paths_that_many_pass_is_heeded(place, tree, monkeypatch):
    from scova.search.cold import pool

    monkeypatch.setattr(pool, "FEW", 5)
    place.build(tree)
    cold, exact = place.cold(), place.searching()
    for filters in (Filters(paths=("src/**",)), Filters(not_paths=("docs/**",), languages=("python",))):
        for query in QUERIES:
            asked = Query(query, filters=filters)
            rough, whole = cold.search(asked), exact.search(asked)
            assert {one.chunk.language for one in rough.results} == {"python"}
            assert rough.results[0].chunk.id == whole.results[0].chunk.id
