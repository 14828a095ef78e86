"""Builds of projects that are killed again and again: nothing is fetched twice, lost, doubled or left behind; memory stays bounded."""

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

import served
from projected import Peak, catalog, findings, generations, make, members, paths, state, use_cache
from scova.projects.building.checkpoint import decoded
from unit.sources.pdf.pdfs import Words, paragraph, write_pdf
from until import until

EVERYTHING = os.environ.get("CRASH") == "all"
TESTS = Path(__file__).parents[1]
PAGES, KILLS, SOURCES = (1000, 20, 24) if EVERYTHING else (200, 5, 20)
FOLDER_FILES = 5000 if EVERYTHING else 700
PDF_PAGES = 6000 if EVERYTHING else 300
PDF_BYTES = 50_000_000 if EVERYTHING else 2_000_000
MOST_MB = 250  # of all processes of a build together, whatever is built
OPTIONS = {"max_sources_per_build": 10, "fetch_concurrency": 6, "timeout_strategy": "split"}


class Building:
    """A build in a process group of its own."""

    def __init__(self, name: str, folder: Path, **options: object) -> None:
        paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._said, self._err = folder / "said", folder / "err"
        with self._said.open("w") as said, self._err.open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "crash.slices", name, json.dumps(OPTIONS | options)],
                stdout=said,
                stderr=err,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                start_new_session=True,
            )
        self._peak = Peak(self.process.pid)

    @property
    def is_over(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> bool:
        """Kill it as the kernel does, its workers left to themselves; False when it had ended before."""
        was_alive = not self.is_over
        if was_alive:
            os.kill(self.process.pid, signal.SIGKILL)
        self._close()
        assert self.process.returncode in (-signal.SIGKILL, 0), self._err.read_text()
        until(lambda: not members(self.process.pid), "the end of the workers", 120)
        return self.process.returncode < 0

    def end(self) -> float:
        """Wait for its end; the most memory it took, in MB."""
        self._close()
        assert self.process.returncode == 0, self._err.read_text()
        return self.peak

    def results(self) -> list[dict]:
        return [json.loads(line) for line in self._said.read_text().splitlines()]

    def _close(self) -> None:
        self.process.wait(timeout=500)
        self.peak = self._peak.end()


class Gate:
    """Before a site: lets a planned number of pages through, and holds whoever asks for more until its client was killed.

    A build that is to be killed can so never come to its end before, however fast the machine is.
    """

    def __init__(self, site: served.Site) -> None:
        self._changed = threading.Condition()
        self._left: float = float("inf")
        self._round = 0
        site.before = self._pass

    def let_through(self, pages: int) -> None:
        with self._changed:
            self._left = pages

    @property
    def is_shut(self) -> bool:
        return self._left == 0

    def open(self) -> None:
        """The client was killed: what it still asked for was never asked, and others may come."""
        with self._changed:
            self._left = float("inf")
            self._round += 1
            self._changed.notify_all()

    def _pass(self, path: str) -> None:
        if not path.startswith("/page/"):
            return
        with self._changed:
            if self._left:
                self._left -= 1
                return
            now = self._round
            self._changed.wait_for(lambda: self._round != now)
        raise ConnectionAbortedError("whoever asked was killed")


def killed_at(gate: Gate, folder: Path, *, pages: int, seconds: float) -> Building:
    """A build that was killed so long after it had so many pages."""
    gate.let_through(pages)
    building = Building("docs", folder)
    until(lambda: building.is_over or gate.is_shut, "a request", 120)
    wait_a_little(building.process, seconds)
    assert building.kill(), "it was over before it could be killed"
    gate.open()
    return building


def plan(chance: random.Random, pages: int) -> list[int]:
    """How many pages are let through before each kill, sometimes few and sometimes many: together fewer than there are, and each is
    asked for at least once, so that every kill comes in the middle."""
    cuts = sorted(chance.sample(range(1, pages * 9 // 10), KILLS))
    return [after - before for before, after in pairwise([0, *cuts])]


def checkpoint_of(name: str):
    """What the newest checkpoint says, read as it lies there; None when there is none. It must be whole at any moment."""
    path = catalog().layout(name).checkpoints / "latest.json"
    return decoded(json.loads(path.read_bytes())) if path.exists() else None


def settled(name: str, built: served.Built, site: served.Site, ids: list[str]) -> set[str]:
    """The URLs that the newest checkpoint takes for done."""
    checkpoint = checkpoint_of(name)
    if checkpoint is None:
        return set()
    begun = [one for one in (checkpoint.current, *checkpoint.parked) if one]
    done = {url for one in begun for url in one.urls_completed}
    specs = dict(zip(ids, built.specs, strict=True))
    for source_id in checkpoint.completed:
        kind, _, uri = specs[source_id].partition(":")
        done |= {uri} if kind == "url" else listed(site, uri)
    return done


def listed(site: served.Site, url: str) -> set[str]:
    body = site.pages[url.partition(f":{site.port}")[2]].body
    text = (gzip.decompress(body) if url.endswith(".gz") else body).decode()
    found = set(re.findall(r"<loc>(.*?)</loc>", text))
    return {page for each in found for page in listed(site, each)} if "<sitemapindex>" in text else found


@pytest.mark.timeout(1500 if EVERYTHING else 120)
def test_a_site_whose_build_is_killed_again_and_again_ends_as_one_that_was_left_alone(tmp_path, monkeypatch, capsys):
    """The final chunks equal an uninterrupted build; no page is asked for again once a checkpoint has it; nothing is orphaned."""
    chance = random.Random(PAGES)
    with served.serving() as site:
        built = served.furnish(site, PAGES, sources=SOURCES)
        use_cache(monkeypatch, tmp_path / "killed")
        ids = make("docs", built.specs, tags=["site"])
        done: dict[str, int] = {}  # URL -> how many requests had been made when a checkpoint was first seen to have it
        gate = Gate(site)
        for pages in plan(chance, PAGES):
            killed_at(gate, tmp_path, pages=pages, seconds=chance.uniform(0.0, 0.3))
            for url in settled("docs", built, site, ids) - done.keys():
                done[url] = site.mark
        peak = Building("docs", tmp_path).end()
        again = [asked.url for number, asked in enumerate(site.log) if done.get(asked.url, 1 << 60) <= number]
        assert again == []
        assert len(done) > 30, "the checkpoints came too late to prove anything"
        heal(site)
        resumed, found = state("docs"), findings("docs")
        use_cache(monkeypatch, tmp_path / "whole")
        make("docs", built.specs, tags=["site"])
        Building("docs", tmp_path).end()
        whole = state("docs")
    assert found == []
    assert findings("docs") == []
    assert {path.partition("/")[2] for path in paths("docs")} == built.pages
    for part in whole:
        assert resumed[part] == whole[part], part
    assert peak < MOST_MB
    with capsys.disabled():
        sys.stdout.write(
            f"\n{PAGES} pages, {KILLS} kills, {len(site.log)} requests, {len(done)} known done at a kill, {peak:.0f} MB\n"
        )


def heal(site: served.Site) -> None:
    """Pages that are broken for some requests have been asked for: now they are as at the beginning."""
    for path, page in site.pages.items():
        number = path.rpartition("/")[2]
        if path.startswith("/page/") and number.isdecimal() and int(number) % 50 == 45:
            page.broken = 2


def wait_a_little(process: subprocess.Popen, seconds: float) -> None:
    """Let so much time pass, or as much as there is before the process ends."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)


@pytest.mark.timeout(600 if EVERYTHING else 120)
def test_a_site_that_changed_and_whose_build_is_killed_ends_as_one_built_anew(tmp_path, monkeypatch):
    """Pages that changed, left the sitemap, are gone or are new: no kill leaves anything of what was before, or two of anything."""
    count = 400 if EVERYTHING else 60
    chance = random.Random(count)
    with served.serving() as site:
        urls = [site.put(f"/page/{n}", served.html(n), host=n) for n in range(count)]
        use_cache(monkeypatch, tmp_path / "killed")
        spec = f"sitemap:{site.sitemap('/map.xml', urls)}"
        make("docs", [spec])
        Building("docs", tmp_path).end()
        before = generations("docs")
        for number in range(0, count, 4):
            site.put(f"/page/{number}", served.html(number, more="It was painted over."))
        for number in range(1, count, 10):
            del site.pages[f"/page/{number}"]
        new = [site.put(f"/page/{n}", served.html(n), host=n) for n in range(count, count + 9)]
        site.sitemap("/map.xml", [*urls[7:], *new])
        gate = Gate(site)
        for pages in plan(chance, count):
            killed_at(gate, tmp_path, pages=pages, seconds=chance.uniform(0.0, 0.2))
        Building("docs", tmp_path).end()
        resumed, found, after = state("docs"), findings("docs"), generations("docs")
        use_cache(monkeypatch, tmp_path / "whole")
        make("docs", [spec])
        Building("docs", tmp_path).end()
    assert found == []
    for part, rows in state("docs").items():
        assert resumed[part] == rows, part
    changed = {path for path in after if path in before and after[path] != before[path]}
    assert {int(path.rpartition("/")[2]) % 4 for path in changed} == {0}, "a page that did not change was replaced"


def write_files(root: Path, count: int) -> Path:
    for number in range(count):
        path = root / f"part_{number % 40}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        body = "\n\n".join(f"def function_{number}_{i}(value):\n    return value + {number * i}\n" for i in range(6))
        path.write_text(body)
    return root


def killed_in_the_middle(name: str, folder: Path, total: int) -> set[str]:
    """Build until a checkpoint has some files of the only source but not all, and kill it; those files."""
    building = Building(name, folder)

    def begun() -> set[str]:
        checkpoint = checkpoint_of(name)
        one = (checkpoint.current or next(iter(checkpoint.parked), None)) if checkpoint else None
        return {*one.files_completed} if one else set()

    until(lambda: building.is_over or len(begun()) >= total // 10, "a checkpoint", 120)
    assert building.kill(), "it was over before it could be killed"
    assert 0 < len(begun()) < total
    return begun()


@pytest.mark.timeout(1500 if EVERYTHING else 120)
def test_a_large_folder_goes_on_in_the_middle_and_takes_little_memory(tmp_path, monkeypatch, capsys):
    """Killed once inside the folder: what the checkpoint had is not read again, and in the end every file is there once."""
    root = write_files(tmp_path / "tree", FOLDER_FILES)
    use_cache(monkeypatch, tmp_path / "cache")
    (source_id,) = make("code", [f"folder:{root}"])
    done = killed_in_the_middle("code", tmp_path, FOLDER_FILES)
    before = generations("code")
    building = Building("code", tmp_path)
    peak = building.end()
    after = generations("code")
    assert paths("code") == {f"{source_id}/{path.relative_to(root)}" for path in root.rglob("*.py")}
    assert all(after[f"{source_id}/{path}"] == before[f"{source_id}/{path}"] for path in done)
    assert findings("code") == []
    cuts = [result["message"] for result in building.results() if "cut" in result["message"]]
    assert cuts, "the limit of a slice was never told"
    assert peak < MOST_MB
    with capsys.disabled():
        sys.stdout.write(f"\n{FOLDER_FILES} files, {len(done)} done at the kill, {peak:.0f} MB\n")


def write_document(path: Path) -> Path:
    """A PDF of so many pages and about so many bytes: prose, code, headings, no two pages alike."""
    lines = max(20, PDF_BYTES // PDF_PAGES // 130)

    def page(number: int):
        chance = random.Random(number)
        text = [" ".join(chance.choices(served.WORDS, k=12)) for _ in range(lines)]
        yield Words(f"Chapter {number} of the {served.WORDS[number % 12]}", 800, 20, "bold")
        yield from paragraph(text, y=770, size=700 / lines)

    return write_pdf(path, (page(number) for number in range(1, PDF_PAGES + 1)))


@pytest.mark.timeout(1500 if EVERYTHING else 120)
def test_a_large_pdf_goes_on_in_the_middle_and_takes_little_memory(tmp_path, monkeypatch, capsys):
    """Killed once inside the document: in the end every page is there once, those of the checkpoint as they were."""
    path = write_document(tmp_path / "manual.pdf")
    use_cache(monkeypatch, tmp_path / "cache")
    (source_id,) = make("manual", [f"pdf:{path}"])
    done = killed_in_the_middle("manual", tmp_path, PDF_PAGES)
    before = generations("manual")
    peak = Building("manual", tmp_path).end()
    after = generations("manual")
    assert paths("manual") == {f"{source_id}/manual.pdf#page={number}" for number in range(1, PDF_PAGES + 1)}
    assert all(after[f"{source_id}/{name}"] == before[f"{source_id}/{name}"] for name in done)
    assert findings("manual") == []
    assert peak < MOST_MB
    size = path.stat().st_size / 1e6
    with capsys.disabled():
        sys.stdout.write(
            f"\n{size:.0f} MB PDF of {PDF_PAGES} pages, {len(done)} done at the kill, {peak:.0f} MB of memory\n"
        )
