"""Questions from real git repositories: which commits are asked about, and which files answer."""

import pytest

from committed import commit, git
from scova.evaluation.history import Commit, Unheard, commits, question_of, questions


@pytest.fixture
def author(monkeypatch):
    for name in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
        monkeypatch.delenv(f"GIT_{name}", raising=False)


@pytest.fixture
def repository(tmp_path, author):
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


def indexed(root):
    return {
        path.relative_to(root).as_posix(): "python"
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def test_a_subject_leads_to_the_files_that_the_commit_changed_and_that_are_still_there(repository):
    commit(repository, "Parse quoted header values", {"src/header.py": "1", "src/gone.py": "1", "CHANGELOG.md": "1"})
    commit(
        repository, "feat(cookies): Reject expired session cookies (#12)", {"src/cookie.py": "1", "src/header.py": "2"}
    )
    (repository / "src/gone.py").unlink()
    git(repository, "commit", "-q", "-a", "-m", "Remove what nobody used anymore")
    found = commits(repository, indexed(repository))
    assert [(one.subject, one.relevant) for one in found] == [
        ("Reject expired session cookies", ("src/cookie.py", "src/header.py")),
        ("Parse quoted header values", ("src/header.py",)),  # neither the change log nor the file that is gone
    ]


def test_what_says_nothing_of_files_is_not_asked(repository):
    commit(repository, "Draw large pictures slowly", {f"many/{number}.py": "1" for number in range(6)})
    commit(repository, "fix it", {"a.py": "2"})
    commit(repository, "Bump requests from 1.2 to 1.3 everywhere", {"a.py": "3"})
    commit(repository, "Release the third version 3.0.0", {"a.py": "4"})
    commit(repository, 'Revert "Draw large pictures slowly"', {"a.py": "5"})
    commit(
        repository, "Sort imports alphabetically everywhere", {"a.py": "6"}, email="49+dependabot[bot]@example.invalid"
    )
    git(repository, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(repository, "Measure twice before cutting", {"b.py": "1"})
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "Join measuring twice before cutting", "side")
    assert [one.subject for one in commits(repository, indexed(repository))] == ["Measure twice before cutting"]


def test_a_subject_is_asked_once_and_the_newest_commit_answers(repository):
    commit(repository, "Parse quoted header values", {"old.py": "1"})
    commit(repository, "Parse quoted header values", {"new.py": "1"})
    assert [one.relevant for one in commits(repository, indexed(repository))] == [("new.py",)]


def test_paths_are_those_below_the_folder_that_is_asked_about(repository):
    commit(repository, "Parse quoted header values", {"inner/header.py": "1", "outer.py": "1"})
    found = commits(repository / "inner", {"header.py": "python"})
    assert [one.relevant for one in found] == [("header.py",)]


def test_names_that_git_would_quote_are_taken_as_they_are(repository):
    commit(repository, "Parse quoted header values", {'a "b"\nü.py': "1"})
    assert commits(repository, indexed(repository))[0].relevant == ('a "b"\nü.py',)


def test_no_history_is_told_with_its_reason(tmp_path, repository):
    with pytest.raises(Unheard, match="no commits yet"):
        commits(repository, {})
    (tmp_path / "plain").mkdir()
    with pytest.raises(Unheard, match="in no git repository"):
        commits(tmp_path / "plain", {})


def test_git_missing_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unheard, match="not installed"):
        commits(tmp_path, {})


def test_git_runs_nothing_that_the_repository_names(repository, tmp_path):
    commit(repository, "Parse quoted header values", {"header.py": "1"})
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    for key in ("diff.external", "core.fsmonitor", "core.pager", "gpg.program", "diff.mine.textconv"):
        git(repository, "config", key, str(script))
    git(repository, "config", "log.showSignature", "true")
    (repository / ".gitattributes").write_text("*.py diff=mine\n")
    assert commits(repository, indexed(repository))
    assert not ran.exists()


def test_questions_come_from_all_times_and_authors_and_are_the_same_for_the_same_seed():
    found = [
        Commit(f"{number:040x}", "busy" if number % 5 else "rare", f"subject {number}", ("a.py",))
        for number in range(100)
    ]
    chosen = questions(found, 20, seed=1, files={"a.py": "", "CHANGES.rst": ""})
    places = [int(one.text.split()[1]) for one in chosen]
    assert all(number * 5 <= place < number * 5 + 5 for number, place in enumerate(places))  # one of each run
    rare = sum(found[place].author == "rare" for place in places)
    assert 8 <= rare <= 12  # though it made a fifth of all commits
    assert chosen == questions(found, 20, seed=1, files={"a.py": "", "CHANGES.rst": ""})
    assert chosen != questions(found, 20, seed=2, files={"a.py": "", "CHANGES.rst": ""})
    assert chosen[0].ignored == {"CHANGES.rst"}
    assert len(questions(found[:3], 20, seed=1, files={})) == 3
    assert questions([], 20, seed=1, files={}) == []


@pytest.mark.parametrize(
    ("subject", "question"),
    [
        ("fix(core): keep `path:` out of queries -now", "keep path out of queries now"),
        ('Let "quoted phrases" match +exactly *twice*', "Let quoted phrases match exactly twice"),
        ("ABC-123: Handle empty answers gracefully", "Handle empty answers gracefully"),
        ("Merge branch main into topic branch", ""),
        ("v1.2.3 with many good things", ""),
        ("update lockfile and pinned dependencies", ""),
        ("the use of this", ""),
    ],
)
def test_a_subject_becomes_words_that_can_be_asked(subject, question):
    assert question_of(subject) == question
