"""The jobs of a data source, whoever started them: whether the Knowledge Base may hold what nobody here knows of."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from rag_assets.ingestion.data_source import IngestionTarget
from rag_assets.ingestion.job_verification import read_statistics
from rag_assets.ingestion.service import IngestionService

_LOOKED_AT = 20
"""Jobs that are asked for at once; where more of others have run, it is not looked at what they did."""

Job = Mapping[str, Any]
"""As ListIngestionJobs tells of one."""


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
    """A job that others have started since the last of this home, and that may have changed something; empty if none.

    Args:
        service: Where to ask.
        target: The data source.
        ours: ID of the last job that is known to be of this home; empty where none is.

    Raises:
        IngestionError: It cannot be found out.
    """
    jobs = list_newest_jobs(service, target, _LOOKED_AT)
    since = list(takewhile(lambda job: job["ingestionJobId"] != ours, jobs))
    if len(since) < len(jobs):
        since = [job for job in since if not _did_nothing(job)]
    return str(since[0]["ingestionJobId"]) if since else ""


def _did_nothing(job: Job) -> bool:
    """Whether it looked at everything and found it as it was: another home with the same corpus starts such."""
    told = read_statistics(job)
    done = (told.new, told.modified, told.metadata_modified, told.deleted, told.failed, told.skipped)
    return job["status"] == "COMPLETE" and not any(done)
