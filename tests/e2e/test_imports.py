"""What one search loads: the command must start fast, so it loads no numpy, no parser, no process pool."""

import subprocess
import sys
from pathlib import Path


def loaded_by(*words: str) -> set[str]:
    script = "import sys; from scova.cli.main import main; main(sys.argv[1:]); print('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_a_search_on_a_built_index_stays_light(project, scova):
    scova("index", project)
    modules = loaded_by("search", "hash password", str(project))
    heavy = {
        "numpy",
        "tree_sitter",
        "multiprocessing",
        "concurrent.futures",
        "asyncio",
        "inspect_",
        "rich",
        "tomllib",
        "subprocess",
    }
    assert not modules & heavy
    assert "scova.search.coordinator" in modules


def test_importing_the_package_loads_nothing(project):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; before = set(sys.modules); import scova; print(*set(sys.modules) - before)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert {name for name in done.stdout.split() if name.startswith("scova")} == {"scova"}


def test_the_libraries_the_command_stands_on_are_declared():
    import tomllib

    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {
        requirement.split("=")[0].split(">")[0].split("<")[0].split("~")[0].replace("-", "_")
        for requirement in declared
    }
    assert {"numpy", "simsimd", "tree_sitter"} <= names
