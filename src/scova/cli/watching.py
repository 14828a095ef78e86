"""`scova watch`: keeps an index fresh until it is told to stop."""

import signal
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from scova.cli import render
from scova.cli.exact import show
from scova.cli.words import FOUND, Words, data_of
from scova.index import Index
from scova.live import Live


def add_words(command: ArgumentParser) -> None:
    """The words of the command, but for those that most have."""
    command.add_argument("--quiet-ms", type=int, metavar="N", help="act once nothing changed for N ms (default: 500)")
    command.add_argument("--max-wait-ms", type=int, metavar="N", help="and N ms after the first change (default: 2000)")
    command.add_argument(
        "--bulk", type=int, metavar="N", help="more than N changed paths: one look at the whole tree (default: 100)"
    )


def watch(arguments: Namespace) -> int:
    """`scova watch`: until Ctrl-C or SIGTERM, both of which are a proper end."""
    say = render.at_once if arguments.json else render.talk
    chosen = dict(watch_quiet_ms=arguments.quiet_ms, watch_max_wait_ms=arguments.max_wait_ms, watch_bulk=arguments.bulk)
    with Index.open(arguments.path, data=data_of(arguments), **chosen) as handle:
        render.talk(f"watching {render.clean(str(handle.root))} (index in {render.clean(str(handle.layout.root))})")
        live = Live(
            handle,
            tell=lambda work, done: say(
                show.as_json(done) if arguments.json else show.worked(done, sorted(work.paths))
            ),
            tell_role=lambda who: render.talk(show.watch_role(who)),
        )
        _until_ended(live.run)
    render.talk("stopped")
    return FOUND


class _Ending:
    """Set by a signal. Takes no lock, unlike an Event of threading, which could wait for ever for the code it interrupts."""

    _is_near = False

    def is_set(self) -> bool:
        return self._is_near

    def wait(self, seconds: float) -> bool:
        time.sleep(seconds)
        return self._is_near

    def begin(self, number: int, frame: FrameType | None) -> None:
        """The first signal is heard between two steps, since an exception in the midst of one may be lost. The second is not patient."""
        if self._is_near:
            raise KeyboardInterrupt
        self._is_near = True


def _until_ended(run: Callable[[_Ending], None]) -> None:
    """Run until a signal says to stop."""
    ending = _Ending()
    before = {number: signal.signal(number, ending.begin) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with suppress(KeyboardInterrupt):
            run(ending)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


WORDS: Words = {"watch": (add_words, watch)}
