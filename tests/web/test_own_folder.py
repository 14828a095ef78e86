"""`scova ui` on a folder of one's own, the real command in a real browser: what is edited beside the page, names that files have, going away."""

import pytest

from desk_page import ui
from web.browser import every, visiting

pytestmark = every

BELL = "def ring_the_bell(times):\n    return times\n"
DECORATED = "class Tower:\n    @property\n    def lantern_height(self):\n        return 7\n"
ODD = ("br[1]*{a,b}.py", " lead.py", "new\nline.py", "<script>alert(1)<.py", "per%20cent#x?y=1.py", "evil\u202eyp.py")


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "shop"
    root.mkdir()
    (root / "bell.py").write_text(BELL)
    (root / "tower.py").write_text(DECORATED)
    for number, name in enumerate(ODD):
        (root / name).write_text(
            f"def odd_{number}():\n    return 'needle'\n\n\ndef user_{number}():\n    return odd_{number}()\n"
        )
    return root


@pytest.fixture
def own(browser, folder):
    """Someone at the page of the folder, once that is indexed."""
    with ui(folder) as page:
        page.built()
        with visiting(browser, page.url.rstrip("/"), away=True) as visit:
            visit.ui = page
            yield visit


def test_the_page_opens_on_the_folder_whatever_was_looked_at_before(own):
    own.ui.client.post("/projects", json={"project_id": "papers"}).raise_for_status()
    own.go("#/p/papers/search")
    own.locator("h1", has_text="papers").wait_for(state="attached")
    own.page.goto("about:blank")
    own.go("")
    own.until("location.hash === '#/p/shop/search'")


def test_an_edit_is_found_by_the_next_question_and_shown_by_a_file_that_is_open(own, folder):
    own.go("#/p/shop/file/bell.py")
    own.locator(".row", has_text="ring_the_bell").wait_for()
    (folder / "bell.py").write_text("# a line\n# and one more\n" + BELL.replace("bell", "gong"))
    own.page.evaluate("dispatchEvent(new Event('focus'))")  # back from the editor
    own.until("document.querySelector('.rows')?.textContent.includes('ring_the_gong')")
    assert "4 lines" in own.text(".facts")
    (folder / "bell.py").write_text("# alone\n" + BELL)
    own.page.keyboard.press("f")
    own.page.keyboard.type("return")
    own.until("document.querySelector('.rows .row.found')?.textContent.includes('return times')")
    own.go("#/p/shop/search")
    own.locator("#question").fill("ring_the_bell")
    own.locator(".hit", has_text="ring_the_bell").first.wait_for()


@pytest.mark.parametrize("number", range(len(ODD)))
def test_a_file_of_any_name_is_opened_searched_and_followed(own, number):
    own.go("#/p/shop/files")
    own.locator(".folder-list a").first.wait_for()
    links = own.page.evaluate(
        "[...document.querySelectorAll('.folder-list a')].map((one) => [one.hash, one.textContent])"
    )
    assert len(links) == len(ODD) + 2
    own.page.evaluate("(name) => { location.hash = `#/p/shop/file/${encodeURIComponent(name)}`; }", ODD[number])
    own.locator(".row", has_text=f"odd_{number}").first.wait_for()
    own.page.keyboard.press("f")
    own.page.keyboard.type("needle")
    own.locator(".counted", has_text="1 of 1 line").wait_for()
    own.page.keyboard.press("Escape")
    own.page.keyboard.press("c")
    own.locator("h1", has_text=f"odd_{number}").wait_for()
    own.locator(".callers a.symbol", has_text=f"user_{number}").wait_for()
    assert own.locator(".problem").count() == 0


def test_a_decorated_definition_leads_to_its_own_callers(own):
    """What a search finds of a method begins with its decorators, and the line of those is only of the class."""
    own.go("#/p/shop/file/tower.py?line=2-4")
    own.locator(".here a", has_text="Tower.lantern_height").wait_for()
    own.page.keyboard.press("c")
    own.until("location.hash.startsWith('#/p/shop/symbol/Tower.lantern_height')")


def test_results_found_by_name_or_pattern_say_so(own):
    for mode in ("regex", "symbol"):
        own.go(f"#/p/shop/search?q=ring_the_bell&mode={mode}")
        own.locator(".hit").first.wait_for()
        assert "100" in own.text(".why-says") and "little" not in own.text(".why-says")


def test_a_pattern_that_is_not_finished_is_said_plainly(own):
    own.go("#/p/shop/search?q=bell&mode=regex")
    own.locator(".hit").first.wait_for()
    own.locator("#question").fill("((")
    own.locator(".state .notice", has_text="unclosed group").wait_for()
    assert "U+000A" not in own.text(".state")
    assert own.locator(".state [role=alert]").count() == 0, "nobody who types wants an alarm at every key"


def test_what_was_found_stays_while_the_server_is_away_and_a_folder_that_went_is_told_of(own, folder):
    own.go("#/p/shop/search?q=ring_the_bell")
    own.locator(".hit").first.wait_for()
    for path in list(folder.iterdir()):
        path.unlink()
    folder.rmdir()
    own.locator("#question").fill("ring_the_bel")
    own.locator("#question").fill("ring_the_bell")
    own.locator(".state .notice", has_text="changed or gone").wait_for()
    folder.mkdir()
    (folder / "bell.py").write_text(BELL)
    own.until(
        "document.querySelector('.hit') || (document.querySelector('#question').dispatchEvent(new Event('input')), null)"
    )
    own.ui.process.kill()
    own.ui.process.wait()
    own.page.keyboard.type("s")
    own.locator(".state .problem", has_text="does not answer").wait_for()
    assert own.locator(".hit").count() > 0


def test_only_what_there_is_can_be_chosen(own):
    own.go("#/p/shop/search?q=bell")
    own.locator(".hit").first.wait_for()
    own.until("document.querySelectorAll('.menus select').length > 1")
    offered = own.page.evaluate("[...document.querySelectorAll('.menus option')].map((one) => one.textContent)")
    assert not [one for one in offered if one.endswith("(0)")]
