"""What must never be trained on: the projects of the public benchmark and of our own, by name and by content.

By name: a package, or any folder inside a package, called like an excluded project is left out (vendored copies live in
such folders). By content: everything the same extractor finds in the benchmark's checkouts is hashed, and so is every
long line there; a pair that shares a file, a code text, a documentation text or half of its long lines is left out.
"""

import hashlib
import json
import lzma
import random
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from extract import LANGUAGES, Pair, extract
from views import PROSE, views

# The projects of the public benchmark under the names their packages and folders carry in the registries. Two of them are called
# as too much else is, laravel/framework and nlohmann/json: `laravel`, `illuminate`, `nlohmann` and `json-hpp` stand for these, since
# packages and vendored copies of theirs carry one of those, and their content is known.
_NAMES = """
    alamofire bash-it dapper jackson jackson-databind jackson2-databind zig-clap newtonsoft.json newtonsoft exposed
    kotlinx.coroutines kotlinx-coroutines coroutines model2vec monolog snapkit abseil abseil-cpp absl aiohttp commons-lang
    commons-lang3 lang3 axios bats bats-core circe zod curl libcurl mini.nvim ecto plug httpx starlette express fastapi fmt fmtlib
    libfmt spdlog lazy.nvim gin gin-gonic chi go-chi gson google-gson guzzle guzzlehttp aeson http4s pandoc pandoc-types ktor laravel illuminate
    libuv uv1 uv messagepack-csharp messagepack nlohmann nlohmann-json json-hpp telescope telescope.nvim nvm click flask phoenix
    phoenix_html requests pydantic pydantic_core pydantic-core rack rails railties activerecord actionpack actionview activesupport activemodel
    activejob actionmailer actioncable activestorage actionmailbox actiontext active_record active_support action_pack redis
    redux redux-toolkit serde serde_derive serde_json serde-derive serde-json sinatra cobra tokio tokio-util tokio-stream tokio-macros axum axum-core trpc cats cats-core vapor vitest vite-node xmonad
    xmonad-contrib zig ziglang zls hiredis jemalloc jackson2 reduxjs
"""
# The repositories of our own benchmarks (docs/reference/quality.md), and who they belong to. Some of these names are usual words (`task`,
# `just`): more than the project is left out then, which costs some pairs and can do no harm.
_LISTS = [Path(__file__).parents[1] / "bench" / "quality" / name for name in ("repositories.json", "blind.json")]
_OWN = [one for path in _LISTS for one in json.loads(path.read_text())["repositories"]]
_OWNERS = {owner for owner, slash, _ in (one["mirror"].lower().partition("/") for one in _OWN) if slash}
_OWN_NAMES = {one["name"].lower() for one in _OWN}
NAMES = frozenset(_NAMES.split()) | _OWN_NAMES
PACKAGES = NAMES | _OWNERS
_SCOPES = ("@trpc/", "@vitest/", "@reduxjs/", "@zod/", "@axios/", "@express/", "@redis/")
_SCOPES += tuple(f"@{name}/" for name in sorted(_OWN_NAMES | _OWNERS))
_AFFIX = re.compile(
    r"^(golang-github-|golang-|librust-|ruby-|python3?-|php-|lua-|node-|haskell-|lib|neovim-)+|(-dev|-java|-perl|\d+)+$"
)
_LONG = 25  # characters from which a line is telling


def excluded_name(package: str) -> bool:
    """Whether a registry package is one of the benchmarks' projects, or a part of one."""
    name = package.lower()
    if name.startswith(_SCOPES):
        return True
    bare = _AFFIX.sub("", name)
    bits = bare.split("-")
    tails = {"-".join(some[i:]) for some in (bits, name.split("-")) for i in range(len(some))} | {
        re.sub(r"[.-]?v?\d[\d.]*(\+.*)?$", "", bare)
    }
    heads = {"-".join(bits[:i]) for i in range(1, len(bits) + 1)}
    return bool(({name, bare} | tails | heads) & PACKAGES)


def family(package: str) -> str:
    """The project a package belongs to, roughly: its name without what registries add, up to the first dash."""
    return re.split(r"[-_.]", _AFFIX.sub("", package.lower()))[0]


def excluded_path(path: str) -> bool:
    """Whether a file lies in a folder named like an excluded project, or is named like one."""
    pieces = path.lower().replace("\\", "/").split("/")
    stem = pieces[-1].split(".")[0]
    return any(re.sub(r"-v?\d[\d.]*$", "", piece) in NAMES for piece in pieces[:-1]) or stem in NAMES


def digest(text: str) -> bytes:
    """A hash of a text that ignores white space."""
    return hashlib.sha256(" ".join(text.split()).encode()).digest()[:12]


def body_digest(code: str) -> bytes:
    """A hash of the words alone, so that another layout or punctuation is still the same body."""
    return hashlib.sha256(" ".join(re.findall(r"\w+", code.lower())).encode()).digest()[:12]


def long_lines(code: str) -> Iterator[int]:
    for line in code.splitlines():
        packed = "".join(line.split())
        if len(packed) >= _LONG:
            yield zlib.crc32(packed.encode("utf-8", "replace"))


def readable(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """The files of checkouts that pairs could come from."""
    for path in sorted(folder.rglob("*")):
        if (path.suffix in LANGUAGES or path.name.endswith(PROSE)) and path.is_file():
            yield path, path.read_bytes()


_TESTS = re.compile(
    r"(?:^|/)(?:tests?|__tests__|testing|specs?)/|_test\.|\.test\.|\.spec\.|_spec\.|Tests?\.\w+$|(?:^|/)test_", re.I
)


def file_pairs(name: str, text: str, rng: random.Random, *, capped: bool = True) -> Iterator[Pair]:
    """Everything that one file gives; of tests only what says that it is one."""
    if not _TESTS.search(name):
        yield from extract(name, text)
    yield from views(name, text, rng, capped=capped)


@dataclass(slots=True)
class Forbidden:
    """The content of the benchmark's checkouts as hashes."""

    files: set[bytes] = field(default_factory=set)
    texts: set[bytes] = field(default_factory=set)
    bodies: set[bytes] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, folder: Path) -> "Forbidden":
        found = cls()
        for path, raw in readable(folder):
            found.files.add(hashlib.sha256(raw).digest())
            text = raw.decode("utf-8", "replace")
            found.lines.update(long_lines(text))
            found._add(file_pairs(path.name, text, random.Random(1), capped=False))
        return found

    def write(self, path: Path) -> None:
        """The hashes alone: enough to leave out what is forbidden where the checkouts are not at hand."""
        columns = [
            b"".join(sorted(self.files)),
            b"".join(sorted(self.texts)),
            b"".join(sorted(self.bodies)),
            b"".join(line.to_bytes(4, "big") for line in sorted(self.lines)),
        ]
        sizes = b"".join(len(column).to_bytes(8, "big") for column in columns)
        path.write_bytes(lzma.compress(sizes + b"".join(columns), preset=1))

    @classmethod
    def read(cls, path: Path) -> "Forbidden":
        raw = lzma.decompress(path.read_bytes())
        at, found = 32, []
        for number, width in enumerate((32, 12, 12, 4)):
            length = int.from_bytes(raw[8 * number : 8 * number + 8], "big")
            found.append({raw[i : i + width] for i in range(at, at + length, width)})
            at += length
        return cls(found[0], found[1], found[2], {int.from_bytes(line, "big") for line in found[3]})

    def _add(self, pairs: Iterable[Pair]) -> None:
        for pair in pairs:
            self.bodies.add(body_digest(pair.code))
            self.texts.add(digest(pair.code))
            if pair.kind not in ("name", "path"):  # a few words that anyone may have chosen
                self.texts.add(digest(pair.doc))

    def holds_file(self, raw: bytes) -> bool:
        return hashlib.sha256(raw).digest() in self.files

    def reason(self, doc: str, code: str, kind: str) -> str | None:
        """Why a pair is forbidden, or None."""
        if kind not in ("name", "path") and digest(doc) in self.texts:
            return "documentation"
        if digest(code) in self.texts:
            return "code"
        if body_digest(code) in self.bodies:
            return "body"
        lines = list(long_lines(code))
        if len(lines) >= 2 and 2 * sum(line in self.lines for line in lines) >= len(lines):
            return "lines"
        return None
