"""Files, symbols and what means harm, in a real browser."""

from web.browser import every
from web.content import HOSTILE, LONG, LONG_LINES, long_file, push

# The rows that are there, once the one at the top of the window is among them and all have their text.
SEEN = """(() => {
    const rows = [...document.querySelectorAll('.rows .row')].map((row) => [Number(row.firstChild.textContent), row.lastChild.textContent]);
    const top = Math.floor(document.querySelector('.rows').scrollTop / 20) + 1;
    return rows.some(([number]) => number === top) && rows.every(([, text]) => text !== '…') ? rows : null;
})()"""


def test_callers_are_followed_two_levels(visit):
    """add_tax is called by total_price, which is called by pay."""
    visit.go("#/p/shop/symbol/add_tax?in=shop%2Ftax.py")
    callers = visit.locator(".callers")
    callers.get_by_role("link", name="total_price").click()
    visit.until("location.hash.startsWith('#/p/shop/symbol/total_price')")
    visit.locator("h1", has_text="total_price").wait_for()
    assert visit.locator(".callees a.symbol", has_text="add_tax").count() == 1
    callers.get_by_role("link", name="pay").click()
    visit.locator("h1", has_text="pay").wait_for()
    assert "shop/checkout.py" in visit.text(".symbol-head")
    visit.page.go_back()
    visit.page.go_back()
    visit.locator("h1", has_text="add_tax").wait_for()
    visit.page.keyboard.press("]")
    visit.locator(".callers .tree .tree a.symbol", has_text="pay").wait_for()
    assert "depth=2" in visit.fragment
    assert visit.text(".stepper output") == "2 levels"


def test_a_candidate_is_drawn_otherwise_and_said_in_words(visit):
    visit.go("#/p/shop/symbol/Desk.settle?in=shop%2Fdesk.py")
    edge = visit.locator(".callers .edge.candidate")
    edge.wait_for()
    assert edge.locator(".candidate-word").inner_text() == "may call"
    assert edge.evaluate("(one) => getComputedStyle(one).borderInlineStartStyle") == "dashed"
    visit.go("#/p/shop/symbol/pay?in=shop%2Fcheckout.py")
    sure = visit.locator(".callers .edge")
    sure.wait_for()
    assert sure.evaluate("(one) => getComputedStyle(one).borderInlineStartStyle") == "solid"


@every
def test_documentation_that_mentions_a_symbol_is_shown_beside_it(visit):
    visit.go("#/p/shop/symbol/total_price")
    visit.locator(".mentions a", has_text="README.md").wait_for()
    assert visit.locator(".source .token-link", has_text="add_tax").count() == 1, (
        "a call in the source leads to what is called"
    )


def test_a_file_of_20_000_lines_scrolls_with_few_rows_and_every_line_right(visit):
    push(visit.url, "long", {LONG: long_file()})
    visit.go(f"#/p/long/file/{LONG}")
    visit.locator(".rows .row").first.wait_for()
    assert "20,000 lines" in visit.text(".facts")
    for share in (0.1, 0.5, 0.99, 1.0, 0.3):
        visit.page.evaluate(
            "(share) => { const box = document.querySelector('.rows'); box.scrollTop = share * (box.scrollHeight - box.clientHeight); }",
            share,
        )
        rows = visit.until(SEEN)
        assert len(rows) < 120
        for number, text in rows:
            expected = (
                f"def row_{number}():" if number % 100 == 1 else f"    value_{number} = {number}  # line {number}"
            )
            assert number > LONG_LINES or text == expected
    visit.go(f"#/p/long/file/{LONG}?line=15001")
    visit.locator(".row.chosen", has_text="def row_15001").wait_for()
    assert visit.locator(".outline-name[aria-current]").inner_text().startswith("row_15001")
    visit.page.get_by_label("Find in this file").fill("value_19999 =")
    visit.locator(".row.found", has_text="value_19999 = 19999").wait_for()


@every
def test_the_outline_leads_to_a_line_and_the_line_to_callers(visit):
    visit.go("#/p/shop/file/shop/cart.py")
    visit.locator(".outline a", has_text="total_price").first.click()
    visit.locator(".row.chosen", has_text="def total_price").wait_for()
    visit.locator(".rows").focus()
    visit.page.keyboard.press("c")
    visit.locator("h1", has_text="total_price").wait_for()


def test_names_and_contents_that_mean_harm_are_shown_and_do_nothing(visit):
    """Script, markup, terminal codes and marks that turn the direction of writing: text, visible, and inert."""
    visit.go("#/p/hostile/files")
    visit.locator(".folder-list li").first.wait_for()
    shown = visit.text(".folder-list")
    assert "<img src=x onerror=alert(1)>.py" in shown
    assert "evil⟦U+202E⟧gpj.py" in shown
    assert "ansi⟦U+001B⟧[31mred.py" in shown
    for path in HOSTILE:
        visit.page.evaluate("document.querySelector('main').replaceChildren()")
        visit.page.evaluate(
            "(path) => { location.hash = '#/p/hostile/file/' + path.split('/').map(encodeURIComponent).join('/'); }",
            path,
        )
        visit.until("document.body.dataset.view === 'file' && document.querySelector('.rows .row .line') !== null")
        text = visit.text(".rows")
        expected = HOSTILE[path].splitlines()[0].replace("\u001b", "⟦U+001B⟧").replace("\u0007", "⟦U+0007⟧")
        assert expected in text, (path, text)
    assert (
        visit.page.evaluate(
            "document.querySelectorAll('main script, main img, main svg, main iframe, main [onerror], main [onload]').length"
        )
        == 0
    )
    raw = visit.page.evaluate("document.body.textContent")
    assert not set(raw) & set("\u001b\u0007\u202e\u2066\u200b")


def test_harmful_results_of_a_search_are_inert_too(visit):
    visit.go("#/p/hostile/search?q=terminal_title+check_access+pwned+quoted_name")
    visit.locator(".hit").nth(3).wait_for()
    text = visit.text(".results")
    assert "<script>alert(2)</script>" in text
    assert "⟦U+202E⟧" in text
    assert "⟦U+001B⟧" in text
    assert (
        visit.page.evaluate(
            "document.querySelectorAll('main script, main img, main iframe, main a[href^=javascript]').length"
        )
        == 0
    )
    assert not set(visit.page.evaluate("document.body.textContent")) & set("\u001b\u0007\u202e\u2066\u200b")


def test_every_state_can_be_opened_by_its_address(visit):
    states = {
        "#/p/shop/search?q=cart&kind=class&n=1": ".hit[aria-current]",
        "#/p/shop/files/shop": ".folder-list a >> text=cart.py",
        "#/p/shop/file/shop/cart.py?line=14-16": ".row.chosen >> nth=2",
        "#/p/shop/symbol/pay?in=shop%2Fcheckout.py&depth=3": ".stepper output >> text=3 levels",
        "#/p/shop/build": "#title-sources",
        "#/p/shop/health": ".tiles",
        "#/builds": ".card >> text=hostile",
        "#/nowhere": "text=no such place",
        "#/p/odd/toString": "text=no such place",
    }
    for fragment, sign in states.items():
        visit.page.goto("about:blank")
        visit.go(fragment)
        visit.locator(sign).first.wait_for()
        assert visit.fragment == fragment


@every
def test_a_name_with_very_many_definitions_shows_the_one_that_was_asked_for(visit):
    """More than an answer has: the one of the file in the address is shown with its callers, and all are counted."""
    alike = {f"m{number:02}.py": f"def main():\n    return {number}\n" for number in range(60)}
    push(
        visit.url,
        "alike",
        {**alike, "sub/m55.py": alike["m55.py"], "uses.py": "from m55 import main\n\n\ndef go():\n    return main()\n"},
    )
    visit.go("#/p/alike/symbol/main?in=m55.py")
    visit.locator(".source", has_text="return 55").wait_for()
    assert "m55.py:1" in visit.text(".symbol-head")
    assert visit.locator(".callers a.symbol", has_text="go").count() == 1
    assert visit.text(".others span") == "61 definitions of this name, 51 of them here"
    assert visit.locator(".others option:checked").inner_text() == "main in m55.py:1"
    visit.locator(".others select").select_option(label="main in m07.py:1")
    visit.locator(".source", has_text="return 7").wait_for()
    visit.go("#/p/alike/symbol/main?in=gone.py")
    visit.locator(".notice", has_text="Nothing of this name is defined in gone.py").wait_for()
    visit.page.get_by_role("link", name="main in m00.py").click()
    visit.locator(".source", has_text="return 0").wait_for()


@every
def test_finding_in_a_file_marks_just_what_was_found(visit):
    """A capital is meant, small letters are not; and no word is marked of which a part was found."""
    visit.go("#/p/shop/file/shop/checkout.py")
    visit.locator(".rows .row").first.wait_for()
    find = visit.page.get_by_label("Find in this file")
    for typed, lines, marked in (
        ("Cart", "1 line", ["Cart"]),
        ("cart", "3 lines", ["cart", "Cart", "cart", "cart"]),
        ("pric", "2 lines", ["pric", "pric"]),
    ):
        find.fill(typed)
        visit.locator(".counted", has_text=f"of {lines}").wait_for()
        assert visit.locator(".rows mark").all_inner_texts() == marked


@every
def test_an_outline_that_is_cut_says_so(visit):
    push(visit.url, "wide", {"wide.py": "".join(f"def row_{number}(): return 1\n\n\n" for number in range(5_001))})
    visit.go("#/p/wide/file/wide.py")
    visit.locator(".outline", has_text="Only the first 5,000 are known here, down to line 14,998.").wait_for()
    assert visit.text(".outline h2") == "Outline (5,001)"
    visit.go("#/p/wide/file/wide.py?line=15001")
    visit.locator(".row.chosen").wait_for()
    visit.locator(".rows").focus()
    visit.page.keyboard.press("c")
    visit.locator("#note span", has_text="The outline does not reach down to this line").wait_for()


def test_the_plot_of_growth_says_why_it_counts_fewer_files(visit, shop):
    push(shop, "hollow", {"a.py": "x = 1\n", "pkg/__init__.py": "", "pkg/blank.py": "\n\n"})
    visit.go("#/p/hollow/health")
    visit.locator("figcaption", has_text="(of 1 file)").wait_for()
    assert "Files with nothing in them have no chunk, and are not among these: 2." in visit.text("figcaption")
    visit.go("#/p/shop/health")
    visit.locator("h1", has_text="shop").wait_for()
    visit.locator("figcaption", has_text="(of 8 files)").wait_for()
    assert "nothing in them" not in visit.text("figcaption")
