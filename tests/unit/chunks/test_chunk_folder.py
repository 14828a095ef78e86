"""A ChunkManager over a folder of chunk files: read once per reload, exact about what changed, undisturbed by damage."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from exchanged import files, plain, stamped, write, write_plain
from parsed import parsed
from scova.chunks.exchange.names import Format
from scova.chunks.folder import ChunkFolder
from scova.errors import ExchangeError, NotAFolder
from scova.search.searchers.text import TextSearcher
from scova.watch.folders import follow
from until import until_old

BOTH = pytest.mark.parametrize("form", list(Format))


def old(folder):
    """As if the files had been written a while ago, which nobody need wait for."""
    for path in folder.iterdir():
        path.touch()
    until_old(folder)  # the time of the last change cannot be set


def ids(chunks):
    return sorted(chunk.id for chunk in chunks)


@BOTH
def test_the_manager_serves_what_the_files_say(tmp_path, form):
    write(tmp_path, form=form)
    folder = ChunkFolder(tmp_path)
    assert len(folder.manager.current) == 0 and folder.manager.last_reload_time == 0.0
    changes = folder.reload()
    current = folder.manager.current
    chunks = [chunk for file in files() for chunk in file.chunks]
    assert len(current) == len(chunks) and ids(current.all()) == ids(chunks) == ids(changes.added)
    assert current.by_id(chunks[0].id).text == chunks[0].text
    assert [chunk.ordinal for chunk in current.by_file("a.py")] == [0, 1, 2, 3]
    assert folder.manager.last_reload_time > 0


def test_files_are_read_once_per_reload_however_many_searchers_there_are(tmp_path):
    write(tmp_path)
    folder = ChunkFolder(tmp_path)
    searchers = [TextSearcher.open(None, []) for _ in range(3)]
    for number in range(1, 4):
        write(tmp_path, [stamped(parsed("a.py", "same words", f"other {number}"))])
        changes = folder.reload()
        searchers = [one.update_incremental(changes.added, changes.updated, changes.deleted) for one in searchers]
        assert folder.reads == folder.manager.loads == number
    for one in searchers:
        assert len(one.search("words", 5)) == 1 and len(one.search("other", 5)) == 1


def test_what_stays_the_same_keeps_its_row_and_is_no_change(tmp_path):
    folder = ChunkFolder(tmp_path)
    write(tmp_path, [stamped(parsed("a.py", "one", "two", "three"))])
    folder.reload()
    before = {chunk.text: chunk.row for chunk in folder.manager.current.all()}
    assert not folder.reload(), "nothing changed"
    write(tmp_path, [stamped(parsed("0.py", "zero")), stamped(parsed("a.py", "one", "2", "three"))])
    changes = folder.reload()
    after = {chunk.text: chunk.row for chunk in folder.manager.current.all()}
    assert [one.text for one in changes.added] == ["zero"] and [one.text for one in changes.updated] == ["2"]
    assert [row for row, _ in changes.deleted] == [before["two"]]
    assert after["one"] == before["one"] and after["three"] == before["three"]
    assert not set(before.values()) & {after["2"], after["zero"]}
    write(tmp_path, [stamped(parsed("a.py", "one"))])
    changes = folder.reload()
    assert {row for row, _ in changes.deleted} == {after["2"], after["three"], after["zero"]} and not changes.added


def test_rows_stay_the_same_for_chunks_of_other_programs_too(tmp_path):
    write_plain(tmp_path, plain("a.py", "one\n"), plain("a.py", "two\n"))
    folder = ChunkFolder(tmp_path)
    folder.reload()
    write_plain(tmp_path, plain("a.py", "one\n"), plain("a.py", "two\n", title="told"))
    assert [one.title for one in folder.reload().updated] == ["told"]


def test_a_set_that_was_handed_out_does_not_change(tmp_path):
    folder = ChunkFolder(tmp_path)
    write(tmp_path, [stamped(parsed("a.py", "one"))])
    folder.reload()
    held = folder.manager.current
    write(tmp_path, [stamped(parsed("a.py", "two"))])
    folder.reload()
    assert [chunk.text for chunk in held.all()] == ["one"]
    assert [chunk.text for chunk in folder.manager.current.all()] == ["two"]


def test_a_damaged_file_is_named_and_the_set_stays(tmp_path):
    write(tmp_path)
    folder = ChunkFolder(tmp_path)
    folder.reload()
    current = folder.manager.current
    good = (tmp_path / "code-data.json").read_bytes()
    (tmp_path / "code-data.json").write_bytes(good[:-40])
    for _ in range(2):
        with pytest.raises(ExchangeError, match=r"code-data.json"):
            folder.reload()
    assert folder.manager.current is current and len(current) == 5 and folder.reads == 1
    (tmp_path / "code-data.json").write_bytes(good)
    assert not folder.reload(), "everything is as it was"


def test_changed_tells_by_the_files_alone(tmp_path):
    write(tmp_path)
    old(tmp_path)
    folder = ChunkFolder(tmp_path)
    assert folder.changed()
    folder.reload()
    assert not folder.changed()
    (tmp_path / "unrelated.txt").write_text("x")
    assert not folder.changed()
    write_at = tmp_path / "doc-chunks.json"
    same_size = write_at.read_bytes()
    status = write_at.stat()
    write_at.write_bytes(same_size)
    os.utime(write_at, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert folder.changed(), "an old time set on new content is noticed"
    old_now = ChunkFolder(tmp_path)
    write_at.unlink()
    assert old_now.changed() and folder.changed()


def test_a_file_written_just_now_is_looked_at_once_more(tmp_path):
    """Two writes within the clock's grain look the same; so a young file is not trusted yet."""
    write(tmp_path)
    folder = ChunkFolder(tmp_path)
    folder.reload()
    assert folder.changed()
    old(tmp_path)
    folder.reload()
    assert not folder.changed()


def test_damage_that_was_reported_is_not_read_again_before_it_is_touched(tmp_path):
    write(tmp_path)
    (tmp_path / "code-data.json").write_text("no")
    old(tmp_path)
    folder = ChunkFolder(tmp_path)
    with pytest.raises(ExchangeError):
        folder.reload()
    assert not folder.changed()


def test_an_empty_folder_is_an_empty_set_and_none_at_all_is_an_error(tmp_path):
    folder = ChunkFolder(tmp_path)
    assert not folder.reload() and len(folder.manager.current) == 0
    with pytest.raises(NotAFolder):
        ChunkFolder(tmp_path / "nowhere").reload()


def test_threads_share_a_folder(tmp_path):
    folder = ChunkFolder(tmp_path)
    write(tmp_path, [stamped(parsed(f"{n}.py", f"text {n}")) for n in range(50)])
    with ThreadPoolExecutor(8) as pool:
        for outcome in [pool.submit(folder.reload) for _ in range(16)]:
            outcome.result()
    assert len(folder.manager.current) == 50


# --- followed


class Following:
    """Takes what `follow` gives in a thread of its own, as a server would."""

    def __init__(self, folder, **options):
        self.stop = threading.Event()
        self.seen = []
        self.news = threading.Condition()
        self.thread = threading.Thread(target=self._run, args=(folder, options))
        self.thread.start()

    def _run(self, folder, options):
        for reload in follow(folder, self.stop, **options):
            with self.news:
                self.seen.append(reload)
                self.news.notify_all()

    def wait_for(self, count):
        with self.news:
            assert self.news.wait_for(lambda: len(self.seen) >= count, timeout=120), f"{len(self.seen)} of {count}"
            return self.seen[count - 1]

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop.set()
        self.thread.join(120)
        assert not self.thread.is_alive()


def test_a_folder_is_followed_with_the_usual_debounce(tmp_path):
    write(tmp_path, [stamped(parsed("a.py", "one"))])
    folder = ChunkFolder(tmp_path)
    with Following(folder) as following:
        first = following.wait_for(1)
        assert [one.text for one in first.changes.added] == ["one"] and first.problem is None
        for text in ("two", "three", "four"):  # many writes in a row are one reload
            write(tmp_path, [stamped(parsed("a.py", text))])
        second = following.wait_for(2)
        assert [chunk.text for chunk in folder.manager.current.all()] == ["four"]
        assert [one.text for one in second.changes.updated] == ["four"]
        assert folder.reads == 2


def test_a_corrupt_write_is_reported_and_the_old_set_stays_until_it_is_mended(tmp_path):
    write(tmp_path, [stamped(parsed("a.py", "one"))])
    folder = ChunkFolder(tmp_path)
    with Following(folder, quiet=0.2) as following:
        following.wait_for(1)
        (tmp_path / "code-symbols.json").write_text('{"chunks": [{"id": ')
        broken = following.wait_for(2)
        assert "code-symbols.json" in broken.problem.message and not broken.changes
        assert [chunk.text for chunk in folder.manager.current.all()] == ["one"]
        write(tmp_path, [stamped(parsed("a.py", "two"))])
        mended = following.wait_for(3)
        assert mended.problem is None
        assert [chunk.text for chunk in folder.manager.current.all()] == ["two"]


def test_a_folder_that_is_made_and_replaced_while_it_is_followed(tmp_path):
    place = tmp_path / "chunks"
    folder = ChunkFolder(place)
    with Following(folder, quiet=0.2) as following:
        nothing = following.wait_for(1)
        assert isinstance(nothing.problem, NotAFolder)
        write(place, [stamped(parsed("a.py", "one"))])
        following.wait_for(2)
        assert [chunk.text for chunk in folder.manager.current.all()] == ["one"]
        write(tmp_path / "other", [stamped(parsed("a.py", "two"))])
        place.rename(tmp_path / "gone")
        (tmp_path / "other").rename(place)
        number = 3
        while [chunk.text for chunk in folder.manager.current.all()] != ["two"]:
            following.wait_for(number)
            number += 1


def test_other_files_in_the_folder_are_no_reason_to_read(tmp_path):
    write(tmp_path, [stamped(parsed("a.py", "one"))])
    old(tmp_path)
    folder = ChunkFolder(tmp_path)
    with Following(folder, quiet=0.05) as following:
        following.wait_for(1)
        (tmp_path / "notes.txt").write_text("x")
        (tmp_path / ".chunks.jsonl.1.unfinished").write_text("x")
        (tmp_path / "notes.txt").unlink()
        write(tmp_path / "sub", [stamped(parsed("b.py", "b"))])
        following.thread.join(0.5)
        assert len(following.seen) == 1 and folder.reads == 1


def test_two_who_reload_at_once_leave_the_newer_set(tmp_path, monkeypatch):
    """The one who read first must not be the last to swap: nobody would read again, since the files have not changed."""
    write(tmp_path, [stamped(parsed("a.py", "one"))])
    folder, others = ChunkFolder(tmp_path), []
    detect = folder.manager.detect_changes

    def detecting(chunk_set):
        if not others:  # the first has read, and has not swapped yet
            write(tmp_path, [stamped(parsed("a.py", "two"))])
            old(tmp_path)
            others.append(threading.Thread(target=folder.reload))
            others[0].start()
            others[0].join(0.5)  # as far as it gets
        return detect(chunk_set)

    monkeypatch.setattr(folder.manager, "detect_changes", detecting)
    folder.reload()
    others[0].join(120)
    assert [chunk.text for chunk in folder.manager.current.all()] == ["two"]
    assert not folder.changed()
