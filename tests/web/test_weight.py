"""What the page is made of: small, its own, and of a piece."""

import re
from pathlib import Path

import scova.server
from scova.search.ranking.weights import SIGNALS

PAGE = Path(scova.server.__file__).parent / "page"
FILES = [path for path in PAGE.rglob("*") if path.is_file()]
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
MOST_BYTES = 300_000
MOST_LINES = 300


def test_the_page_weighs_less_than_300_kb():
    assert 10_000 < sum(path.stat().st_size for path in FILES) < MOST_BYTES


def test_nothing_in_it_names_another_origin():
    """But for the name space of drawings, and examples that are shown to people."""
    for path in FILES:
        found = set(re.findall(r"(?:https?:|[\"'(])//[a-z0-9-]+\.[a-z0-9.-]+", path.read_text(), re.IGNORECASE))
        assert found <= {"http://www.w3.org", "https://example.org"}, path.name


def test_text_never_becomes_markup_or_code():
    refused = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc|createContextualFragment|setHTML"
    )
    for path in SCRIPTS:
        text = path.read_text()
        if path.name == "dom.js":
            text = text.replace("style|srcdoc|innerhtml|outerhtml", "")
        assert not refused.search(text), path.name


def test_the_document_has_neither_inline_script_nor_inline_style():
    text = (PAGE / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=", text)


def test_every_module_is_told_of_beforehand_so_that_none_is_found_late():
    text = (PAGE / "index.html").read_text()
    told = set(re.findall(r'<link rel="modulepreload" href="page/js/([\w.]+)"', text))
    assert told == {path.name for path in SCRIPTS} - {"theme.js", "main.js"}


def test_files_are_short_and_say_what_they_are_for():
    for path in SCRIPTS:
        lines = path.read_text().splitlines()
        assert len(lines) <= MOST_LINES, path.name
        assert lines[0].startswith("// "), path.name


def test_every_signal_of_the_ranking_is_said_in_words():
    text = (PAGE / "js" / "reasons.js").read_text()
    said = set(re.findall(r"^  (\w+): \"", text, re.MULTILINE))
    assert {*SIGNALS, "repeated"} <= said
