"""Several `scova serve` processes on one PostgreSQL database, each with a data folder of its own: no update is lost, what one takes in the
others answer from, jobs of one that is killed are done by another, and a database that goes away comes back to everyone."""

import os
import signal
import threading
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from scova.server.tenants.caretaker import Caretaker
from scova.stores.derived import newest_matrix, newest_segment
from scova.stores.postgres import PostgresStore
from serving import HELLO, OTHER, lines_of, running, served, sha
from until import until

UNLIMITED = {"SCOVA_SERVE_RATE": "0"}
SECRET = "s3cr3t-w0rd"
MANY = 900  # functions: enough for derived files to be worth it


def client_of(server):
    return httpx2.Client(base_url=server.url, timeout=120)


def push(client, contents):
    files = [{"path": path, "content": content} for path, content in contents.items()]
    return client.post("/index", json={"project_id": "p", "files": files})


def missing(client, contents):
    manifest = {path: sha(content) for path, content in contents.items()}
    return client.post("/sync", json={"project_id": "p", "files": manifest}).json()["missing"]


def audited(client):
    job = client.post("/jobs", json={"project_id": "p", "kind": "audit"}).json()["job_id"]
    ended = until(lambda: (found := client.get(f"/jobs/{job}").json())["finished_at"] and found, "the audit", 120)
    return ended["result"]


@pytest.fixture
def two(tmp_path, postgres_url):
    """Two processes."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(running(tmp_path / name, store=postgres_url, environment=UNLIMITED)) for name in "ab"
        ]


def test_many_clients_lose_no_update_and_each_process_answers_for_all(two):
    problems, clients, rounds = [], int(os.environ.get("CLIENTS", "8")), 4

    def work(server, number):
        with client_of(server) as client:
            for one in range(rounds):
                name = f"{number}/{one}.py"
                shared = f"def shared():\n    return '{number} {one}'\n"
                answer = push(client, {name: f"def only_{number}_{one}():\n    pass\n", "shared.py": shared})
                if answer.status_code != 200 or answer.json()["status"] != "ok":
                    problems.append(answer.text)
                asked = {"project_id": "p", "name": f"only_{number}_{one}"}
                if client.post("/definitions", json=asked).json().get("total") != 1:
                    problems.append(name)

    with client_of(two[0]) as first, client_of(two[1]) as second:
        assert first.post("/projects", json={"project_id": "p"}).status_code == 201
        working = [threading.Thread(target=work, args=(two[n % 2], n)) for n in range(clients)]
        for one in working:
            one.start()
        for one in working:
            one.join()
        assert not problems
        for client in (first, second):
            assert client.get("/projects/p").json()["files"] == clients * rounds + 1
            found = client.post("/grep", json={"project_id": "p", "pattern": "only_"}).json()
            assert found["count"] == clients * rounds
            assert audited(client) == {"clean": True, "count": 0, "findings": []}
        assert first.delete("/projects/p").status_code == 200
        assert second.get("/projects/p").status_code == 404
        assert second.post("/projects", json={"project_id": "p"}).status_code == 201
        assert first.get("/projects/p").json()["files"] == 0


def test_what_one_takes_in_another_finds_by_meaning_at_once(two):
    with client_of(two[0]) as first, client_of(two[1]) as second:
        first.post("/projects", json={"project_id": "p"})
        push(first, {"a.py": HELLO})
        asked = {"project_id": "p", "query": "a portal that someone raps on", "mode": "vector"}
        assert {one["path"] for one in second.post("/search", json=asked).json()["results"]} == {"a.py"}
        push(first, {"door.py": OTHER})
        answer = second.post("/search", json=asked).json()
        assert {one["path"] for one in answer["results"]} == {"a.py", "door.py"}
        assert answer["freshness"]["pending_embeddings"] == 0
        first.post("/delete", json={"project_id": "p", "paths": ["a.py"]})
        assert {one["path"] for one in second.post("/search", json=asked).json()["results"]} == {"door.py"}


def test_the_job_of_a_process_that_is_killed_is_finished_by_another(tmp_path, postgres_url):
    """The first cannot come to the end of an audit, since someone else has the project; it dies in the middle of it."""
    with running(tmp_path / "b", store=postgres_url) as second, client_of(second) as client:
        client.post("/projects", json={"project_id": "p"})
        push(client, {"a.py": HELLO})
    with ExitStack() as stack:
        store = stack.enter_context(PostgresStore.open(postgres_url, "p", create=False))
        first = stack.enter_context(running(tmp_path / "a", store=postgres_url))
        with store.exclusive(), client_of(first) as client:
            job = client.post("/jobs", json={"project_id": "p", "kind": "audit"}).json()["job_id"]
            until(lambda: client.get(f"/jobs/{job}").json()["status"] == "running", "the job to be under way")
            first.kill()
        second = stack.enter_context(running(tmp_path / "b", store=postgres_url))
        client = stack.enter_context(client_of(second))
        ended = until(lambda: (found := client.get(f"/jobs/{job}").json())["finished_at"] and found, "the job", 120)
        assert (ended["status"], ended["attempts"]) == ("done", 2)
        assert ended["result"]["clean"]


def test_a_database_that_stops_under_load_is_503_and_comes_back_without_a_restart(tmp_path):
    from pg import running as database_server

    with ExitStack() as stack:
        database = stack.enter_context(database_server())
        url = stack.enter_context(database.database())
        servers = [stack.enter_context(running(tmp_path / name, store=url, environment=UNLIMITED)) for name in "ab"]
        with client_of(servers[0]) as client:
            client.post("/projects", json={"project_id": "p"})
        acknowledged, answers, stop = {}, [], threading.Event()

        def work(server, number):
            with client_of(server) as client:
                turn = 0
                while not stop.is_set():
                    turn += 1
                    path, content = f"{number}/{turn % 40}.py", f"# {turn}\n{HELLO}"
                    answer = push(client, {path: content})
                    answers.append((number, answer.status_code, answer.headers.get("retry-after"), answer.text))
                    if answer.status_code == 200:
                        acknowledged[path] = content
                    else:
                        acknowledged.pop(path, None)  # it may be there or not
                        stop.wait(0.05)
                    answer = client.get("/search", params={"project_id": "p", "query": "hello"})
                    answers.append((number, answer.status_code, answer.headers.get("retry-after"), answer.text))

        working = [threading.Thread(target=work, args=(servers[n % 2], n)) for n in range(4)]
        for one in working:
            one.start()
        try:
            until(lambda: len(acknowledged) > 8, "some pushes", 120)
            database.stop()
            began = len(answers)
            until(lambda: {n for n, status, *_ in answers[began:] if status == 503} == {0, 1, 2, 3}, "503 for all", 120)
            for server in servers:
                with client_of(server) as client:
                    assert client.get("/healthz").status_code == 200
                    assert client.get("/readyz").status_code == 503
                    for method, route, body in ROUTES:
                        answer = client.request(method, route, json=body)
                        assert answer.status_code == 503, (route, answer.text)
                        assert answer.headers["retry-after"] and answer.json()["hint"]
            database.start()
            began = len(answers)
            until(lambda: {n for n, status, *_ in answers[began:] if status == 200} == {0, 1, 2, 3}, "recovery", 120)
        finally:
            stop.set()
            for one in working:
                one.join()
        wrong = [answer for answer in answers if answer[1] not in (200, 503)]
        assert not wrong, wrong[:3]
        assert all(retry and "does not answer" in text for _, status, retry, text in answers if status == 503)
        for server in servers:
            with client_of(server) as client:
                assert missing(client, acknowledged) == []
                assert client.get("/readyz").status_code == 200
                assert audited(client) == {"clean": True, "count": 0, "findings": []}


ROUTES = [
    ("GET", "/projects", None),
    ("POST", "/projects", {"project_id": "q"}),
    ("GET", "/projects/p", None),
    ("DELETE", "/projects/p", None),
    ("GET", "/status?project_id=p", None),
    ("GET", "/stats?project_id=p", None),
    ("GET", "/search?project_id=p&query=x", None),
    ("POST", "/grep", {"project_id": "p", "pattern": "x"}),
    ("POST", "/definitions", {"project_id": "p", "name": "x"}),
    ("POST", "/sync", {"project_id": "p", "files": {}}),
    ("POST", "/delete", {"project_id": "p", "paths": ["x"]}),
    ("POST", "/jobs", {"project_id": "p", "kind": "tidy"}),
    ("GET", "/jobs", None),
    ("GET", "/jobs/tidy-0", None),
]


def test_started_while_the_database_is_away_it_says_so_and_never_the_password(tmp_path, scova):
    url = f"postgresql://someone:{SECRET}@127.0.0.1:1/nothing"
    for words in (["serve", "--port", "0"], ["token", "list"]):
        done = scova(*words, "--data", tmp_path, "--store", url, timeout=60)
        assert done.code == 2
        assert "nothing at 127.0.0.1:1 does not answer" in done.err
        assert "PostgreSQL is running" in done.err
        assert SECRET not in done.err + done.out
    for bad in ("mysql://u:" + SECRET + "@h/d", "postgresql://u:" + SECRET + "@h:no/d"):
        done = scova("serve", "--port", "0", "--data", tmp_path, "--store", bad, timeout=60)
        assert done.code == 2
        assert SECRET not in done.err + done.out


def test_the_password_of_the_database_is_never_told(tmp_path, postgres_url, scova, monkeypatch):
    """Not by `scova config`, nor in a log, an error, an answer, or a lock file that names who holds it."""
    url = f"{postgres_url}&password={SECRET}" if "?" in postgres_url else f"{postgres_url}?password={SECRET}"
    monkeypatch.setenv("SCOVA_SERVE_STORE", url)
    for words in (["config"], ["config", "--json"]):
        shown = scova(*words, cwd=tmp_path)
        assert "serve_store" in shown.out
        assert SECRET not in shown.out
    with running(tmp_path / "a", "--store", url) as server, client_of(server) as client:
        client.post("/projects", json={"project_id": "p"})
        push(client, {"a.py": HELLO})
        said = [client.get(route).text for route in ("/status?project_id=p", "/readyz", "/metrics", "/openapi.json")]
        with PostgresStore.open(postgres_url, "p", create=False) as store, store.exclusive():
            held = threading.Thread(target=lambda: push(client, {"b.py": HELLO}), daemon=True)
            held.start()
            lock = next(iter((tmp_path / "a").rglob(".writer.lock")))
            until(lambda: "scova" in lock.read_text(), "the lock to be held")
            said.append(lock.read_text())
        held.join()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(120)
    assert SECRET not in "".join(said)
    assert SECRET not in server.log.read_text()
    assert lines_of(server.log)


def generated(count):
    return {
        f"src/{number}.py": "".join(f"def lantern_{number}_{one}(a):\n    return a + {one}\n\n\n" for one in range(30))
        for number in range(count // 30)
    }


@pytest.fixture
def pair(tmp_path, postgres_url, monkeypatch):
    """Two servers in this process, with data folders of their own; nobody looks after them but the test."""
    monkeypatch.setattr(Caretaker, "start", lambda self: None)
    monkeypatch.setattr("scova.server.tenants.opened.COLD_CHUNKS", 1 << 30)
    with served(tmp_path / "a", serve_store=postgres_url) as a, served(tmp_path / "b", serve_store=postgres_url) as b:
        yield a, b


def files_of(one):
    with one.hall.tenants.lease("p") as tenant:
        store_id, model = tenant._opened().store_id, tenant._embedder.model
        found = newest_segment(tenant.layout, store_id), newest_matrix(tenant.layout, model, store_id)
        return [file.applied_seq if file else 0 for file in found]


def test_who_only_answers_brings_its_derived_files_up_to_date_and_answers_the_same(pair):
    writer, reader = pair
    writer.post("/projects", project_id="p")
    ask = {"project_id": "p", "query": "lantern", "limit": 50}
    contents = generated(MANY)
    for path, content in contents.items():
        writer.index("p", {path: content})
    before = reader.post("/search", **ask).json()
    assert files_of(reader) == [0, 0]
    reader.hall.tenants.attend()
    changed = len(contents)
    assert files_of(reader) == [changed, changed]
    after = reader.post("/search", **ask).json()
    assert (after["results"], after["total"]) == (before["results"], before["total"])
    writer.index("p", {"one.py": HELLO})
    reader.post("/search", **ask)
    reader.hall.tenants.attend()
    reader.hall.tenants.attend()  # quiet by now, and still too little to be worth it
    assert files_of(reader) == [changed, changed]
    with reader.hall.tenants.lease("p") as tenant:
        assert tenant.audit() == []


def test_a_process_without_derived_files_makes_them_before_it_answers_about_much(pair, monkeypatch):
    writer, reader = pair
    monkeypatch.setattr("scova.server.tenants.opened.COLD_CHUNKS", 10)
    writer.post("/projects", project_id="p")
    writer.index("p", generated(MANY))

    def found():
        answer = reader.post("/search", project_id="p", query="lantern")
        assert answer.status_code in (200, 503), answer.text
        return answer.status_code == 200 and answer.json()["results"]

    assert until(found, "the index to be ready")
    assert all(files_of(reader))


def test_chunks_without_a_vector_are_not_left_out_for_good_by_who_only_answers(pair):
    """A vector file that says it covers a change must cover all of it: it waits for whoever embeds."""
    writer, reader = pair
    writer.post("/projects", project_id="p")
    writer.index("p", generated(MANY))
    reader.post("/search", project_id="p", query="lantern")
    with reader.hall.tenants.lease("p") as tenant:
        model = tenant._embedder.model
        connection = tenant._home._connections.lend()
        connection.execute("DELETE FROM embeddings WHERE ctid IN (SELECT ctid FROM embeddings LIMIT 3)")
        tenant._home._connections.give_back(connection)
    reader.hall.tenants.attend()
    assert files_of(reader)[0] and not files_of(reader)[1], model


def test_caches_may_be_deleted_and_those_of_removed_projects_go(pair, tmp_path):
    import shutil

    writer, reader = pair
    writer.post("/projects", project_id="p")
    writer.index("p", generated(MANY))
    reader.post("/search", project_id="p", query="lantern")
    shutil.rmtree(tmp_path / "a" / "cache")
    writer.index("p", {"one.py": HELLO})
    assert writer.post("/definitions", project_id="p", name="hello").json()["total"] == 1
    homes = lambda name: [path for path in (tmp_path / name / "cache").glob("*/*")]  # noqa: E731
    assert len(homes("a")) == len(homes("b")) == 1
    assert writer.client.delete("/projects/p").status_code == 200
    assert homes("a") == []
    reader.hall.tenants.attend()
    assert not reader.hall.tenants._open
    reader.hall.parts.upkeep._house.tidy()
    assert homes("b") == []


def test_derived_files_that_are_ahead_of_the_database_are_not_believed(tmp_path, postgres_url):
    """It was put back from an older copy: the same numbers will soon mean other chunks."""
    with served(tmp_path / "a", serve_store=postgres_url) as one:
        one.post("/projects", project_id="p")
        one.index("p", {"a.py": HELLO})
        with one.hall.tenants.lease("p") as tenant:
            layout = tenant.layout
            tenant.tidy()
    segment = layout.segments()[0]
    segment.rename(segment.with_name("99.seg"))
    with served(tmp_path / "a", serve_store=postgres_url) as one:
        assert one.post("/search", project_id="p", query="hello").json()["results"]
        assert not (segment.parent / "99.seg").exists()


def test_two_processes_that_share_a_data_folder_write_its_derived_files_in_turn(tmp_path, postgres_url):
    """Both take in much at once, so that both publish; every file that is there in the end is whole and true."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(running(tmp_path / "a", store=postgres_url, environment=UNLIMITED)) for _ in range(2)
        ]
        with client_of(servers[0]) as client:
            client.post("/projects", json={"project_id": "p"})
        contents, problems = generated(MANY), []

        def work(number):
            with client_of(servers[number]) as client:
                for path, content in contents.items():
                    answer = push(client, {f"{number}/{path}": content})
                    if answer.status_code != 200:
                        problems.append(answer.text)

        working = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
        for one in working:
            one.start()
        for one in working:
            one.join()
        assert not problems
        for server in servers:
            with client_of(server) as client:
                answer = client.post("/search", json={"project_id": "p", "query": "lantern_3_3", "limit": 5}).json()
                assert {one["path"].split("/", 1)[1] for one in answer["results"][:2]} == {"src/3.py"}
                assert audited(client)["clean"]
    homes = list((tmp_path / "a" / "cache").glob("*/*"))
    assert len(homes) == 1 and list((Path(homes[0]) / "text").glob("*.seg"))


def test_a_token_that_is_revoked_elsewhere_opens_nothing_any_more(tmp_path, postgres_url, scova):
    words = ("--data", tmp_path, "--store", postgres_url)
    with running(tmp_path / "a", store=postgres_url) as server, client_of(server) as client:
        assert client.get("/projects").status_code == 200
        made = scova("token", "create", "--project", "*", "--scope", "read", "--json", *words).json
        headers = {"authorization": f"Bearer {made['token']}"}
        assert client.get("/projects", headers=headers).status_code == 200  # a new one counts at once
        until(lambda: client.get("/projects").status_code == 401, "nobody to be let in without", 120)
        assert scova("token", "revoke", made["id"], *words).code == 0
        until(lambda: client.get("/projects", headers=headers).status_code == 401, "the end of it", 120)
