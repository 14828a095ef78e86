"""One repository from beginning to end: its tree is laid out and indexed once, every question is asked of every system and judged."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from labels import Labels, lay_out
from losses import reasons
from question import Kind, Question
from repository import Repository
from scores import Score, score
from systems import GREP, MODES, NO_VECTORS, SEMBLE_CODE, Told, grep, opened, peer, scova, without_vectors

HYBRID = MODES[0].value


class Row(NamedTuple):
    """One question: what each system made of it."""

    repository: str
    language: str
    question: Question
    scores: Mapping[str, Score]  # by system; empty for a question without an answer
    nothing: Mapping[str, bool]  # by system: whether it said so
    reasons: tuple[str, ...] = ()  # why scova was behind grep or semble, or did not answer within ten results
    whole_files: int = 0  # characters of the files that are read up to the first right one, by grep's order of files


def rows_of(repository: Repository, labels: Labels, questions: Sequence[Question], model: str | None = "") -> list[Row]:
    """Every question, asked of every system. `model` is a folder with semble's own; none: it is not asked."""
    with tempfile.TemporaryDirectory(prefix="scova-spans-") as scratch:
        folder, made = Path(scratch, repository.name), Path(scratch, "model")
        lay_out(labels.files, folder)
        told: dict[str, list[Told]] = {}
        data = Path(scratch, "index", "data")
        with opened(folder, data) as index:
            indexed = set(index.files())
            for mode in MODES:
                told[mode.value] = scova(index, questions, mode)
        told[NO_VECTORS] = without_vectors(folder, data, questions)
        told[GREP] = grep(labels.tree.texts, questions)
        ask = None if model is None else peer(model, made)
        told |= ask(folder, questions) if ask else {}
    return [
        _row(repository, labels, (one, {name: all_[n] for name, all_ in told.items()}), indexed)
        for n, one in enumerate(questions)
    ]


def _row(repository: Repository, labels: Labels, asked: tuple[Question, dict[str, Told]], indexed: set[str]) -> Row:
    question, told = asked
    nothing = {name: one.nothing for name, one in told.items()}
    row = Row(repository.name, repository.language, question, {}, nothing)
    if question.kind is Kind.NOTHING:
        return row
    scores = {name: score(one.found, question, one.files) for name, one in told.items()}
    lost = any(scores[HYBRID].ndcg < scores[name].ndcg for name in (GREP, SEMBLE_CODE) if name in scores)
    why: list[str] = []
    if lost or not scores[HYBRID].reciprocal:
        why = reasons({mode.value: told[mode.value].found for mode in MODES}, question, labels.tree.texts, indexed)
    return row._replace(
        scores=scores, reasons=tuple(why), whole_files=_read_whole(told[GREP], question, labels.tree.texts)
    )


def _read_whole(told: Told, question: Question, texts: Mapping[str, str]) -> int:
    """Characters of whole files, in grep's order, up to the first that holds an answer; of ten, if none does."""
    wanted, read = {span.path for span in question.spans}, 0
    for path in [path for path in told.files or () if path not in question.ignored][:10]:
        read += len(texts[path])
        if path in wanted:
            break
    return read
