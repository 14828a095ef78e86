"""A file that the server leaves out is sent once, not with every push; and again when the server would take it."""

import json
import subprocess

from serving import SCOVA, files, running, served, sha

BIG = "x = 1\n" * 1000


def missing(one, **manifest):
    return one.post("/sync", project_id="p", files={path: sha(text) for path, text in manifest.items()}).json()[
        "missing"
    ]


def test_a_file_over_the_limit_is_not_asked_for_again_until_it_changes(tmp_path):
    with served(tmp_path / "data", max_file_bytes=1000) as one:
        one.post("/projects", project_id="p")
        said = one.index("p", {"big.py": BIG, "small.py": "y = 2\n"})
        assert [(file["path"], file["status"]) for file in said["results"]] == [
            ("big.py", "skipped"),
            ("small.py", "indexed"),
        ]
        assert "too-large" in str(said["results"][0])
        assert missing(one, **{"big.py": BIG, "small.py": "y = 2\n"}) == []
        assert missing(one, **{"big.py": BIG + "z = 3\n"}) == ["big.py"]
        assert one.client.get("/stats?project_id=p").json()["skipped"] == {"too-large": 1}


def test_under_a_higher_limit_it_is_asked_for_and_taken_in(tmp_path):
    with served(tmp_path / "data", max_file_bytes=1000) as one:
        one.post("/projects", project_id="p")
        one.index("p", {"big.py": BIG})
    with served(tmp_path / "data", max_file_bytes=10_000) as one:
        assert missing(one, **{"big.py": BIG}) == ["big.py"]
        said = one.post("/index", project_id="p", files=files(**{"big.py": BIG})).json()
        assert said["results"][0]["status"] == "indexed"
        assert missing(one, **{"big.py": BIG}) == []
        assert one.client.get("/stats?project_id=p").json()["skipped"] == {}


def test_a_file_that_grows_over_the_limit_is_no_longer_found_and_one_that_is_gone_is_forgotten(tmp_path):
    with served(tmp_path / "data", max_file_bytes=1000) as one:
        one.post("/projects", project_id="p")
        one.index("p", {"big.py": "def zebra():\n    pass\n"})
        assert one.post("/search", project_id="p", query="zebra").json()["results"]
        one.index("p", {"big.py": BIG})
        assert one.post("/search", project_id="p", query="zebra").json()["results"] == []
        pruned = one.post("/sync", project_id="p", files={}, prune=True).json()
        assert (pruned["extra"], pruned["deleted"]) == ([], 0)
        assert one.client.get("/stats?project_id=p").json()["skipped"] == {}
        assert missing(one, **{"big.py": BIG}) == ["big.py"]


def test_the_real_client_sends_it_once(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "big.py").write_text(BIG)
    (tree / "small.py").write_text("y = 2\n")
    with running(tmp_path / "data", environment={"SCOVA_MAX_FILE_BYTES": "1000"}) as server:
        command = [str(SCOVA), "push", str(tree), "--server", server.url, "--project", "p", "--json"]
        said = [json.loads(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(2)]
    assert [(one["sent"], len(one["skipped"]), one["unchanged"]) for one in said] == [(1, 1, 0), (0, 0, 2)]
    assert said[1]["bytes_sent"] == 0
