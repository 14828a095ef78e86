"""A real Chromium that visits the page: what it asked for, what it said on its console, and which faults it met are held against it at the end."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest

from until import until

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = (1280, 800), (360, 740)

every = pytest.mark.skipif(not os.environ.get("WEB"), reason="make test-web runs this")


@contextmanager
def launched() -> Iterator[object]:
    """Chromium, running. Where there is none the test is skipped; with WEB set, as `make test-web` does, it fails: green would say that the
    page was looked at."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _lacking("there is no playwright here: make test-web installs it")
    if not CHROMIUM or not Path(CHROMIUM).exists():
        _lacking("there is no Chromium here; CHROMIUM names one")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def _lacking(what: str) -> NoReturn:
    if os.environ.get("WEB"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@dataclass
class Visit:
    """Someone who looks at the page, and all that happened meanwhile."""

    page: object
    url: str
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def go(self, fragment: str) -> None:
        """Open a state by its address, as a link from elsewhere would."""
        self.page.goto(f"{self.url}/{fragment}")

    def locator(self, selector: str, **options: object) -> object:
        return self.page.locator(selector, **options)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def until(self, expression: str) -> object:
        """What an expression gives once that is anything true. (The driver's own way of waiting evaluates text, which the page's policy forbids.)"""
        return until(lambda: self.page.evaluate(expression), expression)

    @property
    def fragment(self) -> str:
        return self.page.evaluate("location.hash")

    @property
    def left_the_origin(self) -> list[str]:
        """Requests to anyone but the server."""
        return [url for url in self.asked if not url.startswith((f"{self.url}/", "data:", "blob:", "about:"))]


@contextmanager
def visiting(
    browser: object, url: str, *, size: tuple[int, int] = WIDE, away: bool = False, **options: object
) -> Iterator[Visit]:
    """Visit the page of a server. At the end nothing may have left the origin, and nothing may have gone wrong; with `away` the
    server may have been gone for a while, and with a status of 401, 404 or 422 it may have refused what was asked."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
    context.set_default_timeout(120_000)
    visit = Visit(context.new_page(), url)
    visit.page.on("request", lambda request: visit.asked.append(request.url))
    visit.page.on("console", lambda message: visit.said.append(message.text) if message.type == "error" else None)
    visit.page.on("pageerror", lambda fault: visit.faults.append(str(fault)))
    visit.page.on("dialog", lambda dialog: (visit.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    try:
        yield visit
    finally:
        context.close()
    assert visit.left_the_origin == []
    assert visit.faults == []
    expected = ("Failed to load resource: net::", "Failed to load resource: the server responded with a status of 4")
    assert [
        text for text in visit.said if not (text.startswith(expected[1]) or (away and text.startswith(expected[0])))
    ] == []
