"""Every route does what it is there for."""

import json

import pytest

from serving import HELLO, OTHER, served, sha

pytestmark = pytest.mark.usefixtures("store_url")


@pytest.fixture
def shop(tmp_path):
    """A server with one project of two files."""
    with served(tmp_path / "data") as one:
        assert one.post("/projects", project_id="shop").status_code == 201
        one.index("shop", {"hello.py": HELLO, "src/door.py": OTHER})
        yield one


def test_projects_are_made_listed_shown_and_removed(tmp_path):
    with served(tmp_path / "data") as one:
        made = one.post("/projects", project_id="a.b-c_1")
        assert (made.status_code, made.json()["files"]) == (201, 0)
        again = one.post("/projects", project_id="a.b-c_1")
        assert again.status_code == 409
        assert "already" in again.json()["error"]
        assert one.client.get("/projects").json() == {"projects": ["a.b-c_1"]}
        one.index("a.b-c_1", {"x.py": HELLO})
        assert one.client.get("/projects/a.b-c_1").json()["files"] == 1
        assert one.client.delete("/projects/a.b-c_1").json() == {"deleted": "a.b-c_1"}
        assert one.client.get("/projects/a.b-c_1").status_code == 404
        left = [path for path in (tmp_path / "data").rglob("*") if path.name not in ("tenants", "cache", "jobs.db")]
        assert not [
            path
            for path in left
            if path.suffix in (".db", ".seg", ".vec", ".lock") and path.parent != tmp_path / "data"
        ]


def test_a_project_made_anew_has_nothing_of_the_old_one(shop):
    shop.client.delete("/projects/shop")
    shop.post("/projects", project_id="shop")
    assert shop.post("/search", project_id="shop", query="hello").json()["results"] == []
    assert shop.index("shop", {"hello.py": HELLO})["results"][0]["status"] == "indexed"


def test_index_says_of_each_file_what_became_of_it(shop):
    answer = shop.index(
        "shop",
        {
            "hello.py": HELLO,
            "new.py": "def new():\n    pass\n",
            ".env": "KEY=1\n",
            "x.js": "a" * 30_000,
            "b.py": "\0" * 9,
        },
    )
    became = {result["path"]: result["status"] for result in answer["results"]}
    assert answer["status"] == "ok"
    assert became == {
        "hello.py": "unchanged",
        "new.py": "indexed",
        ".env": "skipped",
        "x.js": "skipped",
        "b.py": "skipped",
    }
    assert [result["path"] for result in answer["results"]] == ["hello.py", "new.py", ".env", "x.js", "b.py"]
    why = {result["path"]: result["error"] for result in answer["results"] if "error" in result}
    assert why[".env"].startswith("secret")
    assert why["x.js"].startswith("minified")
    assert why["b.py"].startswith("binary")
    assert all(result["chunks"] > 0 for result in answer["results"] if result["status"] != "skipped")


def test_a_file_that_turns_into_one_that_is_left_out_is_not_found_any_more(shop):
    shop.index("shop", {"hello.py": "-----BEGIN RSA PRIVATE KEY-----\n" + "A" * 64})
    assert shop.post("/definitions", project_id="shop", name="greet_all").json()["total"] == 0
    assert shop.client.get("/stats?project_id=shop").json()["skipped"] == {"secret": 1}
    shop.index("shop", {"hello.py": HELLO})
    assert shop.post("/definitions", project_id="shop", name="greet_all").json()["total"] == 1
    assert shop.client.get("/stats?project_id=shop").json()["skipped"] == {}


def test_delete_takes_out_what_is_there_and_names_what_is_not(shop):
    answer = shop.post("/delete", project_id="shop", paths=["hello.py", "nothing.py"]).json()
    assert (answer["deleted"], answer["unknown"]) == (["hello.py"], ["nothing.py"])
    assert shop.post("/search", project_id="shop", query="greet_all").json()["literal"]["count"] == 0
    assert shop.hall.tenants.names() == ["shop"]


def test_sync_names_what_is_missing_and_what_is_extra_and_prunes_in_one_step(shop):
    shop.index("shop", {"b.py": "\0" * 9})
    manifest = {
        "hello.py": sha(HELLO),
        "src/door.py": sha("else"),
        "b.py": sha("\0" * 9),
        "n.py": sha("n"),
        ".env": sha("x"),
    }
    answer = shop.post("/sync", project_id="shop", files=manifest).json()
    assert answer["missing"] == ["n.py", "src/door.py"]  # what is left out for good is not asked for again
    assert (answer["extra"], answer["deleted"]) == ([], 0)
    before = answer["change_seq"]
    answer = shop.post("/sync", project_id="shop", files={"hello.py": sha(HELLO)}, prune=True).json()
    assert (answer["missing"], answer["extra"], answer["deleted"]) == ([], ["src/door.py"], 1)
    assert answer["change_seq"] == before + 1
    assert shop.post("/sync", project_id="shop", files={"b.py": sha("\0" * 9)}).json()["missing"] == ["b.py"]


def test_a_manifest_that_is_met_has_nothing_missing(shop):
    manifest = {"hello.py": sha(HELLO), "src/door.py": sha(OTHER)}
    answer = shop.post("/sync", project_id="shop", files=manifest).json()
    assert (answer["missing"], answer["extra"]) == ([], [])


def test_search_ranks_filters_pages_and_explains(shop):
    answer = shop.post("/search", project_id="shop", query="hello", limit=1, explain=True).json()
    assert answer["results"][0]["path"] == "hello.py"
    assert answer["results"][0]["shares"]
    assert answer["truncated"]
    onward = shop.post("/search", project_id="shop", query="hello", limit=1, after=answer["next"]).json()
    assert onward["results"][0]["id"] != answer["results"][0]["id"]
    only = shop.post("/search", project_id="shop", query="hello", paths=["src/**"], chunk_types=["definitions"]).json()
    assert {result["path"] for result in only["results"]} == {"src/door.py"}
    without = shop.post(
        "/search", project_id="shop", query="hello", not_paths=["hello.py"], languages=["python"]
    ).json()
    assert {result["path"] for result in without["results"]} == {"src/door.py"}
    assert shop.post("/search", project_id="shop", query="hel+o", mode="regex").json()["total"]
    packed = shop.post("/search", project_id="shop", query="hello", budget=60).json()
    assert 0 < packed["tokens"] <= 60


def test_search_by_address_is_the_same_search(shop):
    posted = shop.post("/search", project_id="shop", query="hello door").json()
    got = shop.client.get("/search", params={"project_id": "shop", "query": "hello door"}).json()
    posted.pop("timings"), got.pop("timings")
    assert posted == got


def test_similar_by_text_and_by_place(shop):
    by_text = shop.post("/similar", project_id="shop", text="a class with a door to knock at").json()
    assert by_text["results"][0]["path"] == "src/door.py"
    by_place = shop.post("/similar", project_id="shop", path="src/door.py", line=5, limit=2).json()
    assert by_place["results"]
    itself = shop.post("/search", project_id="shop", query="Door", chunk_types=["definitions"]).json()["results"][0][
        "id"
    ]
    assert itself not in {result["id"] for result in by_place["results"]}
    assert shop.post("/similar", project_id="shop").status_code == 422
    assert shop.post("/similar", project_id="shop", path="no.py").status_code == 422
    assert shop.post("/similar", project_id="shop", path="hello.py", line=999).status_code == 422


def test_exact_questions(shop):
    found = shop.post("/definitions", project_id="shop", name="hello", body=True).json()
    assert (found["definitions"][0]["path"], found["total"]) == ("hello.py", 1)
    assert found["definitions"][0]["text"].startswith("def hello")
    assert shop.post("/definitions", project_id="shop", at="src/door.py:6").json()["definitions"][0]["name"] == "knock"
    used = shop.post("/usages", project_id="shop", name="hello").json()
    assert used["counts"]["call"] == 2
    tree = shop.post("/callers", project_id="shop", name="hello").json()
    assert {node["name"] for node in tree["roots"][0]["nodes"]} == {"greet_all", "Door.knock"}
    down = shop.post("/callers", project_id="shop", name="greet_all", direction="callees", depth=1).json()
    assert [node["name"] for node in down["roots"][0]["nodes"]] == ["hello"]
    outline = shop.post("/outline", project_id="shop", path="src").json()
    assert [file["path"] for file in outline["files"]] == ["src/door.py"]
    pack = shop.post("/context", project_id="shop", subject="greet_all", budget=500).json()
    assert pack["parts"][0]["role"] == "definition"


def test_grep_matches_the_texts_as_they_were_pushed(shop):
    text = "one\nTwo words\n\nthree (3)\nlast without end"
    shop.index("shop", {"notes.txt": text})
    found = shop.post("/grep", project_id="shop", pattern="(3)", literal=True, before=1, paths=["*.txt"]).json()
    assert [line["line"] for line in found["files"][0]["lines"]] == [3, 4]
    assert (found["count"], found["searched"]) == (1, 1)
    assert shop.post("/grep", project_id="shop", pattern="^last.*end$").json()["count"] == 1
    assert shop.post("/grep", project_id="shop", pattern="TWO", ignore_case=True).json()["count"] == 1
    assert shop.post("/grep", project_id="shop", pattern="word", word=True).json()["count"] == 0
    some = shop.post("/grep", project_id="shop", pattern="hello", limit=1).json()
    assert some["truncated"]
    bad = shop.post("/grep", project_id="shop", pattern="(")
    assert bad.status_code == 422
    assert bad.json()["hint"]


def test_an_answer_of_grep_has_a_size_and_counts_what_is_beyond(shop):
    lines = 1000
    shop.index("shop", {f"many/{name}.txt": "forty characters are in each of them....\n" * lines for name in "abcd"})
    found = shop.post("/grep", project_id="shop", pattern=".", limit=1_000_000, paths=["many"]).json()
    assert found["truncated"]
    assert (found["count"], found["matches"]) == (4 * lines, 160 * lines)
    assert [file["count"] for file in found["files"]] == [lines] * 4
    shown = [len(file["lines"]) for file in found["files"]]
    assert shown[0] == lines
    assert 0 < shown[1] < lines
    assert shown[2:] == [0, 0]
    assert sum(shown) == 4_000_000 // (40 + 100 + 40 * 50)


def test_status_and_stats_say_how_a_project_stands(shop):
    status = shop.client.get("/status", params={"project_id": "shop"}).json()
    assert (status["files"], status["pending_embeddings"], status["behind"]) == (2, 0, {})
    stats = shop.client.get("/stats", params={"project_id": "shop"}).json()
    assert stats["languages"] == {"python": 2}
    assert stats["symbols"] == 4


def test_probes_and_metrics(shop):
    assert shop.client.get("/healthz").json() == {"status": "ok"}
    assert shop.client.get("/readyz").json() == {"status": "ready"}
    told = shop.client.get("/metrics")
    assert told.headers["content-type"].startswith("text/plain")
    assert 'scova_requests_total{method="POST",route="/index",status="200"} 1.0' in told.text
    assert 'scova_files_total{status="indexed"} 2.0' in told.text
    assert "shop" not in told.text
    shop.hall.stopping.set()
    assert shop.client.get("/readyz").status_code == 503


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_answer_head_as_they_answer_get_without_a_body(tmp_path, path):
    """As some balancers ask, who have no token; every other route is as it was."""
    with served(tmp_path / "data", asks_always=True) as one:
        for _ in range(2):
            asked, told = one.client.head(path), one.client.get(path)
            assert asked.status_code == told.status_code
            assert asked.content == b""
            assert asked.headers["content-length"] == told.headers["content-length"]
            one.hall.stopping.set()
        assert one.client.head("/projects").status_code == 401
        assert one.client.head("/healthz/more").status_code == 401


def test_jobs_are_begun_watched_and_cancelled(shop):
    job = shop.post("/jobs", project_id="shop", kind="audit").json()
    assert shop.client.get("/jobs").json()["jobs"][0]["job_id"] == job["job_id"]
    said = shop.client.get(f"/jobs/{job['job_id']}/events").text
    last = said.strip().split("\n\n")[-1]
    assert last.startswith("event: end\ndata: ")
    ended = json.loads(last.partition("data: ")[2])
    assert (ended["status"], ended["result"]["clean"]) == ("done", True)
    assert shop.client.get(f"/jobs/{job['job_id']}").json()["status"] == "done"
    assert shop.client.delete(f"/jobs/{job['job_id']}").json()["status"] == "done"
    tidy = shop.post("/jobs", project_id="shop", kind="tidy").json()
    assert shop.hall.jobs.wait(tidy["job_id"], 120).status == "done"
    assert (
        shop.client.get("/jobs", params={"project_id": "shop", "limit": 1}).json()["jobs"][0]["job_id"]
        == tidy["job_id"]
    )
    assert shop.client.get("/jobs/none").status_code == 404


def test_what_was_pushed_is_there_after_the_server_was_started_anew(tmp_path):
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="shop")
        one.index("shop", {"hello.py": HELLO})
    with served(tmp_path / "data") as other:
        assert other.post("/search", project_id="shop", query="hello").json()["results"]
        assert other.index("shop", {"hello.py": HELLO})["results"][0]["status"] == "unchanged"


def test_many_projects_are_open_one_after_another_and_none_is_lost(tmp_path):
    with served(tmp_path / "data") as one:
        one.hall.tenants._most_open = 3
        for number in range(8):
            one.post("/projects", project_id=f"p{number}")
            one.index(f"p{number}", {"a.py": f"def only_in_{number}():\n    pass\n"})
        for number in range(8):
            found = one.post("/definitions", project_id=f"p{number}", name=f"only_in_{number}").json()
            assert found["total"] == 1
        assert len(one.hall.tenants._open) <= 3


def test_streams_of_events_are_limited_so_that_others_get_in(tmp_path, monkeypatch):
    from scova.server.routes import jobs

    monkeypatch.setattr(jobs, "MOST_STREAMS", 0)
    with served(tmp_path / "limited") as one:
        one.post("/projects", project_id="p")
        job_id = one.post("/jobs", project_id="p", kind="audit").json()["job_id"]
        answer = one.client.get(f"/jobs/{job_id}/events")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")
        monkeypatch.setattr(jobs, "MOST_STREAMS", 1)
        for _ in range(3):  # each is counted while it is open, and no longer
            with one.client.stream("GET", f"/jobs/{job_id}/events") as stream:
                assert "end" in "".join(stream.iter_text())
