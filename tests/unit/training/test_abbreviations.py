"""The table of abbreviations can be made again, from pairs of documentation and code made here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "training"
sys.path.insert(0, str(FOLDER))
try:
    from abbreviations import PROJECTS, may_shorten
finally:
    sys.path.remove(str(FOLDER))

FILLER = ["apple", "brick", "cloud", "dance", "eagle", "flute", "grape", "house", "igloo", "jelly"]


def pair(package, doc, code, kind="doc"):
    return {"registry": "x", "package": package, "licence": "MIT", "lang": "go", "kind": kind, "doc": doc, "code": code}


def project(name, *told):
    """What a project tells, among things that have nothing to do with it."""
    unrelated = [pair(name, f"Eats the {word}.", f"func eat{word.title()}() {{}}") for word in FILLER]
    return [*unrelated, *(pair(name, doc, code) for doc, code in told)]


def made(folder, pairs):
    """The entries of the table that the script makes of these pairs, and the whole text."""
    (folder / "pairs").mkdir(parents=True, exist_ok=True)
    (folder / "pairs" / "all.jsonl").write_text("".join(json.dumps(one) + "\n" for one in pairs))
    table = folder / "table.txt"
    script = [sys.executable, str(FOLDER / "abbreviations.py"), str(folder), str(table)]
    subprocess.run(script, check=True, capture_output=True)
    return table.read_text().splitlines()[1:], table.read_text()


REQUEST = ("Sends the request.", "func send(req Req) error { return do(req) }")
NAMES = [
    f"{word}lib"
    for word in ["amber", "birch", "cedar", "delta", "ember", "frost", "gravel", "harbor", "island", "jasper"]
]


def test_a_short_word_in_the_place_of_a_long_one_in_many_projects_is_learned(tmp_path):
    entries, text = made(tmp_path, [one for name in NAMES for one in project(name, REQUEST)])
    assert entries == ["req request 1.0"]
    assert text.startswith("# short long weight: made by training/abbreviations.py from 110 pairs of 10 projects")
    assert made(tmp_path, [one for name in NAMES for one in project(name, REQUEST)])[1] == text


def test_one_project_cannot_decide_however_often_it_says_so(tmp_path):
    pairs = [one for name in NAMES for one in project(name)] + project("loudlib", *[REQUEST] * 500)
    assert made(tmp_path, pairs)[0] == []
    few = [one for name in NAMES[: PROJECTS - 1] for one in project(name, REQUEST)]
    assert made(tmp_path / "few", few)[0] == []


def test_the_benchmarks_projects_have_no_say(tmp_path):
    names = ["flask", "axios", "express", "librust-tokio-dev", "python3-requests", "redis", "gson", "monolog", "pandoc"]
    assert made(tmp_path, [one for name in names for one in project(name, REQUEST)])[0] == []


def test_meanings_are_weighed_by_how_usual_they_are_and_rare_ones_dropped(tmp_path):
    usual, rarer = ("Asks for authentication.", "func a(auth T)"), ("Checks the authorization.", "func b(auth T)")
    rare = ("Names the author itself.", "func c(auth T)")
    told = [*[usual] * 8, *[rarer] * 4, rare, *[("Eats.", "func eat() {}")] * 60]
    pairs = [one for name in NAMES for one in project(name, *told)]
    assert made(tmp_path, pairs)[0] == ["auth authentication 1.0", "auth authorization 0.5"]


def test_a_word_that_stands_beside_the_long_one_but_not_in_its_place_is_not_learned(tmp_path):
    beside = ("Parses the format.", "func parse(format Format, form Form)")
    assert made(tmp_path, [one for name in NAMES for one in project(name, beside)])[0] == []


def test_names_taken_apart_are_no_documentation_and_a_broken_line_is_passed_over(tmp_path):
    pairs = [one for name in NAMES for one in project(name)]
    pairs += [pair(name, REQUEST[0], REQUEST[1], kind="name") for name in NAMES]
    assert made(tmp_path, pairs)[0] == []
    with (tmp_path / "pairs" / "broken.jsonl").open("w") as file:
        file.write('{"registry": "x", "package": "amberlib", "doc": "cut o')
    assert made(tmp_path, pairs)[0] == []


@pytest.mark.parametrize(
    ("short", "long", "may"),
    [
        ("auth", "authentication", True),
        ("ctx", "context", True),
        ("db", "database", True),
        ("recv", "receive", True),
        ("passwd", "password", True),
        ("idx", "index", True),
        ("corn", "coordinate", False),
        ("test", "latest", False),
        ("set", "subset", False),
        ("cab", "callback", False),
        ("tokn", "token", False),
        ("xtc", "context", False),
    ],
)
def test_what_may_shorten_what(short, long, may):
    assert may_shorten(short, long) is may
