"""The logic behind docs/reference/structure-accuracy.md: what counts as found, explained, right, wrong and missed."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[3] / "bench" / "structure"


def _load(name: str, folder: Path = FOLDER) -> ModuleType:
    """A module of the bench, which is no package; its neighbours are found while it loads."""
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(folder))


matching, ctags, differences, edges = map(_load, ("matching", "ctags", "differences", "edges"))
pysites = _load("pysites", FOLDER / "oracles")
Tag = matching.Tag


def _tag(line, name="f", *, kind="function", end=0, path="a.py"):
    return Tag(path, line, name, kind, end)


# --- definitions


def test_a_name_is_found_below_its_decorators_but_not_behind_its_end():
    found = matching.match([_tag(13)], [_tag(10, end=20)])
    assert len(found.both) == 1
    assert matching.match([_tag(13)], [_tag(10, end=12)]).only_theirs == [_tag(13)]
    assert not matching.match([_tag(10 + matching.FARTHEST + 1)], [_tag(10, end=900)]).both


def test_another_name_or_another_file_is_not_found():
    assert not matching.match([_tag(1)], [_tag(1, "g"), _tag(1, path="b.py")]).both


def test_each_definition_is_counted_once_and_the_nearest_wins():
    found = matching.match([_tag(1), _tag(5), _tag(9)], [_tag(5, end=6), _tag(1, end=2)])
    assert {(pair.theirs.line, pair.ours.line) for pair in found.both} == {(1, 1), (5, 5)}
    assert found.only_theirs == [_tag(9)]
    assert not found.only_ours


def test_what_only_we_have_is_counted():
    assert matching.match([], [_tag(3)]).only_ours == [_tag(3)]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("M.find", "find"),
        ("Sorter:new", "new"),
        ("Ecto.Query", "Query"),
        ("operator +", "+"),
        ("operator()", "()"),
        ("operator bool", "operator bool"),
        ("`a b`", "a b"),
        ("valid?", "valid?"),
        ("A::B", "B"),
    ],
)
def test_both_sides_write_a_name_the_same_way(written, plain):
    assert ctags.plain(written) == plain


def _reason(language, text, tag, ours=(), macros=frozenset()):
    lines = text.split("\n")
    around = differences.Around(language, lines, ours, macros, differences.quoted_lines(lines, language))
    return differences.reason(tag, around)


@pytest.mark.parametrize(
    ("language", "line", "name", "kind", "rule"),
    [
        ("javascript", "const options = { a: 1 }", "options", "class", "no class"),
        ("javascript", "class Options {", "Options", "class", ""),
        ("javascript", "Axios.prototype[method] = function () {", "Axios", "function", "not its name"),
        ("javascript", "late = function () {", "late", "function", ""),
        ("kotlin", "for (value in list) {", "value", "method", "variable"),
        ("kotlin", "fun value(x: Int) {", "value", "method", ""),
        ("kotlin", "flow {", "<lambda>", "method", "no name"),
        ("lua", "local names = map(function(x)", "names", "function", "result"),
        ("lua", "M.names = function(x)", "names", "function", ""),
        ("csharp", "    where T : class, IEquality<T>", "IEquality", "class", "constraint"),
        ("csharp", "public class IEquality {", "IEquality", "class", ""),
        ("csharp", "this.Convert(x).Is(x);", "Is", "method", "call"),
        ("ruby", "def self.find; end", "self", "singletonMethod", "not its name"),
        ("ruby", "def find; end", "find", "method", ""),
        ("cpp", 'TEST_CASE("x" * doctest::skip())', "skip", "function", "macro"),
        ("cpp", "void skip() {", "skip", "function", ""),
    ],
)
def test_a_rule_explains_what_ctags_got_wrong_and_nothing_else(language, line, name, kind, rule):
    assert _reason(language, line, _tag(1, name, kind=kind)) == rule


def test_a_macro_is_known_by_its_definition_in_the_project():
    macros = differences.defined_macros(["#define BEGIN(name) void name(void)\n"])
    assert _reason("c", "BEGIN(one) {", _tag(1, "BEGIN"), macros=macros) == "macro"
    assert _reason("c", "begin(int one) {", _tag(1, "begin"), macros=macros) == ""


def test_code_in_a_heredoc_is_quoted_and_code_after_it_is_not():
    text = "run <<~RUBY\n  def inner; end\nRUBY\ndef outer; end"
    assert _reason("ruby", text, _tag(2, "inner", kind="method")) == "quoted"
    assert _reason("ruby", text, _tag(4, "outer", kind="method")) == ""


def test_a_clause_is_explained_only_inside_a_function_of_its_name():
    text = "def f(0), do: 1\ndef f(n), do: n\ndef g(n), do: n"
    ours = [_tag(1, "f", end=2)]
    assert _reason("elixir", text, _tag(2, "f"), ours) == "clause"
    assert _reason("elixir", text, _tag(3, "g"), ours) == ""


# --- calls

SITE = edges.Place("a.py", 7, "run")
HERE, THERE = edges.Target("b.py", 3, 3), edges.Target("c.py", 9, 9)


def _score(truth, *ours):
    return edges.compare({SITE: truth}, {SITE: ours})


def test_a_resolved_edge_is_right_wrong_or_not_judged():
    sure = edges.Edge(HERE, True, "imported")
    assert _score(edges.Truth("inside", (HERE,)), sure).right == 1
    assert len(_score(edges.Truth("inside", (THERE,)), sure).wrong) == 1
    assert len(_score(edges.Truth("outside"), sure).wrong) == 1
    assert len(_score(edges.Truth("local", (THERE,)), sure).wrong) == 1
    unknown = _score(edges.Truth("unknown"), sure)
    assert (unknown.right, unknown.wrong, unknown.not_judged) == (0, [], 1)


def test_a_candidate_is_never_wrong_and_counts_for_recall_apart():
    score = _score(
        edges.Truth("inside", (HERE,)), edges.Edge(THERE, False, "a guess"), edges.Edge(HERE, False, "a guess")
    )
    assert (score.precision, score.recall, score.recall_offered) == (1.0, 0.0, 1.0)
    assert score.missed == [(SITE, "candidate")]


def test_a_call_that_is_not_there_is_missed():
    score = edges.compare({SITE: edges.Truth("inside", (HERE,))}, {})
    assert (score.recall, score.recall_offered, score.missed) == (0.0, 0.0, [(SITE, "no edge")])


def test_a_declaration_above_what_ran_is_counted_apart():
    score = _score(edges.Truth("inside", (THERE,), overridden=(HERE,)), edges.Edge(HERE, True, "self"))
    assert (score.right, score.declared, score.wrong) == (0, 1, [])
    assert (score.precision, score.strict_precision) == (1.0, 0.0)


def test_precision_is_of_judged_edges_only():
    sites = {edges.Place("a.py", line, "run"): truth for line, truth in enumerate(
        [edges.Truth("inside", (HERE,)), edges.Truth("inside", (HERE,)), edges.Truth("outside"), edges.Truth("unknown")]
    )}  # fmt: skip
    score = edges.compare(sites, {site: [edges.Edge(HERE, True, "imported")] for site in sites})
    assert score.precision == pytest.approx(2 / 3)
    assert score.by_reason["imported"] == {"right": 2, "wrong": 1, "not judged": 1}


def test_a_definition_is_the_same_from_its_first_line_to_its_name():
    theirs = edges.Target("b.ts", line=12, first=10)
    assert all(edges.exactly(theirs, edges.Target("b.ts", line, line)) for line in (10, 11, 12))
    assert not any(
        edges.exactly(theirs, edges.Target(path, line, line))
        for path, line in [("b.ts", 9), ("b.ts", 13), ("c.ts", 12)]
    )


def test_two_calls_of_a_name_on_one_line_are_one_site_judged_only_if_both_are():
    inside, outside, unknown = edges.Truth("inside", (HERE,)), edges.Truth("outside"), edges.Truth("unknown")
    assert edges.merged([(SITE, inside), (SITE, outside)])[SITE] == edges.Truth("inside", (HERE,))
    assert edges.merged([(SITE, inside), (SITE, unknown)])[SITE].verdict == "unknown"
    assert edges.merged([(SITE, inside), (SITE, edges.Truth("inside", (THERE,)))])[SITE].targets == (HERE, THERE)


# --- where Python calls something, for both Python oracles


def test_a_call_stands_where_its_name_stands_also_in_a_chain_over_lines_and_behind_other_alphabets(tmp_path):
    (tmp_path / "a.py").write_text("é = first(\n    second().third()\n    .fourth(),\n)\nf()()\n", encoding="utf-8")
    sites = pysites.call_sites(tmp_path, "a.py")
    assert {(site.name, site.line) for site in sites} == {
        ("first", 1),
        ("second", 2),
        ("third", 2),
        ("fourth", 3),
        ("f", 5),
    }
    assert next(site.column for site in sites if site.name == "first") == len("é = ".encode())


def test_a_decorator_without_parentheses_is_a_call_and_a_broken_file_has_none(tmp_path):
    (tmp_path / "a.py").write_text("@app.route\n@cache()\ndef f(): ...\n")
    (tmp_path / "b.py").write_text("def (:\n")
    assert [(site.name, site.line) for site in pysites.call_sites(tmp_path, "a.py")] == [("route", 1), ("cache", 2)]
    assert pysites.call_sites(tmp_path, "b.py") == []


def test_definitions_are_known_by_their_qualified_name_as_python_gives_it(tmp_path):
    (tmp_path / "a.py").write_text("class A:\n    @deco\n    def m(self):\n        def inner(): ...\n")
    assert pysites.definitions(tmp_path, "a.py") == {"A": 1, "A.m": 3, "A.m.<locals>.inner": 4}
