"""Nothing is read without a bound, and whoever looks for that finds it."""

import pytest

from architecture.bare_reads import bare_reads, findings


def test_no_file_is_read_without_a_bound():
    assert findings() == []


@pytest.mark.parametrize(
    "line",
    [
        "Path('x').read_text()",
        "p.read_bytes()",
        "open('x').read()",
        "p.open('rb')",
        "os.open(p, os.O_RDONLY)",
        "io.open(p)",
    ],
)
def test_bare_reads_are_found(tmp_path, line):
    (tmp_path / "a.py").write_text(f"def f(p):\n    return {line}\n")
    assert list(bare_reads(tmp_path / "a.py")) == [2]


def test_opening_of_our_own_is_none(tmp_path):
    (tmp_path / "a.py").write_text("x = Index.open(path), read_small(p, 1), webbrowser.open(address)\n")
    assert list(bare_reads(tmp_path / "a.py")) == []
