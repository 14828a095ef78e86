"""Who looks after a house: it is tidied soon after the start, and what is in the way is told once."""

import logging

from scova.errors import DerivedDamaged
from scova.server.tenants import caretaker, opened
from scova.server.tenants.caretaker import Caretaker
from serving import HELLO, served
from until import until


class House:
    """Counts how often it is tidied."""

    tidied = 0

    def tidy(self):
        self.tidied += 1


def test_a_house_is_tidied_soon_after_the_start_and_then_once_a_day(tmp_path, monkeypatch):
    monkeypatch.setattr(caretaker, "SOON", 0.05)
    house = House()
    with served(tmp_path / "data") as one:
        attended = []
        monkeypatch.setattr(one.hall.tenants, "attend", lambda: attended.append(house.tidied))
        taking_care = Caretaker(house, one.hall.tenants, every=0.01)
        taking_care.start()
        until(lambda: house.tidied, "it to be tidied")
        seen = len(attended)
        until(lambda: len(attended) > seen + 5, "some more rounds")
        taking_care.stop()
    assert attended[0] == 0 and house.tidied == 1


def test_what_is_in_the_way_of_derived_files_is_told_when_it_changes(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.WARNING, "scova.server")
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        one.index("p", {"a.py": HELLO})
        one.post("/search", project_id="p", query="hello")
        problem = ["full"]

        def catch_up(tools, holding):
            if problem:
                raise DerivedDamaged(problem[0], "")

        monkeypatch.setattr(opened, "catch_up", catch_up)
        told = []
        for words in (["full"], ["full"], ["torn"], ["torn"], [], ["torn"]):
            problem[:] = words
            with one.hall.tenants.lease("p") as tenant:
                tenant._followed = -1
            caplog.clear()
            one.hall.tenants.attend()
            told.append([record.getMessage().rpartition(": ")[2] for record in caplog.records])
    assert told == [["full"], [], ["torn"], [], [], ["torn"]]
