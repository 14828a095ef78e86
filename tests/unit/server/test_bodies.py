"""A body is counted before it is read into objects, and refused at the first thing that is wrong: what it costs follows from its size."""

import json
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from scova.server import routes
from scova.server.limits import Limits
from scova.server.middleware.bodies import CountedRoute
from serving import served

JSON = {"content-type": "application/json"}
TIMES = 12  # the most memory a body may take, in times of its size
SOME = 24 << 20  # what any request may take besides

# What a hostile body takes in a server, in a process of its own: the peak of its memory is nobody else's.
MEASURED = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from unit.server.test_bodies import HOSTILE, JSON, peak_since
from serving import served
route, make, _ = HOSTILE[sys.argv[3]]
body = make()
with served(Path(sys.argv[2])) as one:
    one.post("/projects", project_id="p")
    one.post(route, project_id="p")
    began = peak_since()
    answer = one.client.post(route, content=body, headers=JSON)
    print(json.dumps([answer.status_code, answer.text[:5000], len(answer.content), len(body), peak_since(began)]))
"""


def _unknown_fields():
    return json.dumps({"project_id": "p", "query": "x"} | {f"f{number}": 1 for number in range(600_000)}).encode()


def _bad_hashes():
    return json.dumps({"project_id": "p", "files": {f"{number}": "x" for number in range(2_000_000)}}).encode()


def _bad_hashes_within_the_count():
    return json.dumps({"project_id": "p", "files": {f"{number}": "x" for number in range(400_000)}}).encode()


def _bad_paths():
    return json.dumps({"project_id": "p", "paths": [""] * 900_000}).encode()


def _file_of_many_fields():
    return json.dumps({"project_id": "p", "files": [{f"f{number}": 1 for number in range(600_000)}]}).encode()


def _many_files():
    return json.dumps({"project_id": "p", "files": [0] * 2_000_000}).encode()


def _many_globs():
    return json.dumps({"project_id": "p", "query": "x", "paths": [""] * 2_000_000}).encode()


def _many_lists():
    return json.dumps({"project_id": "p", "query": [[]] * 1_000_000}).encode()


def _many_sources():
    return json.dumps({"sources": [{}] * 1_000_000}).encode()


def _bad_tags():
    source = {
        "type": "url",
        "uri": "http://h.example/",
        "tags": ["a b"] * 50,
        "include": [7] * 1000,
        "exclude": [7] * 1000,
    }
    return json.dumps({"sources": [source] * 50}).encode()


HOSTILE = {
    "unknown fields": ("/search", _unknown_fields, 413),
    "bad hashes": ("/sync", _bad_hashes, 413),
    "bad hashes within the count": ("/sync", _bad_hashes_within_the_count, 422),
    "bad paths": ("/delete", _bad_paths, 422),
    "a file of many fields": ("/index", _file_of_many_fields, 413),
    "many files": ("/index", _many_files, 413),
    "many globs": ("/search", _many_globs, 413),
    "many lists": ("/search", _many_lists, 413),
    "many sources": ("/projects/p/sources", _many_sources, 413),
    "bad tags": ("/projects/p/sources", _bad_tags, 422),
}


def peak_since(began=0):
    """The peak of this process's memory, above `began`; counted anew from now on."""
    status = Path("/proc/self/status").read_text()
    peak = 1024 * int(status.partition("VmHWM:")[2].split()[0])
    Path("/proc/self/clear_refs").write_text("5")
    return peak - began if began else 1024 * int(status.partition("VmRSS:")[2].split()[0])


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks of memory are told by Linux")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_body_takes_no_more_than_a_small_multiple_of_its_size(name, tmp_path):
    tests = Path(__file__).parents[2]
    command = [sys.executable, "-c", MEASURED, str(tests), str(tmp_path / "data"), name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    status, text, length, size, peak = json.loads(done.stdout.splitlines()[-1])
    assert status == HOSTILE[name][2], text
    assert length < 2000, "the answer does not grow with what is wrong"
    assert json.loads(text)["hint"]
    assert peak < TIMES * size + SOME, f"{peak >> 20} MB for a body of {size >> 20} MB"


@pytest.fixture
def one(tmp_path):
    with served(tmp_path / "data", limits=Limits(rate=0, batch_files=2)) as server:
        server.post("/projects", project_id="p")
        yield server


def test_the_first_unknown_field_is_named_and_no_other(one):
    answer = one.post("/search", project_id="p", query=7, zork=1, zork2=2)
    assert (answer.status_code, answer.json()["error"]) == (422, "zork: is no field of this request")


def test_the_first_bad_entry_of_a_manifest_is_named_and_no_other(one):
    answer = one.post("/sync", project_id="p", files={"a.py": "0" * 64, "b.py": "z", "c.py": "z"})
    assert answer.json()["error"].startswith("files.b.py: must be 64")
    assert "more" not in answer.json()["error"]
    answer = one.post("/delete", project_id="p", paths=["a.py", "", 7])
    assert answer.json()["error"] == "paths.1: must not be empty"


def test_what_is_in_texts_is_not_counted(one):
    """Brackets, commas and quotes of a file are its own business; so are those of names that are escaped."""
    text = '[{,"\\' * 50_000
    answer = one.post("/index", project_id="p", files=[{"path": "a.txt", "content": text}])
    assert answer.status_code == 200, answer.text
    assert answer.json()["results"][0]["status"] == "indexed"


def test_as_many_as_a_field_may_have_are_taken(one):
    paths = ["a/**"] * 1000
    asked = {"paths": paths, "not_paths": paths, "languages": ["python"] * 1000, "tags": ["x"] * 1000}
    assert one.post("/search", project_id="p", query="x", **asked).status_code == 200
    assert one.post("/delete", project_id="p", paths=[f"{number}" for number in range(200_000)]).status_code == 200
    said = one.post("/search", project_id="p", query="x", paths=["a"] * 1001).json()["error"]
    assert said == "paths: must have at most 1000 entries"


def test_a_batch_may_have_as_many_files_as_the_server_takes(tmp_path):
    with served(tmp_path / "more", limits=Limits(rate=0, batch_files=1500)) as server:
        server.post("/projects", project_id="p")
        files = [{"path": f"{number}.txt", "content": "x"} for number in range(1500)]
        assert server.post("/index", project_id="p", files=files).status_code == 200


def test_every_route_with_a_body_counts_it():
    modules = [import_module(f"{routes.__name__}.{found.name}") for found in pkgutil.iter_modules(routes.__path__)]
    taken = [route for module in modules if hasattr(module, "router") for route in module.router.routes]
    uncounted = [route.path for route in taken if route.body_field and not isinstance(route, CountedRoute)]
    assert sum(route.body_field is not None for route in taken) > 15
    assert not uncounted
