"""What a sync refuses to do, and what it says of objects that others put into its location."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import count, islice
from pathlib import Path

from rag_assets.s3.checking import LocalFile
from rag_assets.s3.errors import SyncError
from rag_assets.s3.locations import S3Location
from rag_assets.s3.manifest import SyncManifest

SHOWN = 20
"""Keys of each kind in a report, faults in a message."""


class FaultyFiles:
    """Files that must not be uploaded: how many, and the first of them."""

    def __init__(self, folder: Path) -> None:
        self.count = 0
        self._folder = folder
        self._first: list[str] = []

    def take_out(self, files: Iterable[LocalFile]) -> Iterator[LocalFile]:
        """The files without faults; the others are added here."""
        for file in files:
            if not file.faults:
                yield file
            else:
                self.add(file.key, "; ".join(file.faults))

    def add(self, key: str, fault: str) -> None:
        """Add a file."""
        self.count += 1
        if self.count <= SHOWN:
            self._first.append(f"  {key!a}: {fault}")

    def require_none(self) -> None:
        """End the sync if there is any.

        Raises:
            SyncError: There is.
        """
        if self.count:
            more = [f"  and {self.count - SHOWN} more"] if self.count > SHOWN else []
            raise SyncError(
                f"{self.count} file(s) in {self._folder} are none that the Knowledge Base would take as they are; "
                "nothing was uploaded. Materialize corpus_files again, and keep other files out of the folder:\n"
                + "\n".join([*self._first, *more])
            )


def find_refusal(tables: SyncManifest, location: S3Location, most_deleted_share: float) -> str:
    """Why nothing may be done; empty if the sync may go on."""
    if in_the_way := tables.count("in_the_way"):
        first = "; ".join(f"{key}: {why}" for key, why in islice(tables.objections(), SHOWN))
        more = f"; and {in_the_way - SHOWN:,} more" if in_the_way > SHOWN else ""
        return (
            f"{location.uri}: {in_the_way:,} object(s) lie where one of this variant should go and are not proven to "
            f"be of this home, so they are not replaced; nothing was touched ({first}{more}). Move or delete them (aws "
            "s3 rm), set a prefix that is this variant's alone, or, where an earlier version has put them there, take "
            "them over with the setting adopt; what may not be looked at needs s3:GetObject"
        )
    gone, ours = tables.count("gone"), tables.count_ours()
    # As it was written: 0.29 in binary is a little less.
    most = Decimal(str(most_deleted_share))
    if gone <= most * ours:
        return ""
    return (
        f"{location.uri}: {gone} of the {ours} objects there ({_format_above(Decimal(gone) / ours, most)}) are no "
        f"longer in the folder and would be deleted, more than the {(100 * most).normalize():f}% that are allowed "
        f"(most_deleted_share); {tables.count_state('new')} would be new. Nothing was touched. If this is meant, run "
        "once with --allow-deletions; if not, see that the folder is complete and that bucket and prefix are the "
        f"variant's. First: {', '.join(islice(tables.keys_to_delete(), SHOWN))}"
    )


def report_foreign_changes(tables: SyncManifest, location: S3Location, on_note: Callable[[str], None]) -> None:
    """Report the objects that are not ours, and those of ours that others have replaced."""
    if foreign := tables.count("foreign"):
        on_note(f"{location.uri}: {describe_foreign(foreign, list(islice(tables.keys('foreign'), SHOWN)))}")
    if replaced := tables.count_replaced():
        on_note(
            f"{location.uri}: {describe_objects(tables.first_replaced(SHOWN), replaced)} not as sent from here, be it "
            "that somebody else wrote there or that a run was broken off: what the folder holds is put there again"
        )


def describe_foreign(number: int, first: Sequence[str]) -> str:
    """What it means that others have objects in the location of a variant.

    Args:
        number: How many.
        first: The first of their keys.
    """
    return (
        f"{describe_objects(first, number)} not sent from here, or changed since: they are left as they are, and a "
        "Knowledge Base that reads this place takes them in beside ours, so that they appear in its answers. If that "
        "is not meant, move or delete them (aws s3 rm), or set a prefix that is this variant's alone; what an earlier "
        "version has put there can be taken over with the setting adopt"
    )


def describe_objects(first: Sequence[str], number: int) -> str:
    """Objects by number and name, with the verb."""
    more = f", and {number - len(first):,} more" if number > len(first) else ""
    return f"{number:,} object{' is' if number == 1 else 's are'} ({', '.join(first)}{more})"


def _format_above(share: Decimal, most: Decimal) -> str:
    """A share in percent, with as many decimals as it takes to read as more than another."""
    numbers = (f"{100 * share:.{decimals}f}" for decimals in count())
    return next(f"{number}%" for number in numbers if Decimal(number) > 100 * most)
