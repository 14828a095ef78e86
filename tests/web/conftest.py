"""A browser, and a server with something in it, for all tests of the page."""

import pytest

from serving import running
from web.browser import launched, visiting
from web.content import HOSTILE, SHOP, push


@pytest.fixture(scope="module")
def browser():
    """One Chromium for all tests of a file, and not for longer: its driver keeps an event loop running in this thread, in which
    tests of other rooms that happen to come later begin their own."""
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """The address of a server with the projects `shop` and `hostile`."""
    data = tmp_path_factory.mktemp("web") / "data"
    with running(data) as server:
        push(server.url, "shop", SHOP)
        push(server.url, "hostile", HOSTILE)
        yield server.url


@pytest.fixture
def visit(browser, shop):
    """Someone at that server's page."""
    with visiting(browser, shop) as visit:
        yield visit
