"""Content comes in, goes out, and is compared with what a client has."""

from fastapi.responses import JSONResponse

from scova.index.secrets import secret_rules
from scova.server.batch import Bad, Good, checked
from scova.server.middleware.bodies import routes
from scova.server.problems import Problem, body
from scova.server.routes.words import Responses, Who, answering, sent
from scova.server.schemas import answers, requests
from scova.server.tenants.pushed import PushedSource
from scova.server.tenants.tenant import Outcome, Step

router = routes("content")

_BUILT = "the path belongs to a source of the project, which builds bring in"
_ELSEWHERE = "push it under another path"
_ALL_BAD: Responses = {
    400: {"model": answers.NotIndexed, "description": "The body is not JSON, or no file is UTF-8."},
    422: {"model": answers.NotIndexed, "description": "The request cannot be read, or every file is bad."},
}


@router.post("/index", **answering(answers.Indexed, more=_ALL_BAD))
def index(asked: requests.IndexRequest, who: Who) -> JSONResponse:
    """Index files by their content; each is replaced whole in one step. What is wrong with one keeps no other out."""
    who.check(asked.project_id)
    if len(asked.files) > who.hall.limits.batch_files:
        limit = who.hall.limits.batch_files
        raise Problem(413, f"a batch has at most {limit} files, this one {len(asked.files)}", "send fewer at a time")
    batch = checked(asked.files)
    with who.pushed(asked.project_id) as tenant:
        built = tenant.sources
        batch = [Bad(file.path, _BUILT, _ELSEWHERE) if built.holds(file.path) else file for file in batch]
        good = [file for file in batch if isinstance(file, Good)]
        outcomes, step = tenant.push(_source(good, who)) if good else ({}, Step(0, 0))
    results = [_result(file, outcomes) for file in batch]
    for result in results:
        who.hall.metrics.pushed(str(result["status"]))
    if not good:
        bad = batch[0]
        assert isinstance(bad, Bad)
        said = body(f"{bad.path}: {bad.error}", bad.hint, who.request_id, results=results)
        return sent(said, 400 if who.is_broken else 422)
    status = "ok" if len(good) == len(batch) else "partial"
    return sent({"status": status, "project_id": asked.project_id, **_told(step), "results": results})


@router.post("/delete", **answering(answers.Deleted))
def delete(asked: requests.DeleteRequest, who: Who) -> JSONResponse:
    """Take files out, all in one step."""
    with who.pushed(asked.project_id) as tenant:
        built = tenant.sources
        refused = {path: _BUILT for path in asked.paths if built.holds(path)}
        deleted, unknown, step = tenant.delete(path for path in asked.paths if path not in refused)
    return sent({"deleted": deleted, "unknown": unknown, "refused": refused, **_told(step)})


@router.post("/sync", **answering(answers.Synced))
def sync(asked: requests.SyncRequest, who: Who) -> JSONResponse:
    """Compare what a client has, by its hashes, with what is here; with `prune`, what it does not have goes."""
    with who.pushed(asked.project_id) as tenant:
        found = tenant.compare(asked.files, prune=asked.prune)
    said = {"missing": found.missing, "extra": found.extra, "deleted": found.deleted, "change_seq": found.change_seq}
    return sent(said)


def _told(step: Step) -> dict[str, int]:
    return {"change_seq": step.after, "change_seq_before": step.before}


def _source(good: list[Good], who: Who) -> PushedSource:
    config = who.hall.config
    contents = {file.path: file.data for file in good}
    digests = {file.path: file.digest for file in good}
    return PushedSource(contents, digests, config.max_file_bytes, secret_rules(config))


def _result(file: Good | Bad, outcomes: dict[str, Outcome]) -> dict[str, object]:
    if isinstance(file, Bad):
        return {"path": file.path, "status": "failed", "chunks": 0, "error": file.error, "hint": file.hint}
    outcome = outcomes[file.path]
    why = {"error": outcome.why, "hint": "it is left out of the index"} if outcome.why else {}
    return {"path": file.path, "status": outcome.status, "chunks": outcome.chunks, **why}
