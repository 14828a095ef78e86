"""What is compared: modes of search with an embedder, and grep. Asks questions; judges no answer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from scova.counted import counted
from scova.embed.opening import ONNX
from scova.errors import EmbedderError
from scova.evaluation.measures import files_of
from scova.evaluation.question import Question
from scova.index import Index
from scova.types import Mode, Progress, Query, Report

CHUNKS = 50  # asked for, since several may lie in one file
GREP = "grep"
NO_EMBEDDER = "none"

Tell = Callable[[Progress], None]


class Chosen(NamedTuple):
    """An embedder by the words of the settings."""

    spec: str
    model: str = ""  # of an endpoint

    @property
    def label(self) -> str:
        """What it is called in tables."""
        return self.model or (f"{ONNX}{Path(self.spec).name}" if self.spec.startswith(ONNX) else self.spec)


class System(NamedTuple):
    """One way to find files."""

    name: str  # unique in one evaluation
    mode: str  # of search, or grep
    embedder: str = ""  # as chosen; empty where none has a say
    model: str = ""


def systems_of(chosen: Sequence[Chosen]) -> list[tuple[System, int]]:
    """Every system with the number of its embedder. What does not depend on an embedder is asked with the first."""
    found = []
    for number, one in enumerate(chosen):
        behind = "" if len(chosen) == 1 else f" {one.label}" if _is_unique(one, chosen) else f" {one.label} {one.spec}"
        found.append((System(f"{Mode.HYBRID}{behind}", Mode.HYBRID, *one), number))
        if one.spec != NO_EMBEDDER:
            found.append((System(f"{Mode.VECTOR}{behind}", Mode.VECTOR, *one), number))
    return [*found, *((System(mode.value, mode.value), 0) for mode in (Mode.TEXT, Mode.SYMBOL))]


def asked(index: Index, system: System, questions: Sequence[Question], tell: Tell | None = None) -> list[list[str]]:
    """For each question the files that a system finds, best first."""
    found = []
    for number, question in enumerate(questions, 1):
        answer = index.search(Query(question.text, mode=Mode(system.mode), limit=CHUNKS))
        if system.embedder not in ("", NO_EMBEDDER) and answer.freshness.tiers.get("vectors") is False:
            raise EmbedderError(
                f"`{system.embedder}` did not answer while `{question.text}` was asked", "run it again when it does"
            )
        found.append(files_of((result.chunk.file_path for result in answer.results), question.ignored))
        if tell is not None:
            tell(Progress("ask", number, len(questions)))
    return found


def require_vectors(report: Report) -> None:
    """EmbedderError when a build ended without all vectors: figures of half an index would mislead."""
    if report.pending_embeddings:
        raise EmbedderError(
            f"{counted(report.pending_embeddings, 'chunk has', 'chunks have')} no vector: {report.note}",
            "run it again: what was embedded is kept",
        )


def _is_unique(one: Chosen, chosen: Sequence[Chosen]) -> bool:
    return sum(other.label == one.label for other in chosen) == 1
