"""Ingests a variant from its bucket into the Knowledge Base, if that is needed, and makes sure that nothing is missing.

What is done belongs to `attempt`; what is pending, to `ledger`.
"""

from pathlib import Path
from typing import Any

from rag_assets.clock import Clock
from rag_assets.ingestion.attempt import IngestionAttempt, IngestionReport
from rag_assets.ingestion.data_source import require_data_source
from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.ingestion.jobs import find_foreign_job
from rag_assets.ingestion.ledger import open_ledger
from rag_assets.ingestion.service import IngestionError, IngestionService, OnProgress, WaitLimits
from rag_assets.s3.locations import IngestionTarget


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
    """Let the Knowledge Base ingest what is in the bucket, and make sure that it did.

    Nothing is done if the last ingestion ended well and covered just this, no sync has changed anything since, and no
    job of others has done anything. (Documents that others ingested or deleted by name are not seen so: that takes a
    fresh ledger, in which a sync notes every document, to be looked for.) Otherwise one job is started. If an earlier
    run asked for a job after its last change to the bucket, this run waits for that one; if it ended badly, a new one
    is started.

    A good job is believed if its counts prove that it did all that is pending. Otherwise the documents are looked at
    one by one: each pending one has to have been updated since a job was first asked to ingest it. Those that were not
    are ingested by name, and so are those that failed or were ignored before and that this job did not try again.

    Unless this returns, the ingestion stays pending, over any number of runs: calling again is all there is to do.

    Needs bedrock:GetKnowledgeBase, GetDataSource, StartIngestionJob, GetIngestionJob, ListIngestionJobs and
    ListKnowledgeBaseDocuments; for ingestion by name GetKnowledgeBaseDocuments, IngestKnowledgeBaseDocuments and
    DeleteKnowledgeBaseDocuments.

    Args:
        agent: A boto3 client of bedrock-agent, best with `service.client_config()`.
        target: The data source.
        expected: What is under its prefix.
        state: The data source's ledger file, in which `record_changes` notes what syncs change.
        direct_up_to: Up to how many changed documents are ingested without a job; 0 is never.
        clock: Time and waiting.
        patience: How long is waited for what.
        on_progress: Takes the lines for the log.

    Raises:
        IngestionError: Not everything is in the Knowledge Base, or that is not known; or the ledger is fresh, and no
            sync has noted what there is.
        StorageError: The ledger cannot be read or written.
    """
    with open_ledger(state, target) as ledger:
        service = IngestionService(agent, str(target), clock or Clock(), patience or WaitLimits(), on_progress)
        attempt = IngestionAttempt(service, target, expected, ledger)
        _distrust_after_foreign_job(attempt)
        if not ledger.state.needs_ingestion(expected.fingerprint):
            return attempt.report("nothing")
        require_data_source(service, target)
        # By number alone, a document that others took out and one that they added would not be noticed.
        if ledger.state.is_fresh and ledger.count_present() < expected.documents:
            raise IngestionError(
                f"{target}: nothing was ingested, since {state} is new, and does not yet know which documents there "
                "are. Materialize s3_objects first: with nothing to upload it only notes them"
            )
        changes = attempt.choose_direct(direct_up_to)
        return attempt.ingest_directly(changes) if changes else attempt.ingest_by_job()


def _distrust_after_foreign_job(attempt: IngestionAttempt) -> None:
    """Forget the last good ingestion if a job of others has done something since.

    That job may have ingested what was in the bucket for a while, which no sync has seen.
    """
    state = attempt.ledger.state
    if not state.good or state.asked:
        return
    job_id = find_foreign_job(attempt.service, attempt.target, state.newest_job)
    if job_id:
        attempt.service.tell(f"the job {job_id} was not started from here: a job looks at every document")
        attempt.ledger.write(state.distrust())
