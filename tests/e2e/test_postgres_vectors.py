"""Vectors in the database: what one process embedded, every other one has, and a remote embedder is asked once."""

import subprocess
import sys

import pytest

from endpoint import Endpoint, serving
from scova.build.build import Build, Tools
from scova.build.inspect import inspect
from scova.chunks.manager import ChunkManager
from scova.embed.endpoint import Pace, RemoteSettings
from scova.embed.remote import RemoteEmbedder
from scova.embed.static import StaticEmbedder
from scova.parse.language import language_of
from scova.search.coordinator import SearchCoordinator
from scova.search.view import Views
from scova.sources.folder import FolderSource
from scova.stores.layout import Layout
from scova.stores.postgres import Connections, PostgresEmbeddings, PostgresStore
from scova.types import Mode, Query

FILES = 40  # more than are parsed without worker processes


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "tree"
    folder.mkdir()
    for number in range(FILES):
        text = f'"""About item {number}."""\n\n\ndef item_{number}(order):\n    return order * {number}\n'
        (folder / f"item_{number}.py").write_text(text)
    return folder


@pytest.fixture
def process(tmp_path, postgres_url):
    """One more process: connections and derived files of its own, on the same database."""
    made = []

    def another(embedder, project="shop"):
        connections = Connections(postgres_url)
        made.append(connections)
        store = PostgresStore.open(postgres_url, project, connections=connections)
        layout = Layout(tmp_path / f"derived-{len(made)}")
        layout.root.mkdir()
        return Tools(layout, store, PostgresEmbeddings(connections), embedder, project, 2)

    yield another
    for connections in made:
        connections.close()


def build(tools, tree):
    return Build(tools).run(FolderSource(tree, language_of=language_of))


def nearest(tools, text):
    views = Views(tools.layout, tools.cache, tools.embedder, store_id=tools.store.store_id)
    coordinator = SearchCoordinator(tools.store, ChunkManager(tools.store.reader), views)
    try:
        found = coordinator.search(Query(text, Mode.VECTOR))
        assert not found.freshness.pending_embeddings
        return [(one.chunk.file_path, one.score) for one in found.results]
    finally:
        coordinator.close()


def test_what_workers_of_one_process_embed_another_has_without_embedding(process, tree):
    first = process(StaticEmbedder())
    report = build(first, tree)
    assert report.embedded > FILES and report.pending_embeddings == 0
    elsewhere = process(StaticEmbedder(), "another")
    again = build(elsewhere, tree)
    assert (again.embedded, again.pending_embeddings) == (0, 0) and again.reused == report.embedded + report.reused
    second = process(StaticEmbedder())
    Build(second).tidy()
    assert second.layout.vectors() and nearest(second, "item order") == nearest(first, "item order") != []
    assert inspect(second.store, second.layout, second.cache, second.embedder) == []


def test_a_remote_embedder_is_paid_once_for_all_processes(process, tree):
    with serving(Endpoint()) as endpoint:

        def embedder():
            return RemoteEmbedder(endpoint.address, RemoteSettings("m"), pace=Pace(apart=0.0))

        first = process(embedder())
        assert build(first, tree).pending_embeddings == 0
        paid = len(endpoint.texts)
        assert paid >= FILES
        second = process(embedder())
        Build(second).tidy()
        assert second.layout.vectors() and build(process(embedder(), "another"), tree).embedded == 0
        assert len(endpoint.texts) <= paid + 2, "at most a word of each new process, to learn how wide vectors are"


def test_a_build_leaves_no_connection_of_its_workers_behind(process, tree, postgres_url):
    import psycopg

    build(process(StaticEmbedder()), tree)
    others = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'scova' AND datname = current_database()"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for _ in range(1000):
            left = connection.execute(others).fetchone()[0]
            if left <= 4:
                break
    assert left <= 4


def test_vectors_of_a_process_that_is_killed_are_there_for_the_next(process, tree, postgres_url):
    code = (
        "import os, sys; from scova.stores.postgres import Connections, PostgresEmbeddings, migrate\n"
        "connections = Connections(sys.argv[1]); migrate(connections)\n"
        "PostgresEmbeddings(connections).put('m', {b'key': b'1234'}); os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, postgres_url], check=False).returncode == -9
    assert process(None).cache.get("m", [b"key"]) == {b"key": b"1234"}
