"""Writes small real PDF files by hand: text at places and sizes, pictures, and content that unpacks to far more than it is."""

import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_FONTS = {"body": "Helvetica", "bold": "Helvetica-Bold", "code": "Courier"}
_PICTURE = b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\n\x7f\nendstream"


class Words(NamedTuple):
    """A line of text on a page."""

    text: str
    y: float
    size: float = 10.0
    font: str = "body"
    x: float = 72.0


def paragraph(lines: Iterable[str], *, y: float, size: float = 10.0, font: str = "body") -> list[Words]:
    """Lines below each other."""
    return [Words(text, y - number * size * 1.2, size, font) for number, text in enumerate(lines)]


def bomb(times: int = 1_000_000) -> bytes:
    """A page that is a kilobyte in the file and 71 MB unpacked, of which the library makes a gigabyte."""
    return b"BT /body 12 Tf 50 700 Td (a lantern of the harbour, again and again) Tj ET\n" * times


def write_pdf(path: Path, pages: Iterable[Iterable[Words] | bytes], *, picture: bool = False) -> Path:
    """A file with these pages, written page by page; with `picture`, each page shows one. A page of bytes is content that is packed twice."""
    offsets: dict[int, int] = {}
    kids: list[int] = []
    with path.open("wb") as file:

        def write(number: int, body: bytes) -> None:
            offsets[number] = file.tell()
            file.write(b"%d 0 obj\n" % number + body + b"\nendobj\n")

        file.write(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
        fonts = b" ".join(b"/%s %d 0 R" % (key.encode(), 3 + place) for place, key in enumerate(_FONTS))
        for place, name in enumerate(_FONTS.values()):
            write(
                3 + place, b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name.encode()
            )
        write(6, _PICTURE)
        for place, words in enumerate(pages):
            number = 7 + 2 * place
            kids.append(number)
            packed = b"/Filter [/FlateDecode /FlateDecode]" if isinstance(words, bytes) else b""
            stream = zlib.compress(zlib.compress(words)) if isinstance(words, bytes) else b"".join(map(_drawn, words))
            stream += b"q 200 0 0 200 72 300 cm /im Do Q\n" if picture else b""
            write(number, b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
                          b" /Resources << /Font << %s >> /XObject << /im 6 0 R >> >> >>" % (number + 1, fonts))  # fmt: skip
            write(number + 1, b"<< %s /Length %d >>\nstream\n" % (packed, len(stream)) + stream + b"\nendstream")
        write(1, b"<< /Type /Catalog /Pages 2 0 R >>")
        write(2, b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids)))
        start = file.tell()
        file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1))
        file.writelines(b"%010d 00000 n \n" % offsets[number] for number in sorted(offsets))
        file.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(offsets) + 1, start))
    return path


def _drawn(words: Words) -> bytes:
    text = words.text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"BT /%s %.1f Tf %.1f %.1f Td (%s) Tj ET\n" % (words.font.encode(), words.size, words.x, words.y, text)
