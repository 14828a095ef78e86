"""Exact questions: definitions, uses, callers, outlines, matching lines, files."""

from itertools import islice

from fastapi.responses import JSONResponse

from scova.server import shapes
from scova.server.middleware.bodies import routes
from scova.server.reading.file import MOST_CHARACTERS
from scova.server.routes.patience import QUESTIONED
from scova.server.routes.words import Who, answering, filters_of, sent
from scova.server.schemas import answers, requests

router = routes("questions", dependencies=[QUESTIONED])


@router.post("/usages", **answering(answers.Usages))
def usages(asked: requests.UsagesRequest, who: Who) -> JSONResponse:
    """Every use of a name: definitions, calls, imports, mentions."""
    with who.project(asked.project_id) as tenant:
        return sent(shapes.plain(tenant.usages(asked.name, limit=asked.limit, filters=filters_of(asked))))


@router.post("/definitions", **answering(answers.Definitions))
def definitions(asked: requests.DefinitionsRequest, who: Who) -> JSONResponse:
    """Where a name is defined, or what is around a place."""
    with who.project(asked.project_id) as tenant:
        found = tenant.definitions(
            asked.name, at=asked.at, body=asked.body, limit=asked.limit, filters=filters_of(asked)
        )
        return sent(shapes.plain(found))


@router.post("/callers", **answering(answers.CallTree))
def callers(asked: requests.CallersRequest, who: Who) -> JSONResponse:
    """Who calls a definition, or whom it calls, as a tree; every edge says whether it is a guess."""
    with who.project(asked.project_id) as tenant:
        ask = tenant.callers if asked.direction == "callers" else tenant.callees
        found = ask(asked.name, depth=asked.depth, per_level=asked.per_level, total=asked.total)
        return sent(shapes.plain(found))


@router.post("/outline", **answering(answers.Outlines))
def outline(asked: requests.OutlineRequest, who: Who) -> JSONResponse:
    """What a file, or every file below a folder, defines."""
    with who.project(asked.project_id) as tenant:
        found = tenant.outline(
            asked.path,
            depth=asked.depth,
            files=asked.files,
            definitions=asked.definitions,
            filters=filters_of(asked),
        )
        return sent(shapes.plain(found))


@router.post("/files", **answering(answers.Files))
def files(asked: requests.FilesRequest, who: Who) -> JSONResponse:
    """The files that are indexed, in order of their paths."""
    with who.project(asked.project_id) as tenant:
        change_seq = tenant.size[2]  # before: what comes in between is not denied
        found = tenant.files(filters_of(asked))
    listed = [{"path": path, "language": language} for path, language in islice(found.items(), asked.limit)]
    truncated = len(found) > len(listed)
    return sent({"files": listed, "total": len(found), "truncated": truncated, "change_seq": change_seq})


@router.post("/grep", **answering(answers.Matches))
def grep(asked: requests.GrepRequest, who: Who) -> JSONResponse:
    """Every line that matches a pattern, in the texts as they were pushed."""
    with who.project(asked.project_id) as tenant:
        found = tenant.grep(
            asked.pattern,
            fixed=asked.literal,
            ignore_case=asked.ignore_case,
            word=asked.word,
            before=asked.before,
            after=asked.after,
            limit=asked.limit,
            characters=MOST_CHARACTERS,
            filters=filters_of(asked),
        )
        return sent(shapes.matched(found))
