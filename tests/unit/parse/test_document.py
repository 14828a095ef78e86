"""A document above 256 KB is parsed in a process with bounds; what goes beyond one can be searched as plain text, and says so."""

import pickle

import pytest

from scova import Index
from scova.core.child_process import Bounds
from scova.parse import document as module
from scova.parse.document import LARGE_BYTES, UNPARSED, _Answer, parsed
from scova.types import ChunkType, Document, Mark

FUNCTIONS = "".join(f"def function_{number}(a):\n    return helper(a)\n\n\n" for number in range(10_000))
TOO_SLOW = Bounds(0.02, 1 << 30)
TOO_LARGE = Bounds(60.0, 1000)


def document(text, language="python"):
    return Document("a.py", text, "0" * 64, language, Mark(len(text), 1))


def test_a_large_file_becomes_what_it_would_have_become_here(monkeypatch):
    asked = []
    monkeypatch.setattr(
        module._children, "ask", lambda *given, ask=module._children.ask: asked.append(given) or ask(*given)
    )
    large = document(FUNCTIONS)
    assert len(FUNCTIONS) > LARGE_BYTES
    apart, why = parsed(large, project="p", read_ns=1)
    assert (apart, why) == (module._parsed(large, "p", 1), "")
    assert len(apart.outline.symbols) == 10_000
    assert len(asked) == 1
    parsed(document(FUNCTIONS[: LARGE_BYTES // 2]), project="p", read_ns=1)
    assert len(asked) == 1, "a small one needs no process"


@pytest.mark.parametrize(
    ("bounds", "said"), [(TOO_SLOW, "seconds of a processor"), (TOO_LARGE, "makes more than 1,000 bytes")]
)
def test_what_goes_beyond_a_bound_is_plain_text_with_every_line_of_it(monkeypatch, bounds, said):
    monkeypatch.setattr(module.Bounds, "of", lambda size: bounds)
    file, why = parsed(document(FUNCTIONS), project="p", read_ns=1)
    assert said in why
    assert "".join(chunk.text for chunk in file.chunks) == FUNCTIONS
    assert {chunk.chunk_type for chunk in file.chunks} == {ChunkType.DEFINITIONS}
    assert all(UNPARSED in chunk.tags for chunk in file.chunks)
    assert file.outline.has_errors
    assert not file.outline.symbols


def test_the_words_of_such_a_file_are_found_and_the_report_names_it(tmp_path):
    """Whatever reads it: the bound is real, as the text is."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "hard.py").write_text(HARD)
    (root / "easy.py").write_text("def easy():\n    return 1\n")
    with Index.open(root, data=str(tmp_path / "data")) as index:
        report = index.refresh()
        assert "`hard.py` can be searched as plain text only: reading it takes" in report.note
        assert report.skipped == 0
        assert [result.chunk.file_path for result in index.search("zebrafish", mode="text").results] == ["hard.py"]
        assert index.search("easy").results[0].chunk.file_path == "easy.py"
        assert not index.refresh().note, "an unchanged file is not read again"


# The parser needs more memory for it than there is: what is opened is never closed, 2.7 million times.
HARD = "zebrafish = 1\n" + ("[" * 90 + "\n") * 30_000


def test_what_a_process_answers_makes_nothing_but_our_own_values():
    import io
    import os

    with pytest.raises(pickle.UnpicklingError):
        _Answer(io.BytesIO(pickle.dumps(os.system))).load()
