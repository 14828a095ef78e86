"""Ignore rules equal git's: on random trees with random ignore files, a walk offers exactly what git would add."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scova.sources.folder import FolderSource
from scova.sources.git.rules import Kind, Rules
from scova.types import Item


def words(text: str) -> list[str]:
    return text.split(",")


NAMES = words("a,b,ab,ba,a.x,b.x,a.y,.a,a b,b ,é,[a],!b,#a,a-b,a\\b,*,x*x")

names = st.sampled_from(NAMES) | st.text("ab.x", min_size=1, max_size=4).filter(lambda name: name.strip("."))
folders = st.lists(names, max_size=3).map("/".join)

pieces = st.sampled_from(
    words(
        "*,**,***,?,??,*.x,*.[xy],a*,*a,*a*b,*b*,[ab],[!a],[^b],[a-b],[]a],[!]],[[:alpha:]],[[:punct:]]*,[[:nope:]],[a"
    )
    + words(
        "a\\*,\\a,\\!b,\\#a,a\\\\b,\\[a],a\\ b,b\\ ,a**,**b,a**b,[a-],[-a]*,[\\]a],a\\,[b-\\]],[[:]*,?[!x]?,[é],é,\xff"
    )
)
segments = names | pieces
patterns = st.builds(
    lambda bang, slash, parts, end: bang + slash + "/".join(parts) + end,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/", "**/"]),
    st.lists(segments, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "/**", "/*", " ", "  ", "\\ ", "\t", "\r", "**", "//", "\\/b", "**\\/b"]),
)
noise = st.text("ab*?[]!/\\ .#-^:x", max_size=8)
lines = st.lists(patterns | noise, max_size=5)
ignore_files = st.dictionaries(folders, lines, max_size=3)
trees = st.lists(
    st.builds(lambda folder, name: f"{folder}/{name}".lstrip("/"), folders, names), min_size=1, max_size=14
)


class Checkout:
    """A git repository whose working tree is made anew for every example."""

    def __init__(self, root: Path) -> None:
        self.root = root / "tree"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "XDG_CONFIG_HOME": str(root / "config"),
        }
        self.git("init", "-q", str(self.root), cwd=root)

    def git(self, *arguments: str, given: bytes = b"", cwd: Path | None = None, allow: tuple[int, ...] = (0,)) -> bytes:
        command = ["git", *arguments]
        done = subprocess.run(
            command, cwd=cwd or self.root, env=self.environment, input=given, capture_output=True, check=False
        )
        assert done.returncode in allow, done.stderr
        return done.stdout

    def clear(self) -> None:
        for entry in self.root.iterdir():
            if entry.name != ".git":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        (self.root / ".git" / "index").unlink(missing_ok=True)

    def fill(self, tree: list[str], ignores: dict[str, list[str]]) -> list[str]:
        """Make these files where nothing is in the way; returns those made."""
        made = [path for path in tree if self._make(path, b"")]
        for folder, patterns in ignores.items():
            self._make(f"{folder}/.gitignore".lstrip("/"), "\n".join(patterns).encode("utf-8", "surrogateescape"))
        return made

    def _make(self, path: str, content: bytes) -> bool:
        target = self.root / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.is_dir():
                return False
            target.write_bytes(content)
        except (FileExistsError, NotADirectoryError):
            return False
        return True

    def not_ignored(self) -> set[str]:
        """Every file that a walk does not ignore, whatever else it may find against it."""
        found = FolderSource(self.root, environment=self.environment).items()
        return {each.path for each in found if isinstance(each, Item) or each.reason not in ("ignored", "internal")}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return Checkout(tmp_path_factory.mktemp("git"))


def split(output: bytes) -> set[str]:
    return {os.fsdecode(path) for path in output.split(b"\0") if path}


@settings(max_examples=250)
@given(tree=trees, ignores=ignore_files, exclude=lines, user=lines, tracked=st.sets(st.integers(0, 13), max_size=5))
def test_a_walk_offers_what_git_would_add_and_what_it_tracks(checkout, tree, ignores, exclude, user, tracked):
    checkout.clear()
    made = checkout.fill(tree, ignores)
    (checkout.root / ".git" / "info" / "exclude").write_bytes("\n".join(exclude).encode("utf-8", "surrogateescape"))
    folder = Path(checkout.environment["XDG_CONFIG_HOME"], "git")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ignore").write_bytes("\n".join(user).encode("utf-8", "surrogateescape"))
    chosen = sorted({made[number] for number in tracked if number < len(made)})
    if chosen:
        given_paths = b"\0".join(map(os.fsencode, chosen))
        checkout.git(
            "--literal-pathspecs", "add", "-f", "--pathspec-from-file=-", "--pathspec-file-nul", given=given_paths
        )
    expected = split(checkout.git("ls-files", "--others", "--cached", "--exclude-standard", "-z"))
    assert checkout.not_ignored() == expected


paths = st.lists(names, min_size=1, max_size=4).map("/".join)


@settings(max_examples=100)
@given(
    several=st.lists(st.lists(patterns | noise, min_size=1, max_size=4), min_size=10, max_size=25),
    paths=st.sets(paths, min_size=5, max_size=25),
)
def test_the_deciding_line_is_the_one_git_names(checkout, several, paths):
    """Each list of lines stands in a folder of its own, so that one call of git judges hundreds of pairs."""
    checkout.clear()
    (checkout.root / ".git" / "info" / "exclude").unlink(missing_ok=True)
    Path(checkout.environment["XDG_CONFIG_HOME"], "git", "ignore").unlink(missing_ok=True)
    contents = ["\n".join(each).encode("utf-8", "surrogateescape") for each in several]
    for number, content in enumerate(contents):
        (checkout.root / f"p{number}").mkdir()
        (checkout.root / f"p{number}" / ".gitignore").write_bytes(content)
    asked = [f"p{number}/{path}" for number in range(len(contents)) for path in sorted(paths)]
    command = ["check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"]
    fields = checkout.git(*command, given=b"\0".join(map(os.fsencode, asked)), allow=(0, 1)).split(b"\0")
    answers = {os.fsdecode(path): int(line) for line, path in zip(fields[1::4], fields[3::4], strict=False) if line}
    for number, content in enumerate(contents):
        rules = Rules(content, "", Kind.GIT)
        for path in paths:
            assert first_match(rules, path) == answers.get(f"p{number}/{path}"), (content, path)


def first_match(rules: Rules, path: str) -> int | None:
    """The line that decides: of the topmost ignored folder, or else of the entry itself."""
    parts = os.fsencode(path).split(b"/")
    rule = None
    for depth in range(1, len(parts) + 1):
        rule = rules.deciding(b"/".join(parts[:depth]), name=parts[depth - 1], start=0, is_folder=depth < len(parts))
        if rule is not None and not rule.negated:
            return rule.line
    return rule.line if rule else None
