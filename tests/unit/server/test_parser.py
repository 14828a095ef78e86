"""What takes a parser down costs that file, and not the server."""

import os

from deadly import DeadlySource
from serving import HELLO, served, sha


def source(**contents):
    data = {f"{name}.py": text.encode() for name, text in contents.items()}
    digests = {f"{name}.py": sha(text) for name, text in contents.items()}
    return DeadlySource(data, digests, 1_000_000, survivor=os.getpid())


def test_a_file_that_crashes_its_parser_is_left_out_and_the_others_are_indexed(tmp_path):
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        with one.hall.tenants.lease("p") as tenant:
            outcomes, _ = tenant.push(source(good=HELLO, deadly="x = 1\n", better="y = 2\n"))
            assert {path: outcome.status for path, outcome in outcomes.items()} == {
                "good.py": "indexed",
                "deadly.py": "skipped",
                "better.py": "indexed",
            }
            assert outcomes["deadly.py"].why.startswith("crashed")
            assert tenant.audit() == []
            # The same content is not tried again, and not asked for again either.
            again, _ = tenant.push(source(deadly="x = 1\n"))
            assert again["deadly.py"].status == "skipped"
            assert tenant.compare({"deadly.py": sha("x = 1\n")}, prune=False).missing == []
        # A parser is there for the next push.
        assert one.index("p", {"next.py": "z = 3\n"})["results"][0]["status"] == "indexed"
        assert one.post("/definitions", project_id="p", name="hello").json()["total"] == 1


def test_a_file_that_crashed_is_taken_once_its_content_is_another(tmp_path):
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        with one.hall.tenants.lease("p") as tenant:
            tenant.push(source(deadly="x = 1\n"))
        assert one.index("p", {"deadly.py": HELLO})["results"][0]["status"] == "indexed"
        assert one.client.get("/stats?project_id=p").json()["skipped"] == {}


def test_a_pushed_file_that_no_parser_comes_through_is_found_by_its_words(tmp_path):
    """What is opened in it is never closed, 2.7 million times: its parser would take all memory there is."""
    hard = "zebrafish = 1\n" + ("[" * 90 + "\n") * 30_000
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        results = one.index("p", {"hard.py": hard, "easy.py": HELLO})["results"]
        assert [result["status"] for result in results] == ["indexed", "indexed"]
        found = one.post("/search", project_id="p", query="zebrafish", mode="text").json()["results"]
        assert [(result["path"], "unparsed" in result["tags"]) for result in found] == [("hard.py", True)]
        assert one.post("/definitions", project_id="p", name="hello").json()["total"] == 1
