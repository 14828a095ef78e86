"""One evaluation from beginning to end: questions are made, asked of every system, and judged.

Questions from history and tests are asked of the folder's own index, brought up to date; those from documentation of a copy in a
temporary folder. Further embedders have indexes of their own there, so that the folder's index keeps its vectors. Nothing is ever
written below the folder.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from scova import config as settings
from scova.core import own_folder
from scova.core.path_text import stored
from scova.embed.opening import is_remote
from scova.errors import UsageError
from scova.evaluation.copying import copies, copy
from scova.evaluation.grepping import grepped
from scova.evaluation.labels import Drawn, Labels, Wanted, gather, reader
from scova.evaluation.measures import files_of
from scova.evaluation.question import Kind, Question
from scova.evaluation.result import Evaluation, Judged, differences, judge, scored
from scova.evaluation.systems import GREP, Chosen, System, Tell, asked, require_vectors, systems_of
from scova.index import Index
from scova.index.secrets import secret_rules
from scova.record import record

QUESTIONS = 200
WAIT_SECONDS = 60.0  # for another writer


@record
class Options:
    """What is evaluated."""

    questions: int = QUESTIONS
    seed: int = 0
    kinds: tuple[Kind, ...] = tuple(Kind)
    embedders: tuple[Chosen, ...] = ()  # none: the one that the settings name
    data: str | None = None  # where the folder's index lives


def evaluate(path: str, options: Options, tell: Tell | None = None) -> Evaluation:
    """How well each system finds the files that answer questions about this folder. UsageError when there are no questions."""
    started = time.monotonic()
    _check(options)
    with Index.open(path, data=options.data) as index, _room(index.root) as place:
        chosen = _chosen(index, options.embedders)
        index.refresh(tell, wait_seconds=WAIT_SECONDS)
        labels = gather(index, Wanted(options.questions, options.seed, options.kinds))
        if not labels.here and not labels.copied:
            raise UsageError(f"`{index.root}` has nothing to ask about: {_reasons(labels.drawn)}", _HINT)
        run = _Run(index, chosen, place, tell)
        judged = [*run.here(labels), *run.copied(labels)]
        systems = [system for system, _ in systems_of(chosen)]
        return Evaluation(
            root=stored(index.root),
            files=len(index.files()),
            seed=options.seed,
            drawn=labels.drawn,
            systems=tuple(scored(system, judged, options.seed) for system in (*systems, _GREP)),
            differences=differences(systems, _GREP, judged, options.seed),
            judged=tuple(judged),
            seconds=time.monotonic() - started,
        )


@contextmanager
def _room(root: Path) -> Iterator[Path]:
    """A folder for copies and their indexes, removed at the end; it lies in the user's cache, where nobody else can read it."""
    place = copies(settings.cache_folder())
    if place.resolve().is_relative_to(root):
        raise UsageError(f"temporary files would lie in `{root}`", "set SCOVA_CACHE to a folder outside of it")
    own_folder.make(place)
    for left in place.glob("*-*"):
        if not _is_running(left.name.partition("-")[0]):  # it was killed
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{os.getpid()}-", dir=place) as folder:
        yield Path(folder).resolve()


def _is_running(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ValueError, OverflowError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True


_GREP = System(GREP, GREP)
_HINT = "give a folder with git history, documented functions or tests, or other --kinds"


def _check(options: Options) -> None:
    if options.questions < 1:
        raise UsageError(f"{options.questions} questions are none", "give --questions a number of 1 or more")
    if not options.kinds:
        raise UsageError("there are no kinds of questions", f"kinds are: {', '.join(Kind)}")


def _reasons(drawn: Sequence[Drawn]) -> str:
    return "; ".join(f"{one.kind}: {one.note}" for one in drawn)


def _in_force(index: Index) -> Chosen:
    config = index.config
    return Chosen(config.embedder, config.embedder_model if is_remote(config.embedder) else "")


def _chosen(index: Index, named: Sequence[Chosen]) -> tuple[Chosen, ...]:
    """What is evaluated: what was named, each once, or else what is in force."""
    chosen = tuple(_whole(index, one) for one in named) or (_in_force(index),)
    for place, one in enumerate(chosen):
        if one in chosen[:place]:
            model = f" with the model `{one.model}`" if one.model else ""
            raise UsageError(f"the embedder `{one.spec}`{model} is named twice", "name each once")
    return chosen


def _whole(index: Index, chosen: Chosen) -> Chosen:
    """With the model that the settings name, where none was given for an endpoint."""
    if is_remote(chosen.spec):
        return chosen._replace(model=chosen.model or index.config.embedder_model)
    if chosen.model:
        raise UsageError(
            f"`{chosen.spec}` is one model: it takes no name", "give --embedder-model behind an address only"
        )
    return chosen


class _Run:
    """All questions asked of all systems. Temporary indexes and the copy lie in `folder`."""

    def __init__(self, index: Index, chosen: Sequence[Chosen], folder: Path, tell: Tell | None) -> None:
        self._index = index
        self._chosen = chosen
        self._folder = folder
        self._tell = tell

    def here(self, labels: Labels) -> list[Judged]:
        """Questions about the folder as it is."""
        if not labels.here:
            return []
        return self._judged(self._index, labels.here, own=_in_force(self._index), data=self._folder / "indexes")

    def copied(self, labels: Labels) -> list[Judged]:
        """Questions about a copy, from which the comments in question are gone."""
        if not labels.copied:
            return []
        target = self._folder / "copy" / (self._index.root.name or "root")
        copy(self._index.root, self._index.files(), target, changed=labels.changed)
        data = self._folder / "copied"
        with self._opened(target, self._chosen[0], data / "own") as index:
            return self._judged(index, labels.copied, own=self._chosen[0], data=data)

    def _judged(self, index: Index, questions: Sequence[Question], *, own: Chosen, data: Path) -> list[Judged]:
        """Every question, asked of every system. This index serves its own embedder, others have one each below `data`."""
        found: dict[str, list[list[str]]] = {}
        for number, one in enumerate(self._chosen):
            with nullcontext(index) if one == own else self._opened(index.root, one, data / str(number)) as serving:
                require_vectors(serving.refresh(self._tell, wait_seconds=WAIT_SECONDS))
                for system, which in systems_of(self._chosen):
                    if which == number:
                        found[system.name] = asked(serving, system, questions, self._tell)
        grep = grepped(questions, self._index.files(), reader(index))
        found[GREP] = [files_of(paths, one.ignored) for one, paths in zip(questions, grep, strict=True)]
        return [
            judge(question, {name: rankings[number] for name, rankings in found.items()})
            for number, question in enumerate(questions)
        ]

    def _opened(self, root: Path, one: Chosen, data: Path) -> Index:
        """A temporary index with the settings of the folder's own, but for the embedder."""
        config = self._index.config
        return Index.open(
            root,
            data=str(data),
            embedder=one.spec,
            embedder_model=one.model or None,
            max_file_bytes=config.max_file_bytes,
            include=config.include,
            exclude=config.exclude,
            languages=config.languages,
            index_secrets=config.index_secrets,
            allow_secrets=secret_rules(config).below(self._index.root).allowed,
            workers=config.workers,
        )
