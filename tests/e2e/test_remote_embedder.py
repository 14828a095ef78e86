"""An index whose vectors come from an endpoint: what is sent, what is not sent twice, and what happens when it is down."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from endpoint import KEY, Endpoint, serving, slow, status
from scova import Index, Mode
from scova.build import embed, memory
from scova.errors import EmbedderError
from until import until, until_old

SCOVA = Path(sys.executable).with_name("scova")


@pytest.fixture
def endpoint():
    with serving(Endpoint()) as running:
        yield running


@pytest.fixture
def chosen(endpoint, monkeypatch):
    """The endpoint is the embedder of whoever runs these tests."""
    monkeypatch.setenv("SCOVA_EMBEDDER", endpoint.address)
    monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
    return endpoint


@pytest.fixture
def large(tmp_path):
    """More files than are parsed without worker processes."""
    root = tmp_path / "large"
    root.mkdir()
    for number in range(60):
        body = "\n\n".join(f"def function_{number}_{i}(value):\n    return value + {number * i}\n" for i in range(5))
        (root / f"module_{number}.py").write_text(body)
    return root


def vectors_of(index):
    freshness = index.search("hash password").freshness
    return freshness.tiers["vectors"], freshness.pending_embeddings


def test_an_index_by_an_endpoint(chosen, project, scova):
    report = scova("index", project, "--json").json
    assert report["embedded"] == len(chosen.texts) - 1 > 5, "one call was to know the width"
    assert report["tokens_used"] == 7 * len(chosen.texts) - 7 * (chosen.texts.count("how wide"))
    assert (report["note"], report["pending_embeddings"]) == ("", 0)
    before = len(chosen.batches)
    found = scova("search", "slow hash for passwords", project, "--json")
    assert found.json["freshness"]["tiers"] == {"text": True, "symbols": True, "vectors": True}
    assert chosen.batches[before:] == [["slow hash for passwords"]], "a search sends the question alone"
    assert found.err == ""
    assert scova("search", "tiny shop", project, "--mode", "vector", "--json").json["results"]
    assert scova("audit", project).code == 0
    before = len(chosen.batches)
    assert scova("index", project, "--force", "--json").json["embedded"] == 0
    assert len(chosen.batches) == before, "what was embedded is not sent again"


def test_calls_are_made_by_one_process_in_batches_of_the_chosen_size(chosen, large, monkeypatch):
    monkeypatch.setenv("SCOVA_EMBEDDER_BATCH", "30")
    monkeypatch.setattr(embed, "INLINE_CHUNKS", 0)  # the shipped model would be given to worker processes from here on
    with Index.open(large, workers=3, embedder_width=32) as index:
        report = index.refresh()
        assert index.audit() == []
    sizes = [len(batch) for batch in chosen.batches]
    assert report.embedded == sum(sizes) == len(set(chosen.texts))
    assert set(sizes[:-1]) == {30} and 0 < sizes[-1] <= 30
    assert chosen.most_busy == 1


def test_a_price_gives_an_estimate_of_costs(chosen, project):
    with Index.open(project, embedder_price="10", embedder_width=32) as index:
        report = index.refresh()
        assert report.tokens_used == 7 * len(chosen.texts)
        assert report.estimated_cost_usd == pytest.approx(report.tokens_used / 100_000)
        again = index.refresh()
        assert (again.tokens_used, again.estimated_cost_usd) == (0, 0.0)


def test_a_killed_build_goes_on_without_sending_anything_twice(chosen, large):
    chosen.script = [None, None, None, None, slow]
    command = [str(SCOVA), "index", str(large)]
    environment = os.environ | {"SCOVA_EMBEDDER_WIDTH": "32", "SCOVA_EMBEDDER_BATCH": "20"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as build:
        until(lambda: len(chosen.batches) == 5, "the fifth call")
        build.send_signal(signal.SIGKILL)
    chosen.released.set()
    under_way = set(chosen.batches[4])
    with Index.open(large, embedder_width=32) as index:
        report = index.refresh()
        assert report.added == 0, "everything was committed before"
        assert index.audit() == []
        assert vectors_of(index) == (True, 0)
    sent = Counter(text for text in chosen.texts if text != "hash password")
    assert {text for text, count in sent.items() if count > 1} == under_way, "but what was under way"
    assert report.reused == 4 * 20


def test_an_endpoint_that_is_down_while_indexing(project, tmp_path, monkeypatch, scova):
    with serving(Endpoint()) as gone:
        port = int(gone.address.split(":")[2].split("/")[0])
    monkeypatch.setenv("SCOVA_EMBEDDER", gone.address)
    monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
    done = scova("index", project, "--json")
    assert done.code == 3
    assert done.json["chunks"] == done.json["pending_embeddings"] > 5
    assert "cannot be reached" in done.json["note"]
    assert f"note: {done.json['chunks']} chunks wait for their vectors" in done.err
    found = scova("search", "hash password", project, "--json")
    assert found.json["results"][0]["path"] == "src/auth.py"
    assert found.json["freshness"]["tiers"] == {"text": True, "symbols": True, "vectors": False}
    assert found.json["freshness"]["pending_embeddings"] == done.json["chunks"]
    assert "answered without vectors" in found.err
    with serving(Endpoint(), port) as back:
        done = scova("index", project, "--json")
        assert (done.code, done.json["pending_embeddings"], done.json["note"]) == (0, 0, "")
        assert done.json["embedded"] > 5 and done.json["added"] == 0
        assert scova("search", "hash password", project, "--json").json["freshness"]["tiers"]["vectors"] is True
        assert scova("audit", project).code == 0
        assert back.batches


def test_an_endpoint_that_fails_in_the_middle_keeps_what_was_done(chosen, large):
    with Index.open(large, embedder_width=32, embedder_batch=20) as index:
        chosen.script = [None, None, status(401)]
        report = index.refresh()
        assert report.embedded == 40
        assert report.pending_embeddings == report.chunks - 40
        assert "SCOVA_EMBEDDER_KEY" in report.note
        assert vectors_of(index) == (False, report.pending_embeddings)
        assert index.audit() == [], "what waits is work to do, not damage"
        before = len(chosen.texts)
        assert index.refresh().embedded == report.pending_embeddings
        assert len(chosen.texts) - before == report.pending_embeddings
        assert vectors_of(index) == (True, 0)
        assert index.audit() == []


def test_what_was_put_off_is_neither_stale_nor_forgotten(chosen, project, monkeypatch):
    with Index.open(project, embedder_width=32) as index:
        until_old(project)
        chosen.script = [status(401)]
        assert index.refresh().pending_embeddings
        assert not index.is_stale(), "or every search would wait for the endpoint"
        calls = len(chosen.batches)
        (project / "more.py").write_text("def more():\n    return 1\n")
        until_old(project)
        assert index.update(["more.py"]).pending_embeddings, "a watcher does not wait for it either"
        assert len(chosen.batches) == calls
        assert not index.is_stale()
        monkeypatch.setattr(memory, "REST_SECONDS", 0.0)
        assert index.is_stale(), "after a while it is tried again unasked"
        assert index.settled(lambda: vectors_of(index)) == (True, 0)
        assert not index.is_stale()
        assert index.audit() == []


def test_tidying_up_makes_the_vectors_that_are_due_and_no_others(chosen, project, monkeypatch):
    with Index.open(project, embedder_width=32) as index:
        chosen.script = [status(401)]
        assert index.refresh().pending_embeddings
        calls = len(chosen.batches)
        index.tidy()
        assert len(chosen.batches) == calls and vectors_of(index)[1] > 0
        monkeypatch.setattr(memory, "REST_SECONDS", 0.0)
        index.tidy()
        assert len(chosen.batches) > calls and vectors_of(index) == (True, 0)


def test_an_endpoint_that_is_down_while_searching(project, scova, monkeypatch):
    with serving(Endpoint()) as gone:
        monkeypatch.setenv("SCOVA_EMBEDDER", gone.address)
        monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
        assert scova("index", project).code == 0
    found = scova("search", "hash password", project, "--json")
    assert found.code == 0
    assert found.json["results"][0]["path"] == "src/auth.py"
    assert found.json["freshness"]["tiers"] == {"text": True, "symbols": True, "vectors": False}
    assert found.json["freshness"]["pending_embeddings"] == 0
    assert "answered without vectors" in found.err and "cannot be reached" in found.err
    assert "note: answered without vectors" in scova("search", "hash password", project).err
    for mode in ("text", "symbol"):
        told = scova("search", "hash_password", project, "--mode", mode, "--json")
        assert (told.code, told.err) == (0, ""), mode
    refused = scova("search", "hash password", project, "--mode", "vector")
    assert refused.code == 2
    assert "cannot be reached" in refused.err and "hint:" in refused.err


def test_a_long_running_process_follows_an_endpoint_that_comes_back(chosen, project, monkeypatch):
    from scova.embed import remote

    with Index.open(project) as index:
        chosen.script = [status(403)] * 3
        assert index.refresh().pending_embeddings
        assert vectors_of(index)[0] is False
        with pytest.raises(EmbedderError, match="wants a key"):
            index.search("hash password", mode=Mode.VECTOR)
        chosen.script = []
        monkeypatch.setattr(remote, "REST_SECONDS", 0.0)
        index.refresh()
        assert vectors_of(index) == (True, 0)
        assert index.search("hash password", mode=Mode.VECTOR).results
        assert index.audit() == []


def test_another_model_embeds_everything_again_and_going_back_costs_nothing(chosen, project):
    def asked(**settings):
        with Index.open(project, **settings) as index:
            stale = index.is_stale()
            before = vectors_of(index)
            report = index.refresh()
            assert vectors_of(index) == (True, 0)
            assert index.audit() == []
            return stale, before, report.embedded

    until_old(project)
    with Index.open(project, embedder="static") as index:
        chunks = index.refresh().chunks
    assert asked(embedder_width=32) == (True, (False, chunks), chunks)
    assert asked(embedder_width=32) == (False, (True, 0), 0)
    chosen.width = 16
    assert asked(embedder_width=16) == (True, (False, chunks), chunks)
    assert asked(embedder_width=16, embedder_model="other") == (True, (False, chunks), chunks)
    calls = len(chosen.texts)
    stale, (complete, _), embedded = asked(embedder="static")
    assert (stale, complete, embedded) == (True, True, 0), "its vectors are still in the cache"
    assert len(chosen.texts) == calls


def test_a_model_that_was_changed_behind_its_name_is_refused_with_the_way_out(chosen, project, scova):
    assert scova("index", project).code == 0
    chosen.width = 16
    found = scova("search", "hash password", project)
    assert found.code == 0
    assert "16 components where 32 were expected" in found.err
    (project / "more.py").write_text("def more():\n    return 1\n")
    done = scova("index", project)
    assert done.code == 3
    assert "set `embedder_width` to 16" in done.err


def test_the_key_is_nowhere(chosen, project, scova, monkeypatch):
    chosen.key = KEY
    monkeypatch.setenv("SOME_KEY", KEY)
    monkeypatch.setenv("SCOVA_EMBEDDER_KEY_ENV", "SOME_KEY")
    said = [
        scova(*words)
        for words in (["index", project], ["search", "x", project], ["status", project], ["config", project])
    ]
    assert [done.code for done in said if done.code == 2] == []
    chosen.key = "another"
    (project / "more.py").write_text("def more():\n    return 1\n")
    said += [scova("index", project), scova("search", "x", project), scova("search", "x", project, "--mode", "vector")]
    assert "SOME_KEY" in said[-1].err
    kept = [path.read_bytes() for path in Path(os.environ["HOME"]).rglob("*") if path.is_file()]
    assert len(kept) > 3
    assert not [done for done in said if KEY in done.out + done.err]
    assert not [content for content in kept if KEY.encode() in content]


@pytest.mark.parametrize("name", ["scova.toml", "pyproject.toml"])
def test_a_project_cannot_send_itself_anywhere(endpoint, project, name):
    heading = "[tool.scova]\n" if name == "pyproject.toml" else ""
    for line in (f'embedder = "{endpoint.address}"', 'embedder_key_env = "HOME"', 'embedder-key-env = "HOME"'):
        (project / name).write_text(f"{heading}{line}\n")
        with Index.open(project) as index:
            assert (index.config.embedder, index.config.embedder_key_env) == ("static", "SCOVA_EMBEDDER_KEY")
            assert name in index.config.ignored[0]
            index.refresh()
    assert endpoint.batches == []


@pytest.mark.parametrize("name", ["scova.toml", "pyproject.toml"])
def test_a_project_cannot_have_its_secrets_sent(endpoint, project, name, monkeypatch):
    monkeypatch.setenv("SCOVA_EMBEDDER", endpoint.address)
    monkeypatch.setenv("SCOVA_EMBEDDER_MODEL", "m")
    heading = "[tool.scova]\n" if name == "pyproject.toml" else ""
    (project / ".env").write_text("TOKEN=hidden-token-of-the-user\n")
    (project / name).write_text(f"{heading}index_secrets = true\n")
    with Index.open(project) as index:
        index.refresh()
        assert "index_secrets" in index.status().ignored_settings[0]
    assert endpoint.texts
    assert not [text for text in endpoint.texts if "hidden-token" in text]


def test_a_search_with_the_shipped_model_loads_no_network(project, scova):
    scova("index", project)
    script = "import sys; from scova.cli.main import main; main(sys.argv[1:]); print('\\n'.join(sys.modules), file=sys.stderr)"
    words = [sys.executable, "-c", script, "search", "hash password", str(project)]
    modules = set(subprocess.run(words, capture_output=True, text=True, check=True).stderr.split())
    assert "scova.embed.static" in modules
    assert not modules & {"httpx2", "ssl", "scova.embed.remote", "scova.embed.endpoint"}
