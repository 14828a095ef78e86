"""Bytes of a page into text: a byte order mark decides, then the header, then what the page says of itself, then UTF-8.

Never fails: what cannot be decoded is replaced. Knows nothing of markup beyond where it names its encoding.
"""

import codecs
import re

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DECLARED = re.compile(rb"""<meta\s[^>]{0,512}?charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)
_XML_DECLARED = re.compile(rb"""\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)
_HEAD_BYTES = 4_096

# As browsers do: pages that claim these are written in the larger sets. A page cannot have said UTF-16 in ASCII letters.
_LARGER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
_KNOWN = re.compile(r"utf-(?:8|16|32)|iso8859|cp\d|koi8|gb|big5|euc_|shift_jis|iso2022_jp|mac-|tis-620|ascii")


def decode(content: bytes, charset: str = "", *, is_markup: bool = True) -> str:
    """The text of a page, without a byte order mark and zero characters, with line feeds as line ends."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return _clean(content[len(mark) :].decode(name, errors="replace"))
    declared = charset or (_said(content) if is_markup else "")
    codec = _codec(declared)
    if codec in ("", "utf-8"):
        return _clean(_utf8_or_latin(content))
    return _clean(content.decode(codec, errors="replace"))


def _clean(text: str) -> str:
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def _utf8_or_latin(content: bytes) -> str:
    """UTF-8 with a few broken places stays UTF-8; what is full of them is an old page that does not say so."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    letters = len(content) - len(text) + 2 * broken  # multi-byte sequences that were whole shorten the text
    return text if letters > broken * 2 else content.decode("cp1252", errors="replace")


def _said(content: bytes) -> str:
    head = content[:_HEAD_BYTES]
    found = _XML_DECLARED.match(head) or _DECLARED.search(head)
    name = found.group(1).decode("ascii") if found else ""
    return "utf-8" if name.lower().startswith("utf-16") else name


def _codec(name: str) -> str:
    """The codec of this name; empty for an unknown one, and for those of the library that are no encodings of text."""
    try:
        found = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        return ""
    return _LARGER.get(found, found) if _KNOWN.match(found) else ""
