#!/usr/bin/env python3
"""Makes the oracles' answers that calls.py compares with: tools into WORK_DIR, then one JSON file per oracle and repository.

    python bench/structure/oracles/make.py REPOS_DIR WORK_DIR [ORACLE-REPO…]

Installs jedi and the test requirements of the projects into an environment of their own (not scova's), and the TypeScript
compiler by npm. What is there already is not made again: delete a file to have it anew. Projects whose tests run are
copied first, because tests write files.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# With them installed, jedi can follow what a project inherits from other packages. The projects themselves are not
# installed: the copy in REPOS_DIR must be the only one.
PACKAGES = [
    "jedi==0.20.*",
    "pytest<9",
    "werkzeug",
    "jinja2",
    "click",
    "itsdangerous",
    "blinker",
    "markupsafe",
    "asgiref",
    "python-dotenv",
    "anyio",
    "certifi",
    "h11",
    "h2",
    "httpcore",
    "idna",
    "sniffio",
    "brotli",
    "socksio",
    "trio",
    "trio-typing",
    "chardet",
    "rich",
    "pygments",
    "uvicorn",
    "trustme",
    "cryptography",
    "zstandard",
    "multidict",
    "yarl",
    "frozenlist",
    "aiosignal",
    "attrs",
    "propcache",
    "aiohappyeyeballs",
    "numpy",
    "tokenizers",
]
TYPESCRIPT = "typescript@5.9"
ANSWERS = [
    "jedi-flask",
    "jedi-httpx",
    "jedi-model2vec",
    "jedi-aiohttp",
    "recorded-flask",
    "recorded-httpx",
    "typescript-axios",
    "typescript-trpc",
    "typescript-vitest",
]


def python_in(work: Path) -> Path:
    """The interpreter that has jedi and the projects' requirements."""
    python = work / "venv" / "bin" / "python"
    if not (work / "venv" / ".ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(work / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (work / "venv" / ".ready").touch()
    return python


def typescript_in(work: Path) -> Path:
    """The folder where node finds the compiler."""
    folder = work / "typescript"
    if not (folder / "node_modules" / "typescript").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), TYPESCRIPT], check=True)
    return folder / "node_modules"


def jedi(root: Path, work: Path, out: Path) -> None:
    """Ask jedi about call sites of one project."""
    subprocess.run([str(python_in(work)), str(HERE / "jedi_calls.py"), str(root), "--out", str(out)], check=True)


def recorded(root: Path, work: Path, out: Path) -> None:
    """Run a project's tests and record. Some may fail for want of a network or a package; what ran is what counts."""
    copy = work / "copies" / root.name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root, copy)
    found = os.pathsep.join([str(HERE.resolve()), str(copy / "src"), str(copy)])
    told = {**os.environ, "PYTHONPATH": found, "CALLS_ROOT": str(copy), "CALLS_OUT": str(out.resolve())}
    options = [
        "-q",
        "--no-header",
        "-p",
        "recorded_calls",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore::DeprecationWarning",
    ]
    subprocess.run([str(python_in(work)), "-m", "pytest", *options, "tests"], cwd=copy, env=told)


def typescript(root: Path, work: Path, out: Path) -> None:
    """Ask the TypeScript compiler about all call sites of one project."""
    told = {**os.environ, "NODE_PATH": str(typescript_in(work).resolve())}
    script = str(HERE / "typescript_calls.cjs")
    subprocess.run(["node", "--max-old-space-size=6000", script, str(root), str(out)], env=told, check=True)


MAKERS = {"jedi": jedi, "recorded": recorded, "typescript": typescript}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repos", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("names", nargs="*", help=f"only these of {', '.join(ANSWERS)}")
    chosen = parser.parse_args()
    work = chosen.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for name in chosen.names or ANSWERS:
        out = work / f"{name}.json"
        if out.exists():
            continue
        oracle, _, repo = name.partition("-")
        MAKERS[oracle]((chosen.repos / repo).resolve(), work, out)
        if not out.exists():
            raise SystemExit(f"{name}: the oracle left no answers")
        print(f"{out.name} made", flush=True)


if __name__ == "__main__":
    main()
