"""The real `scova grep`, `context` and their sisters: what they print, which exit code they give, which words they take."""

import json
import re

import pytest

from until import until_old

EXACT = [
    ("grep", "hash_password"),
    ("def", "hash_password"),
    ("outline", "src/auth.py"),
    ("callers", "hash_password"),
    ("callees", "Session.check_password"),
    ("usages", "hash_password"),
    ("context", "hash_password"),
]


@pytest.mark.parametrize(
    ("words", "how"),
    [
        (("grep", "password"), " with `-g 'src/**'`"),
        (("search", "password"), " with `--path src`"),
        (("callers", "hash_password"), ""),
        (("index",), ""),
    ],
)
def test_a_first_index_inside_an_indexed_folder_is_announced_once(scova, project, words, how):
    inner = project / "src"
    said = f"note: a separate index is made for `src`; `{project}` around it has one: ask there{how} to use that\n"
    assert "separate index" not in scova(*words, project).err
    assert said in scova(*words, inner).err
    assert "separate index" not in scova(*words, inner).err
    assert "separate index" not in scova(*words, inner, "--data", project.parent / "elsewhere").err


# --- grep


def test_every_matching_line_is_printed_with_its_place(scova, project):
    done = scova("grep", r"hash_\w+\(password", project)
    assert (done.code, done.out) == (
        0,
        "src/auth.py:8:def hash_password(password: str, salt: bytes) -> bytes:\n"
        "src/auth.py:18:        return hash_password(password, self.user.salt) == self.user.password_hash\n",
    )


def test_nothing_found_is_exit_1_and_silent(scova, project):
    done = scova("grep", "no such thing", project)
    assert (done.code, done.out, done.err) == (1, "", "")


@pytest.mark.parametrize(("pattern", "position"), [("hash(", 5), ("a[z", 2), ("*a", 1), (r"(a)\1", 4), ("a(?=b)", 2)])
def test_a_pattern_that_cannot_be_read_is_exit_2_with_the_position_marked(scova, project, pattern, position):
    done = scova("grep", pattern, project)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error:") and "hint:" in done.err
    shown, mark = re.search(r"^ {4}(.+)\n( +)\^", done.err, re.M).groups()
    assert (shown, len(mark) - 4 + 1) == (pattern, position)


def test_the_hint_at_a_pattern_that_cannot_be_read_helps_with_it(scova, project):
    assert "hint: match what stands beside it as well" in scova("grep", "a(?=b)", project).err
    assert "hint: write out what is to come again" in scova("grep", r"(a)\1", project).err
    assert "`scova grep -F` takes a text as it is" in scova("search", "(((", project, "-m", "regex").err


def test_a_pattern_that_is_too_large_is_exit_2_and_says_what_to_write_instead(scova, project):
    done = scova("grep", "x{1,9000}y", project)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: the pattern is too large") and "\nhint: write `+` instead" in done.err


@pytest.mark.timeout(60)
def test_a_pattern_that_others_choke_on_takes_no_time(scova, project):
    """Backtracking engines try 2^50000 ways to split the line before they give up on it."""
    (project / "many.txt").write_text("a" * 50_000 + "b\n")
    assert scova("grep", "(a+)+$", "-c", "-g", "many.txt", project, timeout=50).code == 1
    (project / "many.txt").write_text("a" * 50_000 + "\n")
    done = scova("grep", "(a+)+$", "-c", "-g", "many.txt", project, timeout=50)
    assert (done.code, done.out) == (0, "many.txt:1\n")


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (("-l", "hash_password"), "src/auth.py\ntests/test_auth.py\n"),
        (("-c", "hash_password"), "src/auth.py:2\ntests/test_auth.py:3\n"),
        (("-A", "1", r"\[shop"), 'config.toml:1:[shop]\nconfig.toml-2-name = "tiny"\n'),
        (("-B", "1", "currency"), 'config.toml-2-name = "tiny"\nconfig.toml:3:currency = "EUR"\n'),
        (
            ("-C", "1", "^name ="),
            'config.toml-1-[shop]\nconfig.toml:2:name = "tiny"\nconfig.toml-3-currency = "EUR"\n',
        ),
        (("-l", "-g", "*.{toml,md}", "-i", "shop"), "README.md\nconfig.toml\n"),
        (("-l", "-g", "!tests", "hash_password"), "src/auth.py\n"),
        (("-l", "-t", "ts", "item"), "src/cart.ts\n"),
        (("-l", "-T", "py", "-i", "PASSWORD"), "README.md\n"),
        (("-i", "CURRENCY"), 'config.toml:3:currency = "EUR"\n'),
        (("-c", "-w", "item"), "src/cart.ts:4\n"),
        (("-F", "reduce(("), "src/cart.ts:11:    return this.items.reduce((sum, item) => sum + item.price, 0);\n"),
        (("-m", "1", "-t", "ts", "item"), "src/cart.ts:1:import { Item } from './item';\n"),
    ],
)
def test_each_flag_does_what_it_says(scova, project, words, out):
    done = scova("grep", *words, project)
    assert (done.code, done.out) == (0, out), done.err


def test_json_of_grep_has_lines_spans_and_exact_totals(scova, project):
    told = scova("grep", "--json", "-A", "1", "--limit", "1", "hash_password", project, "-t", "py").json
    counts = [(file["path"], file["count"]) for file in told["files"]]
    assert counts == [("src/auth.py", 2), ("tests/test_auth.py", 3)] and (told["count"], told["truncated"]) == (5, True)
    first = "def hash_password(password: str, salt: bytes) -> bytes:"
    assert [file["lines"] for file in told["files"]] == [
        [
            {"line": 8, "text": first, "match": True, "spans": [[4, 17]]},
            {"line": 9, "text": '    """Slow on purpose."""', "match": False, "spans": []},
        ],
        [],
    ]
    assert told["freshness"]["tiers"] == {"lines": True}


def test_grep_knows_what_changed_a_moment_ago_also_without_a_refresh(scova, project):
    until_old(project)
    scova("index", project)
    (project / "late.py").write_text("arrived_late = 1\n")
    done = scova("grep", "--no-refresh", "--json", "arrived_late", project)
    assert done.json["count"] == 1 and done.json["freshness"]["pending_files"] == 1
    assert scova("grep", "arrived_late", project).out == "late.py:1:arrived_late = 1\n"


# --- context


@pytest.mark.parametrize("budget", [60, 150, 2000])
def test_a_pack_stays_within_its_budget_and_begins_with_what_was_asked(scova, project, budget):
    told = scova("context", "hash_password", project, "--budget", budget, "--json").json
    assert told["parts"][0]["role"] == "definition" and told["parts"][0]["path"] == "src/auth.py"
    assert told["tokens"] == sum(part["tokens"] for part in told["parts"]) <= budget == told["budget"]


def test_a_larger_budget_brings_the_callers_with_the_reason(scova, project):
    done = scova("context", "hash_password", project)
    assert done.code == 0 and "[caller: calls it on line 18: resolved, defined in this file]" in done.out
    assert re.search(r"^\d+ of 2000 tokens$", done.out, re.M)


def test_an_unknown_symbol_is_exit_1_with_the_nearest_names(scova, project):
    done = scova("context", "hash_pasword", project)
    assert (done.code, done.out) == (1, "") and "`hash_password`" in done.err


@pytest.mark.parametrize("budget", [-1, 0, 49, 1_000_001])
def test_a_budget_out_of_range_is_exit_2_and_names_the_range(scova, project, budget):
    done = scova("context", "hash_password", project, "--budget", budget)
    assert (done.code, done.out) == (2, "") and "50 to 1,000,000" in done.err


# --- all of them


@pytest.mark.parametrize("words", EXACT, ids=lambda words: words[0])
def test_json_is_one_object_on_one_line_with_freshness(scova, project, words):
    done = scova(*words, project, "--json")
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    told = json.loads(done.out)
    assert isinstance(told, dict) and told["freshness"]["pending_files"] == 0


@pytest.mark.parametrize("command", ["grep", "def", "callers", "callees", "usages", "context"])
def test_what_is_not_found_is_json_too(scova, project, command):
    done = scova(command, "nowhere_at_all_defined", project, "--json")
    assert done.code == 1 and done.json["freshness"]


def test_an_outline_of_more_files_than_asked_for_names_the_word_that_shows_more(scova, project):
    done = scova("outline", ".", project, "--files", "1")
    assert done.code == 0 and "not all of 5 files: cut off by --files 1;" in done.out
    assert len(scova("outline", ".", project, "--files", "1", "--json").json["files"]) == 1
    assert "not all" not in scova("outline", ".", project).out


def test_options_stand_before_between_and_after_the_other_words(scova, project):
    line = 'config.toml:3:currency = "EUR"\n'
    for words in (("-i", "CURRENCY", project), ("CURRENCY", project, "-i"), ("CURRENCY", "-i", project)):
        assert scova("grep", *words).out == line
    for words in (("hash password", "-k", "1", project), ("-k", "1", "hash password", project)):
        done = scova("search", *words, "--json")
        assert done.code == 0 and len(done.json["results"]) == 1
    for words in (("--depth", "1", "hash_password", project), ("hash_password", "--depth", "1", project)):
        assert "= Session.check_password" in scova("callers", *words).out
