"""Every glob matches what its plain meaning says, however it is kept from being tried again and again."""

import re
import warnings

from hypothesis import given, settings
from hypothesis import strategies as st

from scova.filters import path_passes
from scova.types import Filters

SPECIAL = re.compile(r"[*?\[]")

names = st.text("ab.]\n", min_size=1, max_size=6)
paths = st.lists(names, min_size=1, max_size=5).map("/".join)
pieces = st.sampled_from(["*", "*", "?", "a", "b", ".", "[ab]", "[!a]", "[a-b]", "[]a]", "[", "]", "**"])
globbed = st.lists(pieces, min_size=1, max_size=7).map("".join)
globs = st.builds(
    lambda lead, segments, trail: lead + "/".join(segments) + trail,
    st.sampled_from(["", "", "/", "./"]),
    st.lists(st.one_of(st.just("**"), st.just("*"), globbed), min_size=1, max_size=6),
    st.sampled_from(["", "", "/"]),
)


@settings(max_examples=1500)
@given(globs, paths)
def test_a_glob_matches_as_when_every_place_is_tried(glob, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        passes = path_passes(Filters(paths=(glob,)))
        assert passes is not None
        assert passes(path) == bool(re.fullmatch(plain(glob), path, re.DOTALL))


def plain(glob):
    """The glob word by word, each star free to stand for anything: right, and slow beyond measure for long ones."""
    glob = re.sub("/{2,}", "/", glob.strip()).removeprefix("./").removeprefix("/")
    folder_only, glob = glob.endswith("/"), glob.rstrip("/")
    if glob in ("", "."):
        return ".*"
    if folder_only:
        return several(glob.split("/")) + "/.+"
    if "/" not in glob and glob != "**":
        at_root = "" if SPECIAL.search(glob) else f"|{re.escape(glob)}/.+"
        return f"(?:(?:.*/)?{one(glob)}{at_root})"
    return several(glob.split("/")) + ("" if SPECIAL.search(glob) else "(?:/.+)?")


def several(segments):
    *before, last = segments
    deep = "".join("(?:.*/)?" if segment == "**" else one(segment) + "/" for segment in before)
    return deep + (".+" if last == "**" else one(last))


def one(segment):
    if not segment:
        return ""
    if found := re.match(r"\[(!?)(.[^]]*)\]", segment, re.DOTALL):
        members = "".join(map(re.escape, found[2])).replace(r"\-", "-")
        return f"(?!/)[{'^' if found[1] else ''}{members}]" + one(segment[found.end() :])
    return {"*": "[^/]*", "?": "[^/]"}.get(segment[0], re.escape(segment[0])) + one(segment[1:])
