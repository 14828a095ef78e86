"""One member in and out of a JSON text: the style of the file is kept, and nothing else is touched."""

import pytest

from scova.install.text.jsonc import Malformed, Unfit
from scova.install.text.jsonedit import drop, put, refit, swap, swap_back, value_of

PATH = ("mcpServers", "scova")
ENTRY = {"command": "/opt/scova", "args": ["mcp"]}

DOCUMENTS = {
    "nothing": "",
    "blank": " \n",
    "byte order mark": "\ufeff",
    "comment only": "// mine",
    "empty": "{}",
    "empty, with a space": "{ }",
    "empty, two lines": "{\n}\n",
    "empty, with a comment": "{ // none yet\n}",
    "minified": '{"theme":"dark","n":[1,2]}',
    "one line": '{"mcpServers": {"other": {"url": "https://x//y"}}, "theme": "dark"}',
    "empty table": '{\n  "mcpServers": {}\n}\n',
    "tabs, comments and trailing commas": '{\n\t// servers\n\t"mcpServers": {\n\t\t"other": {"command": "x",}, // keep\n\t},\n}\n',
    "carriage returns": '{\r\n    "mcpServers": {\r\n        "other": {} /* a */ // b\r\n    }\r\n}',
    "a comment before the end": '{\n  "mcpServers": {\n    "a": 1\n    // "old": 2\n  }\n}\n',
    "a comment in the middle of a line": '{\n  "a": 1, /* two\nlines */ "b": 2 /* three\nlines */\n}',
    "no line end, mark in front": '\ufeff{\n "a": "\\u00e9\\"//no comment",\n "b": null}',
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_in_and_out_leaves_every_byte_as_it_was(name):
    text = DOCUMENTS[name]
    before = value_of(text)
    edited = put(text, PATH, ENTRY)
    assert value_of(edited.text) == before | {"mcpServers": {**before.get("mcpServers", {}), "scova": ENTRY}}
    assert drop(edited.text, PATH, edited.trace) == text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_without_a_trace_only_empty_things_may_stay(name):
    """A lost record costs exactness, never the meaning."""
    text = DOCUMENTS[name]
    left = value_of(drop(put(text, PATH, ENTRY).text, PATH, None))
    assert left.pop("mcpServers") == value_of(text).get("mcpServers", {})
    assert left == {key: value for key, value in value_of(text).items() if key != "mcpServers"}


def test_the_style_of_the_file_is_kept():
    assert put(DOCUMENTS["tabs, comments and trailing commas"], PATH, ENTRY).text == (
        '{\n\t// servers\n\t"mcpServers": {\n\t\t"other": {"command": "x",}, // keep\n'
        '\t\t"scova": {\n\t\t\t"command": "/opt/scova",\n\t\t\t"args": ["mcp"]\n\t\t},\n\t},\n}\n'
    )
    assert put(DOCUMENTS["minified"], PATH, ENTRY).text == (
        '{"theme":"dark","n":[1,2],"mcpServers":{"scova":{"command":"/opt/scova","args":["mcp"]}}}'
    )
    assert put(DOCUMENTS["carriage returns"], PATH, ENTRY).text.count("\n") == 8
    assert "\n" not in put(DOCUMENTS["carriage returns"], PATH, ENTRY).text.replace("\r\n", "")


def test_what_was_added_meanwhile_stays():
    edited = put('{\n  "mcpServers": {}\n}\n', PATH, ENTRY)
    more = edited.text.replace('["mcp"]\n    }', '["mcp"]\n    },\n    "new": {}')
    assert value_of(drop(more, PATH, edited.trace)) == {"mcpServers": {"new": {}}}
    before = edited.text.replace('"scova"', '"new": {},\n    "scova"')
    assert value_of(drop(before, PATH, edited.trace)) == {"mcpServers": {"new": {}}}


def test_a_table_that_was_made_stays_once_it_holds_something_else():
    edited = put('{"a": 1}', PATH, ENTRY)
    assert drop(edited.text, PATH, edited.trace) == '{"a": 1}'
    assert value_of(drop(edited.text.replace('{"scova"', '{"x": 1, "scova"'), PATH, edited.trace)) == {
        "a": 1,
        "mcpServers": {"x": 1},
    }
    remarked = edited.text.replace('{"scova"', '{/* mine */ "scova"')
    assert "/* mine */" in drop(remarked, PATH, edited.trace)


def test_a_comment_never_swallows_what_follows():
    text = '{"mcpServers": { // c\n"scova": {} }, "b": 1}'
    assert value_of(drop(text, PATH, None)) == {"mcpServers": {}, "b": 1}


def test_changing_keeps_what_else_the_entry_has():
    text = '{\n  "mcpServers": {\n    "scova": { "command": "old", /* mine */ "env": {"A": "b"} }\n  }\n}'
    changed = refit(text, PATH, ENTRY)
    assert value_of(changed)["mcpServers"]["scova"] == {**ENTRY, "env": {"A": "b"}}
    assert "/* mine */" in changed
    assert refit(changed, PATH, ENTRY) == changed


def test_another_entry_is_put_back_word_for_word():
    text = '{"mcpServers": {"scova": {"url":  "http://mine" /* ! */}}}'
    forced, words = swap(text, PATH, ENTRY)
    assert value_of(forced)["mcpServers"]["scova"] == ENTRY
    assert swap_back(forced, PATH, words) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1', '{"a" 1}', "{a: 1}", '{"a": 1} x', '{"a": 1,, }', "{,}", '{"a": 01}', '{"a": "\\x"}', '{"a": "\n"}',
        '{"a": NaN}', "/* open", '{"a": 1, "a": 2}', '{"x": {"b": 1, "\\u0062": 2}}', "[" * 5000, '{"a": tru}', "\x00",
    ],
)  # fmt: skip
def test_what_is_broken_is_not_read(text):
    with pytest.raises(Malformed):
        value_of(text)


@pytest.mark.parametrize("text", ["[]", '"x"', "3", '{"mcpServers": []}', '{"mcpServers": null}'])
def test_what_has_no_place_for_an_entry_takes_none(text):
    with pytest.raises(Unfit, match="not an object"):
        value_of(text)
        put(text, PATH, ENTRY)


def test_the_place_of_a_mistake_is_named():
    with pytest.raises(Malformed, match="line 3, column 3: `a` is there twice"):
        value_of('{\n  "a": 1,\n  "a": 2\n}')
