"""The marked block in a file of instructions."""

import pytest

from scova.install.text.block import BEGIN, END, drop, guide, has_block, put
from scova.install.text.jsonc import Unfit

TEXTS = [
    "",
    "\ufeff",
    "# Rules\n",
    "# Rules",
    "\ufeff# Rules\r\n\r\nBe kind.\r\n",
    "a\n\n\n",
    "text about <!-- scova:begin --> in a line\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_in_and_out_leaves_every_byte_as_it_was(text):
    edited = put(text, guide())
    assert has_block(edited.text) and not has_block(text)
    assert drop(edited.text, edited.trace) == text
    assert put(edited.text, guide()).text == edited.text


def test_what_was_written_around_it_stays():
    edited = put("# Rules", guide())
    assert drop(edited.text + "More.\n", edited.trace) == "# Rules\nMore.\n"
    assert drop(edited.text + "More.\n", None).replace("\n", "") == "# RulesMore."


def test_a_block_that_is_there_is_brought_up_to_date_where_it_is():
    text = f"# Rules\n\n{BEGIN}\nold\n{END}\n\nMore.\n"
    assert put(text, "new\n").text == f"# Rules\n\n{BEGIN}\nnew\n{END}\n\nMore.\n"


@pytest.mark.parametrize("text", [f"{BEGIN}\n", f"{END}\n{BEGIN}\n", f"{BEGIN}\n{END}\n" * 2])
def test_marks_that_do_not_pair_are_refused(text):
    with pytest.raises(Unfit, match="one pair"):
        has_block(text)


def test_the_guide_is_short_and_names_every_tool():
    assert len(guide().splitlines()) <= 25
    tools = {"search", "grep", "definitions", "callers", "usages", "context", "outline", "files", "index", "status"}
    assert all(f"`{tool}`" in guide() for tool in tools)


def test_every_command_in_the_guide_is_a_command():
    import re

    from scova.cli.parser import parser

    known = parser([])._subparsers._group_actions[0].choices
    named = re.findall(r"`scova ([a-z]+)", guide())
    assert named and set(named) <= set(known)
