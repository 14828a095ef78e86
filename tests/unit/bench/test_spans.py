"""The label makers and the measures behind docs/reference/quality.md, on small real repositories."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from committed import commit, git

FOLDER = Path(__file__).parents[3] / "bench" / "quality" / "spans"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
try:
    import changed
    import described
    import guided
    import labels
    import losses
    import scores
    import tried
    import unanswered
    from question import Kind, Question, Span, head, joined, moved
    from repository import Clone, Repository, clone_of, listed
    from scores import Found
    from tree import Tree
finally:
    sys.path.remove(str(FOLDER))
    sys.path.remove(str(FOLDER.parent))


@pytest.fixture
def mirrors(tmp_path, monkeypatch):
    for name in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
        monkeypatch.delenv(f"GIT_{name}", raising=False)
    root = tmp_path / "mirrors" / "ann+shop" / "repo"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    return tmp_path / "mirrors"


@pytest.fixture
def shop(mirrors):
    return mirrors / "ann+shop" / "repo"


def between(base, last):
    return Repository("shop", "python", "ann/shop", "MIT", base, last)


def tree(files):
    return Tree({path: text.encode() for path, text in files.items()})


def function(name, *body):
    return f"def {name}(cart):\n" + "".join(f"    {line}\n" for line in body) + "\n\n"


CART = function("total_price", "price = 0", "return price") + function("apply_coupon", "code = 1", "return code")


# --- spans


def test_a_result_answers_when_it_shares_half_of_the_shorter_of_the_two():
    wanted = Span("a.py", 11, 20)
    assert Span("a.py", 16, 40).answers(wanted)  # five of its ten lines
    assert not Span("a.py", 17, 40).answers(wanted)  # four
    assert Span("a.py", 20, 21).answers(wanted)  # one of the result's two
    assert not Span("a.py", 20, 22).answers(wanted)
    assert not Span("b.py", 11, 20).answers(wanted)


def test_a_span_moves_up_by_the_lines_that_are_gone_above_it_and_shrinks_by_those_inside():
    assert moved(Span("a", 10, 12), [2, 3, 11, 40]) == Span("a", 8, 9)
    assert moved(Span("a", 10, 12), [10, 11, 12]) is None


def test_spans_that_overlap_are_one_and_only_the_beginning_of_a_long_definition_is_asked_for():
    assert joined([Span("b", 1, 2), Span("a", 5, 9), Span("a", 1, 5)]) == (Span("a", 1, 9), Span("b", 1, 2))
    assert head(Span("a", 5, 500)) == Span("a", 5, 64)


# --- history


def test_a_change_is_followed_back_to_the_tree_before_it(shop):
    base = commit(shop, "Begin a small shop", {"cart.py": CART})
    shifted = "import os\nimport sys\n\n" + CART
    commit(shop, "Import what is needed later on", {"cart.py": shifted})
    last = commit(shop, "Refuse coupons that have expired", {"cart.py": shifted.replace("code = 1", "code = 2")})
    [question] = changed.changed(tree({"cart.py": CART}), Clone(shop / ".git"), between(base, last), wanted=9)
    assert (question.text, question.origin) == ("Refuse coupons that have expired", last[:12])
    assert question.spans == (Span("cart.py", 6, 8),)  # where it stood before three lines came above it


def test_an_addition_inside_a_function_leads_to_it_but_a_new_function_leads_nowhere(shop):
    base = commit(shop, "Begin a small shop", {"cart.py": CART})
    longer = CART.replace("    return price\n", "    price += 1\n    return price\n")
    inside = commit(shop, "Count delivery into the price", {"cart.py": longer})
    new = commit(shop, "Estimate delivery of heavy parcels", {"cart.py": longer + function("deliver", "return 1")})
    known = tree({"cart.py": CART})
    assert changed.changed_spans(known, Clone(shop / ".git"), base, inside) == (Span("cart.py", 1, 3),)
    assert changed.changed_spans(known, Clone(shop / ".git"), base, new) == ()


def test_what_was_written_after_the_base_is_no_answer(shop):
    base = commit(shop, "Begin a small shop", {"cart.py": CART})
    first = CART.replace("code = 1", "code = 2")
    commit(shop, "Refuse coupons that have expired", {"cart.py": first})
    last = commit(shop, "Refuse coupons of other shops", {"cart.py": first.replace("code = 2", "code = 3")})
    assert changed.changed_spans(tree({"cart.py": CART}), Clone(shop / ".git"), base, last) == ()


def test_logs_robots_and_commits_that_touch_no_function_are_not_asked_about(shop):
    files = {"cart.py": CART, "CHANGELOG.md": "1\n2\n", "notes.md": "1\n"}
    base = commit(shop, "Begin a small shop", files)
    commit(shop, "Explain coupons in the notes", {"notes.md": "2\n"})
    commit(shop, "Round prices of coupons up", {"cart.py": CART.replace("= 0", "= 1")}, email="x[bot]@example.invalid")
    last = commit(
        shop,
        "Return nothing without a coupon",
        {"cart.py": CART.replace("return code", "return 0"), "CHANGELOG.md": "3\n2\n"},
    )
    found = changed.changed(tree(files), Clone(shop / ".git"), between(base, last), wanted=9)
    assert [(one.text, one.spans) for one in found] == [("Return nothing without a coupon", (Span("cart.py", 6, 8),))]


def test_lines_are_followed_through_additions_and_removals_before_them():
    hunks = changed.hunks_of("diff --git a/x b/x\n@@ -3,2 +3 @@\n-a\n@@ -9,0 +9,4 @@ def f\n+b\n")
    assert hunks == {"x": [changed.Hunk(3, 2, 3, 1), changed.Hunk(9, 0, 9, 4)]}
    assert changed.followed(changed.Hunk(2, 1, 2, 1), hunks["x"]) == (2, 2)
    assert changed.followed(changed.Hunk(4, 2, 4, 1), hunks["x"]) == (5, 6)
    assert changed.followed(changed.Hunk(3, 1, 3, 1), hunks["x"]) is None
    assert changed.followed(changed.Hunk(12, 2, 1, 1), hunks["x"]) is None  # its first line was added
    assert changed.followed(changed.Hunk(13, 2, 1, 1), hunks["x"]) == (10, 11)
    assert changed.followed(changed.Hunk(3, 0, 4, 2), hunks["x"]) is None


# --- doc comments


def test_a_comment_is_gone_and_its_function_is_asked_for_where_it_stands_then():
    text = "import os\n\n\n" + function("total_price", '"""Add up what everything in the cart costs."""', "return 1")
    made = described.described(tree({"src/cart.py": text}), wanted=9)
    [question] = made.questions
    assert question.text == "Add up what everything in the cart costs"
    assert question.spans == (Span("src/cart.py", 4, 5),)
    assert "Add up" not in made.texts["src/cart.py"]
    assert made.gone == {"src/cart.py": [5]}


def test_parameters_that_a_comment_lists_are_no_part_of_the_question():
    text = "/**\n * Add up what heavy carts cost today\n * @param {Cart} cart what is bought\n */\nfunction total(cart) {\n  return 1;\n}\n"
    [question] = described.described(tree({"src/cart.js": text}), wanted=9).questions
    assert question.text == "Add up what heavy carts cost today"


# --- guides


def test_a_sentence_of_a_guide_leads_to_the_definition_that_it_names_without_the_name():
    guide = "# Coupons\n\nCall `apply_coupon()` whenever customers type some secret letters. More follows.\n"
    [question] = guided.guided(tree({"cart.py": CART, "docs/guide.md": guide}), wanted=9)
    assert question.text == "Call whenever customers type some secret letters"
    assert question.spans == (Span("cart.py", 6, 8),)
    assert question.source == Span("docs/guide.md", 1, 3)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"other.py": function("apply_coupon", "return 2")}, "two definitions have the name"),
        ({"again.md": "Call `apply_coupon()` whenever customers type some secret letters.\n"}, "it is said twice"),
        (
            {"docs/guide.md": "# A\n\nBoth `apply_coupon` and `total_price` matter when customers type letters.\n"},
            "two are named",
        ),
        ({"docs/guide.md": "# A\n\n```\n`apply_coupon` when customers type some secret letters\n```\n"}, "it is code"),
        ({"docs/guide.md": "# A\n\nSee `apply_coupon`.\n"}, "it says too little"),
    ],
)
def test_a_sentence_that_leads_nowhere_for_certain_is_not_asked(files, why):
    guide = "# Coupons\n\nCall `apply_coupon()` whenever customers type some secret letters.\n"
    assert guided.guided(tree({"cart.py": CART, "docs/guide.md": guide} | files), wanted=9) == [], why


# --- tests


def test_the_name_of_a_test_leads_to_what_it_calls():
    test = "from cart import apply_coupon\n\n\ndef test_an_old_coupon_is_refused():\n    assert apply_coupon(1)\n"
    [question] = tried.tried(tree({"cart.py": CART, "tests/test_cart.py": test}), wanted=9)
    assert (question.text, question.spans) == ("an old coupon is refused", (Span("cart.py", 6, 8),))
    assert question.source == Span("tests/test_cart.py", 4, 5)


def test_a_test_may_be_told_in_a_string():
    code = "export function applyCoupon(cart) {\n  return 1;\n}\n"
    test = (
        'describe("coupons", () => {\n  it("refuses old coupons of others", () => {\n    applyCoupon(1);\n  });\n});\n'
    )
    [question] = tried.tried(tree({"src/cart.js": code, "test/cart.test.js": test}), wanted=9)
    assert (question.text, question.spans) == ("refuses old coupons of others", (Span("src/cart.js", 1, 3),))
    assert question.source == Span("test/cart.test.js", 2, 4)


def test_what_many_files_of_tests_call_or_two_functions_are_called_is_no_subject():
    test = "def test_an_old_coupon_is_refused():\n    assert apply_coupon(1)\n"
    colours = ("red", "green", "blue", "grey")
    assert len(colours) == tried.MOST_CALLING + 1
    many = {f"tests/test_{colour}.py": test.replace("old", colour) for colour in colours}
    assert tried.tried(tree({"cart.py": CART} | many), wanted=9) == []
    assert len(tried.tried(tree({"cart.py": CART} | dict(list(many.items())[1:])), wanted=9)) == tried.MOST_CALLING
    assert tried.tried(tree({"cart.py": CART, "b.py": CART, "tests/test_a.py": test}), wanted=9) == []


# --- nothing


def test_questions_without_an_answer_have_two_words_that_stand_nowhere():
    known = tree({"cart.py": CART + "# guitars, velvet and sales tax of every invoice that is computed\n"})
    others = [
        Question(Kind.DOCS, "Compute the coupon code of a price", (), ""),  # only one word is unheard of
        Question(Kind.DOCS, "Schedule threads across kernels", (), ""),
    ]
    found = unanswered.unanswered(known, others, "shop", wanted=20)
    assert {one.text for one in found if one.origin == unanswered.OTHER_REPOSITORY} == {
        "Schedule threads across kernels"
    }
    assert sum(one.origin == unanswered.OTHER_DOMAIN for one in found) == 6
    assert sum(one.origin == unanswered.RANDOM for one in found) == 4
    for one in found:
        assert unanswered.is_foreign(one.text, known)
        assert one.text != "how is the sales tax of an invoice computed"
    assert found == unanswered.unanswered(known, others, "shop", wanted=20)
    assert found != unanswered.unanswered(known, others, "market", wanted=20)


# --- all together


def test_labels_are_placed_in_the_tree_without_comments_and_are_the_same_every_time(mirrors, shop):
    commented = CART.replace("    price = 0\n", '    """Add up what everything in here costs."""\n    price = 0\n')
    base = commit(shop, "Begin a small shop", {"cart.py": commented})
    last = commit(shop, "Refuse coupons that have expired", {"cart.py": commented.replace("code = 1", "code = 2")})
    made = labels.gather(clone_of(between(base, last), mirrors), between(base, last))
    assert {one.kind: one.spans for one in made.questions} == {
        Kind.DOCS: (Span("cart.py", 1, 3),),
        Kind.HISTORY: (Span("cart.py", 6, 8),),  # one line up: the comment above is gone
    }
    assert made.files == {"cart.py": CART.encode()}
    assert made.questions == labels.gather(clone_of(between(base, last), mirrors), between(base, last)).questions


def test_a_clone_without_the_commits_is_told_of(mirrors, shop):
    commit(shop, "Begin a small shop", {"cart.py": CART})
    with pytest.raises(SystemExit, match="no clone of ann/shop with aaaaaaaaaaaa"):
        clone_of(between("a" * 40, "HEAD"), mirrors)


def test_the_repositories_are_pinned_and_of_many_languages():
    known = listed()
    assert len({one.language for one in known}) >= 8
    assert 8 <= len(known) <= 12
    assert all(len(one.base) == len(one.commit) == 40 and one.licence for one in known)


def test_the_whole_run_records_figures_and_no_question(mirrors, shop, tmp_path):
    base = commit(shop, "Begin a small shop", {"cart.py": CART, "other.py": function("sell_shoes", "return 1")})
    last = commit(shop, "Refuse coupons that have expired", {"cart.py": CART.replace("code = 1", "code = 2")})
    repositories = tmp_path / "repositories.json"
    repositories.write_text(json.dumps({"repositories": [between(base, last)._asdict()]}))
    details = tmp_path / "details.json"
    command = [
        sys.executable,
        FOLDER / "run.py",
        mirrors,
        "--repositories",
        repositories,
        "--details",
        details,
        "--no-save",
    ]
    done = subprocess.run([*command, "--no-semble"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Refuse coupons" not in done.stdout
    assert "| shop | python | 1 |" in done.stdout
    [asked] = [one for one in json.loads(details.read_text()) if one["kind"] == "history"]
    assert asked["answers"] == ["cart.py:6-8"]
    assert set(asked["ndcg"]) == {"hybrid", "hybrid, no vectors", "text", "vector", "grep"}
    assert asked["ndcg"]["hybrid"] > 0.5


# --- measures

ONE = Question(Kind.DOCS, "pay by invoice", (Span("a.py", 1, 10),), "")
TWO = ONE._replace(spans=(Span("a.py", 1, 10), Span("b.py", 1, 10)))


def results(*places, characters=100):
    return [Found(Span(path, first, last), characters) for path, first, last in places]


def test_the_rank_of_the_first_right_span_decides_and_a_second_chunk_of_it_gives_nothing():
    found = results(("a.py", 50, 60), ("a.py", 1, 5), ("a.py", 6, 10))
    figures = scores.score(found, ONE)
    assert figures.ndcg == pytest.approx(1 / math.log2(3))
    assert (figures.recall, figures.reciprocal, figures.characters, figures.file_ndcg) == (1.0, 0.5, 200, 1.0)
    assert scores.score(found, TWO).recall == 0.5


def test_both_answers_first_are_one_and_none_is_nothing():
    assert scores.score(results(("b.py", 1, 10), ("a.py", 1, 10)), TWO).ndcg == pytest.approx(1.0)
    nothing = scores.score(results(("c.py", 1, 10)), TWO)
    assert (nothing.ndcg, nothing.recall, nothing.reciprocal, nothing.characters) == (0.0, 0.0, 0.0, 100)


def test_a_map_of_a_file_tells_of_the_file_and_shows_no_lines():
    figures = scores.score([Found(Span("a.py", 1, 10), 100, shown=False)], ONE)
    assert (figures.ndcg, figures.file_ndcg) == (0.0, 1.0)


def test_where_the_question_was_taken_from_takes_no_rank_but_its_neighbour_does():
    asked = ONE._replace(source=Span("test_a.py", 5, 9))
    found = results(("test_a.py", 1, 5), ("test_a.py", 10, 12), ("a.py", 1, 10))
    assert scores.score(found, asked).reciprocal == 0.5


def test_small_results_are_not_worse_off_by_budget():
    late = [*results(*(("c.py", n, n) for n in range(1, 13))), *results(("a.py", 1, 10))]
    assert (scores.score(late, ONE).reciprocal, scores.score(late, ONE).in_budget) == (0.0, 1.0)
    assert scores.score(results(("c.py", 1, 2), ("a.py", 1, 10), characters=5000), ONE).in_budget == 0.0


def test_repositories_weigh_the_same_and_the_interval_is_theirs():
    mean = scores.over_repositories({"a": [1.0] * 99, "b": [0.0]})
    assert (mean.value, mean.low, mean.high) == (0.5, 0.0, 1.0)
    assert scores.over_repositories({}) is None


# --- losses


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ([("a.py", 50, 60)], losses.WRONG_LINES),
        ([("tests/test_a.py", 1, 2), ("c.py", 1, 2)], losses.TESTS),
        ([("docs/a.md", 1, 2), ("a.py", 1, 10)], losses.DOCS),
        ([("a.py", 50, 60), ("a.py", 1, 10)], losses.SAME_FILE),
        ([("c.py", 1, 2)], losses.OTHER),
    ],
)
def test_what_stood_before_the_answer_is_why_it_was_lost(places, reason):
    told = dict.fromkeys(("hybrid", "text", "vector"), results(*places))
    texts = {"a.py": "def pay_invoice(): ..."}
    assert losses.reasons(told, ONE, texts, {"a.py"})[0] == reason


def test_a_file_that_is_not_indexed_and_words_that_are_not_shared_are_told():
    told = dict.fromkeys(("hybrid", "text", "vector"), results(("c.py", 1, 2)))
    assert losses.reasons(told, ONE, {"a.py": "x"}, set())[:2] == [losses.NOT_INDEXED, losses.NO_WORDS]
    told["text"] = results(("a.py", 1, 10))
    assert losses.BY_TEXT in losses.reasons(told, ONE, {"a.py": "x"}, {"a.py"})
