"""Where things lie below the home folder. Paths only: what is in the files belongs to who writes them."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Home:
    """The output folder of the project (`data/` unless set otherwise)."""

    root: Path

    def fetched(self, source: str) -> Path:
        """Bytes as fetched, and the manifests that tell where they came from."""
        return self.root / "fetched" / source

    def records(self, source: str) -> Path:
        """Folder of `*.jsonl`, one record a line."""
        return self.root / "records" / source

    def summary(self, source: str, document: str) -> Path:
        """File that tells what reading a document brought beside its records."""
        return self.root / "summaries" / source / f"{document}.jsonl"

    def records_cache_entry(self, source: str, document: str) -> Path:
        """Build cache entry of a document's records."""
        return self.root / "stamps" / source / f"{document}.records"

    def chunks(self, variant: str) -> Path:
        """File of a variant's chunks, one a line, in reading order."""
        return self.root / "chunks" / f"{variant}.jsonl"

    def corpus(self, variant: str) -> Path:
        """The future bucket (or prefix) of a variant: texts and sidecars."""
        return self.root / "corpus" / variant

    def quality(self, variant: str) -> Path:
        """File of a variant's quality rows."""
        return self.root / "quality" / f"{variant}.jsonl"

    def index(self, variant: str) -> Path:
        """The embedded index of a variant."""
        return self.root / "index" / f"{variant}.sqlite"

    def cache_entry(self, output: str, variant: str) -> Path:
        """Build cache entry of a variant's `chunks`, `files` or `quality`."""
        return self.root / "stamps" / f"{variant}.{output}"

    @property
    def vectors(self) -> Path:
        """Vectors by content hash, shared by all variants and runs."""
        return self.root / "index" / "vectors.sqlite"

    @property
    def questions(self) -> Path:
        """The validated questions of all question sets."""
        return self.root / "evaluation" / "questions.jsonl"

    def results(self, variant: str) -> Path:
        """What a variant found for every question."""
        return self.root / "evaluation" / f"{variant}.jsonl"

    def tuning(self, cut: str) -> Path:
        """The rows of the tuning grid for one way of cutting."""
        return self.root / "tuning" / f"{cut}.jsonl"

    def tuning_index(self, cut: str) -> Path:
        """The embedded index of a way of cutting that the grid compares."""
        return self.root / "tuning" / f"{cut}.sqlite"

    @property
    def report_tables(self) -> Path:
        """The figures of the report, for the terminal. A variant's name has no dot."""
        return self.root / "evaluation" / "report.tables.jsonl"

    def objects(self, variant: str) -> Path:
        """What was sent to S3 of a variant, and what lay there then."""
        return self.root / "sync" / f"{variant}.objects.sqlite"

    def synced(self, variant: str, target: str) -> Path:
        """What the last sync of a variant to a target in S3 left there, for the ingestion after it."""
        return self.root / "sync" / f"{variant}.{target}.synced.jsonl"

    def ingestion(self, variant: str, target: str) -> Path:
        """What the Knowledge Base of a target has taken in of a variant, and what is pending."""
        return self.root / "sync" / f"{variant}.{target}.ingestion.sqlite"

    def sync_lock(self, variant: str) -> Path:
        """Held while a variant is uploaded or ingested."""
        return self.root / "sync" / f"{variant}.lock"

    @property
    def reports(self) -> Path:
        """What people and scripts read."""
        return self.root / "reports"

    @property
    def dagster(self) -> Path:
        """DAGSTER_HOME: runs, materializations and schedules."""
        return self.root / "dagster"
