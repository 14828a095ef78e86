"""One line for each file of some trees: a digest of everything that its outline gives. To compare two sets of grammars:

diff <(.venv/bin/python bench/structure/outlines.py TREE…) <(.venv-oldest/bin/python bench/structure/outlines.py TREE…)
"""

import hashlib
import sys
from pathlib import Path

from scova.parse.grammar import GRAMMARS
from scova.parse.language import language_of
from scova.parse.outline import outline

LARGEST = 1_000_000  # bytes

for tree in map(Path, sys.argv[1:]):
    for path in sorted(tree.rglob("*")):
        if not path.is_file() or path.is_symlink() or path.stat().st_size > LARGEST:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        language = language_of(str(path), text)
        if language in GRAMMARS:
            found = outline(text, language)
            digest = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
            counts = f"{len(found.symbols)} definitions, {len(found.calls)} calls"
            print(f"{path.relative_to(tree.parent)} {language} {counts} {digest}")
