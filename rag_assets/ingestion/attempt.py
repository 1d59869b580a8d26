"""One attempt to get everything into the Knowledge Base: with a job, directly, or both, and what came of it.

Whether an attempt is needed is decided in `ingestion`. What a job's counts prove belongs to `job_verification`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from rag_assets.ingestion.direct import MOST_URI_CHARACTERS, DirectCounts, ingest_directly, longest_key
from rag_assets.ingestion.documents import DocumentStatuses, find_document_problems, list_documents
from rag_assets.ingestion.job_verification import (
    ExpectedObjects,
    JobProblem,
    JobStatistics,
    describe_problems,
    find_job_problems,
    proves_complete,
    read_failure_reasons,
    read_statistics,
)
from rag_assets.ingestion.jobs import list_newest_jobs
from rag_assets.ingestion.ledger import ChangedDocuments, IngestionLedger
from rag_assets.ingestion.service import IngestionError, IngestionService, RetryCounts, UnknownResourceError
from rag_assets.ingestion.state import IngestionState
from rag_assets.model import Model
from rag_assets.s3.locations import IngestionTarget

ENDED = frozenset({"COMPLETE", "FAILED", "STOPPED"})
_INGESTED_AT_ONCE = 1000
"""Documents that are ingested by name before the next are read: their names are in memory."""


class IngestionReport(Model):
    """What one run did, for the log and the asset's metadata.

    Attributes:
        how: `nothing` if the Knowledge Base was up to date, `job`, or `direct`.
        started: Whether this run asked for the job. It did not if it only waited for the job of an earlier run.
        job_id: Of the job.
        status: Of the job.
        statistics: Of the job.
        failure_reasons: Of the job; empty, or this would not have been called good.
        listed: Whether the documents were looked at one by one, because the counts proved nothing.
        foreign: Documents in the bucket that were not sent from here; the service ingests them too, as far as it can.
        direct: What was ingested without a job; if `how` is `job`, what the job had left as it was before.
        seconds: How long it took.
        waited: What was in the way.
    """

    how: Literal["nothing", "job", "direct"]
    started: bool = False
    job_id: str = ""
    status: str = ""
    statistics: JobStatistics = JobStatistics()
    failure_reasons: tuple[str, ...] = ()
    listed: bool = False
    foreign: int = 0
    direct: DirectCounts | None = None
    seconds: float = 0
    waited: RetryCounts = RetryCounts()


@dataclass(frozen=True)
class IngestionAttempt:
    """What an attempt works with."""

    service: IngestionService
    target: IngestionTarget
    expected: ExpectedObjects
    ledger: IngestionLedger

    def report(self, how: Literal["nothing", "job", "direct"], **fields: Any) -> IngestionReport:
        """A report with what all reports have."""
        service = self.service
        return IngestionReport(
            how=how, foreign=self.expected.foreign, seconds=service.seconds, waited=service.waited, **fields
        )

    # -- without a job

    def choose_direct(self, most: int) -> ChangedDocuments | None:
        """What can be ingested without a job; None if a job is needed.

        It has to be everything that changed since a good ingestion: what nobody names would be left as it is.
        """
        state = self.ledger.state
        if not state.good or state.asked or state.by_job:
            return None
        changes = self.ledger.list_changed(most)
        if not changes or not changes.count:
            return None
        longest = longest_key(self.target)
        if too_long := [key for key in (*changes.put, *changes.deleted) if len(key) > longest]:
            self.service.tell(
                f"{len(too_long):,} of the {changes.count:,} changed documents cannot be ingested by name, since their "
                f"addresses have more than {MOST_URI_CHARACTERS} characters after s3:// ({too_long[0]}, …): a job is "
                "started instead"
            )
            return None
        return changes

    def ingest_directly(self, changes: ChangedDocuments) -> IngestionReport:
        """Ingest documents without a job. If that fails, the next run starts a job."""
        asked = self.ledger.state.ask_directly(self.expected.fingerprint)
        self.ledger.write(asked)
        counts = self._ingest_by_name(changes, asked)
        self.ledger.end_well(self.expected.fingerprint)
        return self.report("direct", direct=counts)

    def _ingest_by_name(self, changes: ChangedDocuments, asked: IngestionState) -> DirectCounts:
        try:
            return ingest_directly(self.service, self.target, changes, asked)
        except IngestionError:
            self.ledger.write(asked.end_badly())
            raise

    # -- with a job

    def ingest_by_job(self) -> IngestionReport:
        """Wait for the job that an earlier run asked for, or start a new one.

        Raises:
            IngestionError: The job was not good, or its result is not known.
        """
        before, fingerprint = self.ledger.state, self.expected.fingerprint
        if before.asked and before.covers == fingerprint:
            result = self._run_job(before)
            if isinstance(result, IngestionReport):
                return result
            self.service.tell(
                f"the job of an earlier run was not good, so a new one is started: {'; '.join(map(str, result))}"
            )
        result = self._run_job(self.ledger.state.ask_for_job(fingerprint))
        if not isinstance(result, IngestionReport) and any(problem.kind == "unnamed" for problem in result):
            self.service.tell(f"another job is started: {'; '.join(map(str, result))}")
            result = self._run_job(self.ledger.state.ask_for_job(fingerprint))
        if isinstance(result, IngestionReport):
            return result
        raise IngestionError(describe_problems(str(self.target), result))

    def _run_job(self, asked: IngestionState) -> IngestionReport | list[JobProblem]:
        """The report on a good job, or what is wrong. The state is written before every step that cannot be undone."""
        self.ledger.write(asked)
        started = not asked.job_id
        try:
            asked = self._start_job(asked)
            job = self._wait_for_job(asked.job_id)
        except UnknownResourceError as error:
            self.ledger.write(asked.end_badly())
            return [JobProblem("failed", str(error))]
        statistics, reasons = read_statistics(job), read_failure_reasons(job)
        problems = find_job_problems(job["status"], statistics, reasons, self.expected)
        is_proven, by_name = not problems and self._proves_complete(asked, statistics), None
        if not is_proven and job["status"] == "COMPLETE":
            problems, by_name = self._look_at_documents(problems, asked, statistics, job["startedAt"])
            if problems and self.expected.foreign:
                problems += [JobProblem("files", f"the service says: {reason}") for reason in reasons]
        if problems:
            # The state as it was written last: ingestion by name has used up tokens meanwhile.
            self.ledger.write(self.ledger.state.end_badly())
            return [JobProblem(problems[0].kind, f"job {asked.job_id}: {job['status']}, {statistics}"), *problems]
        self.ledger.end_well(self.expected.fingerprint)
        return self.report(
            "job",
            started=started,
            job_id=asked.job_id,
            status=job["status"],
            statistics=statistics,
            failure_reasons=reasons,
            listed=not is_proven,
            direct=by_name,
        )

    def _start_job(self, asked: IngestionState) -> IngestionState:
        """The state with the ID of the job: known already, or that which the token leads to."""
        if asked.job_id:
            return asked
        token = asked.make_token()
        job = self.service.start("StartIngestionJob", **self.target.ids, clientToken=token)["ingestionJob"]
        asked = asked.model_copy(update={"job_id": job["ingestionJobId"]})
        self.ledger.start_job(asked, job["startedAt"])
        return asked

    def _wait_for_job(self, job_id: str) -> Mapping[str, Any]:
        """The job when it has ended, as GetIngestionJob shows it: ListIngestionJobs has no failure reasons."""
        service, poll = self.service, self.service.start_polling()
        while True:
            answer = service.call("GetIngestionJob", **self.target.ids, ingestionJobId=job_id)
            job: Mapping[str, Any] = answer["ingestionJob"]
            statistics = read_statistics(job)
            service.tell(f"ingestion job {job_id}: {job['status']}, {statistics}", statistics)
            if job["status"] in ENDED:
                return job
            pause = poll.next_pause(service.patience.job)
            if pause is None:
                raise IngestionError(
                    f"{self.target}: the ingestion job {job_id} is still {job['status']} after "
                    f"{service.patience.job:,.0f} seconds ({statistics}). Nothing is wrong with that as far as is "
                    "known: run again to go on waiting for it, or stop it in the console if its counts stand still"
                )
            service.clock.sleep(pause)

    # -- what a job did

    def _proves_complete(self, asked: IngestionState, statistics: JobStatistics) -> bool:
        # Another job just before this one may have left work that is counted as if it were ours.
        ours = [asked.job_id], [asked.job_id, asked.last_job]
        newest = [job["ingestionJobId"] for job in list_newest_jobs(self.service, self.target, 2)]
        all_pending = bool(asked.good) and newest in ours
        return proves_complete(statistics, self.expected, self.ledger.count_pending(), all_pending=all_pending)

    def _look_at_documents(
        self, problems: list[JobProblem], asked: IngestionState, statistics: JobStatistics, since: datetime
    ) -> tuple[list[JobProblem], DirectCounts | None]:
        """What is wrong as the documents themselves show, and what was ingested by name to mend it."""
        if problems:
            try:
                return problems + self._find_problems(self._list_documents(since), statistics), None
            except IngestionError as error:
                why = f"which documents it is about could not be asked for: {error}"
                return [*problems, JobProblem("unseen", why)], None
        found, by_name = self._list_documents(since), None
        if found.others == found.left:
            by_name = self._ingest_left(asked)
        if by_name:
            found = self._list_documents(since)
        return [*self._find_unnamed(), *self._find_problems(found, statistics)], by_name

    def _list_documents(self, since: datetime) -> DocumentStatuses:
        return list_documents(self.service, self.target, self.ledger, since)

    def _find_problems(self, found: DocumentStatuses, statistics: JobStatistics) -> list[JobProblem]:
        return find_document_problems(found, self.expected.documents, statistics.skipped)

    def _ingest_left(self, asked: IngestionState) -> DirectCounts | None:
        """Ingest by name what a job has left as it was; None if there is nothing.

        A job does not say so. It is right to leave a document that was changed and changed back; nobody can tell that
        from outside, and to ingest it once more does no harm. A job also says nothing of a document that failed before
        and that it did not try again, or that others took out.
        """
        done = DirectCounts(ingested=0, deleted=0)
        while (left := self.ledger.list_left(_INGESTED_AT_ONCE, longest=longest_key(self.target))).count:
            self.service.tell(
                f"the job left {left.count:,} documents as they were, be it that they were changed and changed back: "
                f"they are ingested by name ({(*left.put, *left.deleted)[0]}, …)"
            )
            # A new attempt has new tokens: what a broken run asked for may have come to nothing.
            asked = asked.model_copy(update={"attempt": asked.attempt + 1})
            self.ledger.write(asked)
            counts = self._ingest_by_name(left, asked)
            self.ledger.mark_ingested(left)
            done = DirectCounts(ingested=done.ingested + counts.ingested, deleted=done.deleted + counts.deleted)
        return done if done.ingested or done.deleted else None

    def _find_unnamed(self) -> list[JobProblem]:
        """What a job has left as it was, and cannot be ingested by name."""
        left = self.ledger.list_left(_INGESTED_AT_ONCE, shortest=longest_key(self.target) + 1)
        if not left.count:
            return []
        return [
            JobProblem(
                "unnamed",
                f"{left.count:,} document(s) were left as they were, and have addresses of more than "
                f"{MOST_URI_CHARACTERS} characters, which cannot be ingested by name "
                f"({(*left.put, *left.deleted)[0]}, …)",
            )
        ]
