"""Without a browser the tests of the page are left out, but never where they were asked for: green would say that the page was looked at."""

import pytest

from web import browser


@pytest.mark.parametrize("web, outcome", [("1", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_without_a_browser_tests_are_skipped_and_fail_where_they_were_asked_for(monkeypatch, web, outcome):
    monkeypatch.setenv("WEB", web)
    monkeypatch.setattr(browser, "CHROMIUM", "/nowhere/chromium")
    with (
        pytest.raises((pytest.fail.Exception, pytest.skip.Exception), match="there is no") as raised,
        browser.launched(),
    ):
        pass
    assert raised.type is outcome
