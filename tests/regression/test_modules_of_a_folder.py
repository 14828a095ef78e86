"""A folder that is indexed may hold modules of its own, with names that Python's own have: none of them is ever loaded."""

import subprocess
import sys

CODE = """
import threading
from scova import Index

threading.Thread(target=threading.Event().wait, daemon=True).start()  # with another thread, workers come from a fork server
with Index.open("tree", data="data") as index:
    print(index.refresh().files)
"""


def test_workers_do_not_load_modules_of_the_working_folder(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    for n in range(60):
        (tree / f"m{n}.py").write_text(f"def f{n}():\n    return {n}\n")
    for name in ("struct", "json", "signal", "selectors"):
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'loaded')!r}, 'w').write({name!r})\nraise SystemExit(1)\n"
        )
    done = subprocess.run([sys.executable, "-P", "-c", CODE], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.returncode) == ("60", 0), done.stderr
    assert not (tmp_path / "loaded").exists()
