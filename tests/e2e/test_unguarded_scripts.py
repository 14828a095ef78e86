"""Scripts without a main guard that bring an index up to date: each runs once, however it is started and whatever runs in it.

Each notes that it ran, keeps the lines of its module-level code in a file, and indexes a tree that takes worker processes.
"""

import os
import subprocess
import sys
import textwrap
import zipapp
from pathlib import Path

import pytest

FILES = 40  # more than are done without a process of their own

_TOP = """
import os, sys
with open(os.environ["RAN"], "a") as file:
    file.write(f"{os.getpid()}\\n")
from scova import Index
def refresh():
    with Index.open(os.environ["TREE"], workers=2) as index:
        return index.refresh().files
"""
_THREAD = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"

SCRIPTS = {
    "alone": "found = refresh()",
    "asyncio": "import asyncio\nfound = asyncio.run(asyncio.to_thread(refresh))",
    "another thread": _THREAD + "found = refresh()",
    "many threads": "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(3) as pool:\n    found = max(pool.map(lambda _: refresh_waiting(), range(3)))",
    "a live index": "import time\nfrom scova.live import Live\nwith Index.open(os.environ['TREE'], workers=2) as index,"
    " Live(index) as live:\n    live.settle(60)\n    index.refresh(wait_seconds=60)\n    found = index.status().files",
    "a forked pool": "import multiprocessing\n"
    "with multiprocessing.get_context('fork').Pool(1) as pool:\n    found = pool.apply(refresh)",
}
_WAITING = """
def refresh_waiting():
    with Index.open(os.environ["TREE"], workers=2) as index:
        return index.refresh(wait_seconds=60).files
"""
_END = "\nprint('found', found)\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(FILES):
        (tree / f"m{number}.py").write_text(f"def work_{number}():\n    return {number}\n")
    monkeypatch.setenv("TREE", str(tree))
    monkeypatch.setenv("RAN", str(tmp_path / "ran"))
    return tmp_path


def text(name: str) -> str:
    return _TOP + _WAITING + SCRIPTS[name] + _END


def check(place: Path, command: list[str], given: str = "", **options: object) -> None:
    """It ends well, found every file, and ran once."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, cwd=place, timeout=110, **options)
    assert done.returncode == 0, done.stderr
    assert f"found {FILES}" in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert len((place / "ran").read_text().splitlines()) == 1


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs_once(place, name):
    (place / "script.py").write_text(text(name))
    check(place, [sys.executable, "script.py"])


@pytest.mark.parametrize("name", ["asyncio", "another thread"])
def test_a_script_on_stdin_or_in_the_command_runs_once(place, name):
    check(place, [sys.executable, "-"], given=text(name))
    (place / "ran").unlink()
    (place / "tree" / "m0.py").unlink()
    (place / "tree" / "again.py").write_text("x = 1\n")
    check(place, [sys.executable, "-c", text(name)])


def test_a_module_and_a_file_that_runpy_runs_run_once(place):
    (place / "script.py").write_text(text("another thread"))
    check(place, [sys.executable, "-m", "script"])
    (place / "ran").unlink()
    (place / "starter.py").write_text("import runpy\nrunpy.run_path('script.py', run_name='__main__')\n")
    check(place, [sys.executable, "starter.py"])


def test_an_application_in_a_zip_file_runs_once(place):
    (place / "app").mkdir()
    (place / "app" / "__main__.py").write_text(text("another thread"))
    zipapp.create_archive(place / "app", place / "app.pyz")
    check(place, [sys.executable, "app.pyz"])


def test_a_notebook_kernel_runs_its_cells_once(place):
    """A kernel's `__main__` has a name and a file of the kernel's own, and cells are run in it from a thread."""
    (place / "cells.py").write_text(text("asyncio"))
    (place / "kernel.py").write_text(
        textwrap.dedent("""
        import sys, threading, types
        kernel = types.ModuleType("__main__")
        kernel.__file__ = "cells.py"  # as some kernels do
        sys.modules["__main__"] = kernel
        cell = threading.Thread(target=lambda: exec(open("cells.py").read(), kernel.__dict__))
        cell.start()
        cell.join()
        """)
    )
    check(place, [sys.executable, "kernel.py"])


def test_an_interactive_session_runs_its_lines_once(place):
    lines = _TOP.replace("\ndef refresh", "\n\ndef refresh") + "\n\n" + _THREAD + "\nfound = refresh()\n" + _END
    lines = lines.replace('    file.write(f"{os.getpid()}\\n")\n', '    _ = file.write(f"{os.getpid()}\\n")\n\n')
    check(place, [sys.executable, "-i", "-q"], given=lines)


def test_a_process_that_multiprocessing_spawned_starts_workers_that_run_nothing_of_it(place):
    (place / "script.py").write_text(
        _TOP.replace("def refresh", "def refresh")
        + "import multiprocessing\n"
        + "def child():\n    import threading\n"
        + "    threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        + "    print('found', refresh(), flush=True)\n"
        + "if __name__ == '__main__':\n"
        + "    started = multiprocessing.get_context('spawn').Process(target=child)\n"
        + "    started.start()\n    started.join()\n    sys.exit(started.exitcode)\n"
    )
    done = subprocess.run([sys.executable, "script.py"], cwd=place, capture_output=True, text=True, timeout=110)
    assert (done.returncode, done.stdout.strip()) == (0, f"found {FILES}"), done.stderr
    assert len((place / "ran").read_text().splitlines()) == 2  # the script, and the process that it spawned itself


def test_a_process_pool_of_the_caller_works(place):
    (place / "script.py").write_text(
        _TOP
        + "from concurrent.futures import ProcessPoolExecutor\n"
        + "if __name__ == '__main__':\n"
        + "    with ProcessPoolExecutor(1) as pool:\n        print('found', pool.submit(refresh).result())\n"
    )
    done = subprocess.run([sys.executable, "script.py"], cwd=place, capture_output=True, text=True, timeout=110)
    assert (done.returncode, done.stdout.strip()) == (0, f"found {FILES}"), done.stderr
    assert len((place / "ran").read_text().splitlines()) == 1


def test_a_test_that_pytest_runs_runs_once(place):
    body = textwrap.indent(_THREAD + f"assert refresh() == {FILES}\nprint('found', {FILES})\n", "    ")
    (place / "test_it.py").write_text(_TOP + "def test_it():\n" + body)
    check(place, [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "test_it.py"])


def test_scova_is_found_where_the_caller_found_it(place):
    """Here it is found by nothing but what the script itself put on its path, relative to its own folder."""
    source = Path(__file__).parents[2] / "src"
    (place / "lib").symlink_to(source)
    script = "import sys\nsys.path.insert(0, 'lib')\n" + text("another thread")
    script = script.replace(
        "import os, sys\n", "import os, sys\nsys.path = [p for p in sys.path if p != os.environ['SRC']]\n"
    )
    (place / "script.py").write_text(script)
    check(place, [sys.executable, "script.py"], env=os.environ | {"SRC": str(source)})


def test_a_module_of_the_working_folder_is_not_run_in_the_place_of_pythons_own(place):
    for name in ("json", "pickle", "gc", "resource", "multiprocessing"):
        (place / f"{name}.py").write_text("open('harmed', 'w')\nraise SystemExit(7)\n")
    (place / "scripts").mkdir()
    (place / "scripts" / "script.py").write_text(text("another thread"))
    check(place, [sys.executable, "scripts/script.py"])
    assert not (place / "harmed").exists()
