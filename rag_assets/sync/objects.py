"""A variant's folder to its place in S3: the bucket holds what the folder holds, whatever happened before.

What a sync does, in which order, and what it refuses to do. The order is one in which it can end anywhere:

1. Every file of the folder is read and checked; one that the Knowledge Base would refuse or skip stops the sync.
2. The place is listed, meanwhile; what is there counts as unchanged only where its content is proven.
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
from rag_assets.model import Model
from rag_assets.parallel import Patience, fetched_ahead, in_parallel
from rag_assets.sidecar_limits import ANYWHERE, SizeLimits
from rag_assets.sync.checking import LocalFile, local_files
from rag_assets.sync.manifest import Listed, Manifest, Sent, Wanted, opened
from rag_assets.sync.places import Place
from rag_assets.sync.s3_errors import WORKERS, SyncError, s3_client_config, too_slow
from rag_assets.sync.uploading import (
    MOST_DELETED_AT_ONCE,
    begin_nothing_unwanted,
    delete,
    listed,
    proven_etag,
    sending_at_once,
    upload,
)

__all__ = ["Change", "Place", "SyncError", "SyncReport", "s3_client_config", "sync_folder"]

Change = Literal["new", "changed", "unchanged", "deleted"]
"""What becomes of an object."""

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
        deleted: Deleted, since the folder does not hold them any more.
        bytes_sent: Bytes of content uploaded.
        seconds: How long it took.
        dry_run: Nothing was done; the counts are what would be.
        refused: A dry run that would be refused as a real one, since it would delete too large a share.
        documents: Texts that are there now.
        sidecars: Sidecars that are there now.
        fingerprint: SHA-256 over keys and contents of all that is there now: tells whether anything changed since an
            ingestion job.
        first_new: Up to 20 keys, in order, for a reader.
        first_changed: Likewise.
        first_deleted: Likewise.
    """

    new: int
    changed: int
    unchanged: int
    deleted: int
    bytes_sent: int
    seconds: float
    dry_run: bool
    refused: bool = False
    documents: int
    sidecars: int
    fingerprint: str
    first_new: tuple[str, ...] = ()
    first_changed: tuple[str, ...] = ()
    first_deleted: tuple[str, ...] = ()

    @property
    def objects_per_second(self) -> float:
        """Objects uploaded or deleted in a second of the whole sync."""
        return (self.new + self.changed + self.deleted) / self.seconds if self.seconds else 0.0


def sync_folder(
    s3: Any,
    folder: Path,
    place: Place,
    manifest: Path,
    *,
    dry_run: bool = False,
    workers: int = WORKERS,
    limits: SizeLimits = ANYWHERE,
    most_deleted_share: float = 0.3,
    may_delete_more: bool = False,
    on_change: Callable[[Change, str], None] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    on_note: Callable[[str], None] = lambda _: None,
    most_silence: float = MOST_SILENCE,
    clock: Clock | None = None,
) -> SyncReport:
    """Make a place in S3 hold exactly what a variant's folder holds.

    Stopped anywhere and called again, it ends in the same state. Objects that no sync has put there (anything but
    `.txt` and its sidecar, and a `.txt` that has none) are never deleted: with such in its place, where a Knowledge
    Base would read them too, nothing is done at all. The same goes for a folder that is missing or empty, and for files
    that break a rule. An error or an interrupt ends it at once: requests under way are not waited for, and not tried
    again.

    Args:
        s3: A client, best made with `s3_client_config`; no more workers are used than it keeps connections.
        folder: Files as `corpus.writing.write_files` leaves them; must not change meanwhile.
        place: Where they go. Nothing outside it is touched.
        manifest: SQLite file that remembers what was sent; may be deleted: then objects are compared by their ETag,
            or where that is no MD5 (SSE-KMS), by asking for each one's checksum. So they are where it is damaged: it
            is set aside.
        dry_run: Change nothing: needs `s3:ListBucket`, and what cannot be proven without `s3:GetObject` counts as
            changed.
        workers: Documents under way at once.
        limits: How much a sidecar may hold; depends on the Knowledge Base's vector store.
        most_deleted_share: Of the objects that are there, 0 to 1; where more would go, nothing is done.
        may_delete_more: Do it all the same.
        on_change: Told what becomes of every object, before the first is uploaded or deleted: the unchanged ones last.
        on_progress: Told how many objects of how many are done.
        on_note: Told in words, for a log, how far a long listing is, that S3 lets itself be waited for, and that a
            manifest was set aside.
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
    begin_nothing_unwanted(s3)
    with opened(manifest, place, only_read=dry_run, on_note=on_note) as tables:
        with fetched_ahead(listed(s3, place), patience) as there:
            _take_here(tables, folder, place, limits)
            tables.take_there(_counted(there, place, on_note))
        tables.decide()
        _settle_doubtful(tables, s3, place, workers, patience)
        refused = _refuse(tables, place, 1.0 if may_delete_more else most_deleted_share, dry_run=dry_run)
        report = SyncReport(
            new=tables.count("new"),
            changed=tables.count("changed"),
            unchanged=tables.count("unchanged"),
            deleted=tables.gone_count(),
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
        )
        if on_change:
            _tell(tables, on_change)
        if not dry_run:
            progress = _progress(report.new + report.changed + report.deleted, on_progress)
            _carry_out(tables, s3, folder, place, workers, patience, progress, clock)
    return report.model_copy(update={"seconds": clock.monotonic() - started})


def _patience(place: Place, most_silence: float, on_note: Callable[[str], None]) -> Patience:
    def tell(seconds: float) -> None:
        on_note(f"{place.uri}: S3 has answered nothing for {seconds:.0f} s; it is given up after {most_silence:.0f} s")

    return Patience(most_silence, tell, too_slow(place, most_silence))


# -- before anything is touched


def _counted(objects: Iterable[Listed], place: Place, on_note: Callable[[str], None]) -> Iterator[Listed]:
    for number, found in enumerate(objects, 1):
        if number % _LISTED_TOLD == 0:
            on_note(f"{place.uri}: {number:,} objects listed so far")
        yield found


def _take_here(tables: Manifest, folder: Path, place: Place, limits: SizeLimits) -> None:
    faults = _Faults(folder)
    try:
        tables.take_here(faults.sifted(local_files(folder, place.prefix, limits)))
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


def _settle_doubtful(tables: Manifest, s3: Any, place: Place, workers: int, patience: Patience) -> None:
    def asked(wanted: Wanted) -> tuple[Wanted, str | None]:
        return wanted, proven_etag(s3, place, wanted)

    with in_parallel(asked, tables.of_kind("doubtful"), workers, patience) as settled:
        for wanted, etag in settled:
            tables.settle(wanted, etag)


def _refuse(tables: Manifest, place: Place, most_deleted_share: float, *, dry_run: bool) -> bool:
    """Whether a real run would delete too much; where this is one, that is an error."""
    if foreign := tables.foreign_count():
        first = ", ".join(islice(tables.foreign(), 5))
        raise SyncError(
            f"{place.uri} holds {foreign} object(s) that are no texts of ours ({first}); nothing was touched. A "
            "Knowledge Base would read them as well: move them elsewhere, or set a bucket or prefix that is this "
            "variant's alone"
        )
    gone, there = tables.gone_count(), tables.there()
    # As it was written: 0.29 in binary is a little less.
    most = Decimal(str(most_deleted_share))
    if gone <= most * there:
        return False
    if dry_run:
        return True
    raise SyncError(
        f"{place.uri}: {gone} of the {there} objects there ({_percent_above(Decimal(gone) / there, most)}) are no "
        f"longer in the folder and would be deleted, more than the {(100 * most).normalize():f}% that are allowed "
        f"(most_deleted_share); {tables.count('new')} would be new. Nothing was touched. If this is meant, run once "
        "with --allow-deletions; if not, see that the folder is complete and that bucket and prefix are this variant's"
    )


def _percent_above(share: Decimal, most: Decimal) -> str:
    """A share in percent, with as many decimals as it takes to read as more than another."""
    numbers = (f"{100 * share:.{decimals}f}" for decimals in count())
    return next(f"{number}%" for number in numbers if Decimal(number) > 100 * most)


def _tell(tables: Manifest, on_change: Callable[[Change, str], None]) -> None:
    for wanted in tables.of_kind("new"):
        on_change("new", wanted.key)
    for wanted in tables.of_kind("changed"):
        on_change("changed", wanted.key)
    for key in tables.gone():
        on_change("deleted", key)
    for wanted in tables.of_kind("unchanged"):
        on_change("unchanged", wanted.key)


# -- what touches the bucket


def _carry_out(
    tables: Manifest,
    s3: Any,
    folder: Path,
    place: Place,
    workers: int,
    patience: Patience,
    progress: Callable[[int], None],
    clock: Clock,
) -> None:
    def sent(document: Sequence[Wanted]) -> list[Sent]:
        return upload(s3, folder, place, document)

    def deleted(keys: Sequence[str]) -> int:
        delete(s3, place, keys, clock)
        return len(keys)

    tables.plan()
    with sending_at_once(s3), in_parallel(sent, tables.uploads(), workers, patience) as uploaded:
        for of_document in uploaded:
            for one in of_document:
                tables.remember(one)
            progress(len(of_document))
    gone = tables.gone()
    batches = iter(lambda: list(islice(gone, MOST_DELETED_AT_ONCE)), [])
    # One after the other: of no sidecar before its text.
    with in_parallel(deleted, batches, 1, patience) as numbers:
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
