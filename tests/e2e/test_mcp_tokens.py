"""What scova costs an agent's window: the list of tools with every conversation, an answer with every question.

Tokens are counted by a rule of our own: packages that ship a vocabulary are 40 MB, or binaries of unknown make, or bring old packages
along. It was fitted to four present-day tokenizers (cl100k, o200k, voyage-3, one for Claude) on the list of tools, the instructions and
ten answers, and counts 1.02 to 1.26 times what the highest of them does there; on other texts that is not known. A fifth, GPT-2's, was
left out of the fit: it spends a token on each space of an indent, and counts more than the rule on answers (median 1,401, highest
1,818, three of ten above 1,500), though less on the list of tools. Four characters a token counts up to a fifth too few.

The list of ten tools, without spaces, was 2,206 to 2,303 tokens to the four, 2,348 to GPT-2's, and 2,908 here. The ten answers are 726 to
1,364 tokens to the four and 838 to 1,505 here: so it is the median that is held to 1,500, and not each of them.
"""

import json
import re
import statistics
from pathlib import Path

import pytest

from scova.mcp.desk import Desk
from scova.mcp.guide import INSTRUCTIONS
from scova.mcp.page import encoded
from scova.mcp.server import Door, tools

PIECES = re.compile(
    r"[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,3}|\s{2,}|[^\sA-Za-z0-9]{1,2}|\s(?![A-Za-z0-9])|\n"
)  # a single space goes with the word after it
LONGEST_WORD = 8  # letters that are one token

QUESTIONS = [
    "how does a refresh find out which files changed", "where are jobs cancelled", "SqliteStore", "parse arguments", "write a derived file",
    "who holds the writer lock", "mcp tools", "ranking of results", "regular expressions with n-grams",
]  # fmt: skip


def tokens(text: str) -> int:
    return sum(-(-len(piece) // LONGEST_WORD) if piece.isalpha() else 1 for piece in PIECES.findall(text))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("search", 1),
        ("a search", 2),
        ("hash_password(x)", 6),
        ("checkPasswords", 3),
        ("1234567", 3),
        ("{\n    1}", 4),
    ],
)
def test_the_rule_counts(text, count):
    assert tokens(text) == count


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_the_list_of_tools_is_small(separators):
    """However a client writes it down for its model, and with the tools that are there when there are projects."""
    without, whole = (_written(separators, has_builds=has_builds) for has_builds in (False, True))
    assert tokens(without) + tokens(INSTRUCTIONS) <= 4000
    assert len(without) < len(whole)
    assert tokens(whole) <= 4000


def _written(separators: tuple[str, str], *, has_builds: bool) -> str:
    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools(has_builds=has_builds)]
    return json.dumps({"tools": listed}, separators=separators)


def test_a_typical_answer_is_small(tmp_path, monkeypatch):
    """Questions to this project itself, each answered as in a new session."""
    monkeypatch.setenv("SCOVA_CACHE", str(tmp_path))
    desk = Desk([Path(__file__).parents[2] / "src"])
    try:
        desk.index().refresh()
        door = Door(desk)
        sizes = [tokens(encoded(door._question("search", {"query": text}, None)).decode()) for text in QUESTIONS]
    finally:
        desk.close()
    assert statistics.median(sizes) <= 1500
    assert max(sizes) <= 2000
