"""One table in and out of a TOML text."""

import pytest

from scova.install.text.jsonc import Malformed, Unfit
from scova.install.text.toml import drop, put, refit, swap, swap_back, value_of

PATH = ("mcp_servers", "scova")
ENTRY = {"command": "/opt/scova", "args": ["mcp"]}

DOCUMENTS = {
    "nothing": "",
    "byte order mark": "\ufeff",
    "no line end": 'model = "o5"',
    "comments": '# mine\nmodel = "o5"  # the best\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "-y", # [yes]\n  "docs",\n]\n',
    "carriage returns": '[tui]\r\ntheme = "x"\r\n',
    "blank lines at the end": "a = 1\n\n\n",
    "our name in a text": "note = \"\"\"\n[mcp_servers.scova]\n# scova:begin\n\"\"\"\nother = '''[mcp_servers.scova]'''\n",
    "lists of tables": '[[profiles]]\nname = "a"\n[[profiles]]\nname = "b"\nlimits = { low = nan, high = [1, 2] }\n',
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_in_and_out_leaves_every_byte_as_it_was(name):
    text = DOCUMENTS[name]
    edited = put(text, PATH, ENTRY)
    servers = value_of(text).get("mcp_servers", {})
    assert value_of(edited.text) == value_of(text) | {"mcp_servers": {**servers, "scova": ENTRY}}
    assert drop(edited.text, PATH, edited.trace) == text
    assert value_of(drop(edited.text, PATH, None)) == value_of(text)


def test_what_was_added_meanwhile_stays():
    edited = put('model = "o5"', PATH, ENTRY)
    for more in ("[tui]\nx = 1\n", "\n[tui]\nx = 1\n"):
        assert value_of(drop(edited.text + more, PATH, edited.trace)) == {"model": "o5", "tui": {"x": 1}}


def test_tables_of_the_entry_go_with_it_and_others_stay():
    text = put("", PATH, ENTRY).text.replace(
        "# scova:end", '[mcp_servers.scova.env]\nA = "b"\n# scova:end\n[mcp_servers.docs]\nx = 1'
    )
    assert drop(text, PATH, None) == "[mcp_servers.docs]\nx = 1\n"


def test_a_table_without_marks_is_known_too():
    text = '[mcp_servers.scova]\ncommand = "scova"\nargs = ["mcp"]\n\n# about me\n[tui]\nx = 1\n'
    assert drop(text, PATH, None) == "\n# about me\n[tui]\nx = 1\n"


def test_changing_keeps_what_else_the_table_has():
    text = '[mcp_servers.scova]\nargs = [\n "old",\n] # why\nstartup_timeout_sec = 5\n[tui]\n'
    changed = refit(text, PATH, ENTRY)
    assert value_of(changed) == {"mcp_servers": {"scova": {**ENTRY, "startup_timeout_sec": 5}}, "tui": {}}
    assert refit(changed, PATH, ENTRY) == changed


def test_another_table_is_put_back_word_for_word():
    text = 'a = 1\n[mcp_servers.scova]\nurl = "http://mine" # !\n[mcp_servers.scova.env]\nA = "b"\n\n[tui]\n'
    forced, words = swap(text, PATH, ENTRY)
    assert value_of(forced)["mcp_servers"]["scova"] == ENTRY
    assert swap_back(forced, PATH, words) == text


def test_odd_characters_survive():
    odd = {"command": 'C:\\a "b"\x7f\té', "args": []}
    assert value_of(put("", ("mcp_servers", "odd name"), odd).text) == {"mcp_servers": {"odd name": odd}}


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2\n", "[x\n", "a = " + "[" * 5000])
def test_what_is_broken_is_not_read(text):
    with pytest.raises(Malformed):
        value_of(text)


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", "mcp_servers = 1\n", 'mcp_servers = { docs = { command = "x" } }\n']
)
def test_a_table_that_cannot_grow_takes_none(text):
    with pytest.raises(Unfit, match="no table can be added"):
        put(text, PATH, ENTRY)


def test_an_entry_that_is_no_table_of_its_own_is_left_alone():
    for text in ('mcp_servers.scova.command = "scova"\n', 'mcp_servers = { scova = { command = "scova" } }\n'):
        for attempt in (lambda text=text: refit(text, PATH, ENTRY), lambda text=text: drop(text, PATH, None)):
            with pytest.raises(Unfit, match="table of its own"):
                attempt()
