"""A build that is cut short by whoever hears of its progress: its workers end at once, and what was committed stays."""

import multiprocessing

import pytest

from scova import Index
from scova.build import embed


class Enough(Exception):
    pass


def write_tree(root, files):
    for number in range(files):
        root.mkdir(parents=True, exist_ok=True)
        body = "\n\n".join(f"def function_{number}_{i}(value):\n    return value + {number * i}\n" for i in range(12))
        (root / f"module_{number}.py").write_text(body)


def cut_at(stage, seen):
    def tell(progress):
        seen.append(progress)
        if progress.stage == stage and progress.done:
            raise Enough

    return tell


def test_while_files_are_parsed(tmp_path):
    write_tree(tmp_path / "tree", 600)
    seen = []
    with Index.open(tmp_path / "tree", workers=2) as index:
        with pytest.raises(Enough) as raised:
            index.refresh(cut_at("parse", seen))
        assert multiprocessing.active_children() == [], f"even while {raised.value!r} is kept, with its frames"
        committed = seen[-1].done
        assert 0 < committed < 600 and seen[-1].chunks > 0 and seen[-1].bytes > 0
        report = index.refresh()
        assert (report.added, report.unchanged, report.changed) == (600 - committed, committed, 0)
        assert index.audit() == []


def test_while_chunks_are_embedded(tmp_path, monkeypatch):
    write_tree(tmp_path / "tree", 60)
    monkeypatch.setattr(embed, "INLINE_CHUNKS", 0)
    with Index.open(tmp_path / "tree", embedder="none") as index:
        index.refresh()
    seen = []
    with Index.open(tmp_path / "tree", workers=2) as index:
        with pytest.raises(Enough) as raised:
            index.refresh(cut_at("embed", seen))
        assert multiprocessing.active_children() == [], f"even while {raised.value!r} is kept, with its frames"
        index.refresh()
        assert index.audit() == []
