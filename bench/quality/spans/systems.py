"""What is compared, on one tree: scova in its modes, grep for keywords, and semble where it is installed.

Each is given a folder once and a question at a time, and answers with results, best first. Nothing here knows the right answers.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from question import Question, Span
from scores import Found

from scova import Index
from scova.evaluation.grepping import grepped
from scova.types import ChunkType, Mode, Query

ASKED = 20  # results, since some may stand where the question was taken from
WINDOW = 40  # lines: what grep shows of a file
MODES = (Mode.HYBRID, Mode.TEXT, Mode.VECTOR)
NO_VECTORS = "hybrid, no vectors"
GREP, SEMBLE_CODE, SEMBLE_ALL = "grep", "semble, code", "semble, all files"


class Told(NamedTuple):
    """What a system answered to one question."""

    found: list[Found]
    files: list[str] | None = None  # a ranking of files of its own
    nothing: bool = False  # it said that nothing here is relevant


@contextmanager
def opened(folder: Path, data: Path) -> Iterator[Index]:
    """An index of this folder, made anew."""
    with Index.open(str(folder), data=str(data)) as index:
        index.refresh()
        yield index


def without_vectors(folder: Path, data: Path, questions: Sequence[Question]) -> list[Told]:
    """The answers of scova's ranking by words and names alone, from an index that is there: what is like semble without its model."""
    with Index.open(str(folder), data=str(data), embedder="none") as index:
        return scova(index, questions, Mode.HYBRID)


def scova(index: Index, questions: Sequence[Question], mode: Mode) -> list[Told]:
    """The answers of scova in one mode."""
    told = []
    for question in questions:
        answer = index.search(Query(question.text, mode=mode, limit=ASKED))
        told.append(Told([_entry(one.chunk) for one in answer.results], nothing=answer.nothing_relevant))
    return told


def _entry(chunk: Any) -> Found:
    """A map of a file tells of all its lines and shows none of them."""
    span = Span(chunk.file_path, chunk.start_line, chunk.end_line)
    return Found(span, len(chunk.text), chunk.chunk_type is not ChunkType.SYMBOLS)


def grep(texts: Mapping[str, str], questions: Sequence[Question]) -> list[Told]:
    """Windows of lines by how many distinct words of the question they hold, rare words weighing more; files by the same."""
    windows = dict(_windows(texts))
    asked: Any = questions  # only their text is looked at
    spans = grepped(asked, windows, lambda name: windows[name][1])
    files = grepped(asked, texts, texts.get)
    return [
        Told([Found(windows[name][0], len(windows[name][1])) for name in names[:ASKED]], paths)
        for names, paths in zip(spans, files, strict=True)
    ]


def _windows(texts: Mapping[str, str]) -> Iterator[tuple[str, tuple[Span, str]]]:
    for path, text in texts.items():
        rows = text.split("\n")
        for start in range(0, len(rows), WINDOW):
            part = rows[start : start + WINDOW]
            yield f"{path}\0{start:09}", (Span(path, start + 1, start + len(part)), "\n".join(part))


def semble(folder: Path, questions: Sequence[Question], *, everything: bool, model: str) -> list[Told]:
    """The answers of semble: with the model in a folder, or, if that is one of ours (`words_only`), by words and its ranking alone."""
    from semble import SembleIndex
    from semble.types import ContentType

    content = tuple(ContentType) if everything else (ContentType.CODE,)
    index = SembleIndex.from_path(folder, content=content, model_path=model)
    weight = 0.0 if (Path(model) / WORDLESS).exists() else None
    return [
        Told([_result(one.chunk) for one in index.search(one.text, top_k=ASKED, alpha=weight)]) for one in questions
    ]


def _result(chunk: Any) -> Found:
    return Found(Span(str(chunk.file_path), chunk.start_line, chunk.end_line), len(chunk.content))


WORDLESS = "no-meaning"


def words_only(folder: Path) -> str:
    """A model that means nothing, for semble without its own: it cannot be opened without one."""
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, pre_tokenizers

    letters = random.Random(0).sample("abcdefghijklmnopqrstuvwxyz", 26)
    tokenizer = Tokenizer(
        models.WordPiece(vocab={"[UNK]": 0} | {c: n for n, c in enumerate(letters, 1)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    vectors = np.random.default_rng(0).standard_normal((27, 4)).astype(np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(str(folder))
    (folder / WORDLESS).touch()
    return str(folder)


def peer(model: str, scratch: Path) -> Callable[[Path, Sequence[Question]], dict[str, list[Told]]] | None:
    """Both ways to ask semble, if it is installed; without its model by words, with one that is made in `scratch`."""
    try:
        import semble as _installed  # noqa: F401
    except ImportError:
        return None
    chosen = model or words_only(scratch)
    return lambda folder, questions: {
        SEMBLE_CODE: semble(folder, questions, everything=False, model=chosen),
        SEMBLE_ALL: semble(folder, questions, everything=True, model=chosen),
    }
