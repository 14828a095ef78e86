"""Whatever a client's configuration looks like: installing adds the entry and nothing else, uninstalling leaves no trace."""

import json
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from scova.install.text import block, jsonedit, toml
from scova.install.text.jsonc import Malformed, Unfit

PATH = ("mcpServers", "scova")
ENTRY = {"command": "/opt/a b/scova", "args": ["mcp", "é"]}

spaces = st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "  \n  ", "\n\n\t"])
remarks = st.sampled_from(["// note\n", "//\r\n", '/* "x": { */', "/* two\nlines */", "// a // b, }\n"])
gaps = st.lists(st.one_of(spaces, spaces, spaces, remarks), max_size=3).map("".join)
keys = st.sampled_from(["a", "b", "theme", "mcpServers", "other", "é", "//", 'q"', "servers"])
plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8)
)


@st.composite
def laid_out(draw, values, depth=0):
    """A value written in one of many ways, as a text."""
    kind = (
        draw(st.sampled_from(["plain", "list", "object", "object"]))
        if depth and depth < 4
        else "plain"
        if depth
        else "object"
    )
    if kind == "plain":
        return json.dumps(draw(values), ensure_ascii=draw(st.booleans()))
    inner = laid_out(values, depth + 1)
    if kind == "list":
        items = draw(st.lists(inner, max_size=3))
    else:
        names = draw(st.lists(keys, max_size=4, unique=True))
        items = [f"{json.dumps(name)}{draw(gaps)}:{draw(gaps)}{draw(inner)}" for name in names]
    opening, closing = "{}" if kind == "object" else "[]"
    body = ",".join(f"{draw(gaps)}{item}{draw(gaps)}" for item in items)
    trailing = f",{draw(gaps)}" if items and draw(st.booleans()) else ""
    return f"{opening}{body or draw(gaps)}{trailing}{closing}"


@st.composite
def documents(draw):
    mark, before, behind = draw(st.sampled_from(["", "", "\ufeff"])), draw(gaps), draw(gaps)
    return mark + before + draw(st.one_of(laid_out(plain), laid_out(plain), laid_out(plain), st.just(""))) + behind


@given(documents())
def test_a_json_document_in_and_out(text):
    before = jsonedit.value_of(text)
    table = before.get("mcpServers", {})
    if not isinstance(table, dict):
        try:
            jsonedit.put(text, PATH, ENTRY)
        except Unfit:
            return
        raise AssertionError("an entry was put into what is no table")
    edited = jsonedit.put(text, PATH, ENTRY)
    assert jsonedit.value_of(edited.text) == before | {"mcpServers": {**table, "scova": ENTRY}}
    assert jsonedit.drop(edited.text, PATH, edited.trace) == text
    assert jsonedit.value_of(jsonedit.drop(edited.text, PATH, None)).get("mcpServers", {}) == table


@given(documents(), documents())
def test_what_changes_elsewhere_meanwhile_stays(text, other):
    """The file is written anew by another program, as clients do: only our entry goes."""
    before = jsonedit.value_of(text)
    if not isinstance(before.get("mcpServers", {}), dict):
        return
    edited = jsonedit.put(text, PATH, ENTRY)
    anew = jsonedit.value_of(edited.text) | {"new": jsonedit.value_of(other)}
    left = jsonedit.value_of(jsonedit.drop(json.dumps(anew, indent=2), PATH, edited.trace))
    expected = before | {"new": anew["new"]}
    assert left | {"mcpServers": left.get("mcpServers", {})} == expected | {"mcpServers": before.get("mcpServers", {})}


@given(st.text(alphabet='{}[]":,/* \n\\u1ea-', max_size=40))
def test_any_text_is_read_as_json_reads_it_or_refused(text):
    try:
        ours = jsonedit.value_of(text)
    except Malformed:
        ours = None
    try:
        theirs = json.loads(text, object_pairs_hook=_once)
    except ValueError:
        theirs = None
    if isinstance(theirs, dict):
        assert ours == theirs


def _once(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("twice")
    return dict(pairs)


lines = st.sampled_from(
    [
        "", "# note", "# scova:begin", "model = 'x' # why", "[mcp_servers.docs]", 'command = "npx"', "args = [\n  'a', # ]\n]",
        'text = """\n[mcp_servers.scova]\n"""', "[tui]", "[[profiles]]", "when = 1979-05-27T07:32:00Z", "mcp_servers.x.y = 1", "odd = nan",
        "inline = { a = [1, 2] }", "[mcp_servers]", "  key = 1",
    ]
)  # fmt: skip


@given(st.lists(lines, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_a_toml_document_in_and_out(words, newline, ended, marked):
    text = ("\ufeff" * marked) + newline.join("\n".join(words).split("\n")) + newline * ended
    path = ("mcp_servers", "scova")
    try:
        before = toml.value_of(text)
    except Malformed:
        return
    try:
        edited = toml.put(text, path, ENTRY)
    except Unfit:
        return
    assert tomllib.loads(edited.text.removeprefix("\ufeff"))["mcp_servers"]["scova"] == ENTRY
    assert toml.drop(edited.text, path, edited.trace) == text
    assert toml.value_of(toml.drop(edited.text, path, None)) == before


@given(st.text(alphabet="ab #\n\r\ufeff<!->", max_size=60), st.text(alphabet="ab\n", max_size=10))
def test_a_file_of_instructions_in_and_out(text, more):
    edited = block.put(text, block.guide())
    assert block.drop(edited.text, edited.trace) == text
    assert block.drop(edited.text + more, edited.trace).split() == (text + "\n" + more).split()
