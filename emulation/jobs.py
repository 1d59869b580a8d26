"""Ingestion jobs: started one at a time, looked at, stopped, and going on as the pace of the account tells.

What a job does to one document is a matter of `ingestion`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from emulation.clocks import Clock
from emulation.errors import ServiceError, invalid
from emulation.faults import Faults
from emulation.ingestion import Ingestion, SourceError, failure_reasons, find_work, scan
from emulation.pages import page
from emulation.state import Account, Job, KnowledgeBase, Work

Parameters = Mapping[str, Any]


class Jobs:
    """The ingestion jobs of an account."""

    def __init__(self, account: Account, ingestion: Ingestion, faults: Faults, clock: Clock, s3: Any) -> None:
        self._account = account
        self._ingestion = ingestion
        self._faults = faults
        self._clock = clock
        self._s3 = s3
        self._last_start: datetime | None = None
        self._by_token: dict[str, tuple[Parameters, Job]] = {}

    # -- operations

    def start(self, given: Parameters) -> dict[str, Any]:
        """StartIngestionJob."""
        knowledge_base, data_source = self._account.data_source(given["knowledgeBaseId"], given["dataSourceId"])
        token = given.get("clientToken")
        if token in self._by_token:
            asked, job = self._by_token[token]
            if asked != given:
                raise invalid("The clientToken was used before with other parameters")
            return {"ingestionJob": _told(job)}
        self._throttle()
        self._refuse_second(knowledge_base)
        now = self._clock.now()
        job = Job(
            self._account.new_id("job"),
            knowledge_base.knowledge_base_id,
            data_source.data_source_id,
            given.get("description"),
            started=now,
            updated=now,
        )
        data_source.jobs[job.job_id] = job
        if token:
            self._by_token[token] = dict(given), job
        return {"ingestionJob": _told(job)}

    def get(self, given: Parameters) -> dict[str, Any]:
        """GetIngestionJob."""
        job = self._account.job(given["knowledgeBaseId"], given["dataSourceId"], given["ingestionJobId"])
        self._look_at(job)
        return {"ingestionJob": _told(job)}

    def list_all(self, given: Parameters) -> dict[str, Any]:
        """ListIngestionJobs: no failure reasons."""
        _, data_source = self._account.data_source(given["knowledgeBaseId"], given["dataSourceId"])
        for job in data_source.jobs.values():
            self._look_at(job)
        wanted = {value for condition in given.get("filters", []) for value in condition["values"]}
        sort = given.get("sortBy", {"attribute": "STARTED_AT", "order": "DESCENDING"})
        by_status = sort["attribute"] == "STATUS"
        # Jobs of an instant, or of a status, come in the order they were started in, or against it.
        places = {job.job_id: place for place, job in enumerate(data_source.jobs.values())}
        ordered = sorted(
            (job for job in data_source.jobs.values() if not wanted or job.status in wanted),
            key=lambda job: (job.status if by_status else "", job.started, places[job.job_id]),
            reverse=sort["order"] == "DESCENDING",
        )
        shown, token = page(ordered, given)
        summaries = [{k: v for k, v in _told(job).items() if k != "failureReasons"} for job in shown]
        return {"ingestionJobSummaries": summaries, "nextToken": token}

    def stop(self, given: Parameters) -> dict[str, Any]:
        """StopIngestionJob: what was indexed so far stays."""
        job = self._account.job(given["knowledgeBaseId"], given["dataSourceId"], given["ingestionJobId"])
        if job.status not in ("STARTING", "IN_PROGRESS"):
            raise ServiceError("ConflictException", f"Ingestion job {job.job_id} is {job.status} and cannot be stopped")
        self._enter(job, "STOPPING")
        return {"ingestionJob": _told(job)}

    # -- how they go on

    def settle(self) -> None:
        """Let every running job go on as far as it may have come by now."""
        for job in self._account.running_jobs():
            self._go_on(job)

    def _throttle(self) -> None:
        rate, now = self._account.behaviour.starts_per_second, self._clock.now()
        if rate and self._last_start and (now - self._last_start).total_seconds() < 1 / rate:
            raise ServiceError(
                "ThrottlingException", "Your request rate is too high. Reduce the frequency of requests."
            )
        self._last_start = now

    def _refuse_second(self, knowledge_base: KnowledgeBase) -> None:
        for job in self._account.running_jobs():
            if job.knowledge_base_id == knowledge_base.knowledge_base_id:
                self._look_at(job)
                raise ServiceError(
                    "ConflictException",
                    f"There is an ongoing ingestion job {job.job_id} for the knowledge base {job.knowledge_base_id}, "
                    f"data source {job.data_source_id}. Wait until it ends, then try again.",
                )
        if len(self._account.running_jobs()) >= self._account.behaviour.jobs_per_account:
            for job in self._account.running_jobs():
                self._look_at(job)
            raise ServiceError(
                "ServiceQuotaExceededException",
                f"The maximum number of concurrent ingestion jobs for this account, "
                f"{self._account.behaviour.jobs_per_account}, has been reached",
            )

    def _look_at(self, job: Job) -> None:
        if job.running:
            job.polls += 1
            self._go_on(job)

    def _go_on(self, job: Job) -> None:
        seconds = (self._clock.now() - job.started).total_seconds()
        progress = self._account.behaviour.pace.progress(job.polls, seconds)
        if job.status == "STOPPING":
            self._enter(job, "STOPPED")
        if job.status == "STARTING" and progress.begun:
            self._begin(job)
        while job.status == "IN_PROGRESS" and job.done < min(len(job.work), progress.documents):
            if not self._dies(job):
                self._do(job, job.work[job.done])
                job.done += 1
                job.updated = self._clock.now()
        if job.status == "IN_PROGRESS" and job.done == len(job.work) and progress.may_finish and not self._dies(job):
            self._enter(job, "COMPLETE")

    def _begin(self, job: Job) -> None:
        _, data_source = self._account.data_source(job.knowledge_base_id, job.data_source_id)
        try:
            documents, sidecars = scan(self._s3, data_source, self._account.behaviour.region)
        except SourceError as error:
            self._fail(job, str(error))
            return
        job.statistics.scanned = max(0, len(documents) + self._faults.take_job_scan())
        job.statistics.metadata_scanned = len(sidecars)
        job.work = list(find_work(data_source.documents, documents, sidecars))
        self._enter(job, "IN_PROGRESS")

    def _dies(self, job: Job) -> bool:
        reason = self._faults.take_job_death(job.done)
        if reason is not None:
            self._fail(job, reason)
        return reason is not None

    def _fail(self, job: Job, reason: str) -> None:
        job.broken = f"Encountered error: {reason}"[:2048]
        self._enter(job, "FAILED")

    def _enter(self, job: Job, status: str) -> None:
        job.status, job.updated = status, self._clock.now()

    def _do(self, job: Job, work: Work) -> None:
        knowledge_base, data_source = self._account.data_source(job.knowledge_base_id, job.data_source_id)
        statistics = job.statistics
        if self._faults.take_file(work.uri.removeprefix(data_source.uri("")), "overlooked"):
            return
        if work.seen is None:
            statistics.deleted += self._ingestion.delete(knowledge_base, data_source, work.uri)
            return
        document = self._ingestion.index(knowledge_base, data_source, work.seen, work.sidecar, self._clock.now())
        if document.status == "INDEXED":
            statistics.new += work.kind == "new"
            statistics.modified += work.kind == "modified"
            statistics.metadata_modified += work.sidecar_changed
        elif document.status == "FAILED":
            statistics.failed += 1
            job.failures.setdefault(str(document.reason), []).append(work.uri)
        elif self._account.behaviour.skips_counted:
            statistics.skipped += 1


def _told(job: Job) -> dict[str, Any]:
    reasons = failure_reasons(job.failures) + ([job.broken] if job.broken else [])
    return {
        "knowledgeBaseId": job.knowledge_base_id,
        "dataSourceId": job.data_source_id,
        "ingestionJobId": job.job_id,
        "description": job.description,
        "status": job.status,
        "statistics": job.statistics.told(),
        "failureReasons": reasons or None,
        "startedAt": job.started,
        "updatedAt": job.updated,
    }
