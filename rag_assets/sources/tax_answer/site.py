"""Tax Answer as a site: which pages to fetch, kept by category, and the kept pages read as records.

How one page is understood is in `reader.py`; how pages are asked for, politely and resumably, in `fetching/crawl.py`.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from rag_assets.clock import utc_now
from rag_assets.japanese.encodings import UndecodableError
from rag_assets.model import Model, Record
from rag_assets.sources.base import Finding
from rag_assets.sources.fetching.crawl import CrawlResult, crawl, fetch
from rag_assets.sources.fetching.manifest import GOOD_OUTCOMES, Entry, Manifest, Outcome, open_manifest, read_manifest
from rag_assets.sources.fetching.objects import ObjectError, ObjectStore
from rag_assets.sources.fetching.places import FetchError, Place, Reply
from rag_assets.sources.tax_answer.reader import (
    CATEGORIES,
    INDEX_PATH,
    ArticleLink,
    PageLayoutError,
    is_withdrawn,
    read_article,
    read_index,
)
from rag_assets.sources.tax_answer.source import SOURCE
from rag_assets.store.build_cache import code_fingerprint
from rag_assets.store.lines import write_if_changed

_READING_CODE = ("sources/tax_answer/reader.py", "sources/html", "japanese", "model.py")
_TEXT_CODE = ("corpus/record_files.py", "corpus/record_text.py", "corpus/table_text.py")
"""What a kept record depends on besides its page: where this code changes, every kept page is read again."""

RESUME_WITHIN = timedelta(hours=24)
"""Age up to which a crawl that was broken off goes on where it was."""

CategoryProgress = Callable[[str, int, int, str, Outcome], None]
"""Called after every page: category, pages done, pages in all, article number, what it brought."""


class SiteCrawl(Model):
    """What a crawl of some categories brought.

    Attributes:
        listed: Articles on the site's list, by category, over all categories.
        crawls: Result by category asked for.
        unknown: Listed articles of categories that the project does not know: they are not fetched.
    """

    listed: dict[str, int]
    crawls: dict[str, CrawlResult]
    unknown: tuple[ArticleLink, ...] = ()

    def failed(self) -> dict[str, str]:
        """Reason by number of every article that could not be fetched."""
        return {number: reason for result in self.crawls.values() for number, reason in result.failed.items()}

    def withdrawn(self) -> list[str]:
        """Numbers of the listed articles that the site has withdrawn."""
        return sorted(number for result in self.crawls.values() for number in result.withdrawn)

    def delisted(self) -> list[str]:
        """Numbers of the articles that the site's list no longer has."""
        return sorted(number for result in self.crawls.values() for number in result.delisted)


class NeverFetchedError(Exception):
    """A category is to be read that was never crawled."""


class ListFailure(Model):
    """A visit that could not have the article list, so that no article was asked for.

    Attributes:
        why: What was met, for a person.
        checked_at: When.
        categories: Whose articles were not asked for then, nor since.
    """

    why: str
    checked_at: AwareDatetime
    categories: tuple[str, ...]


class _UnderWay(Model):
    """A crawl that has begun and has not yet visited all of its categories."""

    place: str
    categories: tuple[str, ...]
    since: AwareDatetime


class CategoryRecords(Model):
    """The records of one category.

    Attributes:
        records: One a kept page, in the order of their numbers.
        fingerprints: What each record was read from and how, by record ID.
        reused: How many were taken over unread, since nothing they come from has changed.
        failed: By number, why a page could not be read; an earlier record of it is kept, where there is one.
        withdrawn: Numbers without a record because the site has withdrawn or delisted them.
        findings: What was left out of pages on purpose, such as struck text; each names its article as its place.
    """

    records: tuple[Record, ...]
    fingerprints: dict[str, str]
    reused: int = 0
    failed: dict[str, str] = Field(default_factory=dict)
    withdrawn: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def fingerprint_of(self, record: Record) -> str:
        """What a record was read from and how."""
        return self.fingerprints[record.record_id]


def crawl_site(
    place: Place,
    folder: Path,
    categories: Sequence[str],
    *,
    only: Collection[str] = (),
    on_progress: CategoryProgress | None = None,
) -> SiteCrawl:
    """Fetch the article list, then the articles of some categories; every good page is kept at once.

    A crawl that was broken off less than `RESUME_WITHIN` ago, of the same place and categories, goes on: it asks
    again only for what it has not got well, also in the categories that it had been through.

    Args:
        place: The site, wherever it is.
        folder: Where bytes and manifests are kept.
        categories: Folder names of the site, see `CATEGORIES`.
        only: Article numbers to fetch, and no others; they are asked for afresh.
        on_progress: Called after every page.

    Raises:
        FetchError: The list cannot be had.
        PageLayoutError: The list lists nothing.
        ValueError: A number in `only` is not on the list, or in none of the categories.
    """
    reply, links = _listed(place, folder, categories)
    _check_chosen(only, links, categories, reply.final_url)
    store = ObjectStore(folder)
    since = None if only else _begin(folder, place, categories)
    crawls: dict[str, CrawlResult] = {}
    for category in categories:
        targets = {link.number: link.path for link in links if link.category == category}
        progress = _named(category, on_progress)
        with open_manifest(_manifest_path(folder, category)) as manifest:
            if since is None:
                crawls[category] = _visit(place, targets, manifest, store, progress, only=only)
            elif not targets:
                crawls[category] = _all_gone(place, manifest)
            elif _is_through(manifest, place, since) and _lists_all_of(targets, manifest):
                crawls[category] = _rest(place, targets, manifest, store, progress, since)
            else:
                crawls[category] = _visit(place, targets, manifest, store, progress)
    if since is not None:
        _under_way_path(folder).unlink(missing_ok=True)
        _forget_list_failure(folder, categories)
    return SiteCrawl(
        listed={category: sum(link.category == category for link in links) for category in CATEGORIES},
        crawls=crawls,
        unknown=tuple(link for link in links if link.category not in CATEGORIES),
    )


def _listed(place: Place, folder: Path, categories: Sequence[str]) -> tuple[Reply, Sequence[ArticleLink]]:
    """The article list. That it cannot be had is put down, for the report: no article was asked for then."""
    try:
        reply = fetch(place, INDEX_PATH)
        links = read_index(reply.body, reply.content_type)
    except (FetchError, PageLayoutError) as error:
        earlier = list_failure(folder)
        concerned = dict.fromkeys([*(earlier.categories if earlier else ()), *categories])
        _write_list_failure(folder, ListFailure(why=str(error), checked_at=utc_now(), categories=tuple(concerned)))
        raise
    return reply, links


def _forget_list_failure(folder: Path, categories: Collection[str]) -> None:
    """For categories that were gone through since; what is known of the others is as old as before."""
    if (failure := list_failure(folder)) is not None:
        left = tuple(category for category in failure.categories if category not in categories)
        _write_list_failure(folder, failure.model_copy(update={"categories": left}))


def _write_list_failure(folder: Path, failure: ListFailure) -> None:
    if failure.categories:
        write_if_changed(_list_failure_path(folder), failure.model_dump_json().encode())
    else:
        _list_failure_path(folder).unlink(missing_ok=True)


def list_failure(folder: Path) -> ListFailure | None:
    """Why the article list could not be had, and for which categories it has not been since; None where it was.

    Args:
        folder: Where `crawl_site` keeps bytes and manifests.
    """
    try:
        return ListFailure.model_validate_json(_list_failure_path(folder).read_bytes())
    except FileNotFoundError:
        return None


def _check_chosen(only: Collection[str], links: Sequence[ArticleLink], categories: Sequence[str], url: str) -> None:
    category_of = {link.number: link.category for link in links}
    faults = [f"{number} is not on the site's article list ({url})" for number in only if number not in category_of]
    faults += [
        f"{number} is in category {category_of[number]!r}, which is not among those chosen ({', '.join(categories)})"
        for number in only
        if number in category_of and category_of[number] not in categories
    ]
    if faults:
        raise ValueError(f"article_ids: {'; '.join(faults)}")


def _begin(folder: Path, place: Place, categories: Sequence[str]) -> datetime:
    """When the crawl began: now, or earlier where it is one that was broken off and goes on."""
    path = _under_way_path(folder)
    now = utc_now()
    try:
        broken_off = _UnderWay.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        broken_off = None
    if (
        broken_off is not None
        and (broken_off.place, broken_off.categories) == (place.location, tuple(categories))
        and now - broken_off.since < RESUME_WITHIN
    ):
        return broken_off.since
    begun = _UnderWay(place=place.location, categories=tuple(categories), since=now)
    write_if_changed(path, begun.model_dump_json().encode())
    return now


def _is_through(manifest: Manifest, place: Place, since: datetime) -> bool:
    """Whether the crawl had been through this category before it was broken off."""
    started, finished = manifest.started, manifest.finished
    return started is not None and started.place == place.location and finished is not None and finished.at >= since


def _lists_all_of(targets: Mapping[str, str], manifest: Manifest) -> bool:
    """Whether every page we hold is still on the list; otherwise the category has to be gone through once more."""
    return all(key in targets for key, entry in manifest.entries.items() if entry.sha256 is not None)


def _visit(
    place: Place,
    targets: Mapping[str, str],
    manifest: Manifest,
    store: ObjectStore,
    progress: Callable[[int, int, str, Outcome], None] | None,
    *,
    only: Collection[str] = (),
) -> CrawlResult:
    return crawl(
        place,
        list(targets.items()),
        manifest,
        store,
        is_withdrawn=_says_withdrawn,
        only=only or None,
        resume_within=RESUME_WITHIN,
        on_progress=progress,
    )


def _rest(
    place: Place,
    targets: Mapping[str, str],
    manifest: Manifest,
    store: ObjectStore,
    progress: Callable[[int, int, str, Outcome], None] | None,
    since: datetime,
) -> CrawlResult:
    """Visit what a category still lacks, and tell of all visits since the crawl began."""
    had = {key: entry.outcome for key, entry in manifest.entries.items() if key in targets and _is_well(entry, store)}
    lacking = targets.keys() - had.keys()
    visited = _visit(place, targets, manifest, store, progress, only=lacking) if lacking else CrawlResult()

    def with_earlier(outcome: Outcome, now: Sequence[str]) -> tuple[str, ...]:
        return (*(key for key, earlier in had.items() if earlier == outcome), *now)

    return CrawlResult(
        fetched=with_earlier("fetched", visited.fetched),
        unchanged=with_earlier("unchanged", visited.unchanged),
        withdrawn=with_earlier("withdrawn", visited.withdrawn),
        failed=visited.failed,
        delisted=tuple(
            key for key, entry in manifest.entries.items() if entry.outcome == "delisted" and entry.checked_at >= since
        ),
        resumed=tuple(had),
    )


def _is_well(entry: Entry, store: ObjectStore) -> bool:
    return entry.outcome in GOOD_OUTCOMES and (entry.sha256 is None or store.find(entry.sha256) is not None)


def _all_gone(place: Place, manifest: Manifest) -> CrawlResult:
    """Nothing of a category is on the list any more (or ever was): nothing is to remain of it downstream."""
    now = utc_now()
    manifest.begin(place.location, now)
    gone = [entry for entry in manifest.entries.values() if entry.outcome != "delisted"]
    for entry in gone:
        manifest.record(
            Entry(key=entry.key, url=entry.url, final_url=entry.final_url, checked_at=now, outcome="delisted")
        )
    manifest.finish(now)
    return CrawlResult(delisted=tuple(entry.key for entry in gone))


def read_category(
    folder: Path,
    category: str,
    *,
    document: str,
    link_base: str | None,
    earlier: Mapping[str, tuple[str, Record]],
    earlier_findings: Iterable[Finding] = (),
) -> CategoryRecords:
    """The kept pages of one category as records.

    Args:
        folder: Where `crawl_site` keeps bytes and manifests.
        category: Folder name of the site.
        document: Name of the document in headers.
        link_base: Base URL under which readers see the site; None where there is no such site.
        earlier: Fingerprint and record of the last time, by record ID.
        earlier_findings: What was told of them then.

    Raises:
        NeverFetchedError: The category was never crawled.
    """
    if not _manifest_path(folder, category).is_file():
        raise NeverFetchedError(f"{category}: nothing was fetched yet ({_manifest_path(folder, category)} is missing)")
    store = ObjectStore(folder)
    entries = read_manifest(_manifest_path(folder, category))
    records: list[Record] = []
    fingerprints: dict[str, str] = {}
    failed: dict[str, str] = {}
    findings: list[Finding] = []
    told = _by_label(earlier_findings)
    reused = 0
    for number, entry in sorted(entries.items(), key=lambda item: _in_order(item[0])):
        if entry.sha256 is None:
            continue
        path = _path_of(entry)
        fingerprint = _fingerprint(entry.sha256, document, link_base, path)
        before = earlier.get(f"{SOURCE.name}/{number}")
        if before is not None and before[0] == fingerprint:
            record, reused = before[1], reused + 1
            findings += told.get(record.label, ())
        else:
            try:
                article = read_article(
                    store.get(entry.sha256),
                    number=number,
                    category=category,
                    url=f"{link_base.rstrip('/')}{path}" if link_base else None,
                    content_type=entry.content_type,
                    document=document,
                )
            except (PageLayoutError, UndecodableError, ObjectError) as error:
                failed[number] = f"{entry.url}: {error}"
                if before is None:
                    continue
                fingerprint, record = before
                findings += told.get(record.label, ())
            else:
                record = article.record
                findings += article.findings
        records.append(record)
        fingerprints[record.record_id] = fingerprint
    return CategoryRecords(
        records=tuple(records),
        fingerprints=fingerprints,
        reused=reused,
        failed=failed,
        withdrawn=tuple(number for number, entry in entries.items() if entry.outcome in ("withdrawn", "delisted")),
        findings=tuple(findings),
    )


def _by_label(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    by_label: dict[str, list[Finding]] = {}
    for finding in findings:
        by_label.setdefault(finding.place, []).append(finding)
    return by_label


def _manifest_path(folder: Path, category: str) -> Path:
    return folder / "manifest" / f"{category}.jsonl"


def _under_way_path(folder: Path) -> Path:
    return folder / "crawl_under_way.json"


def _list_failure_path(folder: Path) -> Path:
    return folder / "list_failure.json"


def _says_withdrawn(reply: Reply) -> bool:
    return is_withdrawn(reply.body, reply.content_type)


def _named(category: str, on_progress: CategoryProgress | None) -> Callable[[int, int, str, Outcome], None] | None:
    if on_progress is None:
        return None
    return lambda done, total, number, outcome: on_progress(category, done, total, number, outcome)


def _path_of(entry: Entry) -> str:
    """The page's path on the site, from its address at whatever place."""
    start = entry.url.rfind("/taxes/")
    return entry.url[start:] if start >= 0 else entry.url


def _fingerprint(sha256: str, document: str, link_base: str | None, path: str) -> str:
    said = "\n".join((code_fingerprint(*_READING_CODE, *_TEXT_CODE), sha256, document, link_base or "", path))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _in_order(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", number))
