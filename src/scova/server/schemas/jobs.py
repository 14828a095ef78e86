"""Background jobs, as they are answered."""

from typing import Any

from scova.server.schemas.answers import Said


class Job(Said):
    """A background job."""

    job_id: str
    kind: str
    project_id: str
    status: str
    created_at: str
    started_at: str
    finished_at: str
    stage: str
    files_processed: int
    files_total: int
    chunks_processed: int
    vectors_processed: int
    vectors_total: int
    rate: float
    eta_seconds: float | None
    attempts: int
    message: str
    result: dict[str, Any]


class Jobs(Said):
    """Jobs, the newest first."""

    jobs: list[Job]
