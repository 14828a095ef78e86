"""How far a command is, drawn on stderr while that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scova.types import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

STAGES = {
    "scan": "looking for changes",
    "fetch": "fetching",
    "parse": "reading and parsing",
    "text": "writing the text index",
    "embed": "embedding",
    "vectors": "writing the vectors",
    "grams": "writing the n-grams",
    "graph": "building the graph over the vectors",
    "ask": "asking questions",
    "hash": "hashing",
    "send": "sending",
    "delete": "deleting what is gone",
}


@contextmanager
def bars() -> "Iterator[Bars | None]":
    """Bars with rate and remaining time on stderr while it is a terminal; None otherwise."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description:<22}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Drawn when there is news, not by a thread of its own: worker processes start fastest while there is only one thread.
    with Bars(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as shown:
        yield shown


@contextmanager
def stages() -> Iterator[Callable[[Progress], None] | None]:
    """Stage, bar, rate and remaining time on a terminal; nothing otherwise."""
    with bars() as drawn:
        if drawn is None:
            yield None
            return
        shown: dict[str, TaskID] = {}

        def show(state: Progress) -> None:
            if state.stage not in shown:
                for earlier in shown.values():
                    drawn.update(earlier, visible=False)
                shown[state.stage] = drawn.add_task(STAGES[state.stage], total=state.total or None)
            drawn.update(shown[state.stage], completed=state.done, total=state.total or None)
            drawn.refresh()

        yield show
