"""`scova help`: the guide for agents, or the options of a command."""

from argparse import ArgumentParser, Namespace

from scova.cli import render
from scova.cli.parser import help_on
from scova.cli.words import FOUND, Words
from scova.errors import UsageError
from scova.install.text.block import guide


def add_help_words(command: ArgumentParser) -> None:
    """The words of `scova help`."""
    command.add_argument(
        "topic", metavar="TOPIC", nargs="?", default="", help="`agents`: which command for which question; or a command"
    )


def show_help(arguments: Namespace) -> int:
    """`scova help`: a text to read."""
    text = guide() if arguments.topic == "agents" else help_on(arguments.topic)
    if not text:
        raise UsageError(
            f"there is no help on `{arguments.topic}`",
            "`scova help agents`, or the name of a command: `scova help` lists them",
        )
    as_json = render.json_text({"topic": arguments.topic, "text": text}) + "\n"
    render.data(as_json if arguments.json else text)
    return FOUND


WORDS: Words = {"help": (add_help_words, show_help)}
