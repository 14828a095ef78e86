"""The real command answers exact questions, with the exit codes and the words it promises."""

import pytest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("def", "hash_password"), "src/auth.py:8-10  function hash_password"),
        (("def", "Session::check_password"), "method Session.check_password"),
        (("def", "hash_*"), "function hash_password"),
        (("def", "--at", "src/auth.py:18"), "method Session.check_password"),
        (("outline", "src/auth.py"), "class Session"),
        (("outline", "src"), "src/cart.ts"),
        (("callers", "hash_password"), "= Session.check_password"),
        (("callees", "Session.check_password"), "= hash_password"),
        (("usages", "hash_password"), "1 definition"),
    ],
)
def test_each_command_finds(scova, project, words, said):
    done = scova(*words, project)
    assert done.code == 0 and said in done.out, done.err


@pytest.mark.parametrize(("command", "name"), [("callers", "hash_password"), ("callees", "Session.check_password")])
def test_the_signs_of_a_tree_are_explained_beside_it_and_in_the_help(scova, project, command, name):
    done = scova(command, name, project)
    assert "= resolved" in done.err and "= resolved" not in done.out
    assert "resolved" not in scova(command, name, project, "--json").err
    assert "= resolved; ? a candidate" in " ".join(scova(command, "--help").out.split())


@pytest.mark.parametrize("command", ["def", "callers", "callees", "usages"])
def test_an_unknown_name_is_exit_1_with_the_nearest_names(scova, project, command):
    done = scova(command, "hash_pasword", project)
    assert (done.code, done.out) == (1, "") and "`hash_password`" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("callers", "hash_password", "--depth", "0"), "1 to 10"),
        (("callees", "hash_password", "--depth", "11"), "1 to 10"),
        (("def", "--at", "src/auth.py:999"), "src/auth.py` has"),
        (("def", "--at", "src/auth.py"), "FILE:LINE"),
        (("def", ""), "there is no name"),
        (("outline", "src/atuh.py"), "src/auth.py"),
        (("usages", "  "), "there is no name"),
    ],
)
def test_bad_input_is_exit_2_and_says_what_to_do(scova, project, words, said):
    done = scova(*words, project)
    assert (done.code, done.out) == (2, "") and said in done.err and "hint:" in done.err


def test_json_is_one_object_with_freshness(scova, project):
    told = scova("callers", "hash_password", project, "--json").json
    assert told["freshness"]["pending_files"] == 0 and told["roots"][0]["nodes"][0]["certainty"] == "resolved"
    assert (
        scova("def", "hash_password", project, "--json", "--body")
        .json["definitions"][0]["text"]
        .startswith("def hash_password")
    )


def test_an_answer_knows_a_file_that_changed_a_moment_ago(scova, project):
    scova("index", project)
    (project / "src/late.py").write_text(
        "from auth import hash_password\n\n\ndef late():\n    hash_password('a', b'b')\n"
    )
    assert "= late" in scova("callers", "hash_password", project).out
