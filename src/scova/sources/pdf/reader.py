"""What a reader does: the process in which PDF files are opened, and no other. Answers requests until nobody asks any more.

Requests and answers are JSON: what comes out of a process that has read a stranger's file is not to be unpickled.

    {"do": "count", "path", "seconds"}                          {"count"}
    {"do": "heights", "path", "page", "seconds"}                {"heights": [[height, letters], …]}
    {"do": "text", "path", "page", "body_height", "seconds"}    {"text", "mark"} or {"skip": [reason, detail]}

Instead of each: {"unreadable": [message, hint, reason]} for a file that cannot be read, {"failed": traceback} for what was not foreseen.
"""

import json
import signal
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from scova.sources.pdf.limits import IDLE_SECONDS, LARGEST_TEXT, LEFT, Watch, limit_memory
from scova.sources.pdf.opened import Opened, PdfUnreadable, opened
from scova.sources.pdf.text import has_images, heights, page_text

Told = dict[str, Any]


def main(descriptor: int) -> None:
    """Serve whoever holds the other end of this connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    import pypdfium2  # noqa: F401  # before memory is measured

    limit_memory()
    watch = Watch()
    line = Connection(descriptor)
    line.send_bytes(b"{}")  # it has begun
    while line.poll(IDLE_SECONDS):
        try:
            asked = json.loads(line.recv_bytes())
        except EOFError:
            break
        watch.begin(float(asked["seconds"]))
        answer = json.dumps(answered(asked)).encode()
        watch.rest()
        line.send_bytes(answer)
    raise SystemExit(LEFT)


def answered(asked: Told) -> Told:
    """The answer to a request, whatever happens."""
    try:
        file = opened(Path(asked["path"]))
        if asked["do"] == "count":
            return {"count": file.count}
        return _of_page(file, asked)
    except PdfUnreadable as problem:
        return {"unreadable": [problem.message, problem.hint, problem.reason]}
    except Exception:  # noqa: BLE001  # the top of a worker; the parent logs it
        return {"failed": traceback.format_exc()}


def _of_page(file: Opened, asked: Told) -> Told:
    from pypdfium2 import PdfiumError

    number = int(asked["page"])
    if not 1 <= number <= file.count:
        return {"skip": ["vanished", f"the file has {file.count:,} pages now"]}
    try:
        if asked["do"] == "heights":
            return {"heights": [*heights(file, number).items()]}
        text = page_text(file, number, float(asked["body_height"]))
        if text and len(text) <= LARGEST_TEXT:
            return {"text": text, "mark": file.page_mark}
        return {"skip": _too_long(number, len(text)) if text else _without_text(file, number)}
    except PdfiumError as problem:
        return {"skip": ["damaged", f"page {number} cannot be read: {problem}"]}


def _too_long(number: int, length: int) -> list[str]:
    return ["unreadable", f"page {number} has {length:,} characters; the limit is {LARGEST_TEXT:,}"]


def _without_text(file: Opened, number: int) -> list[str]:
    if has_images(file, number):
        return ["images", "the page is a picture without text; recognise it first and add that file"]
    return ["empty", "the page has no text"]
