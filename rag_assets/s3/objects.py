"""Syncs a variant's folder to its location in S3: afterwards the bucket holds what the folder holds.

The steps come in an order in which a sync can stop anywhere, and the next one finishes the work:

1. Read and check every file of the folder. A file that the Knowledge Base would refuse or skip stops the sync.
2. List the location meanwhile. An object counts as unchanged only if its content is proven, and as ours only if the
   manifest or the object's own mark proves that. All others are left alone.
3. Refuse what has to be refused (`refusals`). So far, nothing was changed.
4. Upload document by document, the sidecar before its text, so that no text is ever there without a sidecar. If both
   have changed, the old text stands beside the new sidecar for the time of one request (or, after a crash, until the
   next run). A job starts only after a sync that has finished.
5. Delete, texts before their sidecars. Deletions come last, so that a crash leaves too much rather than too little.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from rag_assets.clock import Clock
from rag_assets.corpus.sidecar_limits import ANYWHERE, SizeLimits
from rag_assets.model import Model
from rag_assets.parallel import IdleLimit, map_parallel, prefetch_pages
from rag_assets.s3.checking import read_local_files
from rag_assets.s3.errors import WORKERS, SyncError, describe_timeout
from rag_assets.s3.locations import S3Location
from rag_assets.s3.manifest import ListedObject, ObjectState, SentObject, SyncManifest, UnclearObject, WantedObject
from rag_assets.s3.manifest_file import open_manifest
from rag_assets.s3.marks import ObjectHead, OwnershipMark
from rag_assets.s3.refusals import SHOWN, FaultyFiles, describe_objects, find_refusal, report_foreign_changes
from rag_assets.s3.uploading import (
    MOST_DELETED_AT_ONCE,
    delete_objects,
    head_object,
    list_objects,
    stop_abandoned_requests,
    upload_document,
    without_expect_header,
)

ObjectChange = Literal["new", "changed", "unchanged", "deleted", "foreign"]
"""What happens to an object; `foreign`: nothing, since it is not ours."""

MOST_SILENCE = 600.0
"""Seconds without any request coming to its end. All tries of one that S3 keeps silent about take a third of them; 16
texts of the largest size, sent at once, come through in time with 12 Mbit/s."""
_LISTED_PER_NOTE = 5_000
"""Objects between two lines about the listing."""


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How a sync is made.

    Attributes:
        variant: Name of the variant, for the marks: objects of another variant in the location are not ours.
        adopted: Beginnings of keys below the prefix: objects there count as ours without a mark.
        dry_run: Change nothing. This needs `s3:ListBucket`; without `s3:GetObject`, what cannot be proven counts as
            changed, or as somebody else's.
        workers: Documents that are uploaded at once; no more than the client keeps connections.
        limits: How much a sidecar may hold; depends on the Knowledge Base's vector store.
        most_deleted_share: Share of our objects, 0 to 1; if more would be deleted, the sync is refused.
        may_delete_more: Delete them all the same.
        most_silence: Seconds without any finished request after which the sync gives up. S3 may answer a byte now and
            then, so slowly that no time-out of a connection notices.
    """

    variant: str = ""
    adopted: tuple[str, ...] = ()
    dry_run: bool = False
    workers: int = WORKERS
    limits: SizeLimits = ANYWHERE
    most_deleted_share: float = 0.3
    may_delete_more: bool = False
    most_silence: float = MOST_SILENCE


class SyncReport(Model):
    """What a sync did, or would do. Counts are of objects; a text and its sidecar are two.

    Attributes:
        new: Uploaded, and not there before.
        changed: Uploaded in the place of another content.
        unchanged: Proven to be there already.
        deleted: Deleted: ours, and no longer in the folder.
        foreign_documents: Other people's objects, without their sidecars. They are left as they are, and a Knowledge
            Base takes them in too, as far as it can read them.
        foreign_sidecars: Other people's sidecars.
        in_the_way: Other people's objects at keys that we want: with any, only a dry run ends without an error.
        bytes_sent: Bytes of content uploaded.
        seconds: How long it took.
        dry_run: Nothing was done; the counts say what would be.
        refused: Why a real run would be refused; empty if it would not, and for a real run.
        documents: Texts that are there now.
        sidecars: Sidecars that are there now.
        fingerprint: SHA-256 over keys and contents of all that is there now: tells whether anything changed since an
            ingestion job.
        first_new: Up to 20 keys, in order, for a reader.
        first_changed: Likewise.
        first_deleted: Likewise.
        first_foreign: Likewise.
    """

    new: int
    changed: int
    unchanged: int
    deleted: int
    foreign_documents: int = 0
    foreign_sidecars: int = 0
    in_the_way: int = 0
    bytes_sent: int
    seconds: float
    dry_run: bool
    refused: str = ""
    documents: int
    sidecars: int
    fingerprint: str
    first_new: tuple[str, ...] = ()
    first_changed: tuple[str, ...] = ()
    first_deleted: tuple[str, ...] = ()
    first_foreign: tuple[str, ...] = ()

    @property
    def foreign(self) -> int:
        """Other people's objects in the location, at keys that we do not want."""
        return self.foreign_documents + self.foreign_sidecars

    @property
    def objects_per_second(self) -> float:
        """Objects uploaded or deleted in a second of the whole sync."""
        return (self.new + self.changed + self.deleted) / self.seconds if self.seconds else 0.0


def sync_folder(
    s3: Any,
    folder: Path,
    location: S3Location,
    manifest: Path,
    options: SyncOptions | None = None,
    *,
    on_change: Callable[[ObjectChange, str], None] | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    on_note: Callable[[str], None] = lambda _: None,
    clock: Clock | None = None,
) -> SyncReport:
    """Make a location in S3 hold what a variant's folder holds, and nothing else of ours.

    Stopped anywhere and called again, it ends in the same state. Only objects that are proven to be ours are deleted or
    overwritten: the manifest says that they were sent from here, or they bear our mark (`marks`). All others are
    reported and left alone; if one lies at a key of ours, nothing is done at all. The same holds for a folder that is
    missing or empty, and for files that break a rule. An error or an interrupt ends the sync at once: requests under
    way are not waited for, and not tried again.

    Args:
        s3: A boto3 client, best made with `errors.s3_client_config`.
        folder: Files as `corpus.writing.write_files` leaves them; must not change meanwhile.
        location: Where they go. Nothing outside it is touched.
        manifest: SQLite file that remembers what was sent. It may be deleted or damaged: then objects are compared by
            ETag or, where that is no MD5 (SSE-KMS), by HeadObject, and recognised as ours by their marks.
        options: How the sync is made.
        on_change: Called with every object and what happens to it, before the first upload; unchanged ones come last.
        on_progress: Called with the number of objects done and of all to do.
        on_note: Called with lines for the log.
        clock: Time and waiting.

    Raises:
        SyncError: It could not be done, or not all of it. Every object there is whole.
    """
    options, clock = options or SyncOptions(), clock or Clock()
    began = clock.monotonic()
    sync = _SyncSteps(s3, folder, OwnershipMark(location, options.variant, options.adopted), options, on_note, clock)
    stop_abandoned_requests(s3)
    with open_manifest(manifest, location, only_read=options.dry_run, on_note=on_note) as tables:
        sync.compare(tables)
        refused = find_refusal(tables, location, 1.0 if options.may_delete_more else options.most_deleted_share)
        if refused and not options.dry_run:
            raise SyncError(refused)
        report = _make_report(tables, refused, dry_run=options.dry_run)
        report_foreign_changes(tables, location, on_note)
        if on_change:
            _report_changes(tables, on_change)
        if not options.dry_run:
            if report.deleted:
                on_note(
                    f"{location.uri}: {describe_objects(report.first_deleted, report.deleted)} no longer in the "
                    "folder, and deleted once everything is uploaded"
                )
            total = report.new + report.changed + report.deleted
            sync.apply(tables, lambda done: on_progress(done, total))
    return report.model_copy(update={"seconds": clock.monotonic() - began})


def _make_report(tables: SyncManifest, refused: str, *, dry_run: bool) -> SyncReport:
    return SyncReport(
        new=tables.count_state("new"),
        changed=tables.count_state("changed"),
        unchanged=tables.count_state("unchanged"),
        deleted=tables.count("gone"),
        foreign_documents=tables.count("foreign", sidecars=False),
        foreign_sidecars=tables.count("foreign", sidecars=True),
        in_the_way=tables.count("in_the_way"),
        bytes_sent=tables.upload_bytes(),
        seconds=0.0,
        dry_run=dry_run,
        refused=refused,
        documents=tables.count_wanted(sidecars=False),
        sidecars=tables.count_wanted(sidecars=True),
        fingerprint=tables.fingerprint(),
        first_new=tuple(islice(tables.keys_in_state("new"), SHOWN)),
        first_changed=tuple(islice(tables.keys_in_state("changed"), SHOWN)),
        first_deleted=tuple(islice(tables.keys_to_delete(), SHOWN)),
        first_foreign=tuple(islice(tables.keys("foreign"), SHOWN)),
    )


def _report_changes(tables: SyncManifest, on_change: Callable[[ObjectChange, str], None]) -> None:
    states: tuple[ObjectState, ...] = ("new", "changed")
    for state in states:
        for key in tables.keys_in_state(state):
            on_change("new" if state == "new" else "changed", key)
    for key in tables.keys_to_delete():
        on_change("deleted", key)
    for key in tables.keys_in_state("unchanged"):
        on_change("unchanged", key)
    for key in tables.keys("foreign"):
        on_change("foreign", key)


@dataclass(frozen=True)
class _SyncSteps:
    """The steps of one sync that read the folder or send requests."""

    s3: Any
    folder: Path
    mark: OwnershipMark
    options: SyncOptions
    on_note: Callable[[str], None]
    clock: Clock

    def compare(self, tables: SyncManifest) -> None:
        """Fill the tables, and decide what is to be done."""
        location, limit = self.mark.location, self._idle_limit()
        with prefetch_pages(list_objects(self.s3, location), limit) as objects:
            self._read_folder(tables)
            tables.add_objects(self._note_listing(objects))
        tables.compare(self.mark.adopts)

        def look(unclear: UnclearObject) -> tuple[UnclearObject, ObjectHead | None]:
            return unclear, head_object(self.s3, location, unclear.key)

        with map_parallel(look, tables.find_unclear(), self._workers(), limit) as heads:
            for unclear, head in heads:
                tables.settle(unclear, head, self.mark)

    def apply(self, tables: SyncManifest, on_progress: Callable[[int], None]) -> None:
        """Upload and delete.

        Args:
            tables: The tables.
            on_progress: Called with the number of objects done so far.
        """
        done = 0

        def send(document: Sequence[WantedObject]) -> list[SentObject]:
            return upload_document(self.s3, self.folder, self.mark, document)

        def delete(keys: Sequence[str]) -> int:
            delete_objects(self.s3, self.mark.location, keys, self.clock)
            return len(keys)

        tables.plan_uploads()
        uploading = map_parallel(send, tables.uploads(), self._workers(), self._idle_limit())
        with without_expect_header(self.s3), uploading as uploaded:
            for document in uploaded:
                for sent in document:
                    tables.remember(sent)
                done += len(document)
                on_progress(done)
        keys = tables.keys_to_delete()
        batches = iter(lambda: list(islice(keys, MOST_DELETED_AT_ONCE)), [])
        # One worker: no sidecar is deleted before its text.
        with map_parallel(delete, batches, 1, self._idle_limit()) as numbers:
            for number in numbers:
                done += number
                on_progress(done)
        tables.forget_gone()

    def _read_folder(self, tables: SyncManifest) -> None:
        folder, location = self.folder, self.mark.location
        faulty = FaultyFiles(folder)
        try:
            tables.add_files(faulty.take_out(read_local_files(folder, location.prefix, self.options.limits)))
        except FileNotFoundError as error:
            if folder.is_dir():
                raise SyncError(
                    f"{error.filename} vanished while it was read. Run again when nothing writes there"
                ) from error
            raise SyncError(
                f"{folder} does not exist: materialize corpus_files first; nothing in {location.uri} was touched"
            ) from None
        except OSError as error:
            raise SyncError(
                f"{error.filename or folder} could not be read: {error.strerror}; nothing was uploaded"
            ) from error
        if not faulty.count:
            for key in tables.texts_without_sidecar():
                faulty.add(key.removeprefix(location.prefix), "it has no sidecar, and would be found by no filter")
            for key in tables.sidecars_without_text():
                faulty.add(key.removeprefix(location.prefix), "there is no text that it belongs to")
        faulty.require_none()
        if not tables.count_wanted(sidecars=False):
            raise SyncError(
                f"{folder} is empty, and an empty folder never empties a place: nothing in {location.uri} was touched. "
                "Materialize corpus_files; to be rid of the objects, delete them in S3 itself"
            )

    def _note_listing(self, objects: Iterable[ListedObject]) -> Iterator[ListedObject]:
        for number, found in enumerate(objects, 1):
            if number % _LISTED_PER_NOTE == 0:
                self.on_note(f"{self.mark.location.uri}: {number:,} objects listed so far")
            yield found

    def _workers(self) -> int:
        connections: int = self.s3.meta.config.max_pool_connections
        return min(self.options.workers, connections)

    def _idle_limit(self) -> IdleLimit:
        location, most = self.mark.location, self.options.most_silence

        def warn(seconds: float) -> None:
            self.on_note(
                f"{location.uri}: S3 has answered nothing for {seconds:.0f} s; it is given up after {most:.0f} s"
            )

        return IdleLimit(most, warn, describe_timeout(location, most))
