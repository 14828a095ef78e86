"""The page that people use: files of the package, read once, when one is first asked for, and told by name.

Anyone may have them: they hold no data, and what they show they ask of the API like any other client. A path that is not the name of one
of these files leads nowhere, whatever is in it. Knows nothing of projects.
"""

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from scova.server.problems import Problem

router = APIRouter(include_in_schema=False)

FOLDER = Path(__file__).parents[1] / "page"
# Whatever a project holds, nothing of it can run here, and nothing is asked of anyone else.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_WORTH = 0.9  # of its size: what does not shrink below that is sent as it is
_HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache",  # kept, and asked about each time: a newer scova is seen at once
    "vary": "accept-encoding",
}


class Asset(NamedTuple):
    """One file, as it is sent."""

    content: bytes
    packed: bytes  # the same in gzip; empty where that is not worth it
    media_type: str
    etag: str


@cache
def assets(folder: Path = FOLDER) -> dict[str, Asset]:
    """Every file of a known type below a folder, by its path there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in TYPES and path.is_file():
            found[path.relative_to(folder).as_posix()] = _asset(path)
    return found


def _asset(path: Path) -> Asset:
    content = path.read_bytes()
    packed = gzip.compress(content, 9, mtime=0)
    if len(packed) > _WORTH * len(content):
        packed = b""
    return Asset(content, packed, TYPES[path.suffix], hashlib.sha256(content).hexdigest()[:32])


@router.api_route("/", methods=["GET", "HEAD"])
async def front(request: Request) -> Response:
    """The page itself."""
    return _sent(request, "index.html")


@router.api_route("/page/{name:path}", methods=["GET", "HEAD"])
async def asset(name: str, request: Request) -> Response:
    """What the page is made of."""
    return _sent(request, name)


def _sent(request: Request, name: str) -> Response:
    found = assets().get(name)
    if found is None:
        raise Problem(404, "there is no such part of the page", "GET / is the page")
    is_packed = bool(found.packed) and _takes_gzip(request.headers.get("accept-encoding", ""))
    etag = f'"{found.etag}-gz"' if is_packed else f'"{found.etag}"'
    headers = {**_HEADERS, "etag": etag, **({"content-encoding": "gzip"} if is_packed else {})}
    if _is_known(request.headers.get("if-none-match", ""), found.etag):
        return Response(status_code=304, headers=headers)
    return Response(found.packed if is_packed else found.content, media_type=found.media_type, headers=headers)


def _takes_gzip(accepted: str) -> bool:
    for one in accepted.lower().split(","):
        name, _, quality = one.partition(";")
        if name.strip() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _is_known(given: str, etag: str) -> bool:
    """Whether a client has this file already, in whichever encoding."""
    tags = {one.strip().removeprefix("W/") for one in given.split(",")}
    return bool(tags & {"*", f'"{etag}"', f'"{etag}-gz"'})
