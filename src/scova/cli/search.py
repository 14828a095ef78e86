"""`scova search`: one ranked answer."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scova.cli import render
from scova.cli.opened import answered, tell_cuts
from scova.cli.words import FOUND, NOTHING, Words, add_filter_words, add_refresh_word, filters_of
from scova.config import load
from scova.core.deadline import Deadline, asking
from scova.errors import UsageError
from scova.types import Answer, Mode, Query

DEFAULT_LIMIT, PACKED_LIMIT = 10, 50  # with a budget, the budget decides how many are shown


def add_words(command: ArgumentParser) -> None:
    """The words of the command, but for those that most have."""
    command.description = "Find code and documentation. The first search in a folder indexes it."
    command.epilog = (
        'QUERY may hold "exact phrases", +must, -not, prefix*, *part*, path:GLOB, -path:GLOB, lang:NAME, type:NAME, kind:NAME,'
        " tag:NAME"
    )
    command.add_argument("query", metavar="QUERY", help="a question, words, or an identifier")
    command.add_argument(
        "-k", "--limit", type=int, metavar="N", help="how many results (default: 10; with --budget: what fits)"
    )
    command.add_argument(
        "-m",
        "--mode",
        choices=[mode.value for mode in Mode],
        default=Mode.HYBRID.value,
        help="how to search (default: hybrid)",
    )
    add_filter_words(command)
    command.add_argument(
        "--project",
        dest="projects",
        action="append",
        default=[],
        metavar="NAME",
        help="search this project instead of a folder; may be repeated (`scova project list`)",
    )
    command.add_argument("--budget", type=int, metavar="N", help="pack the best spans into at most N tokens")
    command.add_argument("--next", default="", metavar="HANDLE", help="go on where an earlier answer ended")
    command.add_argument("--explain", action="store_true", help="show what each signal gave to each result")
    add_refresh_word(command)


def search(arguments: Namespace) -> int:
    """`scova search`: one answer."""
    query = Query(
        arguments.query,
        mode=Mode(arguments.mode),
        limit=arguments.limit
        if arguments.limit is not None
        else PACKED_LIMIT
        if arguments.budget is not None
        else DEFAULT_LIMIT,
        filters=filters_of(arguments),
        budget=arguments.budget,
        after=arguments.next,
    )
    if arguments.projects:
        return _search_projects(arguments, query)
    answer = answered(arguments, lambda handle, _: handle.search(query))
    render.answer(query, answer, as_json=arguments.json, explain=arguments.explain)
    return _code(answer)


def _search_projects(arguments: Namespace, query: Query) -> int:
    from scova.cli.project.show import dated
    from scova.projects.asking import search_projects
    from scova.projects.status import last_built

    if arguments.path != "." or arguments.data or arguments.no_refresh:
        raise UsageError(
            "PATH, --data and --no-refresh do not go with --project",
            "leave them out: a project is found by its name",
        )
    with asking(Deadline(load(Path.cwd()).deadline_ms / 1000)):
        asked = search_projects(arguments.projects, query)
    tell_cuts(asked.answer)
    render.answer(query, asked.answer, as_json=arguments.json, explain=arguments.explain, origin=asked.origin)
    if not arguments.json:
        for name in dict.fromkeys(arguments.projects):
            render.talk(dated(name, last_built(name)))
    return _code(asked.answer)


def _code(answer: Answer) -> int:
    """What is most likely not what was asked for counts as nothing, though it is shown."""
    return NOTHING if answer.nothing_relevant or not answer.results else FOUND


WORDS: Words = {"search": (add_words, search)}
