"""Every word the command line understands, with its help. Nothing is done here."""

import argparse
from collections.abc import Callable, Sequence
from typing import TypeAlias

from scova import __version__
from scova.cli import commands
from scova.cli.filtering import add_filter_words
from scova.cli.intermixed import Intermixed
from scova.cli.opened import add_refresh_word
from scova.types import Mode

Command = Callable[[argparse.Namespace], int]
Groups: TypeAlias = "argparse._SubParsersAction[Intermixed]"


_EXACT = {
    "grep": "find every line that matches a pattern",
    "def": "where a name is defined",
    "outline": "what a file, or every file of a folder, defines",
    "callers": "who calls a definition, as a tree",
    "callees": "whom a definition calls, as a tree",
    "usages": "every place a name is used at",
    "context": "what explains a symbol or a place, within a budget of tokens",
}


_EXCHANGE = {
    "export": "write the index as JSON files that other programs can read",
    "import": "make an index from such files",
}


_SETUP = {
    "install": "tell an agent client (Claude Code, Cursor, VS Code, Codex, …) of scova",
    "uninstall": "take scova out of a client's configuration again",
    "doctor": "look whether everything is as it should be, and what to fix",
    "help": "the guide for agents, or the words of a command",
}


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The grammar for these words: every command, and all words of the one that was chosen."""
    top = argparse.ArgumentParser(
        prog="scova",
        description="Find the right code and documentation in a codebase.",
        epilog="exit codes: 0 found or done, 1 nothing found, 2 usage or error, 3 done with files that could not be read, or no index yet",
    )
    top.add_argument("--version", action="version", version=f"scova {__version__}")
    groups = top.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Intermixed)

    index = _command(groups, "index", commands.index, "index a folder, or bring its index up to date")
    index.add_argument("--force", action="store_true", help="read every file again, even unchanged ones")
    index.add_argument("--workers", type=int, metavar="N", help="worker processes (default: one per core)")
    _add_wait_word(index)
    index.add_argument(
        "--background",
        action="store_true",
        help="leave it to a background job, which waits for writers as long as it must",
    )

    _search(groups)
    chosen = next((word for word in words if not word.startswith("-")), "")
    _exact(groups, chosen)

    watch = _command(groups, "watch", commands.watch, "keep the index of a folder up to date while files change")
    watch.add_argument("--quiet-ms", type=int, metavar="N", help="act once nothing changed for N ms (default: 500)")
    watch.add_argument("--max-wait-ms", type=int, metavar="N", help="and N ms after the first change (default: 2000)")
    watch.add_argument(
        "--bulk", type=int, metavar="N", help="more than N changed paths: one look at the whole tree (default: 100)"
    )

    status = _command(groups, "status", commands.status, "what is indexed, how fresh it is, where it lives")
    status.add_argument("--skipped", action="store_true", help="list everything left out, with the reason")

    _command(groups, "audit", commands.audit, "prove that every part of the index agrees with every other")
    _command(groups, "repair", commands.repair, "mend what an audit finds; rebuilds a damaged index from the files")
    _command(groups, "config", commands.config, "every setting, its value and where it comes from")
    _exchange(groups, chosen)

    _jobs(groups, chosen)
    _mcp(groups, chosen)

    if chosen not in groups.choices or words[0] != chosen:  # each costs a third of a millisecond, on every search
        _setup(groups, chosen)

    collect = _command(groups, "gc", commands.gc, "remove indexes of folders that are gone", path=False)
    collect.add_argument(
        "--embeddings", action="store_true", help="also forget vectors that no index in the cache uses"
    )
    collect.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    return top


def _add_wait_word(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--wait", type=_seconds, default=60.0, metavar="S", help="wait this long for another writer (default: 60)"
    )


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value


def _search(groups: Groups) -> None:
    search = groups.add_parser(
        "search",
        help="find code and documentation",
        description="Find code and documentation. The first search in a folder indexes it.",
        epilog='QUERY may hold "exact phrases", +must, -not, prefix*, *part*, path:GLOB, -path:GLOB, lang:NAME, type:NAME, kind:NAME, tag:NAME',
    )
    search.add_argument("query", metavar="QUERY", help="a question, words, or an identifier")
    _common(search, commands.search)
    search.add_argument(
        "-k", "--limit", type=int, metavar="N", help="how many results (default: 10; with --budget: what fits)"
    )
    search.add_argument(
        "-m",
        "--mode",
        choices=[mode.value for mode in Mode],
        default=Mode.HYBRID.value,
        help="how to search (default: hybrid)",
    )
    add_filter_words(search)
    search.add_argument("--budget", type=int, default=0, metavar="N", help="pack the best spans into at most N tokens")
    search.add_argument("--next", default="", metavar="HANDLE", help="go on where an earlier answer ended")
    search.add_argument("--explain", action="store_true", help="show what each signal gave to each result")
    add_refresh_word(search)


def _exact(groups: Groups, chosen: str) -> None:
    """The questions with exact answers. What one of them needs is loaded only when it is the one that is asked."""
    for name, text in _EXACT.items():
        command = groups.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if name == chosen:
            add_words, run = _words_of(name)
            add_words(command)
            _common(command, run)


def _jobs(groups: Groups, chosen: str) -> None:
    """Background jobs; loaded only when it is asked for, like those above."""
    command = groups.add_parser("jobs", help="background jobs: list, show, cancel or run them")
    if chosen == "jobs":
        from scova.cli.jobs import commands as jobs

        jobs.add_words(command)
        _common(command, jobs.run, path=False)


def _mcp(groups: Groups, chosen: str) -> None:
    """The door for agents, loaded when it is opened."""
    text = "serve agents over the Model Context Protocol"
    command = groups.add_parser("mcp", help=text, description=text[0].upper() + text[1:] + ".")
    if chosen == "mcp":
        from scova.cli import mcp

        mcp.add_words(command)
        command.set_defaults(run=mcp.run)


def _exchange(groups: Groups, chosen: str) -> None:
    """The way out of an index and into one; loaded when it is taken."""
    for name, text in _EXCHANGE.items():
        command = groups.add_parser(name, help=text)
        if name == chosen:
            from scova.cli import exchange

            add_words, run = exchange.WORDS[name]
            add_words(command)
            _common(command, run)
            if name == "import":
                _add_wait_word(command)


def _setup(groups: Groups, chosen: str) -> None:
    """Setting up, loaded only when it is asked for, as above."""
    for name, text in _SETUP.items():
        command = groups.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if name == chosen:
            from scova.cli.setup.words import WORDS

            add_words, run = WORDS[name]
            add_words(command)
            _common(command, run, path=name == "doctor")
            command.set_defaults(help_on=_help_on)


def _help_on(name: str) -> str:
    """The help of one command, or with no name of all of them; empty when there is none of this name."""
    top = parser([name])
    commands = top._subparsers._group_actions[0].choices if top._subparsers else {}
    if not name:
        return top.format_help()
    return commands[name].format_help() if isinstance(commands, dict) and name in commands else ""


def _words_of(name: str) -> tuple[Callable[[argparse.ArgumentParser], None], Command]:
    if name == "grep":
        from scova.cli import grep

        return grep.add_words, grep.run
    from scova.cli import structure

    return structure.WORDS[name]


def _command(
    groups: Groups,
    name: str,
    run: Command,
    text: str,
    *,
    path: bool = True,
) -> argparse.ArgumentParser:
    command = groups.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    _common(command, run, path=path)
    return command


def _common(command: argparse.ArgumentParser, run: Command, *, path: bool = True) -> None:
    command.set_defaults(run=run)
    if path:
        command.add_argument("path", nargs="?", default=".", metavar="PATH", help="the folder (default: here)")
        command.add_argument("--data", metavar="DIR", help="where the index lives (default: the user's cache)")
    command.add_argument("--json", action="store_true", help="print one JSON object")
