"""PDFs that unpack to far more than they are: they cost the page, and bounded memory and time, wherever they are read."""

import json
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from scova.core import python_process
from scova.errors import ScovaError
from scova.sources.pdf import limits, reading
from scova.sources.pdf import readers as processes
from scova.sources.pdf.opened import PdfUnreadable
from scova.sources.pdf.source import PdfSource
from scova.types import Document, Skip
from unit.sources.pdf.pdfs import Words, bomb, paragraph, write_pdf
from until import until

MB = 1 << 20
SLACK_MB = 100  # what a reader may take on between two looks, on a machine that is busy otherwise
NESTED = 12  # forms within forms


@pytest.fixture(autouse=True)
def closed():
    yield
    reading.close_all()


def read_all(path):
    source = PdfSource(path, "s1", "x")
    return [source.read(item) for item in source.items()]


MEASURE = """
import json, resource, sys
from pathlib import Path
from scova.sources.pdf.source import PdfSource
source = PdfSource(Path(sys.argv[1]), "s1", "x")
found = [source.read(item) for item in source.items()]
said = [getattr(one, "text", "") or f"{one.reason}: {one.detail}" for one in found]
(own,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]  # getrusage has that of the parent in it
print(json.dumps([said, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, int(own) / 1024]))
"""


def test_a_page_that_unpacks_hugely_is_left_out_by_name_and_memory_is_bounded(tmp_path):
    """Measured in processes of their own: what the reader took at most, and what whoever asked it took."""
    path = write_pdf(tmp_path / "x.pdf", [[Words("the first", 700)], bomb(), [Words("the third", 700)]])
    assert path.stat().st_size < 10_000
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    (first, second, third), reader_mb, asker_mb = json.loads(done.stdout)
    assert (first, third) == ("the first\n", "the third\n")
    assert second == "unreadable: page 2 is left out: reading it takes more than 256 MB of memory"
    assert limits.READER_BYTES / MB * 0.9 < reader_mb < limits.READER_BYTES / MB + SLACK_MB
    assert asker_mb < 100
    assert done.stderr == ""


def test_the_system_refuses_what_is_far_beyond_the_bound():
    """Whatever is asked for between two looks."""
    code = (
        "from scova.sources.pdf.limits import HARD_BYTES, limit_memory; limit_memory(); bytearray(HARD_BYTES // 2)\n"
        "try:\n    bytearray(HARD_BYTES + (64 << 20))\nexcept MemoryError:\n    print('refused')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


def write_objects(path, objects):
    """A file of these objects, the first being its catalog."""
    out, offsets = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n%strailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        table,
        size,
        len(out),
    )
    path.write_bytes(out)
    return path


def nested_forms(path):
    """Ten to the twelfth things to draw, in two kilobytes and nothing packed."""
    forms = []
    for depth in range(NESTED):
        is_last = depth == NESTED - 1
        inside = b"" if is_last else b"/XObject << /f %d 0 R >>" % (6 + depth)
        drawn = b"q Q" if is_last else b"/f Do " * 10
        head = b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << %s >> /Length %d >>" % (
            inside,
            len(drawn),
        )
        forms.append(head + b"\nstream\n" + drawn + b"\nendstream")
    return write_objects(
        path,
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /f 5 0 R >> >> >>",
            b"<< /Length 6 >>\nstream\n/f Do \nendstream",
            *forms,
        ],
    )


def test_forms_within_forms_are_left_out_too(tmp_path):
    """Nothing in the file tells its size: only looking at the process that reads it helps."""
    (skip,) = read_all(nested_forms(tmp_path / "x.pdf"))
    assert skip.reason == "unreadable"
    assert skip.detail.startswith("page 1 is left out: reading it takes more than")


def test_a_page_that_takes_too_long_is_left_out_and_the_rest_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "PAGE_SECONDS", 0.1)
    monkeypatch.setattr(limits, "LEAST_SECONDS", 0.1)
    path = write_pdf(tmp_path / "x.pdf", [bomb(), [Words("the second", 700)]])
    skip, second = read_all(path)
    assert skip.detail == "page 1 is left out: reading it takes more than 0.1 seconds of a processor"
    assert second.text == "the second\n"


def test_a_file_full_of_such_pages_has_less_and_less_time(tmp_path):
    file = reading.File(tmp_path / "x.pdf", None)
    given = []
    for number in range(20):
        given.append(file.seconds)
        file.lost[number] = "lost"
    assert given[0] == limits.PAGE_SECONDS
    assert given == sorted(given, reverse=True)
    assert given[-1] == limits.LEAST_SECONDS
    assert sum(given) < 2 * limits.PAGE_SECONDS + 20 * limits.LEAST_SECONDS


def test_a_file_that_unpacks_hugely_when_it_is_opened_cannot_be_read(tmp_path):
    """Its table of objects is packed, and read before there is any page."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>",
    ]
    out, offsets = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    offsets.append(len(out))
    packing = zlib.compressobj()
    table = packing.compress(b"\0" * 5 + b"".join(b"\1" + offset.to_bytes(4, "big") for offset in offsets))
    zeros = b"\0" * MB
    table += b"".join(packing.compress(zeros) for _ in range(800)) + packing.flush()
    packed = zlib.compress(table)
    head = b"4 0 obj\n<< /Type /XRef /Size 5 /Root 1 0 R /W [1 4 0] /Filter [/FlateDecode /FlateDecode] /Length %d >>"
    path = tmp_path / "x.pdf"
    path.write_bytes(
        out + head % len(packed) + b"\nstream\n" + packed + b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF" % len(out)
    )
    with pytest.raises(PdfUnreadable, match=r"x\.pdf cannot be opened: that takes more than 256 MB of memory"):
        reading.pages(path)
    (skip,) = PdfSource(path, "s1", "x").items()
    assert skip.reason == "unreadable"


def test_headings_are_guessed_from_the_pages_that_can_be_read(tmp_path):
    """Where the page that tells the usual size of letters is one of those that cannot be."""
    text = paragraph(["This is the text of a page, of which there is most."] * 20, y=700)
    path = write_pdf(tmp_path / "x.pdf", [bomb(), [Words("A Title", 780, 24, "bold"), *text], text])
    skip, titled, _ = read_all(path)
    assert isinstance(skip, Skip)
    assert titled.text.startswith("# A Title\n\nThis is")


def long_page(lines):
    """Text all over a page, small and much: the library takes long over it, and little memory."""
    return b"".join(
        b"BT /body 1 Tf %.2f %.2f Td (a line of a very long page, number %d) Tj ET\n"
        % (20 + number % 20 * 28, 800 - number // 20 * 0.25, number)
        for number in range(lines)
    )


def test_a_page_with_more_text_than_anybody_reads_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "PAGE_SECONDS", 60.0)  # it takes long, but that is not what is tested
    (skip,) = read_all(write_pdf(tmp_path / "x.pdf", [long_page(12_800)]))
    assert skip.reason == "unreadable"
    assert skip.detail.endswith("characters; the limit is 500,000")


def readers():
    return [reader.pid for reader in processes._idle.get(os.getpid(), [])]


def test_a_reader_that_was_killed_is_replaced_and_no_page_is_blamed(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", [[Words("the first", 700)], [Words("the second", 700)]])
    source = PdfSource(path, "s1", "x")
    first, second = source.items()
    assert source.read(first).text == "the first\n"
    (before,) = readers()
    os.kill(before, signal.SIGKILL)
    assert source.read(second).text == "the second\n"
    assert readers() != [before]


def test_nothing_that_lies_in_the_working_folder_is_run(tmp_path, monkeypatch):
    """One works in folders of strangers: what is called there as a part of Python must not be taken for it."""
    path, folder = write_pdf(tmp_path / "x.pdf", [[Words("the only", 700)]]), tmp_path / "strange"
    folder.mkdir()
    for name in ("json", "signal", "traceback", "pypdfium2", "scova"):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(9)\n")
    monkeypatch.chdir(folder)
    assert [one.text for one in read_all(path)] == ["the only\n"]
    assert not (tmp_path / "ran").exists()


def test_a_reader_that_does_not_even_begin_is_not_blamed_on_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(python_process, "_BEGIN", "raise SystemExit(9)")
    path = write_pdf(tmp_path / "x.pdf", [[Words("a page", 700)]])
    with pytest.raises(ScovaError, match=r"can be started \(it ends with status 9\)") as told:
        reading.pages(path)
    assert "pypdfium2" in told.value.hint and not isinstance(told.value, PdfUnreadable)


def test_a_reader_is_kept_between_pages_and_let_go_of(tmp_path):
    path = write_pdf(tmp_path / "x.pdf", ([Words(f"Page number {number}", 700)] for number in range(20)))
    assert all(isinstance(one, Document) for one in read_all(path))
    (only,) = readers()
    reading.close_all()
    assert not is_running(only)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


BUSY = """
import sys
from pathlib import Path
from scova.sources.pdf import readers
reader = readers.Reader()
print(reader.pid, flush=True)
reader.ask({"do": "text", "path": sys.argv[1], "page": 1, "body_height": 0, "seconds": 1000})
"""


@pytest.mark.parametrize("when", ["busy", "idle"])
def test_a_reader_ends_with_whoever_started_it(tmp_path, when):
    """Also in the middle of a page, when it does not listen: it is held still there until its parent is gone."""
    path = write_pdf(tmp_path / "x.pdf", [long_page(60_000) if when == "busy" else [Words("a page", 700)]])
    with subprocess.Popen([sys.executable, "-c", BUSY, str(path)], stdout=subprocess.PIPE, text=True) as parent:
        reader = int(parent.stdout.readline())
        if when == "busy":
            until(lambda: processor_seconds(reader) > 0.5, "reading")
            os.kill(reader, signal.SIGSTOP)
            parent.kill()
            parent.wait()
            os.kill(reader, signal.SIGCONT)
        else:
            parent.wait()
    until(lambda: not is_running(reader), "the end of the reader", limits.IDLE_SECONDS / 2)


def processor_seconds(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_time_is_that_of_the_processor_and_not_of_the_clock(tmp_path, monkeypatch):
    """A machine that is busy with other things must not cost pages: a reader that is held up goes on where it was."""
    monkeypatch.setattr(limits, "PAGE_SECONDS", 0.5)
    path = write_pdf(tmp_path / "x.pdf", [[Words("a page", 700)]])
    assert reading.pages(path) == 1
    (reader,) = readers()
    os.kill(reader, signal.SIGSTOP)
    waker = subprocess.Popen(
        [sys.executable, "-c", f"import os, time; time.sleep(1.0); os.kill({reader}, {signal.SIGCONT:d})"]
    )
    assert read_all(path)[0].text == "a page\n"
    assert waker.wait(120) == 0
