"""Every use of a name is found, told apart, and counted, whether it is shown or not."""

import re
from pathlib import Path

import pytest

from indexed import files_below, view_of
from scova.errors import QueryError
from scova.search.structure.usages import Request, usages
from scova.types import Filters

FILES = {
    "src/db.py": 'def connect(url):\n    """Use connect to connect."""\n    return reconnect(url)\n\n\ndef reconnect(url):\n    return connect(url)\n',
    "src/app.py": "from db import connect\n\n\ndef main():\n    # connect first\n    return connect('x')\n",
    "README.md": "# Use\n\nCall `connect`, not disconnect.\n",
    "src/user.py": "class User:\n    def save(self):\n        pass\n\n    def go(self):\n        self.save()\n\n\nclass Cart:\n    def save(self):\n        pass\n",
}


@pytest.fixture(scope="module")
def view():
    return view_of(FILES)


def found(view, name, **options):
    return [(use.how, use.path, use.line) for use in usages(view, Request(name, **options)).usages]


def test_definitions_calls_imports_and_mentions_are_told_apart(view):
    assert found(view, "connect") == [
        ("definition", "src/db.py", 1),
        ("call", "src/app.py", 6),
        ("call", "src/db.py", 7),
        ("import", "src/app.py", 1),
        ("mention", "README.md", 3),
        ("mention", "src/app.py", 5),
        ("mention", "src/db.py", 2),
    ]


def test_a_use_says_its_line_and_what_it_stands_in(view):
    all_of_them = {(use.path, use.line): use for use in usages(view, Request("connect")).usages}
    assert (
        all_of_them["src/app.py", 6].text == "    return connect('x')" and all_of_them["src/app.py", 6].within == "main"
    )
    assert all_of_them["src/app.py", 5].within == "main" and all_of_them["README.md", 3].within == "Use"


def test_counts_are_of_everything_whatever_is_shown(view):
    some = usages(view, Request("connect", limit=2))
    assert len(some.usages) == 2 and some.truncated
    assert some.counts == {"definition": 1, "call": 2, "import": 1, "mention": 3}
    assert not usages(view, Request("connect")).truncated


def test_filters_restrict_all_kinds(view):
    assert found(view, "connect", filters=Filters(paths=("src/app.py",))) == [
        ("call", "src/app.py", 6),
        ("import", "src/app.py", 1),
        ("mention", "src/app.py", 5),
    ]
    assert found(view, "connect", filters=Filters(languages=("markdown",))) == [("mention", "README.md", 3)]


def test_a_qualified_name_has_the_uses_of_that_member(view):
    assert found(view, "User.save") == [("definition", "src/user.py", 2), ("call", "src/user.py", 6)]
    assert ("definition", "src/user.py", 10) in found(view, "save")


def test_an_unknown_name_gets_suggestions_and_an_empty_one_an_error(view):
    none = usages(view, Request("conect"))
    assert none.usages == () and none.suggestions[0] == "connect"
    with pytest.raises(QueryError):
        usages(view, Request(" "))


def test_a_name_of_punctuation_only_finds_what_is_defined_or_called_so(view):
    assert found(view, "==") == []


@pytest.mark.parametrize("project", ["python", "java", "cpp"])
def test_no_line_that_holds_the_word_is_missed(project):
    """Compared with reading every line of every file, for every name that is defined."""
    files = files_below(Path(__file__).parents[3] / "golden" / "structure" / project, without="expected.txt")
    whole = view_of(files)
    for name in whole.chunk_set.reader.names():
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        lines = {
            (path, n) for path, text in files.items() for n, line in enumerate(text.split("\n"), 1) if word.search(line)
        }
        answer = usages(whole, Request(name, limit=1000))
        assert {(use.path, use.line) for use in answer.usages} == lines, name
        assert sum(answer.counts.values()) == len(lines)
