"""The index that a question is asked of: up to date, or an answer from it says how old it is. Knows no question."""

import os
import time
from argparse import Namespace
from collections.abc import Callable
from typing import TypeVar

from scova.cli import render
from scova.cli.look import Changed, Look
from scova.cli.running.around import tell_of_one_around
from scova.cli.running.progress import stages
from scova.cli.words import data_of
from scova.core.deadline import Deadline, asking
from scova.errors import IndexBusy, IndexReadOnly, UsageError
from scova.index import Index
from scova.types import UNKNOWN_FRESHNESS

FIRST_BUILD_SECONDS = 600.0

Answer = TypeVar("Answer")
Sure = Callable[[], None]  # returns when what was found may be shown


def answered(arguments: Namespace, ask: Callable[[Index, Sure], Answer], *, dated: bool = True) -> Answer:
    """What the index of the folder that was named answers, refreshed unless that was not wanted or another process is writing.
    When it is not up to date, and the answer is `dated`, the tree is looked at to say how old it is, a stat per file.

    A large tree is looked at by other processes while the question is asked already; if they find a change, it is asked
    again. So `ask` shows nothing before it has called the function that it is given.
    """
    _refuse_swapped(arguments)

    def question(index: Index, sure: Sure) -> Answer:
        with asking(Deadline(index.config.deadline_ms / 1000)):
            return ask(index, sure)

    answer = _as_fresh_as_can_be(arguments, question, dated=dated)
    tell_cuts(answer)
    return answer


def tell_cuts(answer: object) -> None:
    """Say what an answer lacks, if it is one that may lack anything."""
    for sentence in getattr(answer, "cut", ()):
        render.talk(f"note: {sentence}")


def _as_fresh_as_can_be(arguments: Namespace, ask: Callable[[Index, Sure], Answer], *, dated: bool) -> Answer:
    with Index.open(arguments.path, data=data_of(arguments)) as index:
        if not arguments.no_refresh and index.config.refresh:
            deadline = time.monotonic() + index.config.wait_ms / 1000
            try:
                answer = at_once(index, ask)
            except Changed:
                tell_of_one_around(index, arguments)
            else:
                if not _is_overtaken(answer):
                    return answer
            while _is_refreshed(index, deadline):
                answer = ask(index, lambda: None)
                if not _is_overtaken(answer) or time.monotonic() >= deadline:
                    return answer
            dated = True
        if dated:
            index.pending_files()
        return ask(index, lambda: None)


def _refuse_swapped(arguments: Namespace) -> None:
    """UsageError for a folder where the question belongs, and the question where the folder does."""
    named = (getattr(arguments, word, None) for word in ("query", "pattern", "name"))
    asked, path = next(filter(None, named), ""), arguments.path
    if not os.path.lexists(path) and os.path.isdir(asked):  # noqa: PTH112 - a question may be too long for a Path
        raise UsageError(
            f"`{path}` is not a folder, and `{asked}` is one",
            f'what is looked for comes first, then the folder: "{path}" {asked}',
        )


def at_once(index: Index, ask: Callable[[Index, Sure], Answer]) -> Answer:
    """The answer from the index as it is; raises Changed when that is not up to date."""
    with Look(index) as look:
        try:
            answer = ask(index, look.require_unchanged)
        except Exception:
            look.require_unchanged()  # what goes wrong with an index that is out of date, a refresh may mend
            raise
        look.require_unchanged()
        return answer


def _is_overtaken(answer: object) -> bool:
    """Whether something was left out of an answer because its file had changed again before it could be shown."""
    return bool(getattr(answer, "freshness", UNKNOWN_FRESHNESS).dropped)


def _is_refreshed(index: Index, deadline: float) -> bool:
    """Refresh, since something changed. When another process is still writing at the deadline, or nobody can write, answer from
    what there is; the first build of a folder is waited for, since there is nothing to answer from before its end."""
    with stages() as progress:
        try:
            report = index.refresh(progress, wait_seconds=max(0.0, deadline - time.monotonic()))
        except IndexReadOnly as frozen:
            if not index.is_complete:
                raise
            render.talk(f"{frozen.message}; answering from the index as it is")
            return False
        except IndexBusy as busy:
            if index.is_complete:
                render.talk(f"{busy.message}; answering from the index as it is")
                return False
            render.talk(f"{busy.message}; waiting up to {FIRST_BUILD_SECONDS:g} s for it")
            report = index.refresh(progress, wait_seconds=FIRST_BUILD_SECONDS)
    if report.note:
        render.talk(f"note: {report.note}")
    return True
