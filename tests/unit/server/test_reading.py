"""What people look at: who they are, files by their lines, and how a project is."""

import json

import pytest

from scova.index import Index
from scova.server.reading.latency import BOUNDS_MS, Latency
from serving import HELLO, OTHER, served, sha

pytestmark = pytest.mark.usefixtures("store_url")

LONG = "".join(f"def line_{number}(value):\n    return value + {number}\n" for number in range(10_000))


@pytest.fixture
def shop(tmp_path):
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="shop")
        one.index("shop", {"hello.py": HELLO, "src/door.py": OTHER, ".env": "KEY=1\n", "b.py": "\0" * 9})
        yield one


def file(one, path, **asked):
    answer = one.client.get("/projects/shop/file", params={"path": path, **asked})
    assert answer.status_code == 200, answer.text
    return answer.json()


# --- who asks


def test_without_tokens_a_session_is_anyones(shop):
    said = shop.client.get("/session").json()
    assert (said["auth"], said["token"], said["local"], said["home"]) == (False, None, False, "")
    assert said["version"]


def test_with_tokens_a_session_says_what_the_token_is_for(shop):
    _, secret = shop.hall.tokens.create("shop", "write", "ci")
    headers = {"authorization": f"Bearer {secret}"}
    said = shop.client.get("/session", headers=headers).json()
    assert said["auth"] is True
    assert (said["token"]["name"], said["token"]["projects"]) == ("ci", ["shop"])
    assert said["token"]["scopes"] == ["read", "write"]
    assert secret not in json.dumps(said)
    for wrong in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Bearer {secret}x"}):
        assert shop.client.get("/session", headers=wrong).status_code == 401
    shop.hall.tokens.revoke(said["token"]["id"])
    assert shop.client.get("/session", headers=headers).status_code == 401


# --- files


def test_a_file_is_given_back_as_it_was_pushed(shop):
    found = file(shop, "src/door.py")
    assert "\n".join(found["lines"]) + "\n" == OTHER
    assert (found["language"], found["total_lines"], found["truncated"]) == ("python", OTHER.count("\n"), False)
    assert (found["digest"], found["size"], found["generation"]) == (sha(OTHER), len(OTHER), 1)
    outline = [(one["qualified"], one["kind"], one["depth"]) for one in found["outline"]]
    assert outline == [("Door", "class", 0), ("Door.knock", "method", 1)]
    for one in found["outline"]:
        assert one["name"] in found["lines"][one["start_line"] - 1]
    assert found["total_definitions"] == 2
    assert sum(found["chunk_types"].values()) == len(found["chunks"]) == found["total_chunks"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one\ntwo", ["one", "two"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("\n\n\n# a\n\n", ["", "", "", "# a", ""]),
        ("# \u202eevil\u2028 \x1b[31m <script>\n", ["# \u202eevil\u2028 \x1b[31m <script>"]),
    ],
)
def test_lines_are_counted_as_parsers_count_them(shop, text, lines):
    shop.index("shop", {"odd.py": text})
    assert file(shop, "odd.py")["lines"] == lines


def test_a_file_of_20000_lines_is_read_a_page_at_a_time(shop):
    shop.index("shop", {"long.py": LONG})
    expected, seen, start = LONG.split("\n")[:-1], [], 1
    while True:
        found = file(shop, "long.py", start=start, outline=start == 1)
        assert found["total_lines"] == 20_000
        assert len(found["lines"]) <= 2000 and found["start_line"] == start
        assert len(found["outline"]) == (5000 if start == 1 else 0)
        assert found["total_definitions"] == 10_000, "what is not listed is counted"
        assert found["total_chunks"] == sum(found["chunk_types"].values())
        seen += found["lines"]
        if not found["truncated"]:
            break
        start = found["end_line"] + 1
    assert seen == expected
    middle = file(shop, "long.py", start=9_999, end=10_003)
    assert middle["lines"] == expected[9_998:10_003] and middle["truncated"]
    beyond = file(shop, "long.py", start=20_001)
    assert (beyond["lines"], beyond["total_lines"], beyond["truncated"]) == ([], 20_000, False)


def test_a_file_that_is_not_there_says_why(shop):
    def asked(**words):
        return shop.client.get("/projects/shop/file", params=words)

    assert asked(path="none.py").status_code == 404
    left_out = asked(path="b.py")
    assert left_out.status_code == 404 and "binary" in left_out.json()["error"]
    for path in ("../../etc/passwd", "/etc/passwd", "src", "src/../hello.py", "hello.py\0"):
        assert asked(path=path).status_code == 404, path
    for wrong in ({}, {"path": ""}, {"path": "hello.py", "start": 0}, {"path": "hello.py", "start": 3, "end": 2}):
        assert asked(**wrong).status_code == 422, wrong
    assert asked(path="hello.py", nonsense=1).status_code == 422


def test_a_replaced_file_is_the_new_one(shop):
    assert file(shop, "hello.py")["generation"] == 1
    shop.index("shop", {"hello.py": "def other(): pass\n"})
    found = file(shop, "hello.py")
    assert (found["generation"], found["lines"]) == (2, ["def other(): pass"])


# --- figures


def test_health_has_the_figures_of_status_and_stats(shop):
    shop.index("shop", {"tests/ring.py": "def test_ring():\n    assert True\n"})
    health = shop.client.get("/projects/shop/health").json()
    status = shop.client.get("/status", params={"project_id": "shop"}).json()
    stats = shop.client.get("/stats", params={"project_id": "shop"}).json()
    for name in ("files", "chunks", "change_seq", "indexed_at", "embedder", "behind", "ready", "freshness"):
        assert health[name] == status[name], name
    for name in ("files", "chunks", "symbols", "calls", "languages", "chunk_types", "skipped"):
        assert health[name] == stats[name], name
    assert sum(health["kinds"].values()) == health["symbols"]
    assert health["tags"] == {"test": len(file(shop, "tests/ring.py")["chunks"])}
    assert {one["path"]: one["reason"] for one in health["skipped_files"]}.keys() == {".env", "b.py"}
    assert health["growth"][-1]["files"] == health["files"] and health["growth"][-1]["chunks"] == health["chunks"]
    assert health["watcher"] is None and health["bytes_on_disk"] > 0


def test_health_of_an_empty_project_is_all_noughts(shop):
    shop.post("/projects", project_id="empty")
    health = shop.client.get("/projects/empty/health").json()
    assert (health["files"], health["chunks"], health["growth"], health["builds"]) == (0, 0, [], [])


def test_searches_of_a_project_are_counted_by_how_long_they_took(shop):
    shop.post("/projects", project_id="other")
    for _ in range(3):
        assert shop.post("/search", project_id="shop", query="hello").status_code == 200
    assert shop.client.get("/search", params={"project_id": "shop", "query": "hello"}).status_code == 200
    assert shop.post("/search", project_id="shop", query="(", mode="regex").status_code == 422  # no answer
    told = shop.client.get("/projects/shop/health").json()["latency"]
    assert sum(told["counts"]) == 4 and len(told["counts"]) == len(told["bounds_ms"]) + 1
    assert sum(shop.client.get("/projects/other/health").json()["latency"]["counts"]) == 0
    shop.client.delete("/projects/shop")
    shop.post("/projects", project_id="shop")
    assert sum(shop.client.get("/projects/shop/health").json()["latency"]["counts"]) == 0  # it is another one


def test_builds_are_on_the_timeline_and_other_jobs_are_not(shop):
    audit = shop.post("/jobs", project_id="shop", kind="audit").json()["job_id"]
    shop.hall.jobs.wait(audit, 120)
    build = shop.post("/projects/shop/build", whole=True).json()["job_id"]
    shop.hall.jobs.wait(build, 120)
    (told,) = shop.client.get("/projects/shop/health").json()["builds"]
    assert (told["job_id"], told["state"]) == (build, "done")
    assert told["began"] and told["ended"] >= told["began"]
    assert {"fetch", "chunk", "embed"} <= told["phases"].keys()


def test_latency_is_put_where_it_belongs_and_forgets_no_one_too_soon():
    latency = Latency()
    for milliseconds in (0.5, 1.0, 1.5, 5000.0, 5001.0, 1e9):
        latency.add("a", milliseconds)
    counts = latency.of("a")["counts"]
    assert (counts[0], counts[1], counts[-2], counts[-1]) == (2, 1, 1, 2)
    assert sum(counts) == 6 and len(counts) == len(BOUNDS_MS) + 1
    with pytest.raises(ZeroDivisionError), latency.measured("a"):
        1 / 0  # noqa: B018 - it must not be counted
    assert sum(latency.of("a")["counts"]) == 6
    for number in range(1000):
        latency.add(f"p{number}", 1)
    assert sum(latency.of("a")["counts"]) == 0 and sum(latency.of("p0")["counts"]) == 1


def test_health_equals_what_the_command_says_of_the_same_files(shop, tmp_path):
    """The same files in a folder, counted by the index of that folder."""
    root = tmp_path / "folder"
    (root / "src").mkdir(parents=True)
    (root / "hello.py").write_text(HELLO)
    (root / "src" / "door.py").write_text(OTHER)
    with Index.open(root) as index:
        index.refresh()
        status = index.status()
    health = shop.client.get("/projects/shop/health").json()
    for name in ("files", "chunks", "symbols", "calls"):
        assert health[name] == getattr(status, name), name
    assert health["languages"] == dict(status.languages) and health["chunk_types"] == dict(status.chunk_types)
