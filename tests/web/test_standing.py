"""Tokens that are wrong, servers that go and come back."""

import pytest

from conftest import SCOVA
from real_server import RealServer
from serving import running
from web.browser import every, visiting
from web.content import SHOP, push


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that asks for tokens, one that may do all and one that may read."""
    import json
    import subprocess

    data = tmp_path_factory.mktemp("guarded") / "data"

    def token(scope: str) -> str:
        words = [str(SCOVA), "token", "create", "--project", "*", "--scope", scope, "--data", str(data), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["token"]

    admin, reader = token("admin"), token("read")
    with running(data) as server:
        push(server.url, "shop", SHOP, admin)
        yield server.url, admin, reader


def test_a_wrong_token_is_refused_and_a_right_one_let_in_and_kept_out_of_addresses(browser, guarded):
    url, admin, _ = guarded
    with visiting(browser, url) as visit:
        visit.go("#/p/shop/search?q=cart")
        box = visit.page.get_by_label("Token")
        box.wait_for()
        assert visit.locator(".hit").count() == 0
        box.fill("scova_wrong")
        visit.page.keyboard.press("Enter")
        visit.page.get_by_role("alert").get_by_text("does not know that token").wait_for()
        box.fill("scova_\u201cpasted\u201d")  # which no header can carry
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_timeout(300)
        assert "does not know that token" in visit.text("[role=alert]"), (
            "the server is there, and it is the token that is wrong"
        )
        box.fill(admin)
        visit.page.keyboard.press("Enter")
        visit.locator(".hit").first.wait_for()
        assert visit.fragment == "#/p/shop/search?q=cart", "the way led where one wanted to go"
        assert not any(admin in address for address in visit.asked)
        assert visit.page.evaluate("localStorage.length === 0 || !JSON.stringify({...localStorage}).includes('scova_')")
        visit.page.reload()
        visit.locator(".hit").first.wait_for()
        visit.page.get_by_role("button", name="Sign out").click()
        box.wait_for()


@every
def test_who_may_only_read_is_offered_nothing_else(browser, guarded):
    url, _, reader = guarded
    with visiting(browser, url) as visit:
        visit.go("#/p/shop/build")
        visit.page.get_by_label("Token").fill(reader)
        visit.page.keyboard.press("Enter")
        visit.locator("#title-sources").wait_for()
        assert visit.page.get_by_role("button", name="Add").count() == 0
        assert "needs one that may write" in visit.text(".standing")
        visit.go("#/builds")
        visit.locator(".card").first.wait_for()
        assert visit.page.get_by_label("Name (letters").count() == 0


@every
def test_a_project_that_is_not_there_may_be_one_that_the_token_is_not_for(browser, guarded):
    url, _, reader = guarded
    with visiting(browser, url) as visit:
        visit.go("#/p/other/search")
        visit.page.get_by_label("Token").fill(reader)
        visit.page.keyboard.press("Enter")
        visit.locator(".notice", has_text="There is no project other here, or your token is not for it.").wait_for()
        visit.page.get_by_role("link", name="shop", exact=True).wait_for()


def test_a_server_that_restarts_is_missed_and_found_again_by_the_page_itself(browser, tmp_path):
    with RealServer(tmp_path / "data") as server:
        push(server.url, "shop", SHOP)
        with visiting(browser, server.url, away=True) as visit:
            visit.go("#/p/shop/search?q=cart")
            visit.locator(".hit").first.wait_for()
            server.kill()
            visit.locator("#question").fill("tax")
            visit.locator("#banner", has_text="does not answer").wait_for()
            server.start()
            push(server.url, "shop", {"shop/new.py": "def tax_refund():\n    return 1\n"})
            visit.locator("#banner", has_text="is back").wait_for()
            visit.locator(".hit", has_text="add_tax").first.wait_for()
            visit.locator("#question").fill("tax_refund")
            visit.locator(".hit h3", has_text="shop/new.py").first.wait_for()
            visit.until("document.getElementById('banner').textContent === ''")
