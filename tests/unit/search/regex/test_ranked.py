"""`search` by a regular expression: chunks, ranked and exhaustive."""

import pytest

from scova import ChunkType, Filters, Index, Mode
from scova.errors import QueryError


@pytest.fixture
def index(tmp_path):
    root = tmp_path / "tree"
    for name, text in {
        "src/retry.py": "def retry_all():\n    retry_once()\n    retry_later()\n",
        "src/net.py": "def send():\n    retry_once()\n",
        "tests/test_retry.py": "def test_retry():\n    retry_a()\n    retry_b()\n    retry_c()\n",
        "README.md": "# Retrying\n\nretry_once is for you.\nretry_all too.\nretry_later as well.\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with Index.open(root, data=str(tmp_path / "data"), embedder="none") as handle:
        handle.refresh()
        yield handle


def paths(answer):
    return [result.chunk.file_path for result in answer.results]


def test_code_comes_before_prose_and_tests_and_most_matching_lines_first(index):
    answer = index.search(r"retry_\w+\b", mode=Mode.REGEX)
    assert paths(answer) == ["src/retry.py", "src/net.py", "README.md", "tests/test_retry.py"]
    assert answer.results[0].score == 3.0
    assert answer.literal.by_file == {"README.md": 3, "src/retry.py": 3, "tests/test_retry.py": 3, "src/net.py": 1}


def test_filters_apply_before_the_limit_and_pages_go_on(index):
    only = index.search("retry_", mode=Mode.REGEX, filters=Filters(chunk_types=(ChunkType.DOCUMENTATION,)), limit=1)
    assert paths(only) == ["README.md"]
    first = index.search("retry_", mode=Mode.REGEX, limit=3)
    assert first.truncated
    second = index.search("retry_", mode=Mode.REGEX, limit=3, after=first.next)
    assert paths(second) == ["tests/test_retry.py"]
    assert not second.truncated


def test_nothing_is_an_empty_answer_and_bad_input_an_error(index):
    assert index.search("nowhere_at_all", mode=Mode.REGEX).results == ()
    with pytest.raises(QueryError, match="cannot be read"):
        index.search("retry_(", mode=Mode.REGEX)
    with pytest.raises(QueryError, match="limit"):
        index.search("retry_", mode=Mode.REGEX, limit=0)


def test_counts_are_of_what_passes_the_filters_and_a_budget_too_small_is_an_error(index):
    only = index.search("retry_", mode=Mode.REGEX, filters=Filters(chunk_types=(ChunkType.DOCUMENTATION,)))
    assert only.literal.by_file == {"README.md": 3}
    with pytest.raises(QueryError, match="nothing fits"):
        index.search("retry_", mode=Mode.REGEX, budget=1)
