"""The words of `scova eval`, and what is done with them."""

from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from typing import Any

from scova.cli import render
from scova.cli.evaluating import show
from scova.cli.running.progress import stages
from scova.cli.words import FOUND, Words, data_of
from scova.errors import UsageError
from scova.evaluation import Chosen, Kind, Options, evaluate

DEFAULT = Options()
SHOWN_LOSSES = 3
MOST_QUESTIONS = 5000


def add_words(command: ArgumentParser) -> None:
    """The words of the command, but for those that most have."""
    command.description = (
        "Measure search on your own repository, by questions whose answers it knows itself: commit subjects, doc comments and "
        "names of tests; every mode, beside keyword grep."
    )
    command.epilog = (
        "Nothing is written into PATH. Compare modes and models by these figures; on their own they say little."
    )
    command.add_argument(
        "--questions",
        type=_count,
        default=DEFAULT.questions,
        metavar="N",
        help=f"at most N questions in all (default: {DEFAULT.questions})",
    )
    command.add_argument(
        "--kinds", default=",".join(Kind), metavar="K,…", help=f"kinds of questions (default: {','.join(Kind)})"
    )
    command.add_argument(
        "--seed", type=int, default=DEFAULT.seed, metavar="N", help="another number draws other questions (default: 0)"
    )
    command.add_argument(
        "--embedder",
        dest="embedders",
        action="append",
        default=[],
        metavar="NAME|URL",
        help="`static`, `none`, `onnx:FOLDER` (a model there) or the address of an endpoint, to which all texts are sent; may be repeated to compare several",
    )
    command.add_argument(
        "--embedder-model",
        dest="embedders",
        action=_Model,
        metavar="M",
        help="the model of the address named before it",
    )
    command.add_argument(
        "--show",
        type=_count_or_none,
        default=SHOWN_LOSSES,
        metavar="N",
        help=f"list N questions where grep was better (default: {SHOWN_LOSSES})",
    )


def run(arguments: Namespace) -> int:
    """`scova eval`: figures."""
    options = Options(
        questions=arguments.questions,
        seed=arguments.seed,
        kinds=_kinds(arguments.kinds),
        embedders=tuple(_chosen(words) for words in arguments.embedders),
        data=data_of(arguments),
    )
    with stages() as progress:
        found = evaluate(arguments.path, options, progress)
    shown = show.as_json(found, arguments.show) if arguments.json else show.as_text(found, arguments.show)
    render.data(shown + "\n")
    return FOUND


_BETWEEN = "\0"  # which no word of a command line holds: a folder may have blanks in its name


class _Model(Action):
    """Puts a model behind the address it belongs to; the two are one word until they are used, as all words are text."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: Any, option: str | None = None) -> None:
        embedders = list(getattr(namespace, self.dest, None) or [])
        if not embedders or _BETWEEN in embedders[-1]:
            parser.error(f"argument {option}: there is no address before it")
        namespace.embedders = [*embedders[:-1], f"{embedders[-1]}{_BETWEEN}{values}"]


def _chosen(words: str) -> Chosen:
    spec, _, model = words.partition(_BETWEEN)
    return Chosen(spec, model)


def _kinds(words: str) -> tuple[Kind, ...]:
    asked = [word.strip() for word in words.split(",") if word.strip()]
    for word in asked:
        if word not in tuple(Kind):
            raise UsageError(f"there is no kind of question `{word}`", f"kinds are: {', '.join(Kind)}")
    return tuple(kind for kind in Kind if kind in asked)


def _count(text: str) -> int:
    number = _count_or_none(text)
    if number < 1:
        raise ArgumentTypeError(f"{text} is not a number from 1 to {MOST_QUESTIONS}")
    return number


def _count_or_none(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_QUESTIONS:
        raise ArgumentTypeError(f"{text} is not a number up to {MOST_QUESTIONS}")
    return int(text)


WORDS: Words = {"eval": (add_words, run)}
