"""A real tree whose vectors lie in an index beside the store answers as one with vectors in files does, whatever happens to the index."""

import threading
from contextlib import ExitStack

import pytest

from placed import Place, own_tree
from scova.build.build import Build
from scova.embed.static import StaticEmbedder
from scova.errors import Overtaken, VectorsAway
from scova.protocols.vectors import Point
from scova.search.searchers import remote
from scova.search.similar import Request, similar
from scova.stores.sqlite import SqliteStore
from scova.stores.vectors import open_vectors
from scova.types import ChunkType, Filters, Light, Mode, Query, Row
from until import until
from vector_indexes import KINDS, indexes

QUERIES = [
    "one moment per answer",
    "merge segments",
    "where is the lock taken",
    "cosine int8",
    "class Graph",
    "postings",
]
FILTERS = [
    Filters(),
    Filters(languages=("python",)),
    Filters(chunk_types=(ChunkType.DOCUMENTATION,)),
    Filters(paths=("docs/**",)),
    Filters(paths=("src/**",), languages=("python",), kinds=("method",)),
    Filters(not_paths=("docs/**",)),
]


class Beside(Place):
    """A place whose vectors may lie beside its store."""

    def answer(self, query):
        found = self.coordinator.search(query)
        results = [(one.chunk.id, one.chunk.file_path, one.score, dict(one.shares)) for one in found.results]
        return results, found.total, found.freshness.tiers


@pytest.fixture(params=KINDS)
def opening(request):
    with indexes(request.param, request) as made:
        yield made


@pytest.fixture
def place(tmp_path, opening):
    embedder, made = StaticEmbedder(), []

    def at(name, *, beside=True):
        store = SqliteStore.open(tmp_path / f"{name}.db", "tree")
        vectors = opening(store.store_id, embedder.model, embedder.width) if beside else None
        made.append(Beside(tmp_path / f"{name}-{len(made)}", store, vectors, embedder=embedder))
        return made[-1]

    yield at
    for one in made:
        one.close()


@pytest.fixture
def tree(tmp_path):
    return own_tree(tmp_path / "tree")


def edit(root):
    files = sorted(path for path in root.rglob("*.py") if path.stat().st_size > 1000)
    files[0].unlink()
    files[1].rename(files[1].with_name("moved.py"))
    files[2].write_text(files[2].read_text() + "\n\ndef added_later(moment):\n    return moment\n")
    (root / "new.md").write_text("# One moment\n\nEvery answer is of one moment.\n")


def compare(files, beside):
    asked = [Query(text, mode) for text in QUERIES for mode in (Mode.HYBRID, Mode.VECTOR)]
    asked += [Query(text, Mode.VECTOR, filters=filters, limit=7) for text in QUERIES[:3] for filters in FILTERS]
    for query in asked:
        expected = files.answer(query)
        assert expected[0] and beside.answer(query) == expected, query
    requests = [Request(text="lock of a writer"), Request(path="docs/decisions/one-moment.md", line=3, limit=5)]
    for request in requests:
        left, right = (
            [(one.chunk.file_path, one.chunk.start_line, one.score) for one in found.results]
            for found in (each.coordinator.ranked(lambda view: similar(view, request)) for each in (files, beside))  # noqa: B023
        )
        assert left and left == right


def test_answers_are_those_of_vectors_in_files_bit_for_bit_before_and_after_changes(place, tree, monkeypatch):
    monkeypatch.setattr(remote, "FEW", 20)  # so that filters go every way
    files, beside = place("files", beside=False), place("beside")
    assert files.build(tree).chunks == beside.build(tree).chunks
    assert beside.vectors.count() and not beside.layout.vectors()
    compare(files, beside)
    edit(tree)
    files.build(tree)
    report = beside.build(tree)
    assert beside.vectors.applied_seq() < report.change_seq, (
        "a small change is not worth an apply: it is compared as it is"
    )
    compare(files, beside)
    assert beside.audit() == []
    beside.mend()
    assert beside.vectors.applied_seq() == report.change_seq and beside.vectors.count() == report.chunks
    compare(files, beside)
    assert beside.audit() == []


def test_an_audit_finds_what_is_missing_and_what_belongs_to_nothing_and_the_next_apply_mends_it(place, tree):
    beside = place("beside")
    change = beside.build(tree).change_seq
    rows = sorted(beside.vectors.rows())
    light = Light(Row(99_999), "gone.py", ChunkType.DATA, "python", "", "", 1, 1, (), (), b"")
    orphan = Point(Row(99_999), bytes(range(beside.embedder.width % 256)) or b"\x01" * beside.embedder.width, light)
    beside.vectors.apply([orphan], [rows[3], rows[5]], upto=change)
    found = {(finding.part, finding.problem, finding.subject) for finding in beside.audit()}
    assert found == {
        ("vectors", "orphan", "row 99999"),
        ("vectors", "missing", f"row {rows[3]}"),
        ("vectors", "missing", f"row {rows[5]}"),
    }
    assert all(hit.row != 99_999 for hit in beside.coordinator.view().vector.search_vector(orphan.vector, 10))
    beside.mend()
    assert beside.audit() == [] and sorted(beside.vectors.rows()) == rows


def test_an_index_that_was_dropped_or_is_of_the_future_is_made_again(place, tree):
    files, beside = place("files", beside=False), place("beside")
    files.build(tree)
    change = beside.build(tree).change_seq
    compare(files, beside)
    beside.vectors.drop()
    compare(files, beside)  # all vectors are compared as they are, from the embeddings
    Build(beside.tools).tidy()
    assert beside.vectors.applied_seq() == change and beside.audit() == []
    compare(files, beside)
    beside.vectors.apply([], [], upto=change + 100)  # as if the store had been restored from a backup
    beside.coordinator = beside.searching()
    compare(files, beside)
    assert [finding.problem for finding in beside.audit()] == ["damaged"]
    Build(beside.tools).tidy()
    assert beside.vectors.applied_seq() == change and beside.audit() == []


def test_store_and_vectors_in_one_database_serve_two_processes(tmp_path, tree, postgres_url, request):
    from scova.stores.postgres import Connections, PostgresStore

    embedder, connections = StaticEmbedder(), Connections(postgres_url)
    names = {"model": embedder.model, "width": embedder.width, "connections": connections}

    def process(name):
        store = PostgresStore.open(postgres_url, "tree", connections=connections)
        vectors = open_vectors("pgvector:", store_id=store.store_id, **names)
        return Beside(tmp_path / name, store, vectors, embedder=embedder)

    first, second = process("first"), process("second")
    files = Beside(tmp_path / "files", SqliteStore.open(tmp_path / "files.db", "tree"), embedder=embedder)
    try:
        for act in (lambda: None, lambda: edit(tree), first.mend):
            act()
            first.build(tree)
            files.build(tree)
            second.cache = first.cache  # the embeddings are everybody's, too
            second.coordinator = second.searching()
            compare(files, first)
            compare(files, second)
        assert first.audit() == [] and not second.layout.vectors()
    finally:
        for place in (files, first, second):
            place.close()
        connections.close()


class Between:
    """An index in front of which something happens while it is asked."""

    def __init__(self, index, before=None, after=None):
        self._index, self.before, self.after = index, before, after

    def __getattr__(self, name):
        return getattr(self._index, name)

    def nearest(self, *words, **options):
        act, self.before = self.before, None
        if act:
            act()
        found = self._index.nearest(*words, **options)
        act, self.after = self.after, None
        if act:
            act()
        return found


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_writer_between_the_steps_is_noticed_and_the_question_is_asked_of_the_newer_moment(
    place, tree, opening, when
):
    """The best result dies, and its vector leaves the index, after the moment was pinned and before the index was asked."""
    beside = place("beside")
    beside.build(tree)
    query = Query("one moment per answer", Mode.VECTOR)
    best = beside.answer(query)[0][0][1]

    def write():
        (tree / best).unlink()
        beside.build(tree)
        beside.mend()

    between = Between(beside.vectors, **{when: write})
    beside.vectors = between
    beside.coordinator = beside.searching()
    before = beside.coordinator.view().chunk_set.change_seq
    with ExitStack() as held:
        current, found = beside.coordinator._answered(
            lambda view: view.vector.search("one moment per answer", 10), held
        )
        view = current.view
        paths = [chunk.file_path for chunk in view.chunk_set.chunks([hit.row for hit in found])]
    if (
        when == "before"
    ):  # rows that were alive at the first moment are gone from the index: it cannot be answered of that any more
        assert view.chunk_set.change_seq > before and len(paths) >= 10 and best not in paths
        assert before < between.applied_seq()
    else:  # the answer had been found before: it is of the first moment, whole
        assert view.chunk_set.change_seq == before and best in paths and len(paths) >= 10


def test_a_question_that_is_overtaken_each_time_says_so(place, tree):
    beside = place("beside")
    beside.build(tree)
    with pytest.raises(Overtaken) as caught:
        beside.coordinator.ask(lambda view: (_ for _ in ()).throw(Overtaken("overtaken", "ask again")))
    assert caught.value.hint == "ask again"


def test_answers_are_of_one_moment_while_another_thread_writes_and_applies(place, tmp_path, opening):
    """Every answer holds exactly the rows of its moment: none that was taken away since, none that came later."""
    root = tmp_path / "many"
    root.mkdir()

    def write(number):
        for file in range(6):
            if (file + number) % 3:
                (root / f"{file}.md").write_text(f"# Marker {file}\n\nGeneration {number} of the marker {file}.\n")
            else:
                (root / f"{file}.md").unlink(missing_ok=True)

    write(0)
    writer = place("many")
    writer.build(root)
    reader = place("many")
    reader.cache, reader.coordinator = writer.cache, None
    reader.coordinator = reader.searching()
    rows_at, failures, answers, done = {}, [], [], threading.Event()

    def ask():
        try:
            while not done.is_set():
                with ExitStack() as held:
                    current, hits = reader.coordinator._answered(
                        lambda view: view.vector.search("generation of the marker", 500), held
                    )
                    answers.append((current.view, {hit.row for hit in hits}))
        except Overtaken:
            ask()
        except BaseException as error:
            failures.append(error)

    def remember():
        with writer.store.reader() as moment:
            rows_at[moment.change_seq] = set(moment.rows())

    remember()
    asking = threading.Thread(target=ask)
    asking.start()
    for number in range(1, 25):
        write(number)
        writer.build(root)
        remember()
        writer.mend()
        before = len(answers)
        until(lambda before=before: failures or len(answers) > before + 1, "an answer of this moment")
    done.set()
    asking.join()
    assert not failures
    known = [(view, rows) for view, rows in answers if view.chunk_set.change_seq in rows_at]
    whole = [(view, rows) for view, rows in known if not view.pending_embeddings]
    assert len({view.chunk_set.change_seq for view, _ in whole}) > 3
    assert all(rows <= rows_at[view.chunk_set.change_seq] for view, rows in known)
    assert all(rows == rows_at[view.chunk_set.change_seq] for view, rows in whole)


def test_while_the_index_is_away_text_answers_builds_go_on_and_vectors_come_back_by_themselves(
    tmp_path, tree, monkeypatch
):
    pytest.importorskip("qdrant_edge")
    from qdrant_server import Server
    from scova.search import view as view_room
    from scova.stores.vectors.qdrant import wire

    monkeypatch.setattr(wire, "AWAY_SECONDS", 0.01)
    monkeypatch.setattr(wire, "WRITING", wire.Patience(2, 5.0, 0.01))
    monkeypatch.setattr(view_room, "AWAY_SECONDS", 0.01)
    data = tmp_path / "qdrant"
    data.mkdir()
    server, store = Server(data), SqliteStore.open(tmp_path / "store.db", "tree")
    server.start()
    embedder = StaticEmbedder()
    index = open_vectors(server.url, store_id=store.store_id, model=embedder.model, width=embedder.width)
    shop = Beside(tmp_path / "place", store, index, embedder=embedder)
    try:
        shop.build(tree)
        whole = shop.answer(Query("one moment per answer"))
        assert whole[2]["vectors"]
        server.stop()
        for again in (shop.coordinator, shop.searching()):  # one that was open, and one that is opened meanwhile
            shop.coordinator = again
            results, _, tiers = shop.answer(Query("one moment per answer"))
            assert results and not tiers["vectors"]
            with pytest.raises(VectorsAway):
                shop.answer(Query("one moment per answer", Mode.VECTOR))
        (tree / "more.md").write_text("# Xylophone\n\nA xylophone came while vectors were away.\n")
        report = shop.build(tree)
        assert report.added == 1 and "vectors are not searched" in report.note and not report.pending_embeddings
        assert shop.answer(Query("xylophone"))[0][0][1] == "more.md"
        server.start()
        (tree / "more.md").unlink()
        assert not shop.build(tree).note
        assert shop.answer(Query("one moment per answer")) == whole
        assert shop.audit() == []
    finally:
        server.stop()
        shop.close()
