"""Searching in a real browser, by keyboard."""

import pytest

from web.browser import every, visiting
from web.content import push


def test_a_question_is_typed_and_a_result_opened_by_keyboard_alone(visit):
    visit.go("#/p/shop/search")
    visit.locator("#question").wait_for()
    visit.page.keyboard.type("what does a cart cost")
    first = visit.locator(".hit").first
    first.wait_for()
    visit.until("location.hash.includes('q=what+does+a+cart+cost')")
    visit.locator(".hit mark").first.wait_for()
    visit.page.keyboard.press("ArrowDown")
    visit.locator(".hit:focus").wait_for()
    visit.page.keyboard.press("ArrowDown")
    assert visit.locator(".hit:focus").get_attribute("aria-posinset") == "2"
    visit.page.keyboard.press("k")
    assert visit.locator(".hit:focus").get_attribute("aria-posinset") == "1"
    place = visit.locator(".hit:focus h3").inner_text()
    assert place.startswith("shop/cart.py:")
    visit.page.keyboard.press("Enter")
    visit.locator(".rows .row.chosen").first.wait_for()
    assert visit.fragment.startswith("#/p/shop/file/shop/cart.py?line=")
    visit.page.keyboard.press("Escape")
    visit.locator(".hit[aria-current]").wait_for()
    assert visit.locator("#question").input_value() == "what does a cart cost", "back at the question"
    visit.page.keyboard.press("/")
    assert visit.page.evaluate("document.activeElement.id") == "question"


def test_y_copies_path_and_line(browser, shop):
    with visiting(browser, shop, permissions=["clipboard-read", "clipboard-write"]) as visit:
        visit.go("#/p/shop/search?q=add_tax")
        visit.locator(".hit").first.wait_for()
        visit.page.keyboard.press("ArrowDown")
        visit.locator(".hit:focus").wait_for()
        visit.page.keyboard.press("y")
        visit.locator("#note span", has_text="Copied shop/tax.py:").wait_for()
        assert visit.page.evaluate("navigator.clipboard.readText()") == visit.text("#note span").removeprefix("Copied ")


def test_a_result_says_why_it_is_there(visit):
    visit.go("#/p/shop/search?q=total+price+of+a+cart")
    first = visit.locator(".hit").first
    first.wait_for()
    assert "%" in first.locator(".why-says").inner_text()
    first.get_by_role("button", name="Why").click()
    assert "add up to the score" in first.locator(".why-table").inner_text()
    assert "the words stand in this chunk" in first.locator(".why-table").inner_text()


@every
def test_filters_are_in_the_address_and_can_be_taken_away(visit):
    visit.go("#/p/shop/search?q=cart&lang=typescript")
    visit.locator(".hit").first.wait_for()
    assert [one.split(":")[0] for one in visit.locator(".hit h3").all_inner_texts()] == ["app/cart.ts"] * visit.locator(
        ".hit"
    ).count()
    visit.page.get_by_role("button", name="Remove filter Language typescript").click()
    visit.locator(".hit h3", has_text="shop/cart.py").first.wait_for()
    visit.until("!location.hash.includes('lang=')")
    visit.page.get_by_role("combobox", name="Kind").select_option("class")
    visit.locator(".chip", has_text="class").wait_for()
    visit.until("[...document.querySelectorAll('.hit .kind')].every((one) => one.textContent === 'class')")
    assert visit.locator(".hit").count() >= 2
    visit.until("location.hash.includes('kind=class')")


@every
def test_tags_are_offered_as_a_filter(visit):
    """As many chunks as have one; here only the documentation does."""
    visit.go("#/p/shop/search?q=total+price")
    visit.locator(".hit h3", has_text="shop/cart.py").first.wait_for()
    tag = visit.page.get_by_role("combobox", name="Tag")
    tag.wait_for()
    assert [one.split(" (")[0] for one in tag.locator("option").all_inner_texts()] == ["any", "docs"]
    tag.select_option("docs")
    visit.locator(".chip", has_text="docs").wait_for()
    visit.until("[...document.querySelectorAll('.hit h3')].every((one) => one.textContent.startsWith('README.md'))")
    visit.until("location.hash.includes('tag=docs')")


def test_an_answer_that_is_late_never_takes_the_place_of_a_newer_one(visit):
    """The answer to the first question is held back until the second is shown."""
    held = []
    visit.page.route(
        "**/search", lambda route: held.append(route) if '"ad"' in route.request.post_data else route.continue_()
    )
    visit.go("#/p/shop/search")
    visit.locator("#question").fill("ad")
    visit.until("location.hash.includes('q=ad')")
    visit.locator("#question").fill("handle_order")
    visit.locator(".hit h3", has_text="shop/web.py").first.wait_for()
    assert len(held) == 1
    late = {"results": [], "total": 0}
    try:
        held[0].fulfill(json=late)
    except Exception as error:  # the page has dropped the request: there is nobody to answer
        assert "Error" in type(error).__name__
    visit.page.wait_for_timeout(100)
    assert visit.locator(".hit h3", has_text="shop/web.py").count() >= 1


@every
def test_enter_opens_what_answers_the_question_even_if_that_is_not_there_yet(visit):
    """While the answer is on its way, what is shown answers the question before: that is not opened."""
    held = []
    visit.page.route(
        "**/search",
        lambda route: held.append(route) if "handle_order" in route.request.post_data else route.continue_(),
    )
    visit.go("#/p/shop/search?q=add_tax")
    visit.locator(".hit h3", has_text="shop/tax.py").first.wait_for()
    visit.locator("#question").fill("handle_order")
    visit.page.keyboard.press("Enter")
    visit.until("location.hash.includes('q=handle_order')")
    assert visit.fragment.startswith("#/p/shop/search")
    held.pop().continue_()
    visit.locator(".rows .row.chosen").first.wait_for()
    assert visit.fragment.startswith("#/p/shop/file/shop/web.py?line=")
    visit.go("#/p/shop/search?q=add_tax")
    visit.locator("#question").fill("handle_order")
    visit.page.keyboard.press("Enter")
    visit.locator("#question").fill("refund")
    visit.locator(".hit h3", has_text="shop/guess.py").first.wait_for()
    visit.until("location.hash.includes('q=refund')")
    assert visit.fragment.startswith("#/p/shop/search"), "another question was typed since"


@every
def test_empty_states_say_what_to_do(visit):
    visit.go("#/p/shop/search")
    visit.locator(".notice", has_text="Ask in words").wait_for()
    visit.locator("#question").fill("zzqx +zzqxnowhere")
    visit.locator(".notice", has_text="Nothing was found").wait_for()
    visit.go("#/p/shop/search?q=%28&mode=regex")
    visit.locator(".notice", has_text="cannot be read").wait_for()


@every
def test_keys_are_listed_and_can_be_switched_off(visit):
    visit.go("#/p/shop/search?q=cart")
    visit.locator(".hit").first.wait_for()
    visit.page.keyboard.press("ArrowDown")
    visit.page.keyboard.press("?")
    visit.locator("#keys[open]").wait_for()
    visit.page.get_by_label("Keys of one letter are on").uncheck()
    visit.page.keyboard.press("Escape")
    visit.page.keyboard.press("g")
    visit.page.keyboard.press("h")
    visit.page.keyboard.press("/")
    assert visit.fragment.startswith("#/p/shop/search")
    assert visit.page.evaluate("document.activeElement.id") != "question"


@every
@pytest.mark.parametrize("keys, view", [("gh", "health"), ("gb", "build"), ("gf", "files")])
def test_g_and_a_letter_go_to_a_view(visit, keys, view):
    visit.go("#/p/shop/search?q=cart")
    visit.locator(".hit").first.wait_for()
    visit.page.keyboard.press("ArrowDown")
    visit.locator(".hit:focus").wait_for()
    for key in keys:
        visit.page.keyboard.press(key)
    visit.until(f"location.hash.startsWith('#/p/shop/{view}')")
    visit.locator("h1").wait_for()


@every
def test_every_example_of_the_start_can_be_asked(visit):
    visit.go("#/p/shop/search")
    visit.locator(".examples a").first.wait_for()
    for example in visit.locator(".examples a").all_inner_texts():
        visit.locator("#question").fill(example)
        visit.until("document.querySelector('.hit') || document.querySelector('.state .notice:not(.empty)')")
        assert visit.locator(".hit").count(), (example, visit.text(".state"))
        visit.locator("#question").fill("")
        visit.locator(".examples").wait_for()


@every
def test_filters_alone_are_no_error_and_say_what_is_missing(visit):
    visit.go("#/p/shop/search?q=kind%3Aclass+path%3Ashop")
    visit.locator(".notice", has_text="Add a word to find").wait_for()
    assert "scova search" not in visit.text("main")
    visit.locator("#question").press_sequentially(" cart")
    visit.locator(".hit h3", has_text="shop/cart.py").first.wait_for()


@every
def test_a_hint_for_the_command_line_is_not_shown_where_there_is_none(visit):
    visit.go("#/p/shop/search?q=%28&mode=regex")
    visit.locator(".notice", has_text="backslash").wait_for()
    assert "scova grep" not in visit.text(".state")


@every
def test_a_question_mark_in_an_empty_box_lists_the_keys_as_the_start_says(visit):
    visit.go("#/p/shop/search")
    visit.locator(".notice", has_text="Press ? for all keys").wait_for()
    assert visit.page.evaluate("document.activeElement.id") == "question"
    visit.page.keyboard.press("?")
    visit.locator("#keys[open]").wait_for()
    visit.page.keyboard.press("Escape")
    assert visit.page.evaluate("document.activeElement.id") == "question"
    visit.page.keyboard.type("cart?")
    assert visit.locator("#question").input_value() == "cart?", "in a question it is itself"
    assert visit.locator("#keys[open]").count() == 0


@every
@pytest.mark.parametrize("view", ["search", "search?q=x", "health", "build", "files", "file/a.py"])
def test_a_project_that_is_not_there_is_said_at_once_and_others_are_offered(visit, view):
    visit.go(f"#/p/not-there/{view}")
    notice = visit.locator(".notice.problem", has_text="There is no project not-there here")
    notice.wait_for()
    assert visit.locator("#question").count() == 0
    assert "token" not in notice.inner_text()
    notice.get_by_role("link", name="shop", exact=True).click()
    visit.locator("#question").wait_for()
    assert visit.fragment == "#/p/shop/search"


@every
def test_a_project_that_was_made_since_is_found(visit, shop):
    visit.go("#/p/shop/search")
    visit.locator("#question").wait_for()
    push(shop, "later", {"a.py": "def late_comer():\n    return 1\n"})
    visit.page.evaluate("location.hash = '#/p/later/search?q=late_comer'")
    visit.locator(".hit h3", has_text="a.py").first.wait_for()
    assert visit.page.evaluate("document.getElementById('project').value") == "later"
