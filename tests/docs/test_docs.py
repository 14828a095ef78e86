"""The documentation tells the truth: every command, setting, JSON key and error is in it, and its examples run."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scova import answers, config, errors, types
from scova.cli.parser import parser

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
SCHEMAS = (ROOT / "docs/reference/json.md").read_text()
SETTINGS = (ROOT / "docs/reference/settings.md").read_text()
ALL = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands():
    actions = parser([])._subparsers._group_actions
    return actions[0].choices


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_is_in_the_readme_and_has_help(name, scova):
    assert f"`scova {name}" in README
    done = scova(name, "--help")
    assert done.code == 0
    assert len(done.out.splitlines()) > 5


@pytest.mark.parametrize("name", sorted(config.SETTINGS))
def test_every_setting_is_documented_with_its_default(name):
    default = config.SETTINGS[name].default
    shown = json.dumps(default)
    assert re.search(rf"^\| `{name}` \| `{re.escape(shown)}` \|", SETTINGS, re.M)
    assert config.SETTINGS[name].meaning in SETTINGS


def test_every_json_key_is_documented(scova, project):
    for words in (
        ["index", project],
        ["search", "hash_password", project, "--explain"],
        ["def", "hash_password", project, "--body"],
        ["outline", "src/auth.py", project],
        ["callers", "hash_password", project],
        ["callees", "check_password", project],
        ["usages", "hash_password", project],
        ["context", "hash_password", project],
        ["grep", "hash_password", project],
        ["status", project, "--skipped"],
        ["audit", project],
        ["gc"],
    ):
        printed = scova(*words, "--json").json
        sample = printed | (printed["results"][0] if printed.get("results") else {})
        for key in sample:
            assert f"`{key}`" in SCHEMAS, f"{words[0]}: {key}"


@pytest.mark.parametrize(
    "kind",
    [
        *(types.Freshness, types.Literal, types.Finding, types.Skip, types.Symbol, types.Watching, types.Worked),
        *(answers.FileOutline, answers.Node, answers.Site, answers.Usage, answers.Part),
    ],
)
def test_every_nested_json_key_is_documented(kind):
    for name in getattr(kind, "_fields", kind.__slots__):
        assert f"`{name}`" in SCHEMAS


def test_every_error_is_in_the_tree_drawn_at_the_top():
    drawn = errors.__doc__ or ""
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, Exception):
            assert re.search(rf"^\s+{name}\b", drawn, re.M), name


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_python_example_of_the_readme_runs(project):
    code = re.search(r"```python\n(.*?)```", README, re.S).group(1).replace("path/to/project", str(project))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "src/auth.py" in done.stdout


def test_the_public_names_are_these():
    import scova

    assert sorted(scova.__all__) == [
        "Answer", "CallTree", "Chunk", "ChunkType", "Context", "Definitions", "Filters", "Freshness", "Index", "Matches", "Mode",
        "Outlines", "Query", "Report", "Result", "ScovaError", "Skip", "Usages", "__version__",
    ]  # fmt: skip
    for name in scova.__all__:
        assert getattr(scova, name)


def test_the_readme_is_short_and_the_changelog_speaks():
    assert len(README.splitlines()) <= 200
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text() or "## 0." in (ROOT / "CHANGELOG.md").read_text()


def test_every_tool_for_agents_is_documented_with_its_arguments():
    from scova.mcp.server import tools

    said = (ROOT / "docs/reference/mcp.md").read_text()
    for tool in tools(has_builds=True):
        row = re.search(rf"^\| `{tool.name}`[^|]*\|.*$", said, re.M)
        assert row, tool.name
        for name in tool.input_schema["properties"].keys() - {"next", "max_bytes", "project"}:
            assert f"`{name}`" in row[0], (tool.name, name)


def test_every_stage_of_a_job_that_the_page_has_words_for_is_documented():
    """The page tells of every kind of job that a server or `scova ui` does."""
    words = (ROOT / "src/scova/server/page/js/job.js").read_text().partition("const STAGES = {")[2].partition("}")[0]
    stages = re.findall(r"^\s*(\w+):", words, re.M)
    told = (ROOT / "docs/reference/http.md").read_text().partition("`stage` (")[2].partition(")")[0]
    assert len(stages) > 5
    assert {f"`{stage}`" for stage in stages} == set(told.split(", "))
