"""Every command with its help. The words of a command, and all that it needs, are loaded when it is the one that was chosen."""

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from scova import __version__
from scova.cli.intermixed import Intermixed


class Command(NamedTuple):
    """One command: what it does, whose `WORDS` say how, and which of the words it has that most have."""

    text: str
    module: str
    path: bool = True
    json: bool = True
    goes_on: bool = False  # ended early, it keeps what it has done, and the next run does the rest


COMMANDS = {
    "index": Command("index a folder, or bring its index up to date", "commands", goes_on=True),
    "search": Command("find code and documentation", "search"),
    "grep": Command("find every line that matches a pattern", "exact.grep"),
    "def": Command("where a name is defined", "exact.structure"),
    "outline": Command("what a file, or every file of a folder, defines", "exact.structure"),
    "callers": Command("who calls a definition, as a tree", "exact.structure"),
    "callees": Command("whom a definition calls, as a tree", "exact.structure"),
    "usages": Command("every place a name is used at", "exact.structure"),
    "context": Command("what explains a symbol or a place, within a budget of tokens", "exact.structure"),
    "watch": Command("keep the index of a folder up to date while files change", "watching", goes_on=True),
    "status": Command("what is indexed, how fresh it is, where it lives", "commands"),
    "audit": Command("prove that every part of the index agrees with every other", "commands"),
    "repair": Command("mend what an audit finds; rebuilds a damaged index from the files", "commands", goes_on=True),
    "config": Command("every setting, its value and where it comes from", "commands"),
    "export": Command("write the index as JSON files that other programs can read", "exchange"),
    "import": Command("make an index from such files", "exchange", goes_on=True),
    "project": Command(
        "named projects: sources (folders, pages, sitemaps, PDFs) built in slices that can be resumed",
        "project.commands",
        path=False,
        json=False,
        goes_on=True,
    ),
    "push": Command(
        "bring a folder to a scova server: only what differs is sent", "pushing.commands", path=False, goes_on=True
    ),
    "jobs": Command("background jobs: list, show, cancel or run them", "jobs.commands", path=False, goes_on=True),
    "mcp": Command("serve agents over the Model Context Protocol", "mcp", path=False, json=False),
    "ui": Command("search, read and watch a folder in the browser", "serving.ui", json=False),
    "serve": Command(
        "serve teams over HTTP: content is pushed, and asked about", "serving.commands", path=False, json=False
    ),
    "token": Command("tokens of a server: make, list and revoke them", "serving.commands", path=False, json=False),
    "install": Command(
        "tell an agent client (Claude Code, Cursor, VS Code, Codex, …) of scova", "setup.install", path=False
    ),
    "uninstall": Command("take scova out of a client's configuration again", "setup.install", path=False),
    "doctor": Command("look whether everything is as it should be, and what to fix", "setup.doctor"),
    "eval": Command("measure search on your own repository, beside grep", "evaluating.commands"),
    "gc": Command("remove indexes of folders that are gone", "commands", path=False),
    "help": Command("the guide for agents, or the options of a command", "setup.guide", path=False),
}


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The grammar for these words: all words of the command that was chosen, or every command when none was."""
    top = Intermixed(
        prog="scova",
        description="Find the right code and documentation in a codebase.",
        epilog="exit codes: 0 found or done, 1 nothing found, 2 usage or error, 3 done with files that could not be read, or no index yet",
    )
    top.has_actions = True
    top.add_argument("--version", action="version", version=f"scova {__version__}")
    groups = top.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=Intermixed, prog=top.prog
    )
    chosen = words[0] if words and words[0] in COMMANDS else ""
    for name in [chosen] if chosen else COMMANDS:  # each costs a third of a millisecond, on every search
        command = groups.add_parser(name, help=COMMANDS[name].text, description=_description(name))
        if chosen:
            _add_words(command, name)
    return top


def help_on(name: str) -> str:
    """The help of one command, or with no name of all of them; empty when there is none of this name."""
    if not name:
        return parser([]).format_help()
    if name not in COMMANDS:
        return ""
    command = Intermixed(prog=f"scova {name}", description=_description(name))
    _add_words(command, name)
    return command.format_help()


def _description(name: str) -> str:
    text = COMMANDS[name].text
    return text[0].upper() + text[1:] + "."


def _add_words(command: argparse.ArgumentParser, name: str) -> None:
    chosen = COMMANDS[name]
    add_words, run = import_module(f"scova.cli.{chosen.module}").WORDS[name]
    command.set_defaults(run=run)
    add_words(command)
    if chosen.path:
        command.add_argument("path", nargs="?", default=".", metavar="PATH", help="the folder (default: here)")
        command.add_argument("--data", metavar="DIR", help="where the index lives (default: the user's cache)")
    if chosen.json:
        command.add_argument("--json", action="store_true", help="print one JSON object")
