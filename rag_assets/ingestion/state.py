"""The ingestion state of a data source: what the last good ingestion covered, and what was tried since.

Which documents are pending, and the file that keeps both, belongs to `ledger`. When to start a job is decided in
`ingestion`.
"""

import hashlib
import uuid
from typing import Self

from rag_assets.model import Model


class IngestionState(Model):
    """The state of one data source, without its pending documents.

    Attributes:
        knowledge_base_id: Whose state it is; it is worth nothing for another Knowledge Base.
        data_source_id: Likewise.
        place: Likewise: the S3 location.
        good: Fingerprint of what the last good ingestion covered; empty if there was none.
        pending: Names what has to be ingested; empty if nothing has to be.
        attempt: How many attempts were made since it became pending.
        asked: Whether the last job may be running: it was asked for, and its end is not known.
        job_id: Of that job; empty if the answer is not known.
        last_job: The job before that, the last that is known to be of this home.
        covers: Fingerprint of what was in the bucket when the job was asked for.
        by_job: Whether the next attempt has to be a job, which looks at every document: an attempt since the last good
            ingestion ended badly, or its end is not known.
    """

    knowledge_base_id: str = ""
    data_source_id: str = ""
    place: str = ""
    good: str = ""
    pending: str = ""
    attempt: int = 0
    asked: bool = False
    job_id: str = ""
    last_job: str = ""
    covers: str = ""
    by_job: bool = False

    @property
    def owner(self) -> tuple[str, str, str]:
        """Whose state it is."""
        return self.knowledge_base_id, self.data_source_id, self.place

    @property
    def newest_job(self) -> str:
        """The last job that is known to be of this home; empty if none is."""
        return self.job_id or self.last_job

    @property
    def is_fresh(self) -> bool:
        """Whether nothing is known of any ingestion or change."""
        return not self.good and not self.pending

    def needs_ingestion(self, fingerprint: str) -> bool:
        """Whether the Knowledge Base may hold anything but what has this fingerprint."""
        return bool(self.pending) or self.good != fingerprint

    def make_token(self, purpose: str = "job") -> str:
        """The clientToken of the attempt: 64 characters, the same in every process that continues the attempt.

        A token has 33 to 256 letters, digits and hyphens
        (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent_StartIngestionJob.html).
        """
        parts = (self.knowledge_base_id, self.data_source_id, self.pending, str(self.attempt), purpose)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    # -- the next state

    def begin_change(self) -> Self:
        """The state before a sync changes the bucket.

        From here on, every run ingests until an ingestion ends well. A job that was asked for before no longer counts,
        because it may have read the bucket before the change. It may still be running, and could overwrite a document
        that is ingested directly meanwhile; so the next attempt is a job, which waits for that one.
        """
        return self._update(
            pending=uuid.uuid4().hex,
            attempt=0,
            asked=False,
            job_id="",
            last_job=self.newest_job,
            covers="",
            by_job=self.by_job or self.asked,
        )

    def ask_for_job(self, fingerprint: str) -> Self:
        """The state before a new job is asked for."""
        return self._update(
            pending=self.pending or uuid.uuid4().hex,
            attempt=self.attempt + 1,
            asked=True,
            job_id="",
            last_job=self.newest_job,
            covers=fingerprint,
        )

    def ask_directly(self, fingerprint: str) -> Self:
        """The state before documents are ingested without a job."""
        return self.ask_for_job(fingerprint)._update(asked=False)

    def end_badly(self) -> Self:
        """The state after a failed attempt: still pending, and the next attempt is a new job."""
        return self._update(asked=False, job_id="", last_job=self.newest_job, by_job=True)

    def distrust(self) -> Self:
        """The state once others have changed the Knowledge Base: the last good ingestion no longer counts."""
        return self._update(good="", pending=self.pending or uuid.uuid4().hex)

    def _update(self, **fields: object) -> Self:
        return self.model_copy(update=fields)
