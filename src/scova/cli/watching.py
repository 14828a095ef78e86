"""`scova watch`: keeps an index fresh until it is told to stop."""

from argparse import ArgumentParser, Namespace

from scova.cli import render
from scova.cli.exact import show
from scova.cli.running.ending import heeded
from scova.cli.words import FOUND, Words, data_of
from scova.index import Index
from scova.index.consent import require_consent
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
        require_consent(handle)
        render.talk(f"watching {render.clean(str(handle.root))} (index in {render.clean(str(handle.layout.root))})")
        live = Live(
            handle,
            tell=lambda work, done: say(
                show.as_json(done) if arguments.json else show.worked(done, sorted(work.paths))
            ),
            tell_role=lambda who: render.talk(show.watch_role(who)),
        )
        with heeded() as ending:
            live.run(ending)
    render.talk("stopped")
    return FOUND


WORDS: Words = {"watch": (add_words, watch)}
