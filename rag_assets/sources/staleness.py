"""What of the stored text is not what its source says today, told from the home folder alone.

Manifests say what was fetched and what was not, record files which bytes the text in use was read from.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from pydantic import AwareDatetime

from rag_assets.corpus.record_files import StoredRecord, iterate_records
from rag_assets.model import Model
from rag_assets.sources.fetching.manifest import FetchEntry, all_entries
from rag_assets.sources.registry import TAX_ANSWER
from rag_assets.sources.tax_answer.site import ListFailure, list_failure
from rag_assets.store.home import Home


class Unrenewed(Model):
    """An article or document that could not be had as it is now.

    Attributes:
        key: Number of the article, or key of the document.
        address: Where it was asked for, as it may be shown.
        why: What the last visit met; empty where it was fetched well, but not understood.
        checked_at: When that was.
        is_served: Whether its earlier text still stands in the records, and so in every corpus.
        fetched_at: When the bytes of that text were fetched; None where no text is served or that is not known any
            more.
    """

    key: str
    address: str
    why: str
    checked_at: AwareDatetime
    is_served: bool
    fetched_at: AwareDatetime | None = None


class Staleness(Model):
    """How current the text of one source is.

    Attributes:
        source: Its name.
        records: How many records there are.
        failed: What could not be fetched at the last visit.
        unread: What was fetched, but whose present bytes no record was read from.
        withdrawn: Keys of what the source has withdrawn or no longer lists; no text of it is served any more.
        undated: IDs of the records that tell no as-of date which can be read.
        list_failure: Why the source could not even be asked for its articles; None where it could.
        not_asked: How many records are of articles that were not asked for, therefore.
        as_of: How many records speak for which month, by year and month, the oldest first.
    """

    source: str
    records: int
    failed: tuple[Unrenewed, ...]
    unread: tuple[Unrenewed, ...]
    withdrawn: tuple[str, ...]
    undated: tuple[str, ...]
    list_failure: ListFailure | None = None
    not_asked: int = 0
    as_of: dict[tuple[int, int], int]


def staleness(home: Home, source: str) -> Staleness:
    """How current the stored text of a source is.

    Raises:
        ManifestError: A manifest cannot be read.
        StorageError: A record file is not of this version.
    """
    entries = list(all_entries(home.fetched(source)))
    read_from: defaultdict[str, set[str]] = defaultdict(set)
    undated: list[str] = []
    months: Counter[tuple[int, int]] = Counter()
    per_file: Counter[str] = Counter()
    for file, key, record in _records(home, source):
        per_file[file] += 1
        read_from[key].add(record.origin_sha256)
        day = record.as_of.date if record.as_of else None
        if day is None:
            undated.append(record.record_id)
        else:
            months[day.year, day.month] += 1
    failure = list_failure(home.fetched(source)) if source == TAX_ANSWER else None
    return Staleness(
        source=source,
        records=per_file.total(),
        failed=tuple(
            _unrenewed(each, read_from[each.key]) for each in entries if each.outcome in ("failed", "refused")
        ),
        unread=tuple(
            _unrenewed(each, read_from[each.key])
            for each in entries
            if each.outcome in ("fetched", "unchanged") and each.sha256 not in read_from[each.key]
        ),
        withdrawn=tuple(each.key for each in entries if each.outcome in ("withdrawn", "delisted")),
        undated=tuple(undated),
        list_failure=failure,
        not_asked=sum(per_file[category] for category in failure.categories) if failure else 0,
        as_of=dict(sorted(months.items())),
    )


def _records(home: Home, source: str) -> Iterator[tuple[str, str, StoredRecord]]:
    """Every stored record, with the name of its file (a category or document), and the key of what it was read from."""
    for path in sorted(home.records(source).glob("*.jsonl")):
        for record in iterate_records(path, f"{source}_records"):
            yield path.stem, (record.record_id.rpartition("/")[2] if source == TAX_ANSWER else path.stem), record


def _unrenewed(entry: FetchEntry, read_from: set[str]) -> Unrenewed:
    return Unrenewed(
        key=entry.key,
        address=entry.url,
        why=entry.error or "",
        checked_at=entry.checked_at,
        is_served=bool(read_from),
        fetched_at=entry.fetched_at if entry.sha256 in read_from else None,
    )
