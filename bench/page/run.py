"""The page as a person meets it: `python bench/page/run.py [--chunks N] [--rounds N]`, a real server and a real Chromium on this machine.

A project of at least N chunks (default 10,000: this package, its documentation, and generated modules) is searched by typing questions key by
key. Measured in the browser: from the last key to the frame that shows the first result of the whole question. Also what opening the page takes
(until the first result of a link is painted), and what it weighs on the wire and on disk.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx2

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "tests"))
from machine import save

from serving import running
from web.browser import launched
from web.content import many_files, push

KEY_MS = 60  # between two keys: a fast typist
QUESTIONS = [
    "how does a refresh find changed files",
    "where are results ranked",
    "parse markdown headings",
    "SearchCoordinator",
    "class Index",
    "writer lock",
    "read config from environment",
    "embed chunks in batches",
    "retry after 503",
    "sitemap",
    "def open",
    "tokens of an identifier",
    "vectors nearest in meaning",
    "kind:class path:src store",
    "lang:python checkpoint",
    "callers of a function",
    "harbour lantern widget",
    "raise an error with a hint",
    "watch a folder",
    "median latency",
]
# The first change of the results after the last key is the whole question's: answers to what was typed before are dropped by then.
WATCH = """() => {
    window.painted = new Promise((resolve) => {
        const results = document.querySelector('.results');
        const seen = new MutationObserver(() => {
            if (!results.querySelector('.hit')) return;
            seen.disconnect();
            requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel(); port1.onmessage = () => resolve(performance.now()); port2.postMessage(0); });
        });
        window.watchResults = () => seen.observe(results, { childList: true, subtree: true });
    });
}"""
LAST_KEY = "addEventListener('keydown', (event) => { if (window.isLast) { window.lastKey = event.timeStamp; window.isLast = false; window.watchResults(); } }, true)"


def furnished(url: str, chunks: int) -> int:
    """Bring at least so many chunks to the project; how many there are."""
    own = {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for folder, pattern in (("src/scova", "*.py"), ("docs", "*.md"))
        for path in sorted((ROOT / folder).rglob(pattern))
    }
    push(url, "bench", own)
    have = httpx2.get(f"{url}/projects/bench").json()["chunks"]
    push(url, "bench", many_files(max(0, chunks - have) // 11 + 1, 10))
    httpx2.post(f"{url}/search", json={"project_id": "bench", "query": "widget"}, timeout=60)
    return httpx2.get(f"{url}/projects/bench").json()["chunks"]


def typed(page: object, question: str) -> float:
    """Milliseconds from the last key of a question to the frame with its first result."""
    page.locator("#question").fill("")
    page.evaluate(WATCH)
    page.locator("#question").press_sequentially(question[:-1], delay=KEY_MS)
    time.sleep(KEY_MS / 1000)
    page.evaluate("window.isLast = true")
    page.locator("#question").press_sequentially(question[-1])
    return page.evaluate("window.painted.then((at) => at - window.lastKey)")


def opened(browser: object, url: str) -> float:
    """Milliseconds from nothing to the first result of a link, with an empty cache."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{url}/#/p/bench/search?q=writer+lock")
    page.locator(".hit").first.wait_for()
    took = page.evaluate("performance.now()")
    context.close()
    return took


def weighed(browser: object, url: str) -> dict[str, int]:
    """Bytes of the page itself: as files, and as they come over the wire."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{url}/#/p/bench/search")
    page.locator("#question").wait_for()
    sizes = "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).filter((one) => one.name.includes('/page/') || one.entryType === 'navigation')"
    disk, wire = page.evaluate(
        f"{sizes}.reduce(([a, b], one) => [a + one.decodedBodySize, b + one.encodedBodySize], [0, 0])"
    )
    context.close()
    return {"bytes": disk, "bytes_on_the_wire": wire}


def measured(chunks: int, rounds: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "data") as server, launched() as browser:
        have = furnished(server.url, chunks)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_init_script(LAST_KEY)
        page = context.new_page()
        page.goto(f"{server.url}/#/p/bench/search")
        page.locator("#question").wait_for()
        typed(page, "warm")
        times = {question: [typed(page, question) for _ in range(rounds)] for question in QUESTIONS}
        every = sorted(one for all_of in times.values() for one in all_of)
        best = sorted(min(all_of) for all_of in times.values())
        return {
            "chunks": have,
            "questions": len(QUESTIONS),
            "rounds": rounds,
            "key_to_paint_ms": {
                "median": round(statistics.median(every), 1),
                "p95": round(every[int(0.95 * (len(every) - 1))], 1),
                "worst": round(every[-1], 1),
                "median_of_best": round(statistics.median(best), 1),
                "worst_of_best": round(best[-1], 1),
            },
            "open_to_first_result_ms": round(min(opened(browser, server.url) for _ in range(rounds)), 1),
            "page": weighed(browser, server.url),
            "by_question_best_ms": {question: round(min(all_of), 1) for question, all_of in times.items()},
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    figures = measured(asked.chunks, asked.rounds)
    for name, value in figures.items():
        print(f"{name}: {value}")
    print(save("page", figures))


if __name__ == "__main__":
    main()
