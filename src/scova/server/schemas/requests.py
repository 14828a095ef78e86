"""What may be asked, field by field. Strict: a number is a number, and a field nobody knows is an error."""

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, StringConstraints, WithJsonSchema

from scova.filters import LONGEST_GLOB
from scova.server.layout import PROJECT_ID
from scova.server.schemas.bounds import most_values
from scova.types import ChunkType, Mode

if TYPE_CHECKING:
    from scova.server.limits import Limits

SHA256 = r"^[0-9a-f]{64}$"
_DIGEST = re.compile(rf"{SHA256.removesuffix('$')}\Z")
MOST_PATHS = 1_000_000  # in a manifest, or to be deleted
LONGEST_PATH = 1024
_SHORTEST_ENTRY = len(f'"a":"{64 * "0"}",')  # of a manifest

ProjectId = Annotated[str, StringConstraints(pattern=PROJECT_ID, max_length=64)]
FilePath = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PATH)]
Text = Annotated[str, StringConstraints(max_length=10_000)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=10_000)]
Words = Annotated[list[Text], Field(max_length=1000), FailFast()]
Globs = Annotated[list[Annotated[str, StringConstraints(max_length=LONGEST_GLOB)]], Field(max_length=1000), FailFast()]


def _one_of(kind: type[ChunkType] | type[Mode]) -> BeforeValidator:
    """In JSON a choice is a word; strict fields would want the member itself."""
    return BeforeValidator(lambda value: kind(value) if isinstance(value, str) and value in tuple(kind) else value)


def _first_wrong(given: Any) -> Any:
    """Of a manifest with something wrong in it only the first such entry: the validator makes an error of each, and one is enough."""
    if not isinstance(given, dict):
        return given
    return next(({path: digest} for path, digest in given.items() if not _is_entry(path, digest)), given)


def _is_entry(path: str, digest: Any) -> bool:
    return 0 < len(path) <= LONGEST_PATH and isinstance(digest, str) and _DIGEST.match(digest) is not None


OneMode = Annotated[Mode, _one_of(Mode)]
OneType = Annotated[ChunkType, _one_of(ChunkType)]


class Strict(BaseModel):
    """Nothing is taken for something else."""

    model_config = ConfigDict(strict=True, extra="forbid")

    @classmethod
    def most_values(cls, limits: "Limits") -> int:
        """As many values as a valid request can hold on a server with these limits."""
        return most_values(cls)


class Asking(Strict):
    """Every question names its project."""

    project_id: ProjectId


class NewProject(Strict):
    """A project to be made."""

    project_id: ProjectId


class PushedFile(Strict):
    """A file to be indexed. Its path is relative, with forward slashes."""

    path: FilePath
    content: str
    hash: Annotated[str, StringConstraints(pattern=SHA256)] | None = Field(
        None, description="SHA-256 of the UTF-8 bytes of `content`, in hexadecimal; a wrong one fails this file"
    )


class IndexRequest(Asking):
    """Files to be indexed. Each is checked on its own: what is wrong with one does not keep the others out."""

    files: Annotated[
        list[Any],
        Field(min_length=1),
        WithJsonSchema({"type": "array", "minItems": 1, "maxItems": 100, "items": PushedFile.model_json_schema()}),
    ]

    @classmethod
    def most_values(cls, limits: "Limits") -> int:
        """How many files there may be is a setting."""
        return most_values(Asking) + 1 + limits.batch_files * most_values(PushedFile)


class DeleteRequest(Asking):
    """Files to be taken out."""

    paths: Annotated[list[FilePath], Field(min_length=1, max_length=MOST_PATHS), FailFast()]


class SyncRequest(Asking):
    """Every file that the client has, by its hash."""

    files: Annotated[
        dict[FilePath, Annotated[str, StringConstraints(pattern=SHA256)]],
        Field(max_length=MOST_PATHS),
        BeforeValidator(_first_wrong),
    ]
    prune: bool = False

    @classmethod
    def most_values(cls, limits: "Limits") -> int:
        """As many as fit into the largest body."""
        return min(most_values(cls), limits.body_for("/sync") // _SHORTEST_ENTRY)


class Placed(Asking):
    """A question about some of the files."""

    paths: Globs = []
    not_paths: Globs = []
    languages: Words = []


class Filtered(Placed):
    """A question about some of the files, or of what is in them."""

    chunk_types: Annotated[list[OneType], Field(max_length=10)] = []
    kinds: Words = []
    tags: Words = []


class SearchRequest(Filtered):
    """A question in words."""

    query: Text
    limit: Annotated[int, Field(ge=1, le=1000)] = 10
    mode: OneMode = Mode.HYBRID
    budget: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    after: Annotated[str, StringConstraints(max_length=20_000)] = ""
    explain: bool = False


class SearchParameters(BaseModel):
    """The same in an address."""

    model_config = ConfigDict(extra="forbid")

    project_id: ProjectId
    query: Text
    limit: Annotated[int, Field(ge=1, le=1000)] = 10


class OneProject(BaseModel):
    """Which project is meant, in an address."""

    model_config = ConfigDict(extra="forbid")

    project_id: ProjectId


class SimilarRequest(Filtered):
    """What results are to be like: a text, or what stands at a line of a file."""

    text: Annotated[str, StringConstraints(max_length=100_000)] = ""
    path: Annotated[str, StringConstraints(max_length=LONGEST_PATH)] = ""
    line: Annotated[int, Field(ge=1, le=100_000_000)] = 1
    limit: Annotated[int, Field(ge=1, le=1000)] = 10


class ContextRequest(Asking):
    """What explains a symbol, or the place FILE:LINE."""

    subject: Word
    budget: Annotated[int, Field(ge=1, le=1_000_000)] = 2000


class UsagesRequest(Filtered):
    """Every use of a name."""

    name: Word
    limit: Annotated[int, Field(ge=1, le=10_000)] = 200


class DefinitionsRequest(Filtered):
    """Where a name is defined, or what is around the place `at` (FILE:LINE)."""

    name: Text = ""
    at: Text = ""
    body: bool = False
    limit: Annotated[int, Field(ge=1, le=10_000)] = 50


class CallersRequest(Asking):
    """Who calls a definition, or whom it calls."""

    name: Word
    direction: Literal["callers", "callees"] = "callers"
    depth: Annotated[int, Field(ge=1, le=10)] = 3
    per_level: Annotated[int, Field(ge=1, le=10_000)] = 50
    total: Annotated[int, Field(ge=1, le=10_000)] = 500


class OutlineRequest(Filtered):
    """What a file, or every file below a folder, defines."""

    path: Text = ""
    depth: Annotated[int, Field(ge=0, le=100)] = 0
    files: Annotated[int, Field(ge=1, le=100_000)] = 500
    definitions: Annotated[int, Field(ge=1, le=1_000_000)] = 5000


class FilesRequest(Placed):
    """Which files there are."""

    limit: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000


class GrepRequest(Placed):
    """Every line that matches a pattern."""

    pattern: Annotated[str, StringConstraints(min_length=1, max_length=10_000)]
    literal: bool = False
    ignore_case: bool = False
    word: bool = False
    before: Annotated[int, Field(ge=0, le=1000)] = 0
    after: Annotated[int, Field(ge=0, le=1000)] = 0
    limit: Annotated[int, Field(ge=1, le=1_000_000)] = 1000


class JobRequest(Asking):
    """Something to be done in the background: `tidy` brings what is derived up to date, `audit` compares all parts."""

    kind: Literal["tidy", "audit"]


class JobParameters(BaseModel):
    """Which jobs are listed."""

    model_config = ConfigDict(extra="forbid")

    project_id: ProjectId | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 20
