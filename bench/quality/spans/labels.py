"""All questions about one repository, placed in the tree as it is indexed: without the comments that are asked about."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from changed import changed
from described import described
from guided import guided
from question import Question, Span, moved
from repository import Clone, Repository
from tree import Tree
from tried import tried

EACH = 40  # of a kind, at most, from a repository


class Labels(NamedTuple):
    """The questions; and all files of the tree that is indexed."""

    questions: list[Question]
    files: dict[str, bytes]
    tree: Tree  # as it is indexed


def gather(clone: Clone, repository: Repository, *, each: int = EACH, seed: int = 0) -> Labels:
    """Answerable questions: the same for the same commits, number and seed."""
    files = clone.files(repository.base)
    tree = Tree(files)
    docs = described(tree, wanted=each, seed=seed)
    others = [
        *changed(tree, clone, repository, wanted=each, seed=seed),
        *guided(tree, wanted=each, seed=seed),
        *tried(tree, wanted=each, seed=seed),
    ]
    files |= {path: text.encode("utf-8", "surrogateescape") for path, text in docs.texts.items()}
    return Labels([*docs.questions, *replaced(others, docs.gone)], files, Tree(files))


def replaced(questions: Iterable[Question], gone: Mapping[str, list[int]]) -> list[Question]:
    """The questions placed in texts from which lines are gone; without those that have lost an answer."""
    made = []
    for one in questions:
        spans = [_moved(span, gone) for span in one.spans]
        whole = [span for span in spans if span is not None]
        if len(whole) == len(spans):
            made.append(one._replace(spans=tuple(whole), source=_moved(one.source, gone) if one.source else None))
    return made


def lay_out(files: Mapping[str, bytes], folder: Path) -> None:
    """Write a tree."""
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def _moved(span: Span, gone: Mapping[str, list[int]]) -> Span | None:
    return moved(span, gone[span.path]) if span.path in gone else span
