"""The settings `include`, `exclude` and `languages`: what they leave out, at every door that reads a folder."""

import pytest

from scova.config import user_file
from scova.errors import ConfigError
from scova.index import Index
from scova.live import Live
from scova.parse.language import possible_languages
from scova.push.manifest import folder, read_manifest
from scova.sources.wanted.choice import Choice
from scova.types import Query
from unit.sources.trees import offered, reasons, write
from until import until, until_old

FILES = {
    "README.md": "# read me\n",
    "docs/guide.md": "# guide\n",
    "docs/deep/more.py": "x = 1\n",
    "src/a.py": "def wanted():\n    return 1\n",
    "src/gen/b.py": "def generated_one():\n    return 1\n",
    "src/c.go": "package c\n",
    "run": "#!/usr/bin/env python3\nprint(1)\n",
    "lib/one/two/d.py": "y = 1\n",
}


@pytest.fixture
def tree(tmp_path):
    return write(tmp_path / "tree", FILES)


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        ((), ("docs/**",), ["README.md", "lib/one/two/d.py", "run", "src/a.py", "src/c.go", "src/gen/b.py"]),
        ((), ("docs", "*.md", "src/gen/"), ["lib/one/two/d.py", "run", "src/a.py", "src/c.go"]),
        (("src",), (), ["src/a.py", "src/c.go", "src/gen/b.py"]),
        (("src/**",), ("src/gen/*",), ["src/a.py", "src/c.go"]),
        (("*.md",), (), ["README.md", "docs/guide.md"]),
        (("lib/*/two/*.py", "run"), (), ["lib/one/two/d.py", "run"]),
        (("**/two/**",), (), ["lib/one/two/d.py"]),
        (("src/*.py",), ("*",), []),
    ],
)
def test_patterns_choose_files(tree, include, exclude, expected):
    assert offered(tree, choice=Choice(include, exclude)) == expected


def test_a_folder_in_which_nothing_can_be_wanted_is_not_entered(tree):
    found = reasons(tree, choice=Choice(("src/**", "lib/one/*/d.py")))
    assert found["docs"] == "excluded" and not [path for path in found if path.startswith("docs/")]
    assert "lib" not in found and "lib/one" not in found
    found = reasons(tree, choice=Choice((), ("docs/**", "src/*")))
    assert found["docs"] == "excluded"
    assert found["src/a.py"] == "excluded" and "src/gen" not in found and "src/gen/b.py" not in found


def test_languages_are_told_by_name_or_by_text(tree):
    write(tree, {".scova-note": "x"})
    choice = Choice(languages=("python",), possible=possible_languages)
    items = offered(tree, choice=choice)
    assert "src/c.go" not in items and "README.md" not in items
    with Index.open(tree, languages=["py"]) as index:
        index.refresh()
        assert set(index.files()) == {"docs/deep/more.py", "lib/one/two/d.py", "run", "src/a.py", "src/gen/b.py"}
        assert {skip.path: skip.reason for skip in index.skips()}["src/c.go"] == "language"


def test_the_settings_of_a_project_hold_in_the_index_in_grep_and_in_push(tree, scova):
    write(tree, {"scova.toml": 'exclude = ["docs/**", "src/gen/**"]\nlanguages = ["python", "toml"]\n'})
    wanted = {"lib/one/two/d.py", "run", "scova.toml", "src/a.py"}
    until_old(tree)
    with Index.open(tree) as index:
        index.refresh()
        assert set(index.files()) == wanted
        assert not index.is_stale()
        assert [file.path for file in index.grep("generated_one|guide|package").files] == []
    assert set(read_manifest(folder(tree), lambda number: None).hashes) == wanted
    skipped = scova("status", tree, "--skipped").out
    assert "excluded" in skipped and "language" in skipped
    found = scova("search", "generated_one", tree, "--json").json["results"]
    assert {result["path"] for result in found} <= wanted


def test_a_changed_choice_is_followed_by_the_next_refresh(tree):
    with Index.open(tree) as index:
        index.refresh()
        assert "docs/guide.md" in index.files()
    write(tree, {"scova.toml": 'exclude = ["docs/**"]\n'})
    with Index.open(tree) as index:
        assert index.is_stale()
        index.refresh()
        assert "docs/guide.md" not in index.files()
    (tree / "scova.toml").write_text('languages = ["go"]\n')
    with Index.open(tree) as index:
        index.refresh()
        assert set(index.files()) == {"src/c.go"}
    (tree / "scova.toml").unlink()
    with Index.open(tree) as index:
        index.refresh()
        assert set(index.files()) == set(FILES)


def test_a_watcher_looks_at_what_is_wanted_only(tree):
    write(tree, {"scova.toml": 'exclude = ["docs/**"]\nlanguages = ["python"]\n'})

    def found(index, words):
        return [result.chunk.file_path for result in index.search(Query(words)).results]

    with Index.open(tree) as index:
        index.refresh()
    with Index.open(tree) as index, Live(index):
        write(tree, {"docs/new.py": "def never_indexed():\n    pass\n", "src/new.go": "package never\n"})
        write(tree, {"src/new.py": "def soon_indexed():\n    pass\n"})
        until(lambda: "src/new.py" in found(index, "soon_indexed"), "finding the new file")
        assert "docs/new.py" not in index.files() and "src/new.go" not in index.files()
        (tree / "scova.toml").write_text('languages = ["python", "go"]\n')
        until(lambda: "docs/new.py" in index.files() and "src/new.go" in index.files(), "following the settings")


def test_a_language_that_there_is_not_is_refused_with_a_near_one(tree):
    write(tree, {"scova.toml": 'languages = ["pyton"]\n'})
    with Index.open(tree) as index, pytest.raises(ConfigError, match="pyton") as caught:
        index.refresh()
    assert "python" in caught.value.hint


def test_a_users_own_choice_holds_in_a_named_project_too(tree, scova):
    user_file().parent.mkdir(parents=True)
    user_file().write_text('exclude = ["docs/**"]\n')
    scova("project", "create", "p")
    scova("project", "add", "p", f"folder:{tree}")
    scova("project", "build", "p")
    found = scova("search", "guide generated_one", "--project", "p", "--json").json["results"]
    paths = {result["path"] for result in found}
    assert any("gen/b.py" in path for path in paths) and not any("guide.md" in path for path in paths)


def test_what_is_chosen_does_not_bring_back_what_is_left_out_for_other_reasons(tree):
    write(tree, {".env": "A=1\n", ".gitignore": "run\n", ".ignore": "run\n"})
    choice = Choice((".env", "run", "src/**"))
    items = offered(tree, choice=choice)
    assert items == ["src/a.py", "src/c.go", "src/gen/b.py"]
