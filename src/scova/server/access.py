"""Which scope each route needs. A route that is not here needs the highest, so that none is open because someone forgot it."""

from scova.server.tokens import Scope

# Asked before there is a token to ask with: by what starts, watches and describes a server. They say nothing of any project.
OPEN = frozenset(
    (("GET", "healthz"), ("GET", "readyz"), ("GET", "openapi.json"), ("HEAD", "healthz"), ("HEAD", "readyz"))
)
_PROBES = ("/healthz", "/readyz")
_PAGE = ("GET", "HEAD")  # and the page, which holds no data: it asks for a token itself

_READ = (
    "POST search", "GET search", "POST similar", "POST context", "POST usages", "POST definitions", "POST callers",
    "POST outline", "POST grep", "POST files", "GET status", "GET stats", "GET projects", "GET projects/sources", "GET projects/build",
    "GET projects/file", "GET projects/health", "GET jobs", "GET metrics", "GET session",
)  # fmt: skip
_WRITE = (
    "POST index", "POST delete", "POST sync", "POST jobs", "DELETE jobs",
    "POST projects/sources", "DELETE projects/sources", "POST projects/build",
)  # fmt: skip

NEEDED: dict[tuple[str, str], Scope] = {
    (method, name): scope
    for scope, routes in ((Scope.READ, _READ), (Scope.WRITE, _WRITE))
    for method, _, name in (route.partition(" ") for route in routes)
}


def is_open(method: str, path: str) -> bool:
    """Whether anyone may ask this."""
    return is_page(method, path) or ((method, name_of(path)) in OPEN and path.count("/") == 1)


def is_probe(path: str) -> bool:
    """Whether this is what starts and watches a server, which is answered whatever else there is to do."""
    return path in _PROBES


def is_page(method: str, path: str) -> bool:
    """Whether this is the page, or a part of it."""
    return method in _PAGE and (path == "/" or path.startswith("/page/"))


def needed(method: str, path: str) -> Scope:
    """The scope that a request needs."""
    return NEEDED.get((method, name_of(path)), Scope.ADMIN)


def name_of(path: str) -> str:
    """The route of a path: its first word, and of what belongs to a project the word behind that too."""
    first, *rest = path.strip("/").split("/")
    return f"{first}/{rest[1]}" if first == "projects" and len(rest) > 1 else first
