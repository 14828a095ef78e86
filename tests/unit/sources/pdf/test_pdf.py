"""PDF files, page by page."""

import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from scova.sources.pdf import reading
from scova.sources.pdf.opened import PdfUnreadable
from scova.sources.pdf.reading import pages
from scova.sources.pdf.source import PdfSource
from scova.types import Document, Item, Mark, Skip
from unit.sources.pdf.pdfs import Words, paragraph, write_pdf

BODY = [
    "This is the text of a page, of which there is most.",
    "It goes on for some lines, as text does,",
    "and ends here.",
]


@pytest.fixture(autouse=True)
def closed():
    yield
    reading.close_all()


def texts(source):
    return [source.read(item).text for item in source.items()]


def test_each_page_is_a_document_in_order(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", ([Words(f"Page number {number}", 700)] for number in range(1, 6)))
    source = pickle.loads(pickle.dumps(PdfSource(path, "s1", "manual")))
    items = list(source.items())
    assert [item.path for item in items] == [f"s1/manual.pdf#page={number}" for number in range(1, 6)]
    documents = [source.read(item) for item in items]
    assert [document.text for document in documents] == [f"Page number {number}\n" for number in range(1, 6)]
    assert {document.language for document in documents} == {"markdown"}
    assert all(document.mark == item.mark for document, item in zip(documents, items, strict=True))
    assert len({document.digest for document in documents}) == 5
    assert pages(path) == 5


def test_a_part_of_the_pages_can_be_asked_for(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", ([Words(f"Page number {number}", 700)] for number in range(1, 6)))
    assert texts(PdfSource(path, "s1", "x.pdf", 2, 3)) == ["Page number 2\n", "Page number 3\n"]
    assert texts(PdfSource(path, "s1", "x.pdf", 4, 99)) == ["Page number 4\n", "Page number 5\n"]
    assert texts(PdfSource(path, "s1", "x.pdf", first=6)) == []


def test_headings_are_guessed_from_the_size_of_letters(tmp_path):
    first = [
        Words("A Title that goes on", 780, 24, "bold"),
        Words("in a second line", 751, 24, "bold"),
        *paragraph(BODY, y=700),
        Words("A section", 620, 15, "bold"),
        *paragraph(BODY, y=590),
        Words("A smaller one", 520, 12.5, "bold"),
        *paragraph(["# no heading but code", "x = (1 + 2) \\ 3"], y=490, font="code"),
        Words("7", 40, 24),
    ]
    path = write_pdf(tmp_path / "x.pdf", [first, paragraph(BODY * 5, y=700)])
    assert texts(PdfSource(path, "s1", "x"))[0] == "\n\n".join(
        [
            "# A Title that goes on in a second line",
            "\n".join(BODY),
            "## A section",
            "\n".join(BODY),
            "### A smaller one",
            "\\# no heading but code\nx = (1 + 2) \\ 3",
            "7\n",
        ]
    )


def test_a_page_of_large_letters_only_is_measured_by_the_rest_of_the_file(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", [[Words("Part One", 500, 30)], *([paragraph(BODY * 5, y=700)] * 3)])
    assert texts(PdfSource(path, "s1", "x"))[0] == "# Part One\n"


def test_a_file_of_one_size_has_no_headings(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", [[Words("All of it is large", 500, 30)]])
    assert texts(PdfSource(path, "s1", "x")) == ["All of it is large\n"]


def test_words_divided_at_the_end_of_a_line_are_joined(tmp_path):
    path = write_pdf(
        tmp_path / "x.pdf", [paragraph(["This is a docu-", "ment of the well-", "Known kind, 1-", "2 pages."], y=700)]
    )
    (text,) = texts(PdfSource(path, "s1", "x"))
    assert "This is a document of the well-Known kind" in text.replace("\n", "")
    assert "docu-" not in text


def test_paragraphs_are_set_apart(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", [paragraph(BODY, y=700) + paragraph(BODY, y=630)])
    assert texts(PdfSource(path, "s1", "x")) == ["\n".join(BODY) + "\n\n" + "\n".join(BODY) + "\n"]


def test_pages_without_text_are_skipped_with_the_reason(tmp_path):
    empty = write_pdf(tmp_path / "empty.pdf", [[], [Words("text", 700)]])
    scan = write_pdf(tmp_path / "scan.pdf", [[]], picture=True)
    both = write_pdf(tmp_path / "both.pdf", [[Words("text", 700)]], picture=True)
    for path, reasons in ((empty, ["empty", ""]), (scan, ["images"]), (both, [""])):
        source = PdfSource(path, "s1", path.name)
        found = [source.read(item) for item in source.items()]
        assert [one.reason if isinstance(one, Skip) else "" for one in found] == reasons
        assert all(one.detail for one in found if isinstance(one, Skip))


def encrypted(path):
    """A file that says it is encrypted, by a key nobody has."""
    data = write_pdf(path, [[Words("secret", 700)]]).read_bytes()
    entry = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >> /ID [<00><00>] /Root" % (
        b"41" * 32,
        b"42" * 32,
    )
    path.write_bytes(data.replace(b"/Size", entry.replace(b"/Root", b"") + b"/Size"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "empty"), (b"%PDF-1.7\n", "damaged"), (b"<html>not a pdf</html>", "damaged"), (random.Random(1).randbytes(5000), "damaged"), (None, "unreadable"), ("encrypted", "encrypted")],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_one_skip_with_the_reason(tmp_path, content, reason):
    path = tmp_path / "x.pdf"
    if content == "encrypted":
        encrypted(path)
    elif content is not None:
        path.write_bytes(content)
    source = PdfSource(path, "s1", "x")
    (skip,) = source.items()
    assert (skip.path, skip.reason) == ("s1/x.pdf", reason)
    assert "x.pdf" in skip.detail
    assert source.read(Item("s1/x.pdf#page=1", Mark(0, 0))).reason == reason
    with pytest.raises(PdfUnreadable) as problem:
        pages(path)
    assert pickle.loads(pickle.dumps(problem.value)).reason == reason


def test_a_truncated_file_costs_at_most_the_pages_that_are_lost(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", ([Words(f"Page number {number}", 700)] for number in range(50)))
    path.write_bytes(path.read_bytes()[:-2000])
    source = PdfSource(path, "s1", "x")
    assert all(isinstance(found, Skip) or isinstance(source.read(found), Document | Skip) for found in source.items())


def test_a_file_that_changed_is_opened_again(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", [[Words("before", 700)], [Words("second", 700)]])
    source = PdfSource(path, "s1", "x")
    before = list(source.items())
    assert source.read(before[0]).text == "before\n"
    write_pdf(tmp_path / "new", [[Words("afterwards", 700)]]).replace(path)
    (after,) = source.items()
    assert after.mark != before[0].mark
    assert source.read(after).text == "afterwards\n"
    assert source.read(before[1]).reason == "vanished"


def test_threads_may_share_a_source(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", ([Words(f"Page number {number}", 700)] for number in range(1, 41)))
    source = PdfSource(path, "s1", "x")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda item: source.read(item).text, source.items()))
    assert found == [f"Page number {number}\n" for number in range(1, 41)]


def _read_all(source):
    return texts(source)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_may_share_a_file_that_is_open_here(tmp_path, method):
    path = write_pdf(tmp_path / "x.pdf", ([Words(f"Page number {number}", 700)] for number in range(1, 11)))
    source = PdfSource(path, "s1", "x")
    here = texts(source)
    with get_context(method).Pool(2) as pool:
        assert pool.map(_read_all, [source] * 4) == [here] * 4


MEASURE = """
import os, re, sys
from pathlib import Path
from scova.sources.pdf import readers
from scova.sources.pdf.source import PdfSource

def peaks():  # of this process and of its only reader, in kilobytes
    (reader,) = readers._idle[os.getpid()]
    pids = os.getpid(), reader.pid
    return sum(int(re.search("VmHWM:\\s*(\\d+)", Path(f"/proc/{pid}/status").read_text())[1]) for pid in pids)

source = PdfSource(Path(sys.argv[1]), "s1", "x")
items = source.items()
characters = 0
first = None
for number, item in enumerate(items):
    characters += len(source.read(item).text)
    if number == 300:
        first = peaks()
print(number + 1, characters, first, peaks())
"""


def test_memory_does_not_grow_with_the_number_of_pages(tmp_path):
    line = "some words of a long manual that goes on and on without an end to it"
    path = write_pdf(tmp_path / "x.pdf", (paragraph([f"{number} {line}"] * 50, y=780) for number in range(1_000)))
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    count, characters, early, late = map(int, done.stdout.split())
    assert count == 1_000
    assert characters > 3_000_000
    assert late - early < 30_000, "kilobytes between page 300 and page 1,000"


def test_nothing_heavy_is_loaded_by_the_source_alone():
    code = "import sys, scova.sources.pdf.source; sys.exit('pypdfium2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
