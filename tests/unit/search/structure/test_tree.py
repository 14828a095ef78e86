"""Call trees: as deep as asked, nothing twice, no way round in circles, nothing left out unsaid."""

import pytest

from indexed import code_of_files
from scova.answers import Certainty
from scova.errors import QueryError
from scova.search.structure.tree import Request, call_tree


def tree_of(files, name, direction="callers", **options):
    return call_tree(code_of_files(files), Request(name, direction, **options))


def shape(node):
    """A node as nested dictionaries: name and note, then what lies below."""
    return {f"{one.name} {one.note}".strip(): shape(one) for one in node.nodes}


CHAIN = {"m.py": "".join(f"def f{n}():\n    f{n + 1}()\n\n\n" for n in range(12)) + "def f12():\n    pass\n"}
RING = {"m.py": "def a():\n    b()\n\n\ndef b():\n    c()\n\n\ndef c():\n    a()\n    c()\n"}


@pytest.mark.parametrize("depth", [1, 3, 10])
def test_depth_is_the_number_of_levels(depth):
    for name, direction in (("f12", "callers"), ("f0", "callees")):
        found = tree_of(CHAIN, name, direction, depth=depth)
        levels, node = 0, found.roots[0]
        while node.nodes:
            levels, node = levels + 1, node.nodes[0]
        assert levels == found.total == depth and not found.truncated


def test_the_default_depth_is_three():
    assert tree_of(CHAIN, "f12").total == tree_of(CHAIN, "f12").depth == 3


@pytest.mark.parametrize("depth", [0, 11, -1])
def test_other_depths_are_an_error_that_says_the_range(depth):
    with pytest.raises(QueryError) as error:
        tree_of(CHAIN, "f1", depth=depth)
    assert "1 to 10" in error.value.hint and str(depth) in error.value.message


def test_circles_end_where_they_close():
    assert shape(tree_of(RING, "a", depth=10).roots[0]) == {"c": {"b": {"a cycle": {}}, "c cycle": {}}}
    assert shape(tree_of(RING, "a", "callees", depth=10).roots[0]) == {"b": {"c": {"a cycle": {}, "c cycle": {}}}}


def test_what_is_reached_twice_is_expanded_once():
    files = {
        "m.py": "def a():\n    b()\n    c()\n\n\ndef b():\n    d()\n\n\ndef c():\n    d()\n\n\ndef d():\n    e()\n\n\ndef e():\n    pass\n"
    }
    found = shape(tree_of(files, "a", "callees", depth=5).roots[0])
    assert found == {"b": {"d": {"e": {}}}, "c": {"d seen": {}}}


def test_caps_are_kept_and_what_they_left_out_is_counted():
    files = {"m.py": "def target():\n    pass\n\n\n" + "".join(f"def f{n}():\n    target()\n\n\n" for n in range(30))}
    found = tree_of(files, "target", per_level=10)
    assert (found.total, found.left_out, found.truncated, found.roots[0].note) == (10, {"per_level": 20}, True, "cut")
    assert found.caps == {"per_level": 10, "total": 500}
    assert tree_of(files, "target", total=5).left_out == {"total": 25}
    for options in ({"per_level": 0}, {"total": 0}):
        with pytest.raises(QueryError):
            tree_of(files, "target", **options)


def test_guesses_come_behind_what_is_sure_and_are_not_followed():
    files = {
        "a.py": "class A:\n    def run(self):\n        pass\n\n    def go(self):\n        self.run()\n",
        "b.py": "class B:\n    def run(self):\n        pass\n",
        "aa.py": "def guess(x):\n    x.run()\n\n\ndef above():\n    guess(1)\n",
    }
    found = tree_of(files, "A.run")
    assert [(node.name, node.certainty, node.note) for node in found.roots[0].nodes] == [
        ("A.go", Certainty.RESOLVED, ""),
        ("guess", Certainty.CANDIDATE, "guess"),
    ]
    assert found.roots[0].nodes[1].nodes == () and "2 definitions" in found.roots[0].nodes[1].sites[0].reason
    assert [node.name for node in tree_of(files, "A.run", per_level=1).roots[0].nodes] == ["A.go"]


def test_a_name_defined_nowhere_is_a_callee_and_never_a_caller():
    files = {"m.py": "import os\n\n\ndef f():\n    os.getcwd()\n    len('a')\n"}
    (node,) = tree_of(files, "f", "callees").roots[0].nodes
    assert (node.definition, node.path, node.name) == (None, "", "os.getcwd")
    assert tree_of(files, "getcwd").roots == ()


def test_code_outside_of_any_definition_calls_too():
    files = {"m.py": "def f():\n    pass\n\n\nf()\n"}
    (node,) = tree_of(files, "f").roots[0].nodes
    assert (node.definition, node.path, node.sites[0].line) == (None, "m.py", 5)


def test_one_of_several_definitions_can_be_chosen():
    files = {
        "a.py": "def f():\n    pass\n\n\ndef a():\n    f()\n",
        "b.py": "def f():\n    pass\n\n\ndef b():\n    f()\n",
    }
    assert len(tree_of(files, "f").roots) == 2
    for name in ("b.py:f", "b.py:1"):
        (root,) = tree_of(files, name).roots
        assert [node.name for node in root.nodes] == ["b"]


def test_a_name_that_was_imported_under_another_is_still_found():
    files = {
        "a.py": "def connect():\n    pass\n",
        "b.py": "from a import connect as dial\n\n\ndef run():\n    dial()\n",
    }
    (node,) = tree_of(files, "connect").roots[0].nodes
    assert (node.name, node.certainty, node.sites[0].name) == ("run", Certainty.RESOLVED, "dial")


def test_making_an_instance_calls_the_constructor():
    files = {
        "a.py": "class A:\n    def __init__(self):\n        pass\n\n\nclass B(A):\n    pass\n",
        "b.py": "from a import A, B\n\n\ndef run():\n    A()\n    B()\n",
    }
    (node,) = tree_of(files, "A.__init__").roots[0].nodes
    assert [site.line for site in node.sites] == [5, 6] and node.certainty is Certainty.RESOLVED


def test_a_call_of_what_is_overridden_may_mean_the_override():
    files = {
        "a.py": "class A:\n    def run(self):\n        pass\n\n\nclass B(A):\n    def run(self):\n        pass\n\n\ndef go(a: A):\n    a.run()\n"
    }
    (sure,) = tree_of(files, "A.run").roots[0].nodes
    (guess,) = tree_of(files, "B.run").roots[0].nodes
    assert (sure.certainty, guess.certainty) == (Certainty.RESOLVED, Certainty.CANDIDATE)
    assert "overrides" in guess.sites[0].reason


def test_two_things_a_name_stands_for_in_one_scope_are_not_known():
    files = {
        "a.py": "class A:\n    def run(self):\n        pass\n\n\nclass B:\n    def run(self):\n        pass\n\n\ndef go(flag):\n    x = A()\n    if flag:\n        x = B()\n    x.run()\n"
    }
    nodes = tree_of(files, "go", "callees", depth=1).roots[0].nodes
    assert {node.certainty for node in nodes if node.name.endswith("run")} == {Certainty.CANDIDATE}


def test_an_unknown_name_gets_suggestions():
    assert tree_of(CHAIN, "f99").roots == () and tree_of(CHAIN, "f99").suggestions


def test_calls_in_languages_that_cannot_call_each_other_are_not_callers():
    files = {"a.py": "def go():\n    pass\n\n\ndef run():\n    go()\n", "b.rb": "def walk\n  go()\nend\n"}
    assert shape(tree_of(files, "go").roots[0]) == {"run": {}}


def test_new_without_a_receiver_makes_an_instance_of_the_class_around_it_only():
    files = {
        "cart.rb": "class Cart\n  def self.build\n    new(1)\n  end\nend\n",
        "shop.rb": "class Shop\n  def self.build\n    new(1)\n  end\n  def self.fill\n    Cart.new\n  end\nend\n",
    }
    assert set(shape(tree_of(files, "Cart", depth=1).roots[0])) == {"Cart.build", "Shop.fill"}


def test_many_roots_of_one_name_share_what_was_read_and_keep_apart_who_calls_them():
    files = {f"m{n}.py": f"def go():\n    pass\n\n\ndef run{n}():\n    go()\n" for n in range(3)}
    assert [list(shape(root)) for root in tree_of(files, "go").roots] == [["run0"], ["run1"], ["run2"]]


def test_a_reason_counts_all_definitions_of_the_name_also_those_that_do_not_fit():
    files = {
        "app.py": "class App:\n    answer_class = None\n\n    def url_for(self, name):\n        return self.answer_class(name)\n",
        "helpers.py": "def url_for(name, app):\n    return app.url_for(name)\n\n\ndef other(app):\n    return app.missing()\n",
    }
    reasons = {
        name: [site.reason for node in tree_of(files, name, "callees").roots[0].nodes for site in node.sites]
        for name in ("App.url_for", "helpers.py:url_for", "other")
    }
    assert reasons == {
        "App.url_for": ["no function or class answer_class in the index fits this call"],
        "helpers.py:url_for": [
            "the only definition of this name that fits this call; app is a parameter of unknown type"
        ],
        "other": ["missing is not defined in the index"],
    }
    files["more.py"] = "class More:\n    def url_for(self, name):\n        pass\n"
    node = tree_of(files, "helpers.py:url_for", "callees", depth=1).roots[0].nodes[0]
    assert node.sites[0].reason.startswith("2 of 3 definitions of this name fit this call; ")
