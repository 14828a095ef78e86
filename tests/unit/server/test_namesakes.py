"""A project that is removed, and another that gets its name: what was about the first is not about the second."""

import pytest

from scova import config
from scova.server.hall import Hall
from scova.server.housing.folder import FolderHouse
from scova.server.layout import ServerLayout
from scova.server.limits import Limits
from serving import HELLO, served


@pytest.fixture
def hall(tmp_path, store_url):
    """A server that does no jobs before it is opened."""
    place = ServerLayout(tmp_path / "data")
    hall = Hall(place, config.load(tmp_path), Limits(rate=0))
    hall.tenants.create("p")
    yield hall
    hall.close()


def test_a_job_of_a_removed_project_is_not_done_to_its_namesake(hall):
    with hall.tenants.lease("p") as tenant:
        old = hall.submit("tidy", tenant)
    hall.tenants.remove("p")
    hall.tenants.create("p")
    with hall.tenants.lease("p") as tenant:
        new = hall.submit("tidy", tenant)
        assert not hall.builder(tenant)
    assert new.job_id != old.job_id, "not the same wish"
    hall.open()
    assert hall.jobs.wait(new.job_id, 120).status == "done"
    assert hall.jobs.wait(old.job_id, 120).status == "cancelled"


def test_the_history_of_a_removed_project_is_not_told_to_who_sees_its_namesake(tmp_path):
    with served(tmp_path / "data") as one:
        admin, theirs = one.with_token("*", "admin"), one.with_token("p", "write")
        jobs = []
        for _ in range(2):
            one.client.post("/projects", json={"project_id": "p"}, headers=admin)
            jobs.append(
                one.client.post("/jobs", json={"project_id": "p", "kind": "tidy"}, headers=theirs).json()["job_id"]
            )
            one.hall.jobs.wait(jobs[-1], 120)
            if len(jobs) == 1:
                one.client.delete("/projects/p", headers=admin)
                assert one.client.get("/jobs", headers=theirs).json() == {"jobs": []}

        def seen(headers, **asked):
            return {job["job_id"] for job in one.client.get("/jobs", params=asked, headers=headers).json()["jobs"]}

        old, new = jobs
        assert seen(theirs) == seen(theirs, project_id="p") == seen(admin, project_id="p") == {new}
        assert seen(admin) == {old, new}
        assert one.client.get(f"/jobs/{old}", headers=theirs).status_code == 404
        assert one.client.delete(f"/jobs/{old}", headers=theirs).status_code == 404
        assert one.client.get(f"/jobs/{new}", headers=theirs).json()["status"] == "done"


def test_what_is_left_of_a_folder_does_not_keep_a_name_for_ever(tmp_path):
    place = ServerLayout(tmp_path / "data")
    house = FolderHouse(place)
    left = place.tenant("p").root / "builds"
    left.mkdir(parents=True)
    (left / "pages.db").write_text("of a build that came too late")
    house.create("p")
    assert house.names() == ["p"]
    assert not left.exists()
    assert not list(place.tenants.glob(".[gn]*")), "nothing stays beside it"


def test_a_project_that_is_there_is_never_put_away(tmp_path):
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        one.index("p", {"a.py": HELLO})
        assert one.post("/projects", project_id="p").status_code == 409
        assert one.client.get("/projects/p").json()["files"] == 1
