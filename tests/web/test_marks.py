"""What is marked in results: the names that were asked for and their parts, as the search splits them, and no letters inside other words."""

import re
from pathlib import Path

import scova.tokens
from scova import tokens
from web.browser import every
from web.content import push

pytestmark = every

WRITTEN = (
    "parseHTTPConfig user_id APIs IDs HTTPServer2 x utf8 __init__ snake_CASE cafés überGröße 検索結果 é a1b2 Buses classes ties boxes "
    "running nested relations creators creation pluggable fullest bee parsers shells _private_ ABCdef"
)

MARKED = """async ([query, mode, lines]) => {
    const { marker, spans } = await import('./page/js/marks.js');
    return lines.map((line) => spans(line, marker(query, mode)).map(([from, to]) => line.slice(from, to)));
}"""


def marked(visit, query, *lines, mode="hybrid"):
    return visit.page.evaluate(MARKED, [query, mode, list(lines)])


def test_words_are_split_and_stemmed_as_the_search_does(visit):
    """Over words that are made to be odd, and all of a module and its tests."""
    text = WRITTEN + Path(scova.tokens.__file__).read_text() + Path(__file__).read_text()
    words = sorted(set(re.findall(r"\w+", text)))
    visit.go("#/builds")
    found = visit.page.evaluate(
        """async (words) => {
            const { parts, stem } = await import('./page/js/stems.js');
            return words.map((word) => parts(word).map(({ text }) => [text, stem(text)]));
        }""",
        words,
    )
    assert len(words) > 200
    assert dict(zip(words, found, strict=True)) == {
        word: [[part, tokens.stem(part)] for part in tokens.parts(word)] for word in words
    }


def test_names_and_their_parts_are_marked_and_nothing_inside_other_words(visit):
    visit.go("#/builds")
    lines = ["def url_for(", "before the URLs, for each", "urlFor(x) curl", "for url in _url_for_: pass"]
    assert marked(visit, "url_for", *lines) == [["url_for"], ["URLs"], ["url"], ["url", "url_for"]]
    assert marked(visit, "how are results ranked", "rank_result ranking rankle") == [["rank", "result", "ranking"]]
    assert marked(visit, "type adapter", "TypeAdapter typeadapter subtype") == [["TypeAdapter", "typeadapter"]]
    assert marked(visit, "pars* *fig*", "parser sparse reconfigured") == [["parser", "fig"]]
    assert marked(visit, "cart path:shop -lang:go", "cart shop go") == [["cart"]]
    assert marked(visit, "検索", "全文検索です") == [["検索"]]
    assert marked(visit, "fo.*", "before", mode="regex") == [["fo"]]


def test_a_definition_is_shown_with_its_signature_where_the_rest_says_nothing_new(visit, shop):
    body = "".join(f"    parts.append(scheme)  # step {step} before the url, of the URL\n" for step in range(9))
    signature = "def url_for(\n    endpoint,\n    *,\n    anchor=None,\n    scheme=None,\n):\n"
    text = f'{signature}    """Makes it.\n\n    More.\n    """\n    parts = []\n{body}    return parts\n'
    push(shop, "urls", {"urls.py": text})
    visit.go("#/p/urls/search?q=url_for")
    first = visit.locator(".hit").first
    first.wait_for()
    assert first.locator(".line").all_inner_texts()[:4] == [
        "def url_for(",
        "    endpoint,",
        "    *,",
        "    anchor=None,",
    ]
    visit.go("#/p/urls/search?q=url_for+scheme+step")
    visit.locator(".hit mark", has_text="step").first.wait_for()
