"""Parts of the page that can be tried on their own, in the browser they are for."""

from web.browser import every

pytestmark = every

LINES = [
    'x = "a\\"b" + \'c\' // z # y',
    "/* a",
    ' b */ fn(Foo, 0x1f, 1_000.5e3) """ t',
    'u""" @deco @x $y :z',
    "`tpl`",
    "```python",
    "def a(): return `",
    "```",
    "# H \u202e \u001b[1m 漢字 é😀",
    "'" * 1999,
    '"\\' * 999,
    "a." * 999,
    "[" * 1999,
    "a = " * 499,
    "x" * 200_000,
]


def test_highlighting_loses_and_adds_nothing_in_any_language_and_is_quick_with_hostile_lines(visit):
    visit.go("#/builds")
    found = visit.page.evaluate(
        """async (lines) => {
            const { highlighted } = await import('./page/js/highlight.js');
            const { LANGUAGES } = await import('./page/js/languages.js');
            const began = performance.now();
            const wrong = [...Object.keys(LANGUAGES), 'markdown', 'tsx', 'unknown', ''].filter((name) =>
                highlighted(lines, name).rows.some((row, index) => row.map(([, part]) => part).join('') !== lines[index]));
            return { wrong, languages: Object.keys(LANGUAGES).length, took: performance.now() - began };
        }""",
        LINES,
    )
    assert found["wrong"] == []
    assert found["languages"] >= 19
    assert found["took"] < 10_000, "a pattern takes more than time in proportion to the line"


def test_a_comment_and_a_string_go_on_over_lines(visit):
    visit.go("#/builds")
    kinds = visit.page.evaluate(
        """async () => {
            const { highlighted } = await import('./page/js/highlight.js');
            const kinds = (lines, name) => highlighted(lines, name).rows.map((row) => row.map(([kind]) => kind).filter(Boolean).join(''));
            return [kinds(['int a; /* b', 'c', 'd */ return 1;'], 'c'), kinds(['s = \"\"\"a', 'def b', 'c\"\"\"', 'def d():'], 'python')];
        }"""
    )
    assert kinds == [["kc", "c", "ckn"], ["s", "s", "s", "kf"]]


def test_what_steers_is_named_and_what_does_not_is_left(visit):
    visit.go("#/builds")
    shown = visit.page.evaluate(
        """async () => {
            const { inert } = await import('./page/js/text.js');
            return ['a\\u202eb', 'a\\u001b[31m', 'tab\\tstays', 'a\\r\\n', 'é 漢 😀 👩\\u200d💻', 'lone \\ud800', '\\u{e0041}'].map(inert);
        }"""
    )
    assert shown == [
        "a⟦U+202E⟧b",
        "a⟦U+001B⟧[31m",
        "tab\tstays",
        "a⟦U+000D⟧⟦U+000A⟧",
        "é 漢 😀 👩\u200d💻",
        "lone ⟦U+D800⟧",
        "⟦U+E0041⟧",
    ]


def test_addresses_give_back_what_they_were_made_of(visit):
    visit.go("#/builds")
    wrong = visit.page.evaluate(
        """async () => {
            const { address, parsed } = await import('./page/js/router.js');
            const paths = ['a/b.py', 'src-1/https://example.org/x?y=1#z', '100%.md', '#?&=+ .py', '%2e%2e/x', '<b>/\"q\\'.py', 'a//b', 'ü/漢.py'];
            return paths.filter((path) => {
                const { project, view, rest, params } = parsed(address('file', 'my-project', path, { line: '3-5', lang: ['c', 'd'] }));
                return project !== 'my-project' || view !== 'file' || rest !== path || params.get('line') !== '3-5' || params.getAll('lang').join() !== 'c,d';
            });
        }"""
    )
    assert wrong == []
