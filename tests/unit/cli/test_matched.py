"""How matching lines look: to programs, to people, as JSON; and what the command understands."""

import json

import pytest

from scova.answers import FileMatches, Line, Matches
from scova.cli.exact.matched import Shown, Style, as_json
from scova.cli.parser import parser
from scova.errors import UsageError

FILE = FileMatches(
    "a.py", (Line(1, "x\x1b"), Line(2, "foo", ((0, 2),), matched=True), Line(9, "f", ((0, 1),), matched=True)), 2, 2
)


def test_for_programs_every_line_stands_by_itself():
    assert Shown(Style()).lines(FILE) == "a.py-1-x\x1b\na.py:2:foo\na.py:9:f\n"


def test_gaps_are_marked_where_context_was_asked_for():
    shown = Shown(Style(separated=True))
    assert shown.lines(FILE) == "a.py-1-x\x1b\na.py:2:foo\n--\na.py:9:f\n"
    assert shown.lines(FILE).startswith("--\n")


def test_for_people_there_are_headings_colours_and_no_control_characters():
    shown = Shown(Style(heading=True, colour=True, terminal=True))
    first = shown.lines(FILE)
    assert first.startswith("\x1b[35ma.py\x1b[0m\n")
    assert "\x1b[1;31mfo\x1b[0mo\n" in first
    assert "x\ufffd\n" in first
    assert shown.lines(FILE).startswith("\n")
    assert "\x1b" not in Shown(Style(terminal=True)).lines(FILE), "also where nobody wants colours"


def test_counts_and_paths():
    assert Shown(Style()).count(FILE) == "a.py:2\n"
    assert Shown(Style()).path(FILE) == "a.py\n"


def test_json_has_everything():
    fields = json.loads(as_json(Matches("p", (FILE,), 2, 2, 10, 3, False)))
    assert fields["files"][0]["lines"][1] == {"line": 2, "text": "foo", "match": True, "spans": [[0, 2]]}
    assert (fields["count"], fields["searched"], fields["scanned"], fields["truncated"]) == (2, 10, 3, False)
    assert "freshness" in fields


def run(capsys, *given: str) -> tuple[int, str]:
    words = ("grep", *given)
    arguments = parser(words).parse_args(words)
    code = arguments.run(arguments)
    return code, capsys.readouterr().out


def test_the_command_prints_what_ripgrep_would(project, capsys):
    code, out = run(capsys, "hash_password", "-t", "py", str(project), "-c")
    assert (code, out) == (0, "src/auth.py:2\ntests/test_auth.py:3\n")
    assert run(capsys, "-e", "totalPrice", "-e", "currency", str(project), "-l") == (0, "config.toml\nsrc/cart.ts\n")
    assert run(capsys, "CURRENCY", "-i", str(project)) == (0, 'config.toml:3:currency = "EUR"\n')
    assert run(capsys, "-C1", "currency", str(project), "-N") == (
        0,
        'config.toml-name = "tiny"\nconfig.toml:currency = "EUR"\n',
    )
    assert run(capsys, "nowhere at all", str(project)) == (1, "")


def test_of_several_flags_about_case_the_last_counts(project, capsys):
    for flags, code in ((["-i", "-S"], 1), (["-S", "-i"], 0), (["-i", "-s"], 1), (["-S"], 1)):
        assert run(capsys, *flags, "CURRency", str(project))[0] == code


def test_json_of_the_command(project, capsys):
    code, out = run(capsys, "--json", "-F", "push(item)", str(project))
    fields = json.loads(out)
    assert code == 0
    assert [(file["path"], [line["line"] for line in file["lines"]]) for file in fields["files"]] == [
        ("src/cart.ts", [7])
    ]
    assert fields["freshness"]["pending_files"] == 0


def test_a_pattern_must_be_given_once(capsys):
    for given in ((), ("a", "-e", "b", "folder")):
        with pytest.raises(UsageError):
            run(capsys, *given)


def test_line_numbers_are_there_unless_the_last_word_about_them_says_no(project, capsys):
    with_number, without = 'config.toml:3:currency = "EUR"\n', 'config.toml:currency = "EUR"\n'
    for flags, shown in (([], with_number), (["-n"], with_number), (["-nN"], without), (["-N", "-n"], with_number)):
        assert run(capsys, *flags, "currency", str(project)) == (0, shown)


def test_at_most_no_line_of_each_file_is_no_line_as_with_ripgrep(project, capsys):
    for flags in ([], ["-c"], ["-l"], ["-v"], ["-g", "*.toml"]):
        assert run(capsys, "-m", "0", *flags, "currency", str(project)) == (1, "")
    assert run(capsys, "-m", "1", "-t", "py", "-c", "hash_password", str(project))[1].splitlines() == [
        "src/auth.py:1",
        "tests/test_auth.py:1",
    ]
    assert json.loads(run(capsys, "-m", "0", "--json", "currency", str(project))[1])["count"] == 0
