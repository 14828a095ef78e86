"""Ten thousand results and files in a real browser: all can be reached, and the page stays small."""

import pytest

from serving import running
from web.browser import every, visiting
from web.content import many_files, push

pytestmark = [every, pytest.mark.timeout(400)]
FILES, EACH = 960, 10
NODES = 8_000  # elements of the whole page, however much was scrolled


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    with running(tmp_path_factory.mktemp("many") / "data", environment={"SCOVA_SERVE_RATE": "0"}) as server:
        push(server.url, "many", many_files(FILES, EACH))
        yield server.url


def test_ten_thousand_results_can_be_scrolled_through_and_walked_by_keys(browser, many):
    with visiting(browser, many) as visit:
        visit.go("#/p/many/search?q=widget&mode=text")
        visit.locator(".hit").first.wait_for()
        total = int(visit.locator(".hit").first.get_attribute("aria-setsize"))
        assert total >= 10_000
        reached = -1
        while reached < total:
            reached = visit.page.evaluate(
                """async () => {
                    const box = document.scrollingElement;
                    for (let turn = 0; turn < 20; turn += 1) {
                        box.scrollTop = box.scrollHeight;
                        await new Promise((resolve) => setTimeout(resolve, 50));
                    }
                    return Math.max(0, ...[...document.querySelectorAll('.hit')].map((one) => Number(one.dataset.at)));
                }"""
            )
            assert visit.page.evaluate("document.querySelectorAll('*').length") < NODES
        assert reached == total
        last = visit.locator(f'.hit[data-at="{total}"]')
        last.focus()
        visit.page.keyboard.press("ArrowUp")
        assert visit.locator(".hit:focus").get_attribute("aria-posinset") == str(total - 1)
        assert f"n={total - 1}" in visit.fragment
        visit.page.evaluate("document.scrollingElement.scrollTop = 0")
        visit.locator('.hit[data-at="1"]').wait_for()
        assert visit.page.evaluate("document.querySelectorAll('*').length") < NODES


def test_a_link_to_a_result_far_down_opens_there(browser, many):
    with visiting(browser, many) as visit:
        visit.go("#/p/many/search?q=widget&mode=text&n=700")
        here = visit.locator('.hit[data-at="700"][aria-current]')
        here.wait_for()
        assert here.evaluate(
            "(one) => { const { top } = one.getBoundingClientRect(); return top >= 0 && top < innerHeight; }"
        )


def test_folders_of_more_than_ten_thousand_files_are_all_there_and_counted_right(browser, many):
    """The last folder holds so many that not all of its files are shown, and says so."""
    paths = [f"first/{number // 100}/{number}.txt" for number in range(10_000)] + [
        f"last/{number}.txt" for number in range(2_001)
    ]
    push(many, "folders", dict.fromkeys(paths, "x\n"))
    with visiting(browser, many) as visit:
        visit.go("#/p/folders/files")
        visit.locator(".folder-list li").first.wait_for()
        assert visit.locator(".folder-list li").all_inner_texts() == ["first/\n10,000 files", "last/\n2,001 files"]
        visit.locator(".folder-list a", has_text="last").click()
        visit.locator("p", has_text="The first 2,000 of 2,001 are shown").wait_for()
        assert visit.locator(".folder-list li").count() == 2_000
