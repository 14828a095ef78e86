"""Exact answers as people and programs read them."""

import json

from indexed import code_of_files, view_of
from scova.cli.exact import show
from scova.search.structure import define, outline, tree, usages
from scova.types import Worked

FILES = {
    "a.py": 'class A:\n    """Does it.\n\n    At length."""\n\n    @staticmethod\n    def run(x):\n        helper(x)\n        x.go()\n\n\ndef helper(x):\n    return A.run(x)\n',
    "b.py": "class B:\n    def go(self):\n        pass\n\n\nclass C:\n    def go(self):\n        pass\n",
    "bad.py": "def odd():\n    return '\x1b[31m'\n",
}


def test_a_definition_shows_its_head_and_its_source_when_asked():
    code = code_of_files(FILES)
    text = show.definitions(define.definitions(code, define.Request("A.run", body=True)))
    assert text.startswith("a.py:7-9  method A.run\n    @staticmethod\n    def run(x)\n")
    assert "        7      def run(x):\n" in text
    assert "Does it." in show.definitions(define.definitions(code, define.Request("A")))


def test_nothing_that_could_move_a_terminal_is_shown():
    code = code_of_files(FILES)
    assert "\x1b" not in show.definitions(define.definitions(code, define.Request("odd", body=True)))


def test_an_outline_is_indented_as_it_is_nested():
    text = show.outlines(outline.outlines(code_of_files(FILES), outline.Request("a.py")))
    lines = text.splitlines()
    assert lines[0] == "a.py  python, 13 lines"
    assert lines[1].strip() == "1-9  class A  — Does it." and lines[2].endswith("    @staticmethod def run(x)")


def test_a_signature_that_is_cut_says_so():
    code = code_of_files({"long.py": f"def long({', '.join(f'argument_{n}' for n in range(40))}):\n    pass\n"})
    for text in (
        show.definitions(define.definitions(code, define.Request("long"))),
        show.outlines(outline.outlines(code, outline.Request("long.py"))),
    ):
        assert text.endswith("…\n") and "argument_5, " in text


def test_one_is_singular():
    done = Worked("update", "", "2026-01-01T10:02:11Z", 1, 1, 31.0, 7)
    assert show.worked(done, ["a.py"]) == "10:02:11 1 file updated in 31 ms: a.py"
    code = code_of_files({"one.py": "def one(): pass\n"})
    assert "python, 1 line\n" in show.outlines(outline.outlines(code, outline.Request("one.py")))


def test_an_outline_that_is_cut_off_names_the_cap_that_did_it():
    code = code_of_files(FILES)

    def last_line(**caps: int) -> str:
        return show.outlines(outline.outlines(code, outline.Request(**caps))).splitlines()[-1]

    assert last_line(files=1) == "not all of 3 files: cut off by --files 1; a larger number shows more"
    assert last_line(definitions=2) == "not all of 3 files: cut off by --limit 2; a larger number shows more"
    assert "--files 2 and --limit 4;" in last_line(files=2, definitions=4)
    assert "cut off" not in last_line()


def test_a_tree_marks_what_is_sure_what_is_a_guess_and_where_it_ends():
    found = tree.call_tree(code_of_files(FILES), tree.Request("A.run", "callees"))
    assert show.tree(found).splitlines() == [
        "A.run  a.py:7",
        "  = helper  a.py:8  defined in this file",
        "    = A.run  a.py:13  defined in this file  [cycle]",
        "  ? B.go (b.py)  a.py:9  2 definitions have this name; x is a parameter of unknown type  [guess]",
        "  ? C.go (b.py)  a.py:9  2 definitions have this name; x is a parameter of unknown type  [guess]",
    ]


def test_the_signs_of_a_tree_are_explained_those_that_are_in_it():
    code = code_of_files(FILES)
    told = show.legend(tree.call_tree(code, tree.Request("A.run", "callees")))
    assert told == (
        "= resolved; ? a candidate: it could be meant; [cycle] its own ancestor; [guess] one of several it could be, not followed"
    )
    assert show.legend(tree.call_tree(code, tree.Request("odd", "callers"))) == ""
    assert all(f"[{note}]" in show.LEGEND for note in (tree.CYCLE, tree.SEEN, tree.GUESS, tree.CUT))


def test_what_a_cap_left_out_is_the_last_word():
    found = tree.call_tree(code_of_files(FILES), tree.Request("A.run", "callees", per_level=1))
    assert "left out by per_level (cap 1): 2" in show.tree(found)


def test_json_has_every_field_and_flat_definitions():
    code, view = code_of_files(FILES), view_of(FILES)
    one = json.loads(show.as_json(define.definitions(code, define.Request("A.run"))))["definitions"][0]
    assert (one["path"], one["qualified"], one["kind"], one["start_line"], one["decorators"]) == (
        "a.py",
        "A.run",
        "method",
        7,
        ["@staticmethod"],
    )
    told = json.loads(show.as_json(tree.call_tree(code, tree.Request("helper", "callers"))))
    node = told["roots"][0]["nodes"][0]
    assert (node["certainty"], node["sites"][0]["reason"], told["caps"]) == (
        "resolved",
        "defined in this file",
        {"per_level": 50, "total": 500},
    )
    used = json.loads(show.as_json(usages.usages(view, usages.Request("helper"))))
    assert used["counts"] == {"definition": 1, "call": 1, "import": 0, "mention": 0} and "freshness" in used
