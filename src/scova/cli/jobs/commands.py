"""The words of `scova jobs`, and what is done with them; `scova index --background`, which leaves a job behind."""

from argparse import ArgumentParser, Namespace

from scova.cli import render
from scova.cli.jobs import show, worker
from scova.cli.words import Words, data_of
from scova.config import cache_folder
from scova.core.path_text import stored
from scova.errors import UsageError
from scova.index import Index
from scova.index.consent import require_consent
from scova.jobs import Jobs, index_options, index_runner
from scova.stores.jobs import SqliteJobs
from scova.stores.layout import jobs_db

FOUND, NOTHING = 0, 1
_DEFAULT_LIMIT = 20


def engine() -> Jobs:
    """The engine of this process, not started: it can submit, ask and cancel."""
    return Jobs(SqliteJobs(jobs_db(cache_folder())), {"index": index_runner()})


def add_words(command: ArgumentParser) -> None:
    """The words of `scova jobs`, but for those that all commands have."""
    command.description = (
        "Background jobs of all projects: list them (the default), show one with all it has to say, cancel one wherever it runs,"
        " or run what is queued, here, until nothing is left to do."
    )
    command.add_argument("action", nargs="?", default="list", choices=[*_ACTIONS], help="what to do (default: list)")
    command.add_argument("job_id", nargs="?", default="", metavar="ID", help="the job to show or cancel")
    command.add_argument(
        "-k", "--limit", type=int, default=_DEFAULT_LIMIT, metavar="N", help="how many to list (default: 20)"
    )


def run(arguments: Namespace) -> int:
    """`scova jobs`."""
    needs_id = arguments.action in ("show", "cancel")
    if needs_id and not arguments.job_id:
        raise UsageError(f"`scova jobs {arguments.action}` needs the id of a job", "`scova jobs` lists them")
    if arguments.job_id and not needs_id:
        raise UsageError(f"`scova jobs {arguments.action}` takes no id", f"`scova jobs show {arguments.job_id}`")
    if arguments.limit < 1:
        raise UsageError(f"`--limit {arguments.limit}` is too small", "give 1 or more")
    return _ACTIONS[arguments.action](arguments)


def index(arguments: Namespace) -> int:
    """`scova index --background`: leave a job behind, and a process that does it."""
    with Index.open(arguments.path, workers=arguments.workers, data=data_of(arguments)) as handle:
        require_consent(handle, yes=arguments.yes)
        data = str(handle.layout.root) if handle.config.data else None
        options = index_options(force=arguments.force, data=data, workers=arguments.workers, yes=arguments.yes)
        job = engine().submit("index", stored(handle.root), options=options)
    worker.leave_behind(cache_folder())
    render.data(show.started(job, as_json=arguments.json))
    return FOUND


def _list(arguments: Namespace) -> int:
    found = engine().list(arguments.limit)
    render.data(show.jobs(found, as_json=arguments.json))
    return FOUND if found else NOTHING


def _show(arguments: Namespace) -> int:
    render.data(show.job(engine().get(arguments.job_id), as_json=arguments.json))
    return FOUND


def _cancel(arguments: Namespace) -> int:
    render.data(show.job(engine().cancel(arguments.job_id), as_json=arguments.json))
    return FOUND


def _run(arguments: Namespace) -> int:
    done = worker.work(engine(), cache_folder())
    render.data(show.worked(done, as_json=arguments.json))
    return FOUND


_ACTIONS = {"list": _list, "show": _show, "cancel": _cancel, "run": _run}


WORDS: Words = {"jobs": (add_words, run)}
