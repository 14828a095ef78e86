"""A real repository pushed and changed a hundred times over HTTP: nothing is left behind, and no answer mixes two generations."""

import random
import re
import threading
from pathlib import Path

import httpx2
import pytest

from serving import running, served, sha

pytestmark = pytest.mark.usefixtures("stores")

SOURCE = Path(__file__).parents[2] / "src" / "scova"
ROUNDS = 100
QUERIES = (
    "where is the write lock taken",
    "def search",
    "Generation",
    "parse a query",
    "SqliteStore",
    "removed chunks",
)


def repository():
    """Some sixty files of this project."""
    chosen = sorted(
        path for path in SOURCE.rglob("*.py") if path.parent.name in ("search", "chunks", "build", "sources", "stores")
    )
    return {path.relative_to(SOURCE).as_posix(): path.read_text() for path in chosen}


class Gardener:
    """Changes a repository at random, and tells a server."""

    def __init__(self, one, contents, seed):
        self.one, self.now, self.chance = one, contents, random.Random(seed)

    def edit(self):
        chosen = self.chance.sample(sorted(self.now), 3)
        for path in chosen:
            lines = self.now[path].splitlines(keepends=True)
            at = self.chance.randrange(len(lines) + 1)
            lines.insert(at, f"# edited {self.chance.random()}\n")
            self.now[path] = "".join(lines)
        self.one.index("p", {path: self.now[path] for path in chosen})

    def rename(self):
        old = self.chance.choice(sorted(self.now))
        new = f"moved/{self.chance.randrange(1000)}/{old.rpartition('/')[2]}"
        self.now[new] = self.now.pop(old)
        self.one.index("p", {new: self.now[new]})
        assert self.one.post("/delete", project_id="p", paths=[old]).json()["deleted"] == [old]

    def delete(self):
        if len(self.now) > 20:
            old = self.chance.choice(sorted(self.now))
            del self.now[old]
            manifest = {path: sha(content) for path, content in self.now.items()}
            assert self.one.post("/sync", project_id="p", files=manifest, prune=True).json()["deleted"] == 1

    def add(self):
        path = f"new/{self.chance.randrange(10_000)}.py"
        self.now[path] = f"def made_{self.chance.randrange(10_000)}():\n    return search(write_lock)\n"
        self.one.index("p", {path: self.now[path]})


def test_a_hundred_changes_leave_no_orphan_and_equal_a_fresh_push(tmp_path):
    with served(tmp_path / "data") as one:
        contents = repository()
        one.post("/projects", project_id="p")
        for start in range(0, len(contents), 20):
            one.index("p", dict(list(contents.items())[start : start + 20]))
        gardener = Gardener(one, contents, seed=3)
        for number in range(ROUNDS):
            gardener.chance.choice((gardener.edit, gardener.edit, gardener.rename, gardener.delete, gardener.add))()
            if number % 10 == 0:
                answer = one.post(
                    "/search", project_id="p", query=QUERIES[number // 10 % len(QUERIES)], limit=20
                ).json()
                for result in answer["results"]:
                    assert result["chunk_type"] == "symbols" or result["text"] in gardener.now[result["path"]]
        with one.hall.tenants.lease("p") as tenant:
            assert tenant.audit() == []
            if tenant.vectors is not None:
                with tenant._opened().reader() as reader:
                    since = tenant.vectors.applied_seq()
                    alive = set(reader.rows()) - set(reader.rows(since=since))
                    assert set(tenant.vectors.rows()) == alive | {row for row, _ in reader.removed(since)}
        manifest = {path: sha(content) for path, content in gardener.now.items()}
        compared = one.post("/sync", project_id="p", files=manifest).json()
        assert (compared["missing"], compared["extra"]) == ([], [])
        one.post("/projects", project_id="fresh")
        paths = sorted(gardener.now)
        for start in range(0, len(paths), 20):
            one.index("fresh", {path: gardener.now[path] for path in paths[start : start + 20]})
        for query in QUERIES:
            assert asked(one, "p", query) == asked(one, "fresh", query)
        assert kept(one, "p") == kept(one, "fresh")


def asked(one, project_id, query):
    answer = one.post("/search", project_id=project_id, query=query, limit=30).json()
    keys = ("path", "start_line", "end_line", "score", "text", "symbol")
    return [tuple(result[key] for key in keys) for result in answer["results"]], answer["total"], answer["literal"]


def kept(one, project_id):
    """Every chunk with what does not depend on when it came, and every definition."""
    with one.hall.tenants.lease(project_id) as tenant, tenant._opened().reader() as reader:
        chunks = [
            (chunk.file_path, chunk.ordinal, chunk.start_line, chunk.end_line, chunk.symbol, chunk.text)
            for chunk in reader.chunks(reader.rows())
        ]
        return sorted(chunks), reader.names(), reader.files()


def generation(number, count):
    return "".join(
        f"def lantern_{one}():\n    '''lantern'''\n    return 'generation {number}'\n\n\n" for one in range(count)
    )


def test_every_search_in_between_sees_one_generation_only(tmp_path):
    """One writes a file of many chunks again and again, in ever other lengths, two ask; over real sockets."""
    mixed, seen, stop = [], set(), threading.Event()

    def ask(url, route, body, texts):
        with httpx2.Client(base_url=url, timeout=120) as client:
            while not stop.is_set():
                answer = client.post(route, json={"project_id": "p", **body}).json()
                found = {int(number) for text in texts(answer) for number in re.findall(r"generation (\d+)", text)}
                seen.update(found)
                if len(found) != 1:
                    mixed.append(answer)

    with (
        running(tmp_path / "data", environment={"SCOVA_SERVE_RATE": "0"}) as server,
        httpx2.Client(base_url=server.url, timeout=120) as client,
    ):
        client.post("/projects", json={"project_id": "p"})

        def write(number):
            files = [{"path": f"{name}.py", "content": generation(number, 30 + 7 * (number % 5))} for name in "ab"]
            answer = client.post("/index", json={"project_id": "p", "files": files})
            assert answer.json()["status"] == "ok"

        write(0)
        askers = [
            threading.Thread(
                target=ask,
                args=(server.url, "/search", {"query": "lantern", "limit": 100, "chunk_types": ["definitions"]},
                      lambda answer: [result["text"] for result in answer["results"]]),
            ),
            threading.Thread(
                target=ask,
                args=(server.url, "/grep", {"pattern": "generation \\d+"},
                      lambda answer: [line["text"] for file in answer["files"] for line in file["lines"]]),
            ),
        ]  # fmt: skip
        for asker in askers:
            asker.start()
        for number in range(1, 40):
            write(number)
        stop.set()
        for asker in askers:
            asker.join()
    assert not mixed, mixed[:1]
    assert len(seen) > 3  # there was something to mix


def test_many_clients_at_two_processes_lose_no_update(tmp_path):
    """Two servers on one data folder, eight clients: every push is answered, all are there, and each server knows of the other's at once."""
    problems, data = [], tmp_path / "data"

    def push(url, number):
        with httpx2.Client(base_url=url, timeout=120) as client:
            for one in range(6):
                name = f"{number}/{one}.py"
                files = [
                    {"path": name, "content": f"def only_{number}_{one}():\n    pass\n"},
                    {"path": "shared.py", "content": f"def shared():\n    return '{number} {one}'\n"},
                ]
                answer = client.post("/index", json={"project_id": "p", "files": files})
                if answer.status_code != 200 or answer.json()["status"] != "ok":
                    problems.append(answer.text)
                asked = {"project_id": "p", "name": f"only_{number}_{one}"}
                if client.post("/definitions", json=asked).json()["total"] != 1:
                    problems.append(name)

    unlimited = {"SCOVA_SERVE_RATE": "0"}
    with running(data, environment=unlimited) as first, running(data, environment=unlimited) as second:
        assert httpx2.post(f"{first.url}/projects", json={"project_id": "p"}, timeout=120).status_code == 201
        pushing = [threading.Thread(target=push, args=((first, second)[n % 2].url, n)) for n in range(8)]
        for one in pushing:
            one.start()
        for one in pushing:
            one.join()
        assert not problems
        for server in (first, second):
            assert httpx2.get(f"{server.url}/projects/p", timeout=120).json()["files"] == 49
            found = httpx2.post(f"{server.url}/grep", json={"project_id": "p", "pattern": "only_"}, timeout=120).json()
            assert found["count"] == 48
        assert httpx2.delete(f"{first.url}/projects/p", timeout=60).status_code == 200
        assert httpx2.get(f"{second.url}/projects/p", timeout=120).status_code == 404
