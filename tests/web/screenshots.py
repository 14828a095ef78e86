"""Pictures of the page for the documentation: `make screenshots`.

A real server holds this package and its documentation, and is fetching a small site while its picture is taken. Every view is shown light and
dark, wide and at 360 px; the files are reduced to 256 colours so that each stays below 100 KB.
"""

import os
import tempfile
import threading
from pathlib import Path

import httpx2
from PIL import Image

import served as site_of
from serving import running
from until import until
from web.browser import NARROW, WIDE, launched, visiting
from web.content import push

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "screenshots"
MOST_BYTES = 100_000
COLOURS = 256
PAGES = 48
VIEWS = {
    "search": ("#/p/scova/search?q=how+does+a+refresh+find+changed+files&lang=python", ".hit >> nth=3"),
    "file": ("#/p/scova/file/src/scova/index/handle.py?line=100-110", ".row.chosen"),
    "symbol": ("#/p/scova/symbol/refresh?in=src%2Fscova%2Fbuild%2Frefresh.py&depth=2", ".trio .tree"),
    "build": ("#/p/scova/build", ".job .progress"),
    "health": ("#/p/scova/health", ".tiles"),
}


def furnish(url: str) -> None:
    """This package and its documentation, in steps so that there is some growth to see; and a few searches."""
    for folder, pattern in (("src/scova", "*.py"), ("docs", "*.md"), ("src/scova", "*.js")):
        push(
            url,
            "scova",
            {path.relative_to(ROOT).as_posix(): path.read_text() for path in sorted((ROOT / folder).rglob(pattern))},
        )
    for words in (
        "refresh",
        "how are results ranked",
        "class Index",
        "writer lock",
        "sitemap",
        "embed",
        "tokens",
        "watch a folder",
    ) * 3:
        httpx2.post(f"{url}/search", json={"project_id": "scova", "query": words}, timeout=120)


def begin_build(url: str, site: site_of.Site) -> threading.Event:
    """The project has been built once, has a source that fails, and is being built again; let go with the event."""
    go, held = threading.Event(), threading.Event()
    first = site.sitemap(
        "/guide.xml", [site.put(f"/page/{number}", site_of.html(number), host=number) for number in range(12)]
    )
    broken = site.put("/page/broken", "", broken=-1)
    with httpx2.Client(base_url=url, timeout=120) as client:
        add = lambda *sources: client.post("/projects/scova/sources", json={"sources": list(sources)})  # noqa: E731
        add({"type": "sitemap", "uri": first, "tags": ["guide"]}, {"type": "url", "uri": broken, "tags": ["old"]})
        job = client.post("/projects/scova/build", json={"whole": True}).json()["job_id"]
        until(lambda: client.get(f"/jobs/{job}").json()["status"] not in ("queued", "running"), "the first build", 120)
        urls = [site.put(f"/page/{number}", site_of.html(number), host=number) for number in range(100, 100 + PAGES)]
        site.before = lambda path: (held.set(), go.wait(300)) if path == f"/page/{100 + PAGES * 2 // 3}" else None
        add({"type": "sitemap", "uri": site.sitemap("/api.xml", urls), "tags": ["api", "reference"]})
        client.post("/projects/scova/build", json={"whole": True})
        assert held.wait(120)
    return go


def take(browser: object, url: str) -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        for width, size in (("wide", WIDE), ("360", NARROW)):
            with visiting(browser, url, size=size, color_scheme=scheme) as visit:
                for name, (fragment, sign) in VIEWS.items():
                    visit.go(fragment)
                    visit.locator(sign).first.wait_for()
                    visit.page.wait_for_timeout(400)  # fonts and the last rows
                    path = TARGET / f"{name}-{scheme}-{width}.png"
                    visit.page.screenshot(path=path, full_page=name == "health" and size == WIDE)
                    reduce(path)


def reduce(path: Path) -> None:
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    assert path.stat().st_size < MOST_BYTES, (path.name, path.stat().st_size)


def main() -> None:
    os.environ["SCOVA_FETCH_ALLOW"] = site_of.ALLOWED
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "data") as server,
        site_of.serving() as site,
        launched() as browser,
    ):
        furnish(server.url)
        go = begin_build(server.url, site)
        take(browser, server.url)
        go.set()


if __name__ == "__main__":
    main()
