"""A folder as a source: what it offers, in which order, and every reason to leave something out."""

import json
import os
import pickle
import socket

import pytest

from scova.errors import NotAFolder
from scova.sources.folder import FolderSource
from scova.sources.secrets import SecretRules
from scova.types import Document, Item, Mark, Skip
from unit.sources.trees import git, offered, reasons, repository, skipped, without_privileges, write


def test_items_come_in_the_order_of_their_paths(tmp_path):
    write(tmp_path, dict.fromkeys(["a/z", "a-b", "a.txt", "a/b/c", "B", "é/x", "zz", "a/b.x"], ""))
    paths = offered(tmp_path)
    assert paths == sorted(paths)
    assert paths == ["B", "a-b", "a.txt", "a/b.x", "a/b/c", "a/z", "zz", "é/x"]


def test_a_mark_is_what_a_stat_tells(tmp_path):
    write(tmp_path, {"a.py": "12345"})
    status = (tmp_path / "a.py").stat()
    assert list(FolderSource(tmp_path).items()) == [Item("a.py", Mark(5, status.st_ctime_ns))]


def test_an_empty_folder_offers_nothing(tmp_path):
    assert list(FolderSource(tmp_path).items()) == []


def test_a_walk_goes_on_lazily(tmp_path):
    """What is deleted after the first item was given is neither an error nor listed."""
    write(tmp_path, {"a.py": "", "b.py": "", "c/d.py": "", "e/f.py": ""})
    items = FolderSource(tmp_path).items()
    assert next(items).path == "a.py"
    (tmp_path / "b.py").unlink()
    (tmp_path / "c" / "d.py").unlink()
    (tmp_path / "c").rmdir()
    assert [item.path for item in items] == ["e/f.py"]


def test_a_folder_replaced_by_a_symlink_during_the_walk_is_not_entered(tmp_path):
    write(tmp_path, {"outside/secret.py": "", "root/a.py": "", "root/b/c.py": ""})
    items = FolderSource(tmp_path / "root").items()
    next(items)
    (tmp_path / "root" / "b" / "c.py").unlink()
    (tmp_path / "root" / "b").rmdir()
    (tmp_path / "root" / "b").symlink_to(tmp_path / "outside")
    assert list(items) == []


def test_names_a_missing_root(tmp_path):
    with pytest.raises(NotAFolder, match="does not exist") as caught:
        FolderSource(tmp_path / "nowhere")
    assert caught.value.hint


def test_names_a_root_that_is_a_file(tmp_path):
    write(tmp_path, {"file": ""})
    with pytest.raises(NotAFolder, match="is not a folder") as caught:
        FolderSource(tmp_path / "file")
    assert caught.value.hint


def test_names_a_root_that_leads_in_a_circle(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(NotAFolder):
        FolderSource(tmp_path / "loop")


def test_names_a_root_that_may_not_be_read(open_folder):
    (open_folder / "closed").mkdir(mode=0o000)
    with pytest.raises(NotAFolder, match="cannot be read") as caught:
        without_privileges(lambda: FolderSource(open_folder / "closed"))
    assert caught.value.hint


def test_a_root_that_vanished_is_an_error_and_not_an_empty_folder(tmp_path):
    (tmp_path / "root").mkdir()
    source = FolderSource(tmp_path / "root")
    (tmp_path / "root").rmdir()
    with pytest.raises(NotAFolder, match="any more"):
        list(source.items())


def test_symlinks_are_never_followed_and_say_where_they_lead(tmp_path):
    write(tmp_path, {"outside/x.py": "", "root/a.py": "", "root/sub/b.py": ""})
    root = tmp_path / "root"
    (root / "to-file").symlink_to("a.py")
    (root / "to-folder").symlink_to("sub")
    (root / "sub" / "up").symlink_to("..")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to("loop")
    (root / "gone").symlink_to("nothing")
    assert offered(root) == ["a.py", "sub/b.py"]
    skips = skipped(root)
    assert {skip.reason for skip in skips.values()} == {"symlink"}
    inside, nowhere = "its target is indexed under its own path", "leads nowhere, or in a circle"
    assert {path: skip.detail for path, skip in skips.items()} == {
        "to-file": inside,
        "to-folder": inside,
        "sub/up": inside,
        "out": "leads outside the root",
        "loop": nowhere,
        "gone": nowhere,
    }


def test_pipes_and_sockets_are_listed_and_not_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.py")
    monkeypatch.chdir(tmp_path)  # a socket's name may not be long
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert reasons(tmp_path) == {"pipe.py": "special", "socket": "special"}


def test_names_that_are_not_utf8_are_listed_in_writing(tmp_path):
    for name in (b"bad\xff.py", b"dir\xfe"):
        target = os.fsencode(tmp_path) + b"/" + name
        os.mkdir(target) if name.startswith(b"dir") else os.close(os.open(target, os.O_CREAT))
    assert reasons(tmp_path) == {"bad\\xff.py": "name", "dir\\xfe": "name"}
    json.dumps([skip.path for skip in FolderSource(tmp_path).items()]).encode("utf-8")


def test_what_may_not_be_read_is_listed_and_stops_nothing(open_folder):
    write(open_folder, {"a.py": "", "b.py": "", "closed/c.py": "", "d.py": "", "listless/e.py": ""})
    (open_folder / "b.py").chmod(0o000)
    (open_folder / "closed").chmod(0o000)
    (open_folder / "listless").chmod(0o444)
    found = without_privileges(lambda: list(FolderSource(open_folder).items()))
    assert [each.path for each in found if isinstance(each, Item)] == ["a.py", "d.py"]
    expected = {"b.py": "unreadable", "closed": "unreadable", "listless/e.py": "unreadable"}
    assert {each.path: each.reason for each in found if isinstance(each, Skip)} == expected


def test_a_file_of_fifty_megabytes_is_too_large_and_never_read(tmp_path):
    with (tmp_path / "bundle.js").open("wb") as file:
        file.truncate(50_000_000)
    skips = skipped(tmp_path)
    assert skips["bundle.js"].reason == "too-large"
    assert "50,000,000" in skips["bundle.js"].detail
    assert offered(tmp_path, max_file_bytes=50_000_000) == ["bundle.js"]


def test_tools_own_folders_are_left_out_whatever_a_rule_says(tmp_path):
    write(
        tmp_path, {".git/config": "", ".hg/x": "", ".svn/x": "", ".scova/store.db": "", "sub/.git": "gitdir: nowhere"}
    )
    write(tmp_path, {".scovaignore": "!.git/\n!.scova/\n"})
    expected = dict.fromkeys([".git", ".hg", ".svn", ".scova", "sub/.git"], "internal")
    assert reasons(tmp_path) == expected


def test_installed_packages_and_caches_are_left_out_as_whole_folders(tmp_path):
    tag = "Signature: 8a477f597d28d172789f06886806bc55\n"
    write(tmp_path, {"node_modules/a/index.js": "", "src/__pycache__/a.txt": "", ".tox/x": "", ".mypy_cache/x": ""})
    write(tmp_path, {"env/pyvenv.cfg": "", "env/lib/x.py": "", "target/CACHEDIR.TAG": tag, "target/x.rs": ""})
    write(tmp_path, {"fake/CACHEDIR.TAG": "no", "fake/x.rs": "", "venv/main.py": ""})
    assert reasons(tmp_path) == {
        "node_modules": "vendored",
        "env": "vendored",
        "src/__pycache__": "cache",
        ".tox": "cache",
        ".mypy_cache": "cache",
        "target": "cache",
    }
    assert offered(tmp_path) == ["fake/CACHEDIR.TAG", "fake/x.rs", "venv/main.py"]


SECRETS = ".env .env.local .env.production prod.env id_rsa id_ed25519 cert.p12 cert.pfx app.keystore .netrc .pypirc .htpasswd ID_RSA"
TOLD_BY_CONTENT = "server.pem server.key credentials.json Server.PEM"
NO_SECRETS = ".env.example .env.sample .env.template .npmrc env.py key.py keys.md id_rsa.pub environment pem"


def test_files_that_may_hold_keys_are_left_out(tmp_path):
    secrets = SECRETS.split()
    others = [*TOLD_BY_CONTENT.split(), *NO_SECRETS.split()]
    write(tmp_path, dict.fromkeys([*secrets, *others], "x"))
    assert reasons(tmp_path) == dict.fromkeys(secrets, "secret")
    assert sorted(offered(tmp_path)) == sorted(others)
    source = FolderSource(tmp_path)
    read = [source.read(item) for item in source.items() if isinstance(item, Item)]
    assert sorted(one.path for one in read if isinstance(one, Skip)) == sorted(TOLD_BY_CONTENT.split())


def test_secrets_are_offered_when_asked_for(tmp_path):
    write(tmp_path, {".env": "A=b", "key.pem": "-----BEGIN PRIVATE KEY-----\nx"})
    source = FolderSource(tmp_path, secrets=SecretRules(everything=True))
    read = [source.read(item) for item in source.items() if isinstance(item, Item)]
    assert [document.path for document in read if isinstance(document, Document)] == [".env", "key.pem"]


def test_names_tell_of_binary_generated_and_minified_files(tmp_path):
    binary = ["logo.png", "lib.SO", "a.tar.gz", "font.woff2", "x.pyc", ".DS_Store"]
    generated = ["package-lock.json", "yarn.lock", "poetry.lock", "Cargo.lock", "go.sum", "Gemfile.lock"]
    minified = ["jquery.min.js", "style.min.css", "app.js.map"]
    kept = ["so", ".a", "lock.py", "min.js", "map.py", "go.mod"]
    write(tmp_path, dict.fromkeys([*binary, *generated, *minified, *kept], "x"))
    expected = (
        dict.fromkeys(binary, "binary") | dict.fromkeys(generated, "generated") | dict.fromkeys(minified, "minified")
    )
    assert reasons(tmp_path) == expected
    assert sorted(offered(tmp_path)) == sorted(kept)


def test_a_line_in_scovaignore_brings_back_what_a_name_leaves_out(tmp_path):
    write(tmp_path, {"node_modules/a/index.js": "", ".env": "", "yarn.lock": "", "a.min.js": "", "env/pyvenv.cfg": ""})
    write(tmp_path, {".scovaignore": "!node_modules/\n!yarn.lock\n!a.min.js\n!env/\n"})
    expected = [".scovaignore", "a.min.js", "env/pyvenv.cfg", "node_modules/a/index.js", "yarn.lock"]
    assert offered(tmp_path) == expected
    (tmp_path / ".scovaignore").rename(tmp_path / ".gitignore")
    assert offered(tmp_path) == [".gitignore"], "git's own rules are about git"


def test_what_is_ignored_is_listed_once_at_its_top_with_the_line_that_says_so(tmp_path):
    write(tmp_path, {".gitignore": "# made\n\nbuild/\n*.log\n", "build/a/b.c": "", "build/c.c": "", "src/x.log": ""})
    skips = skipped(tmp_path)
    assert skips == {
        "build": Skip("build", "ignored", "`build/` in .gitignore:3"),
        "src/x.log": Skip("src/x.log", "ignored", "`*.log` in .gitignore:4"),
    }


def test_a_very_deep_tree_is_walked(tmp_path):
    deepest = tmp_path
    for _ in range(300):
        deepest = deepest / "d"
    deepest.mkdir(parents=True)
    (deepest / "x.py").touch()
    assert offered(tmp_path) == ["d/" * 300 + "x.py"]


def test_a_source_reads_in_another_process(tmp_path):
    write(tmp_path, {"a.py": "print(1)\n"})
    source = FolderSource(tmp_path)
    (item,) = source.items()
    copy = pickle.loads(pickle.dumps(source))
    document = copy.read(item)
    assert document == source.read(item)
    assert document.text == "print(1)\n"


def test_the_root_may_be_given_through_a_symlink(tmp_path):
    write(tmp_path, {"real/a.py": "x"})
    (tmp_path / "link").symlink_to("real")
    source = FolderSource(tmp_path / "link")
    (item,) = source.items()
    assert isinstance(source.read(item), Document)


def test_a_real_repository_gives_what_git_lists(tmp_path):
    """Two hundred files in nested folders with several ignore files, some tracked although ignored."""
    files = {
        f"{top}/{sub}/{name}.{suffix}": ""
        for top in "abcd"
        for sub in "xyz"
        for name in "mn"
        for suffix in ("py", "tmp", "c")
    }
    files |= {
        ".gitignore": "*.tmp\n/a/x/\n!/b/**/m.tmp\nc/*/n.*\n",
        "d/.gitignore": "y\n!z/*.tmp\n",
        "d/z/.gitignore": "n.tmp\n",
    }
    repository(tmp_path, files)
    git(tmp_path, "add", "-f", "a/x/m.py", "c/x/n.py", "d/y/m.tmp")
    listed = git(tmp_path, "ls-files", "--others", "--cached", "--exclude-standard").splitlines()
    assert offered(tmp_path) == sorted(listed)
    assert {"a/x/m.py", "c/x/n.py", "d/y/m.tmp"} <= set(listed)
