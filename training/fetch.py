"""Packages of the public registries onto this disk.

    fetch.py FOLDER KIND ...        download into FOLDER/KIND (KIND: a key of BINARY, SOURCE, NPM or COMMANDS below)

Downloads go through the ordinary clients (pip, npm, apt-get). SOURCE kinds need a `deb-src` entry and FOLDER/Sources, the
decompressed source index; APT_OPTIONS is handed to apt. What a registry does not have is passed over.
"""

import os
import random
import re
import subprocess
import sys
import tarfile
from pathlib import Path

from exclusions import excluded_name

HERE = Path(__file__).parent
BINARY = {  # Debian packages that hold source as installed
    "go": r"golang-.*-dev$", "rust": r"librust-.*-dev$", "ruby": r"ruby-", "python": r"python3-(?!.*-(?:dbg|doc)$)", "php": r"php-", "lua": r"lua-",
}  # fmt: skip
SOURCE = {  # Debian source packages, by the packages built from them
    "haskell": r"libghc-\S+-dev", "java": r"lib\S+-java\b", "c": r"lib(?!ghc|rust|golang)\S+-dev\b", "csharp": r"lib\S+-cil\b",
}  # fmt: skip
COMMANDS = {  # packages named one by one in packages/
    "npm": ["npm", "pack", "--silent"],
    "pypi": ["pip", "download", "-q", "--no-deps", "--only-binary", ":all:"],
    "debian-misc": ["apt-get", "source", "--download-only", "-q"],
}
NPM = {  # packages of npm by pattern, from the list that `all-the-package-names` is; with how many at most
    "npm-native": (
        r"^(?:@[^/]+/)?(?:capacitor-|expo-)|^@capacitor|^@nativescript/|^react-native-",
        5500,
    ),  # Swift, Kotlin, Java
    "npm-unity": (r"^(?:com|jp|org|net|io)\.[\w-]+\.", 3600),  # C#
    "npm-roblox": (r"^@rbxts/", 900),  # Lua
    "npm-rare": (r"(?:^|[-/._])(?:zig|elixir|scala|swift|kotlin|csharp|lua|bash)(?:$|[-/._])", 2500),
    "npm-top": (r"", 3500),  # from `npm-high-impact` instead: TypeScript where a package has its sources in it
}


def fetch(folder: Path, kind: str) -> None:
    """Download every package of a kind that is not excluded by name."""
    target = folder / kind
    target.mkdir(parents=True, exist_ok=True)
    options = os.environ.get("APT_OPTIONS", "").split()
    if kind in BINARY:
        listed = subprocess.run(["apt-cache", *options, "pkgnames"], check=True, capture_output=True, text=True).stdout
        names = [name for name in listed.split() if re.match(BINARY[kind], name)]
        command = ["apt-get", *options, "download", "-q"]
    elif kind in SOURCE:
        stanzas = (folder / "Sources").read_text().split("\n\n")
        chosen = [s for s in stanzas if re.search(rf"^Binary: .*\b{SOURCE[kind]}", s, re.M) and small(s)]
        names = [name for s in chosen for name in re.findall(r"^Package: (\S+)", s, re.M)]
        command = ["apt-get", *options, "source", "--download-only", "-q"]
    elif kind in NPM:
        names, command = npm_names(folder, kind), COMMANDS["npm"]
    else:
        names = (HERE / "packages" / f"{kind}.txt").read_text().split()
        command = COMMANDS[kind]
    names = sorted(name for name in set(names) if not excluded_name(name))
    random.Random(1).shuffle(names)
    step = 40 if command[0] == "apt-get" else 1
    for i in range(0, len(names), step):
        subprocess.run([*command, *names[i : i + step]], cwd=target, check=False, capture_output=True)


def npm_names(folder: Path, kind: str) -> list[str]:
    """Names that fit a pattern, chosen at random, from a package that lists them."""
    source = "npm-high-impact" if kind == "npm-top" else "all-the-package-names"
    packed = subprocess.run(
        [*COMMANDS["npm"], source], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.split()[-1]
    with tarfile.open(folder / packed) as tar:
        texts = [
            file.read().decode()
            for name in tar.getnames()
            if re.search(r"names\.json$|lib/top-", name) and (file := tar.extractfile(name))
        ]
    pattern, most = NPM[kind]
    names = sorted(
        {
            name
            for text in texts
            for name in re.findall(r"""["']([^"'\s]+)["'],?\n?""", text)
            if re.search(pattern, name)
        }
    )
    random.Random(1).shuffle(names)
    return names[:most]


def small(stanza: str) -> bool:
    return sum(int(size) for size in re.findall(r"^ [0-9a-f]{64} (\d+) \S*\.orig\S*$", stanza, re.M)) < 6 << 20


if __name__ == "__main__":
    for kind in sys.argv[2:]:
        fetch(Path(sys.argv[1]), kind)
