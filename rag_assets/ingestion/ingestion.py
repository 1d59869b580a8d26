"""From the bucket into the Knowledge Base: one ingestion, if one is needed, waited for and checked.

What is pending survives a crash (`state`); what a finished job is worth is a matter of `judgement` and `documents`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from rag_assets.clock import Clock
from rag_assets.ingestion.data_source import IngestionTarget, require_data_source
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
from rag_assets.ingestion.jobs import find_foreign_job, list_newest_jobs
from rag_assets.ingestion.service import (
    IngestionError,
    IngestionService,
    OnProgress,
    RetryCounts,
    UnknownResourceError,
    WaitLimits,
)
from rag_assets.ingestion.state import (
    ChangedDocuments,
    IngestionLedger,
    IngestionState,
    asking,
    asking_directly,
    disturbed,
    ended_badly,
    open_ledger,
)
from rag_assets.model import Model

ENDED = frozenset({"COMPLETE", "FAILED", "STOPPED"})
_MADE_UP_FOR_AT_ONCE = 1000
"""Documents that are ingested by name before the next are: their names are in memory."""


class IngestionReport(Model):
    """What one run did, for the log and the asset's metadata.

    Attributes:
        how: `nothing` where the Knowledge Base was up to date, `job`, or `direct`.
        started: Whether this run asked for the job. It did not where it only waited for one of an earlier run.
        job_id: Of the job.
        status: Of the job.
        statistics: Of the job.
        failure_reasons: Of the job; empty, or this would not have been called good.
        listed: Whether the documents were asked for one by one, since the counts alone proved nothing.
        foreign: Documents in the bucket that were not sent from here, and that it takes in too, as far as it can.
        direct: What was ingested without a job; where `how` is `job`, what that had left as it was before.
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


def ingest(
    agent: Any,
    target: IngestionTarget,
    expected: ExpectedObjects,
    state: Path,
    *,
    direct_up_to: int = 0,
    clock: Clock | None = None,
    patience: WaitLimits | None = None,
    on_progress: OnProgress | None = None,
) -> IngestionReport:
    """Let the Knowledge Base take in what lies in the bucket, and make sure that it did.

    Nothing is done where the last ingestion ended well, covered just this, no sync has changed anything since, and no
    job of others has done anything. Documents that others took out, or in, by name are not seen so: that takes a fresh
    state, in which a sync then notes every document, to be looked for. Otherwise one job is started. One that an
    earlier run asked for is waited for instead: it was asked for after that run's last change to the bucket, and since
    then there was none (a sync would have made it worthless, and so would another fingerprint). Where it turns out to
    have ended badly, a new one is started.

    A job that ended well is believed where its counts prove that it did all that is pending. Otherwise the documents
    are looked at one by one: each that is pending has to have been updated since a job was first asked to take it in.
    Those that were not are ingested by name, and so is what failed or was ignored at an earlier time and this job did
    not try again. What is pending is known over any number of runs that did not end well.

    However this ends but by returning, the ingestion stays pending: calling again is all there is to do.

    Needs bedrock:GetKnowledgeBase, GetDataSource, StartIngestionJob, GetIngestionJob, ListIngestionJobs and
    ListKnowledgeBaseDocuments; for what is ingested by name GetKnowledgeBaseDocuments, IngestKnowledgeBaseDocuments
    and DeleteKnowledgeBaseDocuments.

    Args:
        agent: A boto3 client of bedrock-agent, best with `service.client_config()`.
        target: The data source.
        expected: What lies under its prefix.
        state: The data source's state file, in which `noted_changes` notes what syncs change.
        direct_up_to: Up to how many changed documents are ingested without a job; 0 is never.
        clock: Time and waiting.
        patience: How long is waited for what.
        on_progress: Takes the lines for the log.

    Raises:
        IngestionError: Not everything is in the Knowledge Base, or that could not be found out; or the state is fresh,
            and no sync has noted what there is.
        StorageError: The state file cannot be read or written.
    """
    with open_ledger(state, target) as ledger:
        service = IngestionService(agent, str(target), clock or Clock(), patience or WaitLimits(), on_progress)
        run = _Run(service, target, expected, ledger)
        run.look_for_others()
        if not ledger.state.needs_ingestion(expected.fingerprint):
            return IngestionReport(
                how="nothing", foreign=expected.foreign, seconds=service.seconds, waited=service.waited
            )
        require_data_source(service, target)
        _require_names(ledger, target, expected, state)
        changes = run.for_direct(direct_up_to)
        return run.directly(changes) if changes else run.by_job()


def _require_names(ledger: IngestionLedger, target: IngestionTarget, expected: ExpectedObjects, path: Path) -> None:
    """See that the documents are known by name where nothing else is.

    By number alone, one that others took out and another that they left too many would be taken for none.
    """
    if ledger.state.is_fresh and ledger.names < expected.documents:
        raise IngestionError(
            f"{target}: nothing was ingested, since {path} is new, and does not yet know which documents there are. "
            "Materialize s3_objects first: with nothing to upload it only notes them"
        )


@dataclass(frozen=True)
class _Run:
    """One ingestion."""

    service: IngestionService
    target: IngestionTarget
    expected: ExpectedObjects
    ledger: IngestionLedger

    def look_for_others(self) -> None:
        """Let nothing count as good any more where a job of others has done something since it was.

        It may have taken in what lay in the bucket for a while, which no sync has seen.
        """
        state = self.ledger.state
        if not state.good or state.asked:
            return
        foreign = find_foreign_job(self.service, self.target, state.newest_job)
        if foreign:
            self.service.tell(f"the job {foreign} was not started from here: a job looks at every document")
            self.ledger.write(disturbed(state))

    def for_direct(self, most: int) -> ChangedDocuments | None:
        """What can be ingested without a job; None where one is needed.

        That is everything since a good ingestion, or nothing: what nobody names would be left as it is.
        """
        state = self.ledger.state
        if not state.good or state.asked or state.by_job:
            return None
        changes = self.ledger.changes(most)
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

    def directly(self, changes: ChangedDocuments) -> IngestionReport:
        """Without a job. Whatever it leaves undone, the next run's job does."""
        asked = asking_directly(self.ledger.state, self.expected.fingerprint)
        self.ledger.write(asked)
        counts = self._ingested(changes, asked)
        self.ledger.ended_well(self.expected.fingerprint)
        return IngestionReport(
            how="direct",
            foreign=self.expected.foreign,
            direct=counts,
            seconds=self.service.seconds,
            waited=self.service.waited,
        )

    def by_job(self) -> IngestionReport:
        """With the job that was asked for already, or a new one."""
        before = self.ledger.state
        if before.asked and before.covers == self.expected.fingerprint:
            found = self._with_job(before)
            if isinstance(found, IngestionReport):
                return found
            self.service.tell(
                f"the job of an earlier run was not good, so a new one is started: {'; '.join(map(str, found))}"
            )
        found = self._with_job(asking(self.ledger.state, self.expected.fingerprint))
        if not isinstance(found, IngestionReport) and any(fault.kind == "unnamed" for fault in found):
            self.service.tell(f"another job is started: {'; '.join(map(str, found))}")
            found = self._with_job(asking(self.ledger.state, self.expected.fingerprint))
        if isinstance(found, IngestionReport):
            return found
        raise IngestionError(describe_problems(str(self.target), found))

    def _with_job(self, asked: IngestionState) -> IngestionReport | list[JobProblem]:
        """The report on a job that was good, or what was wrong with it.

        The state is written before every step that cannot be taken back.
        """
        self.ledger.write(asked)
        started = not asked.job_id
        try:
            asked = self._asked(asked)
            job = self._ended(asked.job_id)
        except UnknownResourceError as error:
            self.ledger.write(ended_badly(asked))
            return [JobProblem("failed", str(error))]
        statistics, reasons = read_statistics(job), read_failure_reasons(job)
        faults = find_job_problems(job["status"], statistics, reasons, self.expected)
        proven, made_up_for = not faults and self._is_proven(asked, statistics), None
        if not proven and job["status"] == "COMPLETE":
            faults, made_up_for = self._looked_into(faults, asked, statistics, job["startedAt"])
            if faults and self.expected.foreign:
                faults += [JobProblem("files", f"the service says: {reason}") for reason in reasons]
        if faults:
            # As it was written last: what was ingested by name meanwhile has used up tokens.
            self.ledger.write(ended_badly(self.ledger.state))
            return [JobProblem(faults[0].kind, f"job {asked.job_id}: {job['status']}, {statistics}"), *faults]
        self.ledger.ended_well(self.expected.fingerprint)
        return IngestionReport(
            how="job",
            started=started,
            job_id=asked.job_id,
            status=job["status"],
            statistics=statistics,
            failure_reasons=reasons,
            listed=not proven,
            foreign=self.expected.foreign,
            direct=made_up_for,
            seconds=self.service.seconds,
            waited=self.service.waited,
        )

    def _is_proven(self, asked: IngestionState, statistics: JobStatistics) -> bool:
        # Another job, just before this one, may have left it things to do that are counted as if they were ours.
        ours = [asked.job_id], [asked.job_id, asked.last_job]
        newest = [job["ingestionJobId"] for job in list_newest_jobs(self.service, self.target, 2)]
        all_pending = bool(asked.good) and newest in ours
        return proves_complete(statistics, self.expected, self.ledger.pending(), all_pending=all_pending)

    def _looked_into(
        self, faults: list[JobProblem], asked: IngestionState, statistics: JobStatistics, since: datetime
    ) -> tuple[list[JobProblem], DirectCounts | None]:
        """What is wrong as the documents tell one by one, and what could be made up for."""
        if faults:
            return self._told_apart(faults, statistics, since), None
        found, made_up_for = self._listed(since), None
        if found.others == found.left:
            made_up_for = self._made_up_for(asked)
        if made_up_for:
            found = self._listed(since)
        return [*self._unnamed(), *self._document_faults(found, statistics)], made_up_for

    def _told_apart(self, faults: list[JobProblem], statistics: JobStatistics, since: datetime) -> list[JobProblem]:
        """The faults of a job, with the documents that they are about."""
        try:
            return faults + self._document_faults(self._listed(since), statistics)
        except IngestionError as error:
            return [*faults, JobProblem("unseen", f"which documents it is about could not be asked for: {error}")]

    def _listed(self, since: datetime) -> DocumentStatuses:
        return list_documents(self.service, self.target, self.ledger, since)

    def _document_faults(self, found: DocumentStatuses, statistics: JobStatistics) -> list[JobProblem]:
        return find_document_problems(found, self.expected.documents, statistics.skipped)

    def _made_up_for(self, asked: IngestionState) -> DirectCounts | None:
        """Ingest by name what a job has left as it was, if there is such a thing.

        A job does not tell of that. It is no fault where a document was changed and changed back; which of the two it
        is, nobody can tell from outside, and to take the document in once more is right in both. Nor does it tell of
        what it did not try again after that had failed, or of what others took out.
        """
        done = DirectCounts(ingested=0, deleted=0)
        while (left := self.ledger.left(_MADE_UP_FOR_AT_ONCE, longest=longest_key(self.target))).count:
            self.service.tell(
                f"the job left {left.count:,} documents as they were, be it that they were changed and changed back: "
                f"they are ingested by name ({(*left.put, *left.deleted)[0]}, …)"
            )
            # Another attempt has other tokens: what a run that was broken off asked for may have come to nothing.
            asked = asked.model_copy(update={"attempt": asked.attempt + 1})
            self.ledger.write(asked)
            counts = self._ingested(left, asked)
            self.ledger.made_up_for(left)
            done = DirectCounts(ingested=done.ingested + counts.ingested, deleted=done.deleted + counts.deleted)
        return done if done.ingested or done.deleted else None

    def _unnamed(self) -> list[JobProblem]:
        """What a job has left as it was, and what cannot be made up for by name."""
        left = self.ledger.left(_MADE_UP_FOR_AT_ONCE, shortest=longest_key(self.target) + 1)
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

    def _ingested(self, changes: ChangedDocuments, asked: IngestionState) -> DirectCounts:
        try:
            return ingest_directly(self.service, self.target, changes, asked)
        except IngestionError:
            self.ledger.write(ended_badly(asked))
            raise

    def _asked(self, asked: IngestionState) -> IngestionState:
        """The state with the ID of the job: known already, or that which its token leads to."""
        if asked.job_id:
            return asked
        job = self.service.start("StartIngestionJob", **self.target.ids, clientToken=asked.token())["ingestionJob"]
        asked = asked.model_copy(update={"job_id": job["ingestionJobId"]})
        self.ledger.started(asked, job["startedAt"])
        return asked

    def _ended(self, job_id: str) -> Mapping[str, Any]:
        """The job when it has ended, as GetIngestionJob tells it: ListIngestionJobs knows no failure reasons."""
        service, clock = self.service, self.service.clock
        began, pauses = clock.monotonic(), iter(service.patience.poll_pauses)
        while True:
            job: Mapping[str, Any] = service.call("GetIngestionJob", **self.target.ids, ingestionJobId=job_id)[
                "ingestionJob"
            ]
            statistics = read_statistics(job)
            service.tell(f"ingestion job {job_id}: {job['status']}, {statistics}", statistics)
            if job["status"] in ENDED:
                return job
            pause = next(pauses)
            if clock.monotonic() - began + pause > service.patience.job:
                raise IngestionError(
                    f"{self.target}: the ingestion job {job_id} is still {job['status']} after "
                    f"{service.patience.job:,.0f} seconds ({statistics}). Nothing is wrong with that as far as is "
                    "known: run again to go on waiting for it, or stop it in the console if its counts stand still"
                )
            clock.sleep(pause)
