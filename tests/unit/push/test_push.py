"""A push brings a server to what a folder holds, sends what differs and nothing else, and says what it could not do."""

import hashlib
import itertools
import os

import pytest

import pushed_server
from pushed_server import TOKEN, done_and_cut, reset, serving, status
from scova.errors import PushError, UsageError
from scova.push import Patience, Push, PushOptions, address
from scova.push import manifest as manifests
from scova.push import push as pushes
from scova.sources.folder import FolderSource
from scova.types import Progress, Skip

QUICK = Patience(attempts=4, answered=2, seconds=10.0, first_pause=0.001, longest_pause=0.002)


@pytest.fixture
def server():
    with serving(pushed_server.Server()) as kept:
        yield kept


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for number in range(25):
        write(root, f"src/part{number % 3}/file{number:02}.py", f"def f{number}():\n    return {number}\n")
    return root


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def texts(root):
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def push(root, server, *, token="", stop=None, tell=None, **options):
    options = {"rate": 1000.0, "patience": QUICK, "alone": QUICK} | options
    how = {name: value for name, value in (("stop", stop), ("tell", tell)) if value}
    return Push(address(server.url, token=token, token_env="MY_TOKEN"), "p", PushOptions(**options), **how).run(root)


# --- what is sent


def test_a_first_push_makes_the_project_and_brings_everything(server, tree):
    done = push(tree, server)
    assert server.projects["p"] == texts(tree)
    assert (done.status, done.created, done.files, done.sent, done.unchanged) == ("ok", True, 25, 25, 0)
    assert done.change_seq == server.seq


def test_an_unchanged_push_sends_hashes_only(server, tree):
    push(tree, server)
    server.forget()
    done = push(tree, server)
    assert [asked.path for asked in server.log] == ["/sync"]
    assert (done.sent, done.unchanged, done.requests, done.bytes_sent) == (0, 25, 1, 0)


def test_one_changed_file_sends_one(server, tree):
    push(tree, server)
    server.forget()
    write(tree, "src/part0/file00.py", "def changed(): ...\n")
    done = push(tree, server)
    assert server.paths("/index") == ["src/part0/file00.py"]
    assert (done.sent, done.unchanged) == (1, 24)
    assert server.projects["p"] == texts(tree)


def test_what_another_deletes_while_something_is_sent_is_sent_too(server, tree):
    push(tree, server)
    write(tree, "src/part0/file00.py", "def changed(): ...\n")

    def another(path, asked):
        if path == "/index":
            server.before = lambda path, asked: None
            server.projects["p"].pop("src/part1/file01.py")
            server.seq += 1

    server.before = another
    done = push(tree, server)
    assert server.projects["p"] == texts(tree)
    assert (done.status, done.sent, done.unchanged, done.message) == ("ok", 2, 23, "")


def test_a_push_that_others_keep_overtaking_ends_and_says_so(server, tree):
    push(tree, server)
    server.forget()

    def another(path, asked):
        if path == "/index":
            server.projects["p"].pop("src/part1/file01.py", None)
            server.seq += 1

    server.before = another
    write(tree, "src/part0/file00.py", "def changed(): ...\n")
    done = push(tree, server)
    assert server.count("/sync") == pushes.ROUNDS
    assert (done.ended_early, "others are writing" in done.message) == (False, True)


def test_deleted_and_renamed_files_leave_nothing_behind(server, tree):
    push(tree, server)
    server.forget()
    (tree / "src/part1/file01.py").unlink()
    (tree / "src/part2/file02.py").rename(tree / "src/moved.py")
    done = push(tree, server)
    assert server.projects["p"] == texts(tree)
    assert server.paths("/index") == ["src/moved.py"]
    assert sorted(server.paths("/delete")) == ["src/part1/file01.py", "src/part2/file02.py"]
    assert (done.sent, done.deleted) == (1, 2)
    order = [asked.path for asked in server.log]
    assert order.index("/index") < order.index("/delete"), "a renamed file is never missing in between"


def test_files_are_chosen_as_an_index_chooses_them(server, tree):
    write(tree, ".gitignore", "ignored.py\n")
    write(tree, "ignored.py", "x = 1\n")
    write(tree, ".env", "PASSWORD=1\n")
    write(tree, "key.txt", "-----BEGIN PRIVATE KEY-----\nabc\n")
    (tree / "image.dat").write_bytes(b"\0\1\2" * 100)
    push(tree, server)
    assert not {"ignored.py", ".env", "key.txt", "image.dat"} & server.projects["p"].keys()


def test_the_settings_of_the_folder_hold(server, tree):
    write(tree, "scova.toml", "max_file_bytes = 1000\n")
    write(tree, "large.py", "x = 1\n" * 500)
    push(tree, server)
    assert "large.py" not in server.projects["p"]


def test_a_hash_is_that_of_the_text_as_it_is_sent_whatever_the_file_is_encoded_in(server, tmp_path):
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbfx = 1\n")
    (tmp_path / "latin.py").write_bytes("# caf\xe9\n".encode("latin-1"))
    (tmp_path / "wide.py").write_bytes("y = 'ü€'\n".encode("utf-16"))
    (tmp_path / "ends.py").write_bytes(b"a = 1\r\nb = 2\r\n")
    assert push(tmp_path, server).status == "ok"
    assert server.projects["p"]["latin.py"] == "# café\n"
    assert server.projects["p"]["ends.py"] == "a = 1\r\nb = 2\r\n"
    assert push(tmp_path, server).sent == 0


def test_names_of_every_kind_come_back_as_they_are(server, tmp_path):
    for name in ('quote".py', "back\\slash.py", "ümlaut.py", "a b.py", "tab\t.py", "😀.py", "..two.py"):
        (tmp_path / name).write_text("x = 1\n")
    assert push(tmp_path, server).status == "ok"
    assert server.projects["p"] == texts(tmp_path)


def test_batches_hold_ten_files_or_a_megabyte_and_a_larger_file_goes_alone(server, tmp_path):
    for number in range(25):
        write(tmp_path, f"a{number:02}.txt", f"{number}\n")
    for number in range(4):
        write(tmp_path, f"b{number}.txt", f"{number}" * 79 + "\n" + "line of text\n" * 30_000)
    write(tmp_path, "c.txt", "line of text\n" * 100_000)
    push(tmp_path, server)
    sent = [(len(asked.files), asked.size) for asked in server.log if asked.path == "/index"]
    assert sum(count for count, _ in sent) == 30
    assert max(count for count, _ in sent) == 10
    assert [count for count, size in sent if size > 1_001_000] == [1]


def test_a_file_that_changes_after_it_was_hashed_is_sent_as_it_is_then(server, tree):
    server.before = lambda path, asked: write(tree, "src/part0/file00.py", "late = 1\n") if path == "/sync" else None
    assert push(tree, server).status == "ok"
    assert server.projects["p"]["src/part0/file00.py"] == "late = 1\n"
    assert push(tree, server).sent == 0


def test_a_file_that_goes_after_it_was_hashed_is_deleted_on_the_server_too(server, tree):
    push(tree, server)
    write(tree, "src/part0/file00.py", "new = 1\n")
    server.before = lambda path, asked: (tree / "src/part0/file00.py").unlink(missing_ok=True)
    done = push(tree, server)
    assert (done.status, done.deleted) == ("ok", 1)
    assert server.projects["p"] == texts(tree)


def test_nothing_but_what_was_offered_is_sent_whatever_the_server_asks_for(server, tree):
    write(tree, ".env", "PASSWORD=1\n")
    secret = tree.parent / "secret.py"
    secret.write_text("PASSWORD = 1\n")
    wanted = {"missing": [".env", "../secret.py", str(secret), "src/part0/file00.py"], "extra": [], "change_seq": 0}
    server.script["/sync"] = [status(200, wanted)]
    server.projects["p"] = {}
    push(tree, server)
    assert server.paths("/index") == ["src/part0/file00.py"]


# --- what is not deleted


def test_an_empty_folder_does_not_empty_the_project(server, tree, tmp_path):
    push(tree, server)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="25 files"):
        push(tmp_path / "empty", server)
    assert server.projects["p"] == texts(tree)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_told_and_not_deleted(server, tree):
    push(tree, server)
    (tree / "src/part1").chmod(0)
    try:
        done = push(tree, server)
    finally:
        (tree / "src/part1").chmod(0o755)
    assert done.status == "partial"
    assert server.projects["p"] == texts(tree)


class Unreadable(FolderSource):
    """A folder with files that the disk does not give."""

    closed: frozenset[str] = frozenset()

    def read(self, item, **kept):
        return Skip(item.path, "unreadable", "bad disk") if item.path in self.closed else super().read(item, **kept)


@pytest.mark.parametrize("from_the_start", [True, False])
def test_a_file_that_the_disk_does_not_give_is_told_and_not_deleted(server, tree, monkeypatch, from_the_start):
    push(tree, server)
    before = dict(server.projects["p"])
    write(tree, "src/part1/file01.py", "new = 1\n")
    source = Unreadable(tree)
    monkeypatch.setattr(pushes, "folder", lambda path, **how: source)
    closed = frozenset(("src/part1/file01.py",))
    if from_the_start:
        source.closed = closed
    server.before = lambda path, asked: setattr(source, "closed", closed)
    done = push(tree, server)
    assert (done.status, done.deleted) == ("partial", 0)
    assert [one.path for one in done.failed] == ["src/part1/file01.py"]
    assert server.projects["p"] == before


def test_what_lies_where_nothing_could_be_read_may_still_be_there():
    found = manifests.Manifest({"a.py": b""}, [manifests.Failure("closed", "unreadable")])
    assert found.may_hold("a.py")
    assert found.may_hold("closed")
    assert found.may_hold("closed/deep/b.py")
    assert not found.may_hold("closed.py")


# --- folders that are too large for one request


def test_a_manifest_in_parts_deletes_exactly_what_is_gone(server, tree, monkeypatch):
    monkeypatch.setattr(manifests, "PART_BYTES", 600)
    push(tree, server)
    server.projects["p"] |= {"gone/one.py": "1", "gone/two.py": "2"}
    server.forget()
    done = push(tree, server)
    assert server.count("/sync") > 3
    assert (done.sent, done.deleted) == (0, 2)
    assert server.projects["p"] == texts(tree)


def test_a_part_that_is_too_large_for_the_server_goes_in_halves(server, tree):
    server.most_bytes = 1000
    assert push(tree, server).status == "ok"
    assert server.projects["p"] == texts(tree)
    server.projects["p"]["gone.py"] = "1"
    assert push(tree, server).deleted == 1


def test_a_path_that_the_server_does_not_take_fails_by_name_and_keeps_no_other_out(server, tree):
    write(tree, "a/very/long/path/to/something.py", "x = 1\n")
    server.longest_path = 25
    done = push(tree, server)
    assert [one.path for one in done.failed] == ["a/very/long/path/to/something.py"]
    assert "too long" in done.failed[0].error
    assert (done.sent, done.unchanged, done.left) == (25, 0, 0)
    done = push(tree, server)
    assert (done.status, done.sent, done.unchanged, done.deleted) == ("partial", 0, 25, 0)


def test_nor_does_it_when_the_project_is_still_to_be_made_and_is_not_yet(server, tree):
    long = "a/very/long/path/" + "d" * 200 + "/" + "e" * 200
    write(tree, long, "x = 1\n")
    server.longest_path = 25
    done = push(tree, server, dry_run=True)
    assert (len(done.missing), [one.path for one in done.failed]) == (25, [long])
    assert server.projects == {}
    assert done.failed[0].error.endswith("too long"), "the reason stands at the end"


def test_a_server_that_refuses_every_request_is_not_asked_for_every_file(server, tree):
    server.script["/sync"] = [status(422, {"error": "project_id: not like that"})] * 100
    with pytest.raises(PushError, match="not like that"):
        push(tree, server)
    assert server.count("/sync") == 2


# --- what fails


def test_a_server_without_room_is_not_asked_file_by_file(server, tree):
    server.script["/index"] = [status(507, {"error": "there is no room left", "hint": "delete a project"})] * 100
    done = push(tree, server)
    assert (done.ended_early, "there is no room left" in done.message) == (True, True)
    assert server.count("/index") == QUICK.answered


def test_a_file_that_the_server_refuses_costs_only_itself(server, tree):
    server.refused = {"src/part0/file03.py": "the hash is not that of the content"}
    done = push(tree, server)
    assert (done.status, done.sent) == ("partial", 24)
    assert [(one.path, one.error) for one in done.failed] == [*server.refused.items()]
    assert server.projects["p"].keys() == texts(tree).keys() - server.refused.keys()
    assert server.paths("/index").count("src/part0/file03.py") == 2, "it is tried once more, alone"
    server.refused = {}
    assert push(tree, server).sent == 1


def test_a_whole_batch_that_is_bad_is_told_file_by_file(server, tree):
    server.refused = dict.fromkeys(texts(tree), "no")
    done = push(tree, server)
    assert (done.sent, len(done.failed)) == (0, 25)


def test_a_file_that_the_server_leaves_out_is_named_and_no_failure(server, tree):
    server.skipped = {"src/part0/file03.py": "binary"}
    done = push(tree, server)
    assert (done.status, done.sent) == ("ok", 24)
    assert [one.path for one in done.skipped] == [*server.skipped]


def test_how_much_was_left_out_here_is_told_by_reason(server, tree):
    """By the rules of `scova index`, whether anything is sent or not; what could not be read is a failure and not among it."""
    (tree / "picture.py").write_bytes(b"\0\1\2" * 100)
    (tree / "other.py").write_bytes(b"\0\1\2" * 100)
    write(tree, "huge.py", "x = 1\n" * 10_000)
    write(tree, "scova.toml", "max_file_bytes = 20000\n")
    write(tree, ".gitignore", "out/\n*.log\n")
    for name in ("out/a.py", "out/b.py", "one.log"):
        write(tree, name, "ignored\n")
    for done in (push(tree, server), push(tree, server), push(tree, server, dry_run=True)):
        assert done.left_out == {"binary": 2, "ignored": 2, "too-large": 1}
        assert done.status == "ok"


@pytest.mark.parametrize("kind", ["poison", "deadly"])
def test_a_file_at_which_the_server_fails_is_found_and_the_rest_goes_on(server, tree, kind):
    getattr(server, kind).add("src/part1/file10.py")
    done = push(tree, server)
    assert [one.path for one in done.failed] == ["src/part1/file10.py"]
    assert (done.sent, done.left) == (24, 0)


def test_a_file_over_the_limit_of_the_server_fails_by_name(server, tree):
    write(tree, "large.txt", "line of text\n" * 10_000)
    server.most_bytes = 100_000
    done = push(tree, server)
    assert [one.path for one in done.failed] == ["large.txt"]
    assert "larger than the server takes" in done.failed[0].error
    assert "serve_max_body_bytes" in done.failed[0].hint
    assert done.sent == 25


def test_a_server_that_takes_fewer_files_at_a_time_gets_fewer(server, tree):
    server.most_files = 3
    assert push(tree, server).sent == 25


def test_a_file_that_the_server_says_nothing_about_has_failed(server, tree):
    server.projects["p"] = {}
    silent = status(200, {"status": "ok", "change_seq": 0, "results": []})
    server.script["/index"] = [silent] * 11
    done = push(tree, server)
    assert len(done.failed) == 10
    assert "nothing about it" in done.failed[0].error


def test_a_result_under_a_shortened_name_is_found_by_its_place(server, tree):
    server.projects["p"] = {}
    one = {"path": "src/part0/fi…", "status": "failed", "error": "no", "hint": ""}
    (tree / "only").mkdir()
    write(tree, "only/file.py", "x = 1\n")
    server.script["/index"] = [status(422, {"error": "no", "results": [one]})] * 2
    done = push(tree / "only", server)
    assert [(found.path, found.error) for found in done.failed] == [("file.py", "no")]


# --- what is tried again


@pytest.mark.parametrize(
    "trick", [status(500), status(503), status(429, Retry_After=0), status(408), status(502), reset, done_and_cut]
)
@pytest.mark.parametrize("path", ["/sync", "/index", "/delete"])
def test_what_fails_for_a_moment_is_asked_again(server, tree, path, trick):
    server.projects["p"] = {"gone.py": "1"}
    server.script[path] = [trick]
    done = push(tree, server)
    assert done.status == "ok"
    assert done.retries >= 1
    assert server.projects["p"] == texts(tree)


def test_as_long_as_the_server_asks_for_is_waited(server, tree):
    server.script["/index"] = [status(429, Retry_After=1)]
    done = push(tree, server)
    first, second = [asked.at for asked in server.log if asked.path == "/index"][:2]
    assert second - first >= 1.0
    assert done.status == "ok"


def test_a_busy_server_that_says_when_to_come_back_is_not_taken_for_one_that_refuses(server, tree):
    server.script["/index"] = [status(409, Retry_After=0)]
    assert push(tree, server).status == "ok"


def test_a_server_that_asks_for_more_patience_than_there_is_ends_the_push_in_good_order(server, tree):
    server.script["/index"] = [status(429, Retry_After=100_000)]
    done = push(tree, server)
    assert (done.status, done.left, done.sent) == ("partial", 25, 0)
    assert "100,000 s" in done.message


def test_a_server_that_fails_at_everything_is_not_asked_for_every_file(server, tmp_path):
    for number in range(100):
        write(tmp_path, f"{number}.txt", f"{number}\n")
    server.poison = {f"{number}.txt" for number in range(100)}
    done = push(tmp_path, server)
    assert (done.status, done.left, len(done.failed)) == ("partial", 70, 30)
    assert "failed at everything" in done.message


def test_a_server_that_goes_away_for_good_ends_the_push_and_another_goes_on(server, tree):
    def leave(path, asked):
        server.is_gone = server.count("/index") > 1

    server.before = leave
    done = push(tree, server)
    assert (done.status, done.sent, done.left) == ("partial", 10, 15)
    assert "push again" in done.message
    assert not done.failed, "nothing is wrong with the files"
    server.before, server.is_gone = lambda path, asked: None, False
    server.forget()
    assert push(tree, server).sent == 15
    assert server.projects["p"] == texts(tree)


def test_a_server_that_was_never_there_is_an_error_soon(tree):
    with serving(pushed_server.Server()) as kept:
        pass
    with pytest.raises(PushError, match="cannot be reached") as found:
        push(tree, kept)
    assert "running" in found.value.hint


# --- who may


def test_a_project_is_not_made_when_that_is_not_wanted(server, tree):
    with pytest.raises(PushError, match="no project `p`"):
        push(tree, server, create=False)
    assert not server.projects


def test_a_dry_run_changes_nothing_and_tells_what_would_be_done(server, tree):
    done = push(tree, server, dry_run=True)
    assert (len(done.missing), done.extra, done.status) == (25, (), "ok")
    assert "would be made" in done.message
    assert not server.projects
    push(tree, server)
    write(tree, "new.py", "x = 1\n")
    (tree / "src/part1/file01.py").unlink()
    server.forget()
    done = push(tree, server, dry_run=True)
    assert (done.missing, done.extra) == (("new.py",), ("src/part1/file01.py",))
    assert [asked.path for asked in server.log] == ["/sync"]


@pytest.mark.parametrize(("token", "word"), [("", "wants a token"), ("wrong-token-9", "refuses the token")])
def test_without_the_right_token_nothing_goes_and_no_message_holds_one(server, tree, token, word):
    server.token = TOKEN
    with pytest.raises(PushError, match=word) as found:
        push(tree, server, token=token)
    assert "MY_TOKEN" in found.value.hint
    assert not token or token not in f"{found.value.message}{found.value.hint}"
    assert len(server.log) == 1


def test_with_the_right_token_every_request_has_it(server, tree):
    server.token = TOKEN
    assert push(tree, server, token=TOKEN).status == "ok"
    assert {asked.token for asked in server.log} == {TOKEN}


def test_a_redirect_is_refused_so_that_the_token_stays_here(server, tree):
    with serving(pushed_server.Server()) as other:
        server.script["/sync"] = [status(307, Location=f"{other.url}/sync")]
        with pytest.raises(PushError, match="sends elsewhere"):
            push(tree, server, token=TOKEN)
        assert not other.log


def test_what_is_no_scova_server_is_told(server, tree):
    for body in (b"<html>hello</html>", b"[]", {"missing": "x"}, {"missing": [1], "extra": []}):
        server.script["/sync"] = [status(200, body)]
        with pytest.raises(PushError, match="something else than expected"):
            push(tree, server)


# --- how fast, and how it ends


def test_the_rate_holds_at_the_server_retries_included(server, tmp_path):
    for number in range(60):
        write(tmp_path, f"{number}.txt", f"{number}\n")
    server.script["/index"] = [status(503), status(503)]
    push(tmp_path, server, rate=20.0)
    times = [asked.at for asked in server.log]
    assert len(times) >= 10
    # The moment a request arrives varies by what the machine does meanwhile, its number in all does not.
    assert times[-1] - times[0] >= (len(times) - 1) / 20.0 - 0.03


def test_a_push_that_is_stopped_says_what_is_left_and_the_next_goes_on(server, tree):
    done = push(tree, server, stop=lambda: server.count("/index") >= 2)
    assert (done.status, done.sent, done.left) == ("partial", 20, 5)
    assert "interrupted" in done.message
    server.forget()
    assert push(tree, server).sent == 5
    assert len(server.paths("/index")) == 5
    assert server.projects["p"] == texts(tree)


def test_a_push_that_is_stopped_before_anything_was_asked_says_so(server, tree):
    looks = iter([False] * 10)
    done = push(tree, server, stop=lambda: next(looks, True))
    assert (done.status, done.ended_early, done.left, done.requests) == ("partial", True, 0, 0)


def test_a_push_ended_after_any_request_goes_on_to_the_same_state_and_sends_nothing_twice(tree):
    for count in itertools.count(1):
        with serving(pushed_server.Server()) as kept:
            kept.projects["p"] = {"gone/a.py": "1", "src/part0/file00.py": "old\n"}
            done = push(tree, kept, stop=lambda kept=kept, count=count: len(kept.log) >= count)
            assert push(tree, kept).status == "ok"
            assert kept.projects["p"] == texts(tree)
            assert len(kept.taken) == len(set(kept.taken)) == 25
        if done.status == "ok":
            break
    assert count > 4


def test_progress_is_told(server, tree):
    told = []
    server.projects["p"] = {"gone.py": "1"}
    push(tree, server, tell=told.append)
    assert [(one.done, one.total) for one in told if one.stage == "send"] == [(10, 25), (20, 25), (25, 25)]
    assert told[-1] == Progress("delete", 1, 1)


def test_a_manifest_holds_hashes_of_texts(tree):
    found = manifests.read_manifest(manifests.folder(tree), lambda number: None)
    assert {path: digest.hex() for path, digest in found.hashes.items()} == {
        path: hashlib.sha256(text.encode()).hexdigest() for path, text in texts(tree).items()
    }
