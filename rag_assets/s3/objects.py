"""A variant's folder to its place in S3: the bucket holds what the folder holds, whatever happened before.

What a sync does, in which order, and what it refuses to do. The order is one in which it can end anywhere:

1. Every file of the folder is read and checked; one that the Knowledge Base would refuse or skip stops the sync.
2. The place is listed, meanwhile; what is there counts as unchanged only where its content is proven, and as ours only
   where the manifest or the object's own mark proves that. The rest is others', and left as it is.
3. What is refused is refused now: nothing was touched so far.
4. Uploads, document by document, a sidecar before its text: no text is ever there without its sidecar. Where both have
   changed, the old text stands beside the new sidecar for the time of one request (or until the next run, after a
   crash): a job is started only after a sync that has come to its end.
5. Deletions, texts before their sidecars. They come last, so that a crash leaves too much rather than too little.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import count, islice
from pathlib import Path
from typing import Any, Literal

from rag_assets.clock import Clock
from rag_assets.corpus.sidecar_limits import ANYWHERE, SizeLimits
from rag_assets.model import Model
from rag_assets.parallel import IdleLimit, map_parallel, prefetch_pages
from rag_assets.s3.checking import LocalFile, read_local_files
from rag_assets.s3.errors import WORKERS, SyncError, describe_timeout, s3_client_config
from rag_assets.s3.locations import S3Location
from rag_assets.s3.manifest import ListedObject, SentObject, SyncManifest, UnclearObject, WantedObject, open_manifest
from rag_assets.s3.marks import ObjectHead, OwnershipMark
from rag_assets.s3.uploading import (
    MOST_DELETED_AT_ONCE,
    delete_objects,
    head_object,
    list_objects,
    stop_abandoned_requests,
    upload_document,
    without_expect_header,
)

__all__ = ["ObjectChange", "S3Location", "SyncError", "SyncReport", "s3_client_config", "sync_folder"]

ObjectChange = Literal["new", "changed", "unchanged", "deleted", "foreign"]
"""What becomes of an object; `foreign`: nothing, since it is not ours."""

MOST_SILENCE = 600.0
"""Seconds without any request coming to its end. All tries of one that S3 keeps silent about take a third of them; 16
texts of the largest size, sent at once, come through in time with 12 Mbit/s."""
_SHOWN = 20
"""Keys of each kind in a report, faults in a message."""
_LISTED_TOLD = 5_000
"""Objects between two lines about the listing."""


class SyncReport(Model):
    """What a sync did, or would do. Counts are of objects; a text and its sidecar are two.

    Attributes:
        new: Uploaded, and not there before.
        changed: Uploaded in the place of another content.
        unchanged: Proven to be there already.
        deleted: Deleted: ours, and the folder does not hold them any more.
        foreign_documents: Others' objects in the place, without their sidecars. They are left as they are, and a
            Knowledge Base takes them in too, as far as it can read them.
        foreign_sidecars: Others' sidecars there.
        in_the_way: Others' objects where one of ours should go: with any, only a dry run ends without an error.
        bytes_sent: Bytes of content uploaded.
        seconds: How long it took.
        dry_run: Nothing was done; the counts are what would be.
        refused: Why a real run would be refused; empty where it would not, and of a real run.
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
        """Others' objects in the place, at keys that we do not want."""
        return self.foreign_documents + self.foreign_sidecars

    @property
    def objects_per_second(self) -> float:
        """Objects uploaded or deleted in a second of the whole sync."""
        return (self.new + self.changed + self.deleted) / self.seconds if self.seconds else 0.0


def sync_folder(
    s3: Any,
    folder: Path,
    place: S3Location,
    manifest: Path,
    *,
    variant: str = "",
    adopted: Sequence[str] = (),
    dry_run: bool = False,
    workers: int = WORKERS,
    limits: SizeLimits = ANYWHERE,
    most_deleted_share: float = 0.3,
    may_delete_more: bool = False,
    on_change: Callable[[ObjectChange, str], None] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    on_note: Callable[[str], None] = lambda _: None,
    most_silence: float = MOST_SILENCE,
    clock: Clock | None = None,
) -> SyncReport:
    """Make a place in S3 hold what a variant's folder holds, and nothing else of ours.

    Stopped anywhere and called again, it ends in the same state. What is deleted is proven to be ours: the manifest
    says that it was sent from here to this place, or it bears our mark (`marks`). Everything else is somebody else's:
    it is told, and never deleted or changed. Where it lies at a key of ours, nothing is done at all. The same goes for
    a folder that is missing or empty, and for files that break a rule. An error or an interrupt ends it at once:
    requests under way are not waited for, and not tried again.

    Args:
        s3: A client, best made with `s3_client_config`; no more workers are used than it keeps connections.
        folder: Files as `corpus.writing.write_files` leaves them; must not change meanwhile.
        place: Where they go. Nothing outside it is touched.
        manifest: SQLite file that remembers what was sent; may be deleted: then objects are compared by their ETag,
            or where that is no MD5 (SSE-KMS), by asking for each one's checksum, and told ours by their marks. So they
            are where it is damaged: it is set aside.
        variant: Name of the variant, for the marks: what another variant left in the place is not ours.
        adopted: Beginnings of keys below the prefix: what bears no mark there counts as ours.
        dry_run: Change nothing: needs `s3:ListBucket`; what cannot be proven without `s3:GetObject` counts as changed,
            or as others'.
        workers: Documents under way at once.
        limits: How much a sidecar may hold; depends on the Knowledge Base's vector store.
        most_deleted_share: Of the objects that are there, 0 to 1; where more would go, nothing is done.
        may_delete_more: Do it all the same.
        on_change: Told what becomes of every object, before the first is uploaded or deleted: the unchanged ones last.
        on_progress: Told how many objects of how many are done.
        on_note: Told in words, for a log: what others have put there, what is deleted, how far a long listing is, that
            S3 lets itself be waited for, and that a manifest was set aside.
        most_silence: Seconds without any request coming to its end, after which S3 is given up: it may answer, a byte
            now and then, and yet so slowly that no time-out of a connection notices.
        clock: For the time it takes, and for waits between tries.

    Raises:
        SyncError: It could not be done, or not all of it. Every object there is whole.
    """
    clock = clock or Clock()
    started = clock.monotonic()
    workers = min(workers, s3.meta.config.max_pool_connections)
    patience = _patience(place, most_silence, on_note)
    mark = OwnershipMark(place, variant, tuple(adopted))
    stop_abandoned_requests(s3)
    with open_manifest(manifest, place, only_read=dry_run, on_note=on_note) as tables:
        with prefetch_pages(list_objects(s3, place), patience) as there:
            _take_here(tables, folder, place, limits)
            tables.take_there(_counted(there, place, on_note))
        tables.decide(mark.adopts)
        _settle_unknown(tables, s3, mark, workers, patience)
        refused = _refusal(tables, place, 1.0 if may_delete_more else most_deleted_share)
        if refused and not dry_run:
            raise SyncError(refused)
        report = SyncReport(
            new=tables.count("new"),
            changed=tables.count("changed"),
            unchanged=tables.count("unchanged"),
            deleted=tables.gone_count(),
            foreign_documents=tables.foreign_count(sidecars=False),
            foreign_sidecars=tables.foreign_count(sidecars=True),
            in_the_way=tables.in_the_way_count(),
            bytes_sent=tables.upload_bytes(),
            seconds=0.0,
            dry_run=dry_run,
            refused=refused,
            documents=tables.documents(),
            sidecars=tables.sidecars(),
            fingerprint=tables.fingerprint(),
            first_new=tuple(islice((wanted.key for wanted in tables.of_kind("new")), _SHOWN)),
            first_changed=tuple(islice((wanted.key for wanted in tables.of_kind("changed")), _SHOWN)),
            first_deleted=tuple(islice(tables.gone(), _SHOWN)),
            first_foreign=tuple(islice(tables.foreign(), _SHOWN)),
        )
        _tell_what_others_did(tables, place, on_note)
        if on_change:
            _tell(tables, on_change)
        if not dry_run:
            if report.deleted:
                on_note(
                    f"{place.uri}: {_named(report.first_deleted, report.deleted)} no longer in the folder, and deleted "
                    "once everything is uploaded"
                )
            progress = _progress(report.new + report.changed + report.deleted, on_progress)
            _carry_out(tables, s3, folder, mark, workers, patience, progress, clock)
    return report.model_copy(update={"seconds": clock.monotonic() - started})


def _patience(place: S3Location, most_silence: float, on_note: Callable[[str], None]) -> IdleLimit:
    def tell(seconds: float) -> None:
        on_note(f"{place.uri}: S3 has answered nothing for {seconds:.0f} s; it is given up after {most_silence:.0f} s")

    return IdleLimit(most_silence, tell, describe_timeout(place, most_silence))


# -- before anything is touched


def _counted(
    objects: Iterable[ListedObject], place: S3Location, on_note: Callable[[str], None]
) -> Iterator[ListedObject]:
    for number, found in enumerate(objects, 1):
        if number % _LISTED_TOLD == 0:
            on_note(f"{place.uri}: {number:,} objects listed so far")
        yield found


def _take_here(tables: SyncManifest, folder: Path, place: S3Location, limits: SizeLimits) -> None:
    faults = _Faults(folder)
    try:
        tables.take_here(faults.sifted(read_local_files(folder, place.prefix, limits)))
    except FileNotFoundError as error:
        if folder.is_dir():
            raise SyncError(
                f"{error.filename} vanished while it was read. Run again when nothing writes there"
            ) from error
        raise SyncError(
            f"{folder} does not exist: materialize corpus_files first; nothing in {place.uri} was touched"
        ) from None
    except OSError as error:
        raise SyncError(
            f"{error.filename or folder} could not be read: {error.strerror}; nothing was uploaded"
        ) from error
    if not faults.count:
        for key in tables.texts_alone():
            faults.add(key.removeprefix(place.prefix), "it has no sidecar, and would be found by no filter")
        for key in tables.sidecars_alone():
            faults.add(key.removeprefix(place.prefix), "there is no text that it belongs to")
    faults.refuse()
    if not tables.documents():
        raise SyncError(
            f"{folder} is empty, and an empty folder never empties a place: nothing in {place.uri} was touched. "
            "Materialize corpus_files; to be rid of the objects, delete them in S3 itself"
        )


class _Faults:
    """Files that must not be uploaded: how many, and the first of them."""

    def __init__(self, folder: Path) -> None:
        self.count = 0
        self._folder = folder
        self._first: list[str] = []

    def sifted(self, files: Iterable[LocalFile]) -> Iterator[LocalFile]:
        """The files that may be uploaded; the others are put down."""
        for file in files:
            if not file.faults:
                yield file
            else:
                self.add(file.key, "; ".join(file.faults))

    def add(self, key: str, fault: str) -> None:
        """Put down a file that must not be uploaded."""
        self.count += 1
        if self.count <= _SHOWN:
            self._first.append(f"  {key!a}: {fault}")

    def refuse(self) -> None:
        """End the sync if there is any.

        Raises:
            SyncError: There is.
        """
        if self.count:
            more = [f"  and {self.count - _SHOWN} more"] if self.count > _SHOWN else []
            raise SyncError(
                f"{self.count} file(s) in {self._folder} are none that the Knowledge Base would take as they are; "
                "nothing was uploaded. Materialize corpus_files again, and keep other files out of the folder:\n"
                + "\n".join([*self._first, *more])
            )


def _settle_unknown(tables: SyncManifest, s3: Any, mark: OwnershipMark, workers: int, patience: IdleLimit) -> None:
    def asked(unknown: UnclearObject) -> tuple[UnclearObject, ObjectHead | None]:
        return unknown, head_object(s3, mark.place, unknown.key)

    with map_parallel(asked, tables.unknown(), workers, patience) as looks:
        for unknown, look in looks:
            tables.settle(unknown, look, mark)


def _refusal(tables: SyncManifest, place: S3Location, most_deleted_share: float) -> str:
    """Why nothing may be done; empty where it may."""
    if in_the_way := tables.in_the_way_count():
        first = "; ".join(f"{key}: {why}" for key, why in islice(tables.in_the_way(), _SHOWN))
        more = f"; and {in_the_way - _SHOWN:,} more" if in_the_way > _SHOWN else ""
        return (
            f"{place.uri}: {in_the_way:,} object(s) lie where one of this variant should go and are not proven to be "
            f"of this home, so they are not replaced; nothing was touched ({first}{more}). Move or delete them (aws s3 "
            "rm), set a prefix that is this variant's alone, or, where an earlier version has put them there, take "
            "them over with the setting adopt; what may not be looked at needs s3:GetObject"
        )
    gone, ours = tables.gone_count(), tables.ours_there()
    # As it was written: 0.29 in binary is a little less.
    most = Decimal(str(most_deleted_share))
    if gone <= most * ours:
        return ""
    return (
        f"{place.uri}: {gone} of the {ours} objects there ({_percent_above(Decimal(gone) / ours, most)}) are no "
        f"longer in the folder and would be deleted, more than the {(100 * most).normalize():f}% that are allowed "
        f"(most_deleted_share); {tables.count('new')} would be new. Nothing was touched. If this is meant, run once "
        "with --allow-deletions; if not, see that the folder is complete and that bucket and prefix are the variant's. "
        f"First: {', '.join(islice(tables.gone(), _SHOWN))}"
    )


def _tell_what_others_did(tables: SyncManifest, place: S3Location, on_note: Callable[[str], None]) -> None:
    """Name what is not ours and what was replaced behind our back."""
    if foreign := tables.foreign_count():
        on_note(f"{place.uri}: {describe_foreign(foreign, list(islice(tables.foreign(), _SHOWN)))}")
    if replaced := tables.replaced_count():
        on_note(
            f"{place.uri}: {_named(tables.replaced(_SHOWN), replaced)} not as sent from here, be it that somebody else "
            "wrote there or that a run was broken off: what the folder holds is put there again"
        )


def describe_foreign(number: int, first: Sequence[str]) -> str:
    """What it means that others have objects in the place of a variant.

    Args:
        number: How many.
        first: The first of their keys.
    """
    return (
        f"{_named(first, number)} not sent from here, or changed since: they are left as they are, and a Knowledge "
        "Base that reads this place takes them in beside ours, so that they appear in its answers. If that is not "
        "meant, move or delete them (aws s3 rm), or set a prefix that is this variant's alone; what an earlier version "
        "has put there can be taken over with the setting adopt"
    )


def _named(first: Sequence[str], number: int) -> str:
    """Objects by number and name, with the verb."""
    more = f", and {number - len(first):,} more" if number > len(first) else ""
    return f"{number:,} object{' is' if number == 1 else 's are'} ({', '.join(first)}{more})"


def _percent_above(share: Decimal, most: Decimal) -> str:
    """A share in percent, with as many decimals as it takes to read as more than another."""
    numbers = (f"{100 * share:.{decimals}f}" for decimals in count())
    return next(f"{number}%" for number in numbers if Decimal(number) > 100 * most)


def _tell(tables: SyncManifest, on_change: Callable[[ObjectChange, str], None]) -> None:
    for wanted in tables.of_kind("new"):
        on_change("new", wanted.key)
    for wanted in tables.of_kind("changed"):
        on_change("changed", wanted.key)
    for key in tables.gone():
        on_change("deleted", key)
    for wanted in tables.of_kind("unchanged"):
        on_change("unchanged", wanted.key)
    for key in tables.foreign():
        on_change("foreign", key)


# -- what touches the bucket


def _carry_out(
    tables: SyncManifest,
    s3: Any,
    folder: Path,
    mark: OwnershipMark,
    workers: int,
    patience: IdleLimit,
    progress: Callable[[int], None],
    clock: Clock,
) -> None:
    def sent(document: Sequence[WantedObject]) -> list[SentObject]:
        return upload_document(s3, folder, mark, document)

    def deleted(keys: Sequence[str]) -> int:
        delete_objects(s3, mark.place, keys, clock)
        return len(keys)

    tables.plan()
    with without_expect_header(s3), map_parallel(sent, tables.uploads(), workers, patience) as uploaded:
        for of_document in uploaded:
            for one in of_document:
                tables.remember(one)
            progress(len(of_document))
    gone = tables.gone()
    batches = iter(lambda: list(islice(gone, MOST_DELETED_AT_ONCE)), [])
    # One after the other: of no sidecar before its text.
    with map_parallel(deleted, batches, 1, patience) as numbers:
        for number in numbers:
            progress(number)
    tables.forget_gone()


def _progress(total: int, on_progress: Callable[[int, int], None] | None) -> Callable[[int], None]:
    done = 0

    def progress(more: int) -> None:
        nonlocal done
        done += more
        if on_progress:
            on_progress(done, total)

    return progress
