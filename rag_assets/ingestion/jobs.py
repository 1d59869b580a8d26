"""Lists the ingestion jobs of a data source, and finds those that somebody else started."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from rag_assets.ingestion.job_verification import read_statistics
from rag_assets.ingestion.service import IngestionService
from rag_assets.s3.locations import IngestionTarget

_LOOKED_AT = 20
"""Jobs that are read at once. If more jobs of others have run, they count as having changed something."""

Job = Mapping[str, Any]
"""A job as ListIngestionJobs shows it."""


def list_newest_jobs(service: IngestionService, target: IngestionTarget, most: int) -> Sequence[Job]:
    """The last jobs, the newest first. Needs bedrock:ListIngestionJobs.

    Raises:
        IngestionError: They cannot be asked for.
    """
    newest_first = {"attribute": "STARTED_AT", "order": "DESCENDING"}
    answer = service.call("ListIngestionJobs", **target.ids, sortBy=newest_first, maxResults=most)
    jobs: Sequence[Job] = answer["ingestionJobSummaries"]
    return jobs


def find_foreign_job(service: IngestionService, target: IngestionTarget, ours: str) -> str:
    """ID of a job that others started since the last of this home, and that may have changed something; empty if none.

    Args:
        service: Where to ask.
        target: The data source.
        ours: ID of the last job that is known to be of this home; empty where none is.

    Raises:
        IngestionError: The jobs cannot be listed.
    """
    jobs = list_newest_jobs(service, target, _LOOKED_AT)
    since = list(takewhile(lambda job: job["ingestionJobId"] != ours, jobs))
    if len(since) < len(jobs):
        since = [job for job in since if not _did_nothing(job)]
    return str(since[0]["ingestionJobId"]) if since else ""


def _did_nothing(job: Job) -> bool:
    """Whether a job found everything as it was, as that of another home with the same corpus does."""
    told = read_statistics(job)
    done = (told.new, told.modified, told.metadata_modified, told.deleted, told.failed, told.skipped)
    return job["status"] == "COMPLETE" and not any(done)
