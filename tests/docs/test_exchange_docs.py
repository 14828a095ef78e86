"""The exchange files are documented: every member that is written, every file, and the example of the guide runs."""

import json
import re
import subprocess
import sys
from pathlib import Path

from exchanged import files, write
from scova.chunks.exchange import names
from scova.chunks.exchange.graph import Head, file_object, head_object
from scova.chunks.exchange.objects import Embedded, chunk_object, vector_object

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs/reference/exchange.md").read_text()
GUIDE = (ROOT / "docs/guides/exchange.md").read_text()
SCHEMAS = (ROOT / "docs/reference/json.md").read_text()


def members(value):
    """Every name in a value, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*map(members, value.values()))
    return set().union(*map(members, value)) if isinstance(value, list) else set()


def test_every_member_and_file_is_documented():
    file = files()[0]
    chunk = file.chunks[0]
    embedded = Embedded("m", chunk.embed_key, b"\1")
    written = [
        chunk_object(chunk, embedded),
        vector_object(chunk, embedded),
        file_object(file),
        head_object(Head(1, 1)),
    ]
    for name in members(json.loads(json.dumps(written))) | names.ALL:
        assert re.search(rf"[`\"]{re.escape(name)}[`\"]", REFERENCE), name


def test_what_the_commands_print_as_json_is_documented(scova, project, tmp_path):
    for key in scova("export", project, "--to", tmp_path / "out", "--json").json:
        assert f"`{key}`" in SCHEMAS, key
    imported, indexed = (scova(*words, project, "--json").json for words in (["import", tmp_path / "out"], ["index"]))
    assert imported.keys() == indexed.keys()


def test_the_example_of_the_guide_runs(tmp_path):
    write(tmp_path)
    code = re.search(r"```python\n(.*?)```", GUIDE, re.S).group(1).replace('"DIR"', repr(str(tmp_path)))
    done = subprocess.run(
        [sys.executable, "-c", code + "    stop.set()\n"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "5 chunks; 0 changed\n"
