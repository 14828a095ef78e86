"""One reader: asks the index about marked files, again and again, and writes down what it was told and when.

    python reader.py ROOT SEED OUT [command]

With `command` every question is a process of its own, the real command; otherwise one Index is held open. Either way the
answer is to be that of one moment between question and answer, however long that takes.
"""

import json
import os
import random
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from journal import MARKED

from scova import Index, Mode, Query

SUBJECTS = 120
PATIENCE = 120  # seconds: a checkout of thousands of files is waited for
LONGEST_REST = 4.0  # seconds between two questions: twenty readers that never rest leave no time for anything to change
Seen = dict[str, list[list[int]]]  # path -> what it was said to hold


def by_grep(index: Index, subject: int) -> Seen:
    found = index.grep(rf"^MARK_{subject} = \d+$")
    lines = [(file.path, line.text) for file in found.files for line in file.lines]
    return _held(lines)


def by_definition(index: Index, subject: int) -> Seen:
    """The function of a marked file, whose body tells the version."""
    answer = index.definitions(f"marked_{subject}", body=True)
    lines = [(each.path, _as_mark(subject, each.text)) for each in answer.definitions]
    return _held(lines)


def by_search(index: Index, subject: int) -> Seen:
    answer = index.search(Query(f"+marked_{subject}", mode=Mode.TEXT, limit=100))
    body = re.compile(rf"def marked_{subject}\(\):\n    return (\d+)")
    lines = [
        (result.chunk.file_path, f"MARK_{subject} = {found[1]}")
        for result in answer.results
        if (found := body.search(result.chunk.text))
    ]
    return _held(lines)


def by_command(root: Path, subject: int, kind: str) -> Seen:
    """The same questions, asked by the real command, which brings the index up to date first."""
    if kind == "grep":
        answer = _command("grep", rf"^MARK_{subject} = \d+$", root)
        lines = [(file["path"], line["text"]) for file in answer["files"] for line in file["lines"]]
        return _held(lines)
    answer = _command("def", f"marked_{subject}", root, "--body")
    lines = [(each["path"], _as_mark(subject, each["text"])) for each in answer["definitions"]]
    return _held(lines)


def _command(*words: object) -> dict[str, Any]:
    command = [str(Path(sys.executable).with_name("scova")), *map(str, words), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _as_mark(subject: int, body: str) -> str:
    return f"MARK_{subject} = {body.rpartition('return ')[2].split()[0]}"


def _held(lines: list[tuple[str, str]]) -> Seen:
    seen: Seen = {}
    for path, text in lines:
        found = MARKED.search(text)
        if found:
            seen.setdefault(path, []).append([int(found[1]), int(found[2])])
    return seen


def asked(index: Index, kind: str, subject: int) -> Seen:
    """One question to an index that is held open."""
    question = {"grep": by_grep, "definition": by_definition, "search": by_search}[kind]
    return index.settled(lambda: question(index, subject), wait_seconds=PATIENCE)


def main() -> None:
    root, seed, out = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    chance = random.Random(seed)
    commands = sys.argv[4:] == ["command"]
    os.environ["SCOVA_WAIT_MS"] = str(1000 * PATIENCE)
    with out.open("a", buffering=1) as log, Index.open(root) as index:
        while True:
            subject = chance.randrange(SUBJECTS)
            kind = chance.choice(["grep", "definition"] if commands else ["grep", "definition", "search"])
            record: dict[str, Any] = {"kind": f"{kind} command" if commands else kind, "subject": subject}
            record["since"] = time.monotonic_ns()
            try:
                record["seen"] = by_command(root, subject, kind) if commands else asked(index, kind, subject)
            except Exception:
                record["error"] = traceback.format_exc()
            record["until"] = time.monotonic_ns()
            print(json.dumps(record), file=log)
            time.sleep(chance.random() * LONGEST_REST)


if __name__ == "__main__":
    main()
