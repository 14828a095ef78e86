"""An accessibility checker goes through every view, light and dark, wide and narrow; and the keyboard alone reaches everything."""

import sys
from pathlib import Path

import pytest

from web.browser import NARROW, WIDE, every, visiting

# `make test-web` brings it: without it these tests fail, as they do without a browser.
AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
VIEWS = {
    "#/p/shop/search": ".notice",
    "#/p/shop/search?q=total+price&lang=python": ".hit",
    "#/p/shop/search?q=zzqx+%2Bnowhere": ".notice",
    "#/p/shop/files": ".folder-list",
    "#/p/shop/file/shop/cart.py?line=14": ".row.chosen",
    "#/p/shop/symbol/total_price?depth=2": ".trio",
    "#/p/shop/symbol/Desk.settle?in=shop%2Fdesk.py": ".candidate",
    "#/p/hostile/search?q=terminal_title": ".hit",
    "#/p/shop/build": "#title-sources",
    "#/p/shop/health": ".tiles",
    "#/builds": ".card-links",
}


@every
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_serious_in_any_view(browser, shop, scheme, size):
    with visiting(browser, shop, size=size, color_scheme=scheme) as visit:
        for fragment, sign in VIEWS.items():
            visit.go(fragment)
            visit.locator(sign).first.wait_for()
            if fragment.endswith("lang=python"):
                visit.page.get_by_role("button", name="Why").first.click()
            assert findings(visit) == [], fragment
        visit.page.get_by_role("button", name="Keys").click()
        assert findings(visit) == [], "keys"


def findings(visit) -> list[str]:
    """What the checker calls serious or critical, and every fault of contrast, with where."""
    visit.page.evaluate(AXE.read_text())
    found = visit.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical") or one["id"] == "color-contrast"
        for node in one["nodes"]
    ]


@every
def test_nothing_is_wider_than_a_narrow_window(browser, shop):
    with visiting(browser, shop, size=NARROW) as visit:
        for fragment, sign in VIEWS.items():
            visit.go(fragment)
            visit.locator(sign).first.wait_for()
            assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), fragment


@every
def test_the_tab_key_reaches_what_can_be_done_and_focus_moves_with_the_view(visit):
    visit.go("#/p/shop/health")
    visit.locator(".tiles").wait_for()
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.className") == "skip"
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate("document.activeElement.id") == "main"
    assert visit.fragment == "#/p/shop/health"
    visit.page.get_by_role("link", name="Build").focus()
    visit.page.keyboard.press("Enter")
    visit.locator("#title-sources").wait_for()
    visit.page.get_by_role("link", name="Files").click()
    visit.locator(".folder-list").wait_for()
    assert visit.page.get_by_role("banner").count() == 1
    assert visit.page.get_by_role("main").count() == 1
    assert visit.page.get_by_role("navigation").count() == 1


@every
def test_the_number_of_results_is_told_to_those_who_listen(visit):
    visit.go("#/p/shop/search")
    visit.locator("#question").fill("total_price")
    visit.until("/^\\d+ results? for total_price$/.test(document.getElementById('live').textContent)")


@every
def test_the_theme_can_be_switched_and_is_remembered(visit):
    visit.go("#/p/shop/search")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = visit.page.evaluate(ground)
    theme = visit.page.get_by_role("button", name="Theme")
    theme.click()
    theme.click()
    assert visit.text("#theme") == "Theme: dark"
    dark = visit.page.evaluate(ground)
    assert dark != light
    visit.page.reload()
    assert visit.page.evaluate(ground) == dark
