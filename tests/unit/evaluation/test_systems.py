"""What is compared, and that half an index gives no figures."""

import pytest

from scova.errors import EmbedderError
from scova.evaluation.systems import Chosen, require_vectors, systems_of
from scova.types import Report

REPORT = {"files": 1, "chunks": 9, "added": 1, "changed": 0, "removed": 0, "moved": 0, "unchanged": 0, "skipped": 0}
REPORT |= {"embedded": 2, "reused": 0, "change_seq": 1, "seconds": 0.1}


def test_every_embedder_has_its_rows_and_what_needs_none_has_one():
    found = systems_of([Chosen("none"), Chosen("http://a/v1", "m"), Chosen("http://b/v1", "m")])
    assert [(system.name, number) for system, number in found] == [
        ("hybrid none", 0),
        ("hybrid m http://a/v1", 1),
        ("vector m http://a/v1", 1),
        ("hybrid m http://b/v1", 2),
        ("vector m http://b/v1", 2),
        ("text", 0),
        ("symbol", 0),
    ]
    assert [system.name for system, _ in systems_of([Chosen("static")])] == ["hybrid", "vector", "text", "symbol"]


def test_a_build_that_lacks_vectors_is_an_error():
    require_vectors(Report(**REPORT))
    with pytest.raises(EmbedderError, match="7 chunks have no vector: it is down"):
        require_vectors(Report(**REPORT, pending_embeddings=7, note="it is down"))
