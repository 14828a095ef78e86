"""The mode of a question in Python: a word does as well as the constant, and a wrong word is refused."""

import pytest

from scova import Index, Mode
from scova.errors import QueryError


def test_a_mode_may_be_given_as_a_word(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("def alpha():\n    return beta\n")
    with Index.open(tmp_path / "tree", data=str(tmp_path / "data")) as index:
        index.refresh()
        for mode in Mode:
            by_word, by_constant = (index.search("alpha", mode=given).results for given in (mode.value, mode))
            assert [one.shares for one in by_word] == [one.shares for one in by_constant]
        assert [*index.search("alpha", mode="symbol").results[0].shares] == ["symbol"]
        with pytest.raises(QueryError, match="no mode `best`"):
            index.search("alpha", mode="best")


def test_every_answer_says_how_many_files_are_left_out_the_first_one_too(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "door.py").write_text("def opened():\n    return True\n")
    (tree / ".env").write_text("KEY=secret\n")
    with Index.open(tree, data=str(tmp_path / "data")) as index:
        index.refresh()
        assert index.search("opened").skipped_files == 1
        (tree / "id_rsa").write_text("secret\n")
        index.refresh()
        assert index.search("opened").skipped_files == 2
    with Index.open(tree, data=str(tmp_path / "data")) as index:
        assert index.search("opened").skipped_files == 2
