"""A build that is killed at any moment loses nothing committed, corrupts nothing, and goes on where it was."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from scova import Index, Mode, Query
from until import until

SCOVA = str(Path(sys.executable).with_name("scova"))


def write_tree(root: Path, files: int) -> None:
    for number in range(files):
        folder = root / f"package_{number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        body = "\n\n".join(f"def function_{number}_{i}(value):\n    return value + {number * i}\n" for i in range(12))
        (folder / f"module_{number}.py").write_text(body)


def answers(index: Index) -> list[object]:
    found = []
    for text in ("function_17_3", "return value", "module 40", "package"):
        for mode in Mode:
            results = index.search(Query(text, mode=mode, limit=20)).results
            found.append([(r.chunk.file_path, r.chunk.start_line, r.score) for r in results])
    return found


def kill_after(seconds: float, *words: str) -> int:
    """Run a command and kill it, its workers left to themselves; the exit code, negative if the kill came in time."""
    process = subprocess.Popen(
        [SCOVA, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        _, err = process.communicate(timeout=seconds)
        assert b"Traceback" not in err, err
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    return process.returncode


def kill_while_it_writes(root: Path, data: Path, *, after: float = 0.0) -> bool:
    """Begin a build and kill it so many seconds after it has taken the writer's lock; whether that was in time."""
    lock = data / ".writer.lock"
    command = [SCOVA, "index", str(root), "--data", str(data)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True) as process:
        held = str(process.pid).encode()
        until(lambda: process.poll() is not None or (lock.exists() and held in lock.read_bytes()), "the build to write")
        time.sleep(after)
        process.kill()
    assert process.returncode in (0, -signal.SIGKILL)
    return process.returncode < 0


def test_killed_again_and_again_a_build_still_comes_to_the_right_end(tmp_path):
    root, data = tmp_path / "tree", tmp_path / "data"
    write_tree(root, 600)
    chance = random.Random(5)
    killed = 0
    for turn in range(14):
        write_tree(root, 600 + 50 * turn)  # so that there is always something left to do
        # The first ones as soon as it writes, so that they come in time on any machine.
        killed += kill_while_it_writes(root, data, after=0.0 if turn < 3 else chance.uniform(0.0, 0.5))
        if (data / "store.db").exists():
            with Index.open(root, data=str(data)) as index:
                assert [f for f in index.audit() if f.problem != "missing" or f.part != "vectors"] == []
    assert killed >= 3, "the kills came too late to prove anything"
    with Index.open(root, data=str(data)) as index:
        index.refresh(wait_seconds=30)
        assert index.audit() == []
        resumed = answers(index)
    with Index.open(root, data=str(tmp_path / "whole")) as index:
        index.refresh()
        assert answers(index) == resumed


def test_killed_while_files_change_nothing_old_remains(tmp_path):
    root, data = tmp_path / "tree", tmp_path / "data"
    write_tree(root, 120)
    with Index.open(root, data=str(data)) as index:
        index.refresh()
    chance = random.Random(6)
    for turn in range(10):
        files = sorted(root.rglob("*.py"))
        for path in chance.sample(files, 40):
            path.write_text(path.read_text() + f"\n\ndef added_in_turn_{turn}():\n    return {turn}\n")
        files[turn].rename(files[turn].with_name(f"renamed_{turn}.py"))
        files[-1 - turn].unlink()
        kill_after(chance.uniform(0.1, 0.9), "index", str(root), "--data", str(data))
    with Index.open(root, data=str(data)) as index:
        index.refresh(wait_seconds=30)
        assert index.audit() == []
        resumed = answers(index)
    with Index.open(root, data=str(tmp_path / "whole")) as index:
        index.refresh()
        assert answers(index) == resumed


def test_the_lock_of_a_killed_build_is_free_at_once(tmp_path):
    root, data = tmp_path / "tree", tmp_path / "data"
    write_tree(root, 800)
    assert kill_while_it_writes(root, data)
    done = subprocess.run(
        [SCOVA, "index", str(root), "--data", str(data), "--wait", "0"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_two_builds_at_once_take_turns(tmp_path):
    root, data = tmp_path / "tree", tmp_path / "data"
    write_tree(root, 200)
    command = [SCOVA, "index", str(root), "--data", str(data), "--json", "--wait", "60"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ends = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    with Index.open(root, data=str(data)) as index:
        assert index.audit() == []
        assert index.status().files == 200


def test_readers_go_on_while_a_build_is_killed(tmp_path):
    """Searches by other processes, all through a build that is killed, never fail."""
    root, data = tmp_path / "tree", tmp_path / "data"
    write_tree(root, 800)
    assert kill_while_it_writes(root, data)
    build = subprocess.Popen([SCOVA, "index", str(root), "--data", str(data)], stdout=subprocess.DEVNULL)
    codes = []
    for _ in range(6):
        done = subprocess.run(
            [SCOVA, "search", "function_17_3", str(root), "--data", str(data), "--no-refresh"],
            capture_output=True,
            text=True,
        )
        assert "Traceback" not in done.stderr
        codes.append(done.returncode)
    build.wait()
    assert set(codes) <= {0, 1, 3}
    done = subprocess.run(
        [SCOVA, "search", "function_17_3", str(root), "--data", str(data)], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "module_17" in done.stdout
