"""An outline lists what a file or folder defines, in order, and says where it was cut."""

import pytest

from indexed import code_of_files
from scova.errors import QueryError
from scova.search.structure.outline import Request, outlines
from scova.types import Filters, Skip

FILES = {
    "a/one.py": "class A:\n    def f(self):\n        def g():\n            pass\n\n\ndef h():\n    pass\n",
    "a/two.go": "package two\n\nfunc F() {}\n",
    "a/empty.py": "# nothing\n",
    "b/three.py": "X = 1\n",
}


@pytest.fixture(scope="module")
def code():
    return code_of_files(FILES)


def names(found):
    return {file.path: [one.symbol.qualified for one in file.definitions] for file in found.files}


def test_a_file_in_the_order_of_its_text(code):
    found = outlines(code, Request("a/one.py"))
    assert names(found) == {"a/one.py": ["A", "A.f", "A.f.g", "h"]}
    assert (found.files[0].lines, found.total, found.truncated) == (8, 1, False)


@pytest.mark.parametrize(
    ("depth", "expected"), [(1, ["A", "h"]), (2, ["A", "A.f", "h"]), (0, ["A", "A.f", "A.f.g", "h"])]
)
def test_depth_counts_levels_of_nesting(code, depth, expected):
    assert names(outlines(code, Request("a/one.py", depth=depth))) == {"a/one.py": expected}


@pytest.mark.parametrize("folder", ["a", "a/", "./a"])
def test_a_folder_lists_files_that_define_something_and_counts_all(code, folder):
    found = outlines(code, Request(folder))
    assert list(names(found)) == ["a/one.py", "a/two.go"] and found.total == 3


def test_everything_and_what_filters_leave(code):
    assert list(names(outlines(code, Request(".")))) == ["a/one.py", "a/two.go", "b/three.py"]
    kinds = Filters(kinds=("class",), languages=("python",))
    assert names(outlines(code, Request("", filters=kinds))) == {"a/one.py": ["A"]}


def test_a_file_without_definitions_is_an_answer_too(code):
    assert names(outlines(code, Request("a/empty.py"))) == {"a/empty.py": []}


def test_caps_are_said(code):
    by_definitions = outlines(code, Request(".", definitions=2))
    assert names(by_definitions) == {"a/one.py": ["A", "A.f"]} and by_definitions.truncated
    by_files = outlines(code, Request(".", files=1))
    assert list(names(by_files)) == ["a/one.py"] and by_files.truncated and by_files.caps["files"] == 1


def test_a_path_that_is_not_there_is_an_error_that_helps(code):
    with pytest.raises(QueryError) as error:
        outlines(code, Request("a/on.py"))
    assert "a/one.py" in error.value.hint
    with pytest.raises(QueryError, match="binary"):
        outlines(code, Request("logo.png"), lambda: [Skip("logo.png", "binary")])
    with pytest.raises(QueryError):
        outlines(code, Request("a", depth=-1))
