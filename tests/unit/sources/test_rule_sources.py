"""Where ignore rules come from and which of them wins. That matching equals git's is a property test."""

import os
from pathlib import Path

import pytest

from unit.sources.trees import git, offered, reasons, repository, skipped, write


def listed(root):
    """What git itself would add or tracks, below this folder."""
    output = git(root, "ls-files", "--others", "--cached", "--exclude-standard")
    return sorted(path for path in output.splitlines() if (root / path).exists())


def test_in_one_folder_scovaignore_beats_ignore_beats_gitignore(tmp_path):
    write(tmp_path, {"a.x": "", "b.x": "", "c.x": "", "d.x": ""})
    write(tmp_path, {".gitignore": "*.x\n!d.x\n", ".ignore": "!a.x\n!b.x\nd.x\n", ".scovaignore": "b.x\n"})
    assert [path for path in offered(tmp_path) if path.endswith(".x")] == ["a.x"]


def test_a_deeper_folder_beats_a_shallower_one_whatever_the_file(tmp_path):
    write(tmp_path, {".scovaignore": "*.x\n", "sub/.gitignore": "!a.x\n", "sub/a.x": "", "sub/b.x": "", "a.x": ""})
    assert [path for path in offered(tmp_path) if path.endswith(".x")] == ["sub/a.x"]


def test_nothing_comes_back_inside_an_ignored_folder(tmp_path):
    write(tmp_path, {".gitignore": "build/\n!build/keep.c\n", "build/keep.c": "", "build/.scovaignore": "!*\n"})
    assert offered(tmp_path) == [".gitignore"]


def test_ignore_files_count_without_any_repository(tmp_path):
    write(tmp_path, {".gitignore": "*.x\n", "a.x": "", "sub/.gitignore": "/b\n", "sub/b": "", "sub/c/b": ""})
    assert offered(tmp_path) == [".gitignore", "sub/.gitignore", "sub/c/b"]


def test_a_subfolder_of_a_repository_obeys_the_files_above_it(tmp_path):
    repository(tmp_path, {".gitignore": "*.x\n/sub/deep/a\n/b\n", "sub/.gitignore": "!keep.x\n", ".ignore": "*.y\n"})
    write(tmp_path, dict.fromkeys(["sub/deep/a", "sub/deep/b", "sub/deep/c.x", "sub/deep/keep.x", "sub/deep/d.y"], ""))
    root = tmp_path / "sub" / "deep"
    assert offered(root) == ["b", "keep.x"]
    assert listed(root) == ["b", "d.y", "keep.x"], "git knows no .ignore"
    assert skipped(root)["a"].detail == f"`/sub/deep/a` in {tmp_path}/.gitignore:2"


def test_a_root_that_is_itself_ignored_was_asked_for(tmp_path):
    repository(
        tmp_path,
        {".gitignore": "*\n", "build/a.c": "", "build/.gitignore": "b.c\n", "build/b.c": "", "build/s/c.c": ""},
    )
    assert offered(tmp_path / "build") == [".gitignore", "a.c", "s/c.c"]
    assert offered(tmp_path / "build" / "s") == ["c.c"]


def test_info_exclude_is_weaker_than_gitignore(tmp_path):
    repository(tmp_path, {".gitignore": "!b.x\n", "a.x": "", "b.x": "", "c": "", "sub/c": ""})
    (tmp_path / ".git" / "info" / "exclude").write_text("*.x\n/c\n")
    assert offered(tmp_path) == [".gitignore", "b.x", "sub/c"] == listed(tmp_path)


@pytest.mark.parametrize(
    ("config", "excludes"),
    [
        (None, "config/git/ignore"),
        ("[core]\n\texcludesFile = ~/mine\n", "mine"),
        ('[CORE] ExcludesFile="~/my \\"file\\"" ; why\n', 'my "file"'),
        ("[include]\n\tpath = more\n", "mine"),
        ('[includeIf "gitdir:tree/"]\n\tpath = more\n', "mine"),
        ('[includeIf "gitdir/i:~/TREE/.git"]\n\tpath = more\n', "mine"),
        ("[core]\n\texcludesFile = /nowhere\n# \\\n[core]\n\texcludesfile = ~/mi\\\nne\n", "mine"),
    ],
    ids=["default", "named", "quoted", "included", "included-if", "included-if-any-case", "last-wins-continued"],
)
def test_the_users_own_excludes_count_last_of_all(config, excludes):
    home = tree_home()
    root = repository(home / "tree", {".gitignore": "!b.x\n", "a.x": "", "b.x": "", "c.y": "", "d.y": ""})
    (root / ".git" / "info" / "exclude").write_text("!d.y\n")
    write(home, {excludes: "*.x\n*.y\n"})
    if config is not None:
        write(home, {".gitconfig": config, "more": "[core]\n\texcludesFile = ~/mine\n"})
    assert offered(root) == [".gitignore", "b.x", "d.y"] == listed(root)


@pytest.mark.parametrize(
    "config",
    [
        '[includeIf "gitdir:other/"]\n\tpath = more\n',
        '[includeIf "onbranch:nope"]\n\tpath = more\n',
        "[core]\nexcludesFile =\n",
    ],
    ids=["other-folder", "other-branch", "switched-off"],
)
def test_excludes_under_a_condition_that_is_not_met_do_not_count(config):
    home = tree_home()
    root = repository(home / "tree", {"a.x": ""})
    write(home, {".gitconfig": config, "more": "[core]\n\texcludesFile = ~/mine\n", "mine": "*.x\n"})
    if "excludesFile" in config:
        write(home, {"config/git/ignore": "*.x\n"})
    assert offered(root) == ["a.x"] == listed(root)


def tree_home():
    """The home folder that the clean environment gave this test."""
    return Path(os.environ["HOME"])


def test_excludes_may_be_named_by_the_environment_and_by_the_repository(tmp_path, monkeypatch):
    root = repository(tmp_path / "tree", {"a.x": "", "b.y": "", "c.w": ""})
    write(tmp_path, {"config": "[core]\nexcludesFile = rules\n", "ours": "*.y\n", "theirs": "*.w\n"})
    write(root, {"rules": "*.x\n"})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    assert offered(root) == ["b.y", "c.w", "rules"] == listed(root)
    git(root, "config", "core.excludesFile", str(tmp_path / "ours"))
    assert offered(root) == ["a.x", "c.w", "rules"] == listed(root)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.excludesFile")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(tmp_path / "theirs"))
    assert offered(root) == ["a.x", "b.y", "rules"] == listed(root)


def test_what_git_tracks_is_never_ignored_by_gits_rules(tmp_path):
    repository(
        tmp_path, {".gitignore": "*.log\nbuild/\n", "a.log": "", "b.log": "", "build/kept/c.c": "", "build/d.c": ""}
    )
    git(tmp_path, "add", "-f", "a.log", "build/kept/c.c")
    assert offered(tmp_path) == [".gitignore", "a.log", "build/kept/c.c"] == listed(tmp_path)
    skips = skipped(tmp_path)
    assert set(skips) == {".git", "b.log", "build"}, "what hides behind an ignored folder is not listed one by one"
    assert skips["build"].detail == "`build/` in .gitignore:2; what git tracks inside is indexed"


def test_ignore_and_scovaignore_apply_to_tracked_files_too(tmp_path):
    files = {
        ".gitignore": "*.log\nbuild/\n",
        ".ignore": "/a.log\n",
        ".scovaignore": "vendor/\nbuild/c\n",
        "a.log": "",
        "b.log": "",
    }
    repository(tmp_path, files | {"vendor/x.c": "", "build/c": "", "build/d": ""})
    git(tmp_path, "add", "-f", ".")
    assert offered(tmp_path) == [".gitignore", ".ignore", ".scovaignore", "b.log", "build/d"]
    assert reasons(tmp_path)["build/c"] == "ignored"


@pytest.mark.parametrize("kind", ["2", "4", "split", "sha256", "intent"])
def test_every_format_of_the_index_is_understood(tmp_path, kind):
    options = ["--object-format=sha256"] if kind == "sha256" else []
    names = [
        f"{folder}/file{number:03}.log"
        for folder in ("a", "a/b", "c")
        for number in range(0, 90, 1 if kind == "split" else 9)
    ]
    names += [f"{'long' * 40}/{'name' * 40}.log", f"{'more' * 40}/x.log"]  # so that more than 127 bytes differ
    repository(tmp_path, dict.fromkeys(names, "") | {".gitignore": "*.log\n"}, *options)
    tracked = sorted({*names[::2], names[1], *names[-2:]})
    git(tmp_path, "add", *(["-N"] if kind == "intent" else []), "-f", *tracked)
    if kind in "24":
        git(tmp_path, "update-index", f"--index-version={kind}")
    if kind == "split":
        git(tmp_path, "update-index", "--split-index")
        git(tmp_path, "rm", "-q", "--cached", *names[10:80:2], "-f")
        git(tmp_path, "add", "-f", names[3])
        assert list((tmp_path / ".git").glob("sharedindex.*"))
        tracked = sorted(set(tracked) - set(names[10:80:2]) | {names[3]})
    assert offered(tmp_path) == sorted([".gitignore", *tracked]) == listed(tmp_path)


def test_a_damaged_index_tracks_nothing(tmp_path):
    repository(tmp_path, {".gitignore": "*.log\n", "a.log": ""})
    git(tmp_path, "add", "-f", "a.log")
    whole = (tmp_path / ".git" / "index").read_bytes()
    for damaged in (
        b"",
        b"DIRC",
        whole[:40],
        b"DIRC\x00\x00\x00\x09" + whole[8:],
        whole[:8] + b"\xff" * 4 + whole[12:],
    ):
        (tmp_path / ".git" / "index").write_bytes(damaged)
        assert offered(tmp_path) == [".gitignore"]


def test_a_worktree_has_its_own_index_and_shares_info_exclude(tmp_path):
    main = repository(tmp_path / "main", {".gitignore": "*.log\n", "a.log": ""})
    git(main, "add", "-f", ".")
    git(main, "commit", "-qm", "first")
    git(main, "worktree", "add", "-q", "../other", "-b", "other")
    (main / ".git" / "info" / "exclude").write_text("*.tmp\n")
    other = write(tmp_path / "other", {"b.log": "", "c.tmp": "", "d.c": ""})
    assert (other / ".git").is_file()
    git(main, "rm", "-q", "--cached", "a.log")
    assert offered(other) == [".gitignore", "a.log", "d.c"] == listed(other)
    assert offered(main) == [".gitignore"] == listed(main)
    assert reasons(other)[".git"] == "internal"


def test_a_repository_inside_another_has_its_own_git_rules(tmp_path):
    repository(tmp_path, {".gitignore": "*.x\n", ".ignore": "*.y\n", "a.x": ""})
    inner = repository(tmp_path / "inner", {"a.x": "", "b.y": "", "c.w": "", "d.w": "", ".gitignore": "/c.w\n"})
    (inner / ".git" / "info" / "exclude").write_text("/d.w\n")
    assert offered(tmp_path) == [".gitignore", ".ignore", "inner/.gitignore", "inner/a.x"]
    assert listed(inner) == [".gitignore", "a.x", "b.y"], "as git sees it, which knows no .ignore"


def test_a_submodule_in_an_ignored_folder_is_tracked(tmp_path):
    inner = repository(tmp_path / "inner", {"a.c": "", "b.x": "", ".gitignore": "*.x\n"})
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "first")
    outer = repository(tmp_path / "outer", {".gitignore": "deps/\n", "deps/junk.c": ""})
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-f", str(inner), "deps/inner")
    write(outer, {"deps/inner/new.c": "", "deps/inner/new.x": ""})
    assert [path for path in offered(outer) if path.startswith("deps")] == [
        "deps/inner/.gitignore",
        "deps/inner/a.c",
        "deps/inner/new.c",
    ]


def test_a_gitignore_that_is_a_symlink_or_a_pipe_says_nothing(tmp_path):
    write(tmp_path, {"rules": "*.x\n", "tree/a.x": "", "tree/sub/b.x": ""})
    (tmp_path / "tree" / ".gitignore").symlink_to(tmp_path / "rules")
    os.mkfifo(tmp_path / "tree" / "sub" / ".gitignore")
    assert offered(tmp_path / "tree") == ["a.x", "sub/b.x"]


def test_a_folder_called_git_that_is_no_repository_ends_nothing(tmp_path):
    repository(
        tmp_path,
        {".gitignore": "*.x\n", "sub/.git/notes": "", "sub/a.x": "", "link/.git": "not a link\n", "link/a.x": ""},
    )
    assert offered(tmp_path) == [".gitignore"]
