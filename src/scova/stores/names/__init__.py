"""Every name that scova gives to a file of an index or a project, as patterns: nothing else is ever removed.

Names are made in `layout` and `project_layout`; a test holds that all of them are known here.
"""

import re

from scova.core.own_files import Names
from scova.core.own_folder import MARKER
from scova.whole import UNFINISHED

_DATABASE = r"(?:store|embeddings|pages|jobs)\.db(?:\.damaged-\d+)?(?:-wal|-shm|-journal)?"
_MARKER = re.escape(MARKER)
_BEING_WRITTEN = rf"\..+\.\d+{re.escape(UNFINISHED)}"
BEING_WRITTEN = re.compile(_BEING_WRITTEN, re.DOTALL)


def _files(*patterns: str) -> re.Pattern[str]:
    """Files of these names, and those that are being written to become one."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in (*patterns, _BEING_WRITTEN)), re.DOTALL)


TEXT = Names(_files(r"\d{1,18}\.seg"))
VECTORS = Names(_files(r"\d{1,18}\.(?:vec|hnsw)"))
GRAMS = Names(_files(r"\d{1,18}\.gram"))
TEMPORARY = Names(_files(r"\d{1,18}\.part", "grams"))
_BELL = Names(_files(r"\d{1,18}"))
_CHECKPOINTS = Names(_files(r"latest\.json", r"ckpt_[\w]+\.json"))

_IN_INDEX = _files(
    _DATABASE,
    _MARKER,
    r"\.store\.db\.unfinished(?:-journal)?",
    r"collection_meta\.json|watch\.json|root|id",
    r"\.writer\.lock|\.metadata\.lock|\.compaction\.lock|watch\.lock",
)
_DERIVED = {"text": TEXT, "vectors": VECTORS, "grams": GRAMS, "temporary": TEMPORARY, "bell": _BELL}

_DATA = Names(_IN_INDEX, {**_DERIVED, "checkpoints": _CHECKPOINTS})  # of a project

LISTINGS = Names(_files(r".+\.json"))

PROJECT = Names(
    _files(r"project\.json|\.project\.lock|\.build\.lock", _DATABASE, _MARKER),
    {
        "data": _DATA,
        "downloads": Names(_files(r".+\.(?:pdf|json)", r".+\.pdf\.part")),
        "listings": LISTINGS,
        "logs": Names(_files(r"build-\d{8}T\d{6}-\d{9}\.jsonl")),
    },
)

INDEX = Names(
    _IN_INDEX, {**_DERIVED, "checkpoints": _CHECKPOINTS, "builds": PROJECT}
)  # of a folder, or of a server's project
