"""What a page says, as Markdown-like text."""

import time
from pathlib import Path

import pytest

from scova.core.child_process import ChildProcesses
from scova.sources.web import html
from scova.sources.web.html import MAX_HTML_BYTES, read_page, rendered_apart, why_unwanted
from scova.sources.web.markup.render import render
from scova.sources.web.markup.tame import is_small, tame


def text_of(html, **options):
    content = html if isinstance(html, bytes) else html.encode()
    return read_page(content, media_type="text/html", **options).text


PAGE = """<!doctype html><html><head><title> My &amp;
 Title </title><link rel="canonical" href="/x"><style>p {}</style></head><body>
<nav>NAV</nav><header>HEAD</header><div role="search">SEARCH</div><aside>ASIDE</aside>
<main><header><h1 id="a">Top <code>x()</code><a class="headerlink" href="#a">¶</a></h1></header>
<p>Hello <b>bo</b>ld <a href="/y">a link</a> and <code>foo  bar</code><br>next line. <img src="c.png" alt="a cat"></p>
<!-- comment --><script>var x = "<p>no</p>"</script>
<ul><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ul>
<ol start="3"><li>c<li>d</ol>
<h2>Code</h2>
<pre><code class="hljs language-python">def f(x):
    return x &lt; 2

\ty = `z`
</code></pre>
<div class="highlight-rust notranslate"><div class="highlight"><pre><span></span><span class="k">fn</span> main() {
}
</pre></div></div>
<table><thead><tr><th>Name</th><th>Mean|ing</th></tr></thead><tbody><tr><td><code>q</code></td><td>two<br>lines</td></tr></tbody></table>
<p hidden>H1</p><p style="color:red; display: none">H2</p><p aria-hidden="true">H3</p><span class="sr-only">H4</span><button>Copy</button>
<dl><dt>term</dt><dd>meaning</dd></dl>
</main><footer>FOOT</footer></body></html>"""

EXPECTED = """# Top x()

Hello bold a link and `foo bar`
next line. a cat

- one
  - inner
- two

3. c
4. d

## Code

```python
def f(x):
    return x < 2

\ty = `z`
```

```rust
fn main() {
}
```

| Name | Mean\\|ing |
| --- | --- |
| `q` | two lines |

term

meaning
"""


def test_a_page_becomes_clean_text_with_its_structure():
    page = read_page(PAGE.encode(), media_type="text/html", url="http://h.example/a/b")
    assert page.text == EXPECTED
    assert (page.title, page.canonical, page.language, page.reason) == (
        "My & Title",
        "http://h.example/x",
        "markdown",
        "",
    )


def test_a_large_page_gives_the_same_text():
    """The way that bounds what a page can cost reads it no differently."""
    assert render(tame(PAGE)) == render(PAGE)
    large = PAGE.replace("</main>", "<p>and so on</p>" * 9_000 + "</main>")
    assert not is_small(large)
    assert text_of(large) == EXPECTED + "\nand so on\n" * 9_000


@pytest.mark.parametrize("tag", ["main", 'div role="main"', "article"])
def test_the_main_content_is_preferred(tag):
    name = tag.split()[0]
    assert (
        text_of(f"<body><div>menu</div><{tag}>{'content ' * 10}</{name}><div>more</div>")
        == "content " * 9 + "content\n"
    )


def test_an_empty_main_element_is_not_preferred():
    assert text_of("<main></main><p>filled in elsewhere</p>") == "filled in elsewhere\n"


def test_several_articles_are_all_read_with_their_headers():
    assert (
        text_of("<header>no</header><article><header><h2>A</h2></header></article><article>B</article>")
        == "## A\n\nB\n"
    )


def test_line_numbers_are_no_code():
    html = '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td><pre class="lang-js">a\n  b</pre></td></tr></table>'
    assert text_of(html) == "```js\na\n  b\n```\n"


def test_code_in_lines_of_their_own_elements_keeps_its_lines():
    assert text_of("<pre><code><div>a</div><div>  b</div></code></pre>") == "```\na\n  b\n```\n"
    assert text_of("<pre>a<br>  b</pre>") == "```\na\n  b\n```\n"


def test_code_with_fences_in_it_gets_a_longer_fence():
    assert text_of("<pre>```\nx\n```</pre>") == "````\n```\nx\n```\n````\n"
    assert text_of("<p><code>a `b`</code>") == "`` a `b` ``\n"


@pytest.mark.parametrize(
    ("classes", "language"),
    [
        ("language-c++", "c++"),
        ("highlight-source-shell", "shell"),
        ("brush: php", "php"),
        ("language-text", ""),
        ("", ""),
        ("lang-py x", "py"),
    ],
)
def test_the_language_of_code_is_known_by_its_class(classes, language):
    assert text_of(f'<pre class="{classes}">x</pre>').startswith(f"```{language}\n")


def test_a_table_for_layout_is_no_table():
    assert text_of("<table><tr><td><h1>A</h1><p>b</p></td><td><ul><li>c</ul></td></tr></table>") == "# A\n\nb\n\n- c\n"
    assert text_of("<table><tr><td>only one column</td></tr></table>") == "only one column\n"


def test_text_that_looks_like_markup_is_not_taken_for_it():
    assert text_of("<p># not a heading</p><p>``` no fence</p>") == "\\# not a heading\n\n\\``` no fence\n"


def test_a_title_is_taken_from_the_first_heading_if_there_is_no_other():
    assert read_page(b"<h1>A <i>b</i></h1><p>x", media_type="text/html").title == "A b"


@pytest.mark.parametrize(
    ("content", "charset"),
    [
        ("<p>Größe</p>".encode(), ""),
        ("<p>Größe</p>".encode("latin-1"), "ISO-8859-1"),
        ("<p>Größe</p>".encode("latin-1"), ""),
        ('<meta charset="windows-1252"><p>Größe</p>'.encode("cp1252"), ""),
        ('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15"><p>Größe</p>'.encode("latin-1"), ""),
        (b"\xef\xbb\xbf" + "<p>Größe</p>".encode(), "iso-8859-1"),
        (b"\xff\xfe" + "<p>Größe</p>".encode("utf-16-le"), "utf-8"),
        ("<p>Größe</p>".encode("utf-16-be"), "utf-16-be"),
        ("<p>Größe</p>".encode(), "no-such-charset"),
        ("<p>Größe</p>".encode(), "unicode_escape"),
        ('<?xml version="1.0" encoding="iso-8859-1"?><p>Größe</p>'.encode("latin-1"), ""),
    ],
)
def test_text_is_decoded_as_the_page_says(content, charset):
    assert text_of(content, charset=charset) == "Größe\n"


def test_a_wrong_charset_never_fails():
    assert "Gr" in text_of("<p>Größe</p>".encode("latin-1"), charset="utf-8")
    assert text_of("<p>日本語のページ</p>".encode("shift_jis"), charset="utf-8")
    assert text_of(bytes(range(256)) * 10, charset="utf-8")


def test_a_few_broken_bytes_do_not_spoil_a_page_in_utf8():
    assert "日本語" in text_of("<p>日本語日本語日本語".encode() + b"\xff</p>")


@pytest.mark.parametrize(
    ("media_type", "url", "language"),
    [
        ("text/plain", "http://h.example/a", "text"),
        ("text/plain", "http://h.example/a/README.md?raw=1", "markdown"),
        ("text/markdown", "", "markdown"),
        ("application/json", "", "json"),
        ("application/ld+json", "", "json"),
        ("application/yaml", "", "yaml"),
        ("", "", "text"),
    ],
)
def test_text_stays_as_it_is(media_type, url, language):
    body = "# T\n\n    <b>x</b>\n"
    page = read_page(body.encode(), media_type=media_type, url=url)
    assert (page.text, page.language, page.reason) == (body, language, "")


@pytest.mark.parametrize(
    "media_type", ["image/png", "application/zip", "application/pdf", "text/css", "video/mp4", "nonsense"]
)
def test_what_is_no_text_is_left_out_with_a_reason(media_type):
    assert read_page(b"x", media_type=media_type).reason == why_unwanted(media_type) != ""


@pytest.mark.parametrize(
    ("content", "media_type"),
    [(b"\x89PNG\0", ""), (b"%PDF-1.7", ""), (b"a\0b", "text/plain"), (b"", "text/plain"), (b"<p></p>", "text/html"), (b"", "text/html"),
     (b" " * (MAX_HTML_BYTES + 1), "text/html")],
)  # fmt: skip
def test_what_has_no_text_is_left_out_with_a_reason(content, media_type):
    page = read_page(content, media_type=media_type)
    assert page.reason
    assert page.text == ""


@pytest.mark.parametrize("head", ["<!DOCTYPE HTML><p>x", "\n\n<html><p>x", "\ufeff<html><p>x"])
def test_html_is_known_without_a_media_type(head):
    assert read_page(head.encode(), media_type="application/octet-stream").language == "markdown"


MEGABYTES = 2_000_000
NASTY = ["<div>", "<b>", "<a>", "<b><p>", "<table>", "x<b>", "<ul><li>", "<svg><g>", "<template>", "<select><option>", "<span><div></span>",
         "<span><p></span>", "<h1><li>", "<li><dd>", "<p>", "<code>", "<pre>", "<!--", "<!-->", "<script>", "<a '", '<a "', "</", "<",
         "<tr><td>", "<table><tr><td>", "<h1>", "&amp;", "`", "<br>", "<title>", "<td><p>", "<main>", "<article>", "<a b='"]  # fmt: skip


@pytest.mark.parametrize("piece", NASTY)
def test_no_page_costs_more_than_its_length(piece):
    """Two megabytes of the worst that is known: what costs the square of it takes minutes, or the whole stack."""
    began = time.process_time()
    read_page((piece * (MEGABYTES // len(piece)) + "end").encode(), media_type="text/html")
    assert time.process_time() - began < 15


def test_a_tag_with_very_many_attributes_costs_no_more_than_its_length():
    attributes = " ".join(f"a{number}=1" for number in range(200_000))
    began = time.process_time()
    assert text_of(f"<p {attributes}>end") == "end\n"
    assert time.process_time() - began < 5


def test_a_hundred_thousand_nested_elements_are_read():
    assert text_of("<div>" * 100_000 + "deep" + "</div>" * 100_000 + "<p>after") == "deep\n\nafter\n"


def test_a_wide_row_and_many_short_ones_do_not_become_their_product():
    """200 KB of it took 2.1 GB, and 400 KB all memory there was."""
    page = f"<table><tr>{'<td>a' * 20_000}</tr>{'<tr><td>b<td>c' * 10_000}</table>"
    text = text_of(page)
    assert len(text) < 3 * len(page)
    rows = text.splitlines()
    assert rows[1] == f"|{' --- |' * 20_000}"
    assert rows[2] == "| b | c |"


def test_what_is_nested_deep_is_not_written_out_deeper_with_every_line():
    page = "<ul><li>x" * 10_000
    assert len(text_of(page)) < 4 * len(page)


# What becomes many times as long: there may be more than is known, so that the bound is tried by itself.
def unfolding(request: bytes) -> bytes:
    """In a process of its own: a renderer that writes every letter a hundred times."""
    from scova.sources.web.markup import render as module

    real = module.render
    module.render = lambda html: real(html)._replace(text=100 * html)
    try:
        return rendered_apart(request)
    finally:
        module.render = real


def hungry(request: bytes) -> bytes:
    return bytes(len(bytearray(400 << 20)))


def slow(request: bytes) -> bytes:
    while True:
        pass


@pytest.fixture
def read_by(monkeypatch):
    """Pages are read by this function, in a process as ever."""

    def replaced(name):
        monkeypatch.syspath_prepend(str(Path(__file__).parent))
        monkeypatch.setattr(html, "_children", ChildProcesses(f"test_html:{name}"))

    return replaced


def test_a_page_that_becomes_many_times_as_long_is_cut_and_says_so(read_by):
    read_by("unfolding")
    content = b"<p>abc\n" * 1000
    text = text_of(content)
    assert 4 * len(content) < len(text) <= 8 * len(content)
    assert text.endswith(f"\n{html.CUT}\n")


def test_a_page_that_takes_too_much_is_left_out_with_the_reason(read_by, monkeypatch):
    monkeypatch.setattr(html.Bounds, "of", lambda size: html.Bounds(0.5, 1000))
    for name, said in (
        ("hungry", "reading it takes more than 256 MB of memory"),
        ("slow", "reading it takes more than 0.5 seconds"),
    ):
        read_by(name)
        page = read_page(b"<p>abc", media_type="text/html")
        assert (page.text, said in page.reason) == ("", True)
