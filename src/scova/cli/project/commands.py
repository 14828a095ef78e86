"""The words of `scova project ACTION`, and what is done with them."""

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from pathlib import Path

from scova.cli import render
from scova.cli.intermixed import Intermixed
from scova.cli.project import show
from scova.cli.words import FOUND, NOTHING, Words
from scova.config import cache_folder
from scova.errors import ProjectError
from scova.projects.building.options import RANGES, STRATEGIES, ChunkOptions
from scova.projects.catalog import Catalog
from scova.projects.spec import chosen, read_spec
from scova.projects.status import last_built, project_build_status


def add_words(command: ArgumentParser) -> None:
    """One parser an action."""
    command.has_actions = True  # type: ignore[attr-defined]  # it is an Intermixed
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=Intermixed)
    for name, (about, add, run) in _ACTIONS.items():
        action = actions.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        action.set_defaults(run=run)
        add(action)
        action.add_argument("--json", action="store_true", help="print one JSON object")


def _name(action: ArgumentParser) -> None:
    action.add_argument("name", metavar="NAME", help="the project")


def _nothing(action: ArgumentParser) -> None:
    pass


def _add_words(action: ArgumentParser) -> None:
    _name(action)
    action.add_argument(
        "specs", nargs="+", metavar="SPEC", help="folder:PATH, url:URL, sitemap:URL, pdf:PATH or pdf:URL; at most 50"
    )
    action.add_argument("--tag", dest="tags", action="append", default=[], metavar="T", help="tag all of them with T")
    for word, text in (("include", "take only what matches"), ("exclude", "leave out what matches")):
        action.add_argument(
            f"--{word}",
            action="append",
            default=[],
            metavar="GLOB",
            help=f"{text}: paths in a folder, URLs of a sitemap",
        )
    action.add_argument(
        "--max-pages", type=int, default=0, metavar="N", help="of a sitemap or PDF: at most N pages (default: all)"
    )


def _remove_words(action: ArgumentParser) -> None:
    _name(action)
    action.add_argument("source", metavar="SOURCE", help="its id, or its place")


def _build_words(action: ArgumentParser) -> None:
    _name(action)
    action.add_argument("--all", action="store_true", help="go on, slice after slice, until nothing is left")
    action.add_argument("--dry-run", action="store_true", help="say what would be done, and touch nothing")
    action.add_argument("--force", action="store_true", help="fetch and parse everything again")
    action.add_argument(
        "--resume",
        action=BooleanOptionalAction,
        default=None,
        help="go on from the last checkpoint, or begin anew (default: go on if there is one)",
    )
    action.add_argument("--checkpoint", default="", metavar="ID", help="go on from this one")
    action.add_argument("--failed-only", action="store_true", help="take only sources that failed")
    default = ChunkOptions()
    for option, (low, high) in RANGES.items():
        text = f"{_OPTIONS[option]}, {low} to {high} (default: {getattr(default, option)})"
        action.add_argument(f"--{option.replace('_', '-')}", type=int, metavar="N", help=text)
    action.add_argument(
        "--timeout-strategy",
        choices=STRATEGIES,
        help="what becomes of a source that does not fit (default: checkpoint)",
    )
    action.add_argument("--no-checkpointing", action="store_true", help="do not write down how far the build is")


_OPTIONS = {
    "max_sources_per_build": "sources in one slice",
    "fetch_concurrency": "pages fetched at the same time",
    "embedding_batch_size": "texts in one call of a remote embedder",
    "build_timeout_ms": "milliseconds for one slice",
}


def _say(text: str) -> None:
    render.data(f"{text}\n")


def _catalog() -> Catalog:
    return Catalog(cache_folder())


def _create(arguments: Namespace) -> int:
    made = _catalog().create(arguments.name)
    _say(show.created(made, as_json=arguments.json))
    return FOUND


def _list(arguments: Namespace) -> int:
    catalog = _catalog()
    found = []
    for name in catalog.names():
        try:
            found.append(catalog.get(name))
        except ProjectError as error:
            render.error(error.message, error.hint)
    _say(show.listed(found, as_json=arguments.json))
    return FOUND if found else NOTHING


def _show(arguments: Namespace) -> int:
    manifest = _catalog().get(arguments.name)
    status = project_build_status(arguments.name)
    place, built = _catalog().layout(arguments.name), last_built(arguments.name)
    _say(show.shown(manifest, status, place, built=built, as_json=arguments.json))
    return FOUND


def _delete(arguments: Namespace) -> int:
    _catalog().delete(arguments.name)
    _say(show.deleted(arguments.name, as_json=arguments.json))
    return FOUND


def _add(arguments: Namespace) -> int:
    wanted = [
        chosen(
            read_spec(words, base=Path.cwd()),
            tags=arguments.tags,
            include=arguments.include,
            exclude=arguments.exclude,
            max_pages=arguments.max_pages,
        )
        for words in arguments.specs
    ]
    added, there = _catalog().add(arguments.name, wanted)
    _say(show.added(arguments.name, added, there, as_json=arguments.json))
    return FOUND


def _remove(arguments: Namespace) -> int:
    from scova.projects.removal import remove_source

    removed = remove_source(arguments.name, arguments.source)
    _say(show.removed(arguments.name, removed, as_json=arguments.json))
    return FOUND


def _build(arguments: Namespace) -> int:
    from scova.cli.project.building import build

    return build(arguments)


def _status(arguments: Namespace) -> int:
    status = project_build_status(arguments.name)
    _say(show.status(status, built=last_built(arguments.name), as_json=arguments.json))
    return FOUND


_ACTIONS = {
    "create": ("make a project without sources", _name, _create),
    "list": ("list all projects", _nothing, _list),
    "show": ("show a project, its sources, and how its build stands", _name, _show),
    "add": ("add sources to a project", _add_words, _add),
    "remove": ("remove a source with everything it brought", _remove_words, _remove),
    "build": ("build a slice of a project: from where the last one ended", _build_words, _build),
    "status": ("say how the build of a project stands, and what to do next", _name, _status),
    "delete": ("delete a project with everything that was built of it", _name, _delete),
}


WORDS: Words = {"project": (add_words, lambda arguments: FOUND)}
