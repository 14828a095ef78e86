"""A server whose vectors lie beside its store: away and back, projects removed, wrong settings."""

import pytest

import endpoint
import qdrant_server
from scova.errors import UsageError
from scova.search import view
from scova.stores.vectors.qdrant import wire
from serving import HELLO, OTHER, served


@pytest.fixture
def qdrant(tmp_path):
    """A Qdrant that can be stopped and started."""
    pytest.importorskip("qdrant_edge", reason="no Qdrant to stop and start: pip install qdrant-edge-py")
    server = qdrant_server.Server(tmp_path / "qdrant")
    server.folder.mkdir()
    server.start()
    yield server
    server.stop()


def found(one, **more):
    return one.post("/search", project_id="p", query="greet everybody", **more).json()


def test_while_qdrant_is_away_words_answer_and_say_so_and_nothing_is_lost(tmp_path, qdrant, monkeypatch):
    monkeypatch.setattr(wire, "AWAY_SECONDS", 0.01)
    monkeypatch.setattr(wire, "WRITING", wire.Patience(2, 5.0, 0.01))
    monkeypatch.setattr(view, "AWAY_SECONDS", 0.01)
    with served(tmp_path / "data", serve_vectors=qdrant.url) as one:
        one.post("/projects", project_id="p")
        one.index("p", {"hello.py": HELLO})
        assert found(one)["freshness"]["tiers"]["vectors"] is True
        qdrant.stop()
        pushed = one.index("p", {"other.py": OTHER})
        assert pushed["status"] == "ok"
        said = found(one)
        assert said["freshness"]["tiers"]["vectors"] is False
        assert {result["path"] for result in said["results"]} >= {"hello.py"}
        # It would leave vectors behind that nobody knows of: it is not removed before it can be removed whole.
        kept = one.client.delete("/projects/p")
        assert kept.status_code == 503
        assert one.client.get("/projects/p").json()["files"] == 2
        # Where it is, is not for clients.
        status = one.client.get("/status", params={"project_id": "p"})
        assert "vector" in status.json()["behind"]
        audit = one.hall.jobs.wait(one.post("/jobs", project_id="p", kind="audit").json()["job_id"], 30)
        told = kept.text + status.text + audit.message
        assert "vectors" in audit.message
        assert not [word for word in (qdrant.url, "127.0.0.1", "Qdrant at") if word in told], told
        qdrant.start()
        one.index("p", {"third.py": "def third():\n    return 3\n"})
        with one.hall.tenants.lease("p") as tenant:
            assert tenant.audit() == []
        said = found(one, mode="vector")
        assert {result["path"] for result in said["results"]} == {"hello.py", "other.py", "third.py"}
        assert said["freshness"]["tiers"]["vectors"] is True
        assert one.client.delete("/projects/p").status_code == 200


@pytest.mark.parametrize("stores", ["embedded-qdrant", "postgresql-pgvector", "postgresql-qdrant"], indirect=True)
def test_a_removed_project_leaves_no_vector_behind(tmp_path, stores):
    with served(tmp_path / "data") as one:
        for name in ("p", "q"):
            one.post("/projects", project_id=name)
            one.index(name, {"hello.py": HELLO})
        with one.hall.tenants.lease("p") as tenant, one.hall.tenants.lease("q") as other:
            tenant.tidy()
            other.tidy()
            vectors, kept = tenant.vectors, other.vectors
            assert vectors.count() == kept.count() > 0
            assert one.client.delete("/projects/p").status_code == 200
            assert vectors.count() == 0
            assert kept.count() > 0


@pytest.mark.parametrize("stores", ["embedded-qdrant", "postgresql-pgvector", "postgresql-qdrant"], indirect=True)
def test_a_removed_project_leaves_no_vector_of_an_earlier_embedder_behind(tmp_path, stores):
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        one.index("p", {"hello.py": HELLO})
        with one.hall.tenants.lease("p") as tenant:
            tenant.tidy()
            earlier = tenant._embedder
            assert tenant.vectors.count() > 0
    with endpoint.serving(endpoint.Endpoint()) as other:
        chosen = {"embedder": other.address, "embedder_model": "m", "embedder_width": 32}
        with served(tmp_path / "data", **chosen) as one, one.hall.tenants.lease("p") as tenant:
            left = tenant._home.vectors(tenant.config.serve_vectors, earlier)
            assert left.count() > 0
            left.close()
            assert one.client.delete("/projects/p").status_code == 200
            left = tenant._home.vectors(tenant.config.serve_vectors, earlier)
            assert left.count() == 0
            left.close()


def test_pgvector_without_a_database_is_refused_at_the_start(tmp_path, scova):
    with (
        pytest.raises(UsageError, match="needs a store in PostgreSQL"),
        served(tmp_path / "data", serve_vectors="pgvector:"),
    ):
        pass
    done = scova("serve", "--port", "0", "--data", str(tmp_path / "data"), "--vectors", "pgvector:")
    assert done.code == 2
    assert "--store" in done.err
    done = scova("serve", "--port", "0", "--data", str(tmp_path / "data"), "--vectors", "redis://x")
    assert (done.code, "pgvector:" in done.err) == (2, True)


@pytest.mark.parametrize("address", ["http://", "http://127.0.0.1:99999", "https://:kéy@host"])
def test_what_is_no_address_of_a_qdrant_is_refused_at_the_start(tmp_path, scova, address):
    done = scova("serve", "--port", "0", "--data", str(tmp_path / "data"), "--vectors", address)
    assert done.code == 2
    assert "Qdrant" in done.err
