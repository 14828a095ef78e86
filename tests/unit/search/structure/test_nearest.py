"""What is suggested is what was meant: another case, the same words, a slip of the fingers."""

import pytest

from scova.search.structure.nearest import edit_distance, nearest, nearest_paths

NAMES = [
    "make_response",
    "makeResponse",
    "response",
    "Flask",
    "full_dispatch_request",
    "ensure_sync",
    "x",
    "View",
    "Views",
]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("flask", "Flask"),
        ("Flsak", "Flask"),
        ("make_respons", "make_response"),
        ("responseMake", "makeResponse"),
        ("ensure_synk", "ensure_sync"),
        ("full_dispatch", "full_dispatch_request"),
    ],
)
def test_the_nearest_name_comes_first(asked, first):
    assert nearest(asked, NAMES)[0] == first


def test_nothing_is_suggested_for_what_is_like_nothing():
    assert nearest("zzzzqqqq", NAMES) == ()


def test_suggestions_are_few_and_never_the_name_itself():
    assert nearest("View", NAMES)[0] == "Views" and "View" not in nearest("View", NAMES)
    assert len(nearest("name", [f"name{n}" for n in range(50)])) == 5


@pytest.mark.parametrize(
    ("one", "other", "letters"),
    [("", "", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("a", "", 1), ("same", "same", 0)],
)
def test_edit_distance_counts_letters(one, other, letters):
    assert edit_distance(one, other, 9) == letters


def test_paths_are_suggested_by_the_end_they_share():
    paths = ["src/flask/app.py", "src/flask/sansio/app.py", "tests/cli.py", "src/flask/cli.py"]
    assert nearest_paths("flask/cli.py", paths)[0] == "src/flask/cli.py"
    assert nearest_paths("src/flask/clii.py", paths)[0].endswith("cli.py")
    assert nearest_paths("nothing/like/this.rs", paths) == ()


@pytest.mark.parametrize(
    "asked", ["Flsak", "response_make", "ensuresync", "dispatch_full_request", "vw", "X", "view", "ask"]
)
def test_the_glance_that_leaves_most_names_out_leaves_out_nothing_near(asked, monkeypatch):
    """The same is suggested when every name is compared in full."""
    quick = nearest(asked, NAMES)
    monkeypatch.setattr("scova.search.structure.nearest._likely", lambda lowered, words, allowed, names: list(names))
    assert nearest(asked, NAMES) == quick
