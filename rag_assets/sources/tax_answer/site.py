"""Tax Answer as a site: which pages to fetch, kept by category, and the kept pages read as records.

How one page is understood is in `reader.py`; how pages are asked for, politely and resumably, in `fetching/crawl.py`.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from rag_assets.clock import utc_now
from rag_assets.japanese.encodings import UndecodableError
from rag_assets.model import Model, Record
from rag_assets.sources.base import Finding
from rag_assets.sources.fetching.crawl import CrawlResult, Progress, crawl, delist_others, fetch, summarize_crawl
from rag_assets.sources.fetching.manifest import (
    GOOD_OUTCOMES,
    FetchEntry,
    FetchManifest,
    Outcome,
    open_manifest,
    read_manifest,
)
from rag_assets.sources.fetching.objects import FetchedObjects, ObjectError
from rag_assets.sources.fetching.places import FetchError, FetchPlace, Reply
from rag_assets.sources.tax_answer.reader import (
    CATEGORIES,
    INDEX_PATH,
    Article,
    ArticleLink,
    PageLayoutError,
    is_withdrawn,
    read_article,
    read_index,
)
from rag_assets.sources.tax_answer.source import SOURCE
from rag_assets.store.build_cache import code_fingerprint
from rag_assets.store.lines import write_if_changed

READING_CODE = (
    *("sources/tax_answer/reader.py", "sources/html", "japanese", "model.py"),
    *("corpus/record_files.py", "corpus/record_text.py", "corpus/table_text.py"),
)
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
    place: FetchPlace,
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
    reply, links = _read_list(place, folder, categories)
    _check_chosen(only, links, categories, reply.final_url)
    store = FetchedObjects(folder)
    since = None if only else _begin(folder, place, categories)
    crawls: dict[str, CrawlResult] = {}
    for category in categories:
        targets = {link.number: link.path for link in links if link.category == category}
        progress = _progress_of(category, on_progress)
        with open_manifest(_manifest_path(folder, category)) as manifest:
            if since is None:
                crawls[category] = _visit(place, targets, manifest, store, progress, only=only)
            elif not targets:
                crawls[category] = _delist_all(place, manifest)
            elif _is_through(manifest, place, since) and _lists_all_of(targets, manifest):
                crawls[category] = _visit_rest(place, targets, manifest, store, progress, since)
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


def _read_list(place: FetchPlace, folder: Path, categories: Sequence[str]) -> tuple[Reply, Sequence[ArticleLink]]:
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
    """Why the article list could not be had, and for which categories it has not been since; None where it was."""
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


def _begin(folder: Path, place: FetchPlace, categories: Sequence[str]) -> datetime:
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


def _is_through(manifest: FetchManifest, place: FetchPlace, since: datetime) -> bool:
    """Whether the crawl had been through this category before it was broken off."""
    started, finished = manifest.started, manifest.finished
    return started is not None and started.place == place.location and finished is not None and finished.at >= since


def _lists_all_of(targets: Mapping[str, str], manifest: FetchManifest) -> bool:
    """Whether every page we hold is still on the list; otherwise the category has to be gone through once more."""
    return all(key in targets for key, entry in manifest.entries.items() if entry.sha256 is not None)


def _visit(
    place: FetchPlace,
    targets: Mapping[str, str],
    manifest: FetchManifest,
    store: FetchedObjects,
    progress: Progress | None,
    *,
    only: Collection[str] = (),
) -> CrawlResult:
    return crawl(
        place,
        list(targets.items()),
        manifest,
        store,
        is_withdrawn=lambda reply: is_withdrawn(reply.body, reply.content_type),
        only=only or None,
        resume_within=RESUME_WITHIN,
        on_progress=progress,
    )


def _visit_rest(
    place: FetchPlace,
    targets: Mapping[str, str],
    manifest: FetchManifest,
    store: FetchedObjects,
    progress: Progress | None,
    since: datetime,
) -> CrawlResult:
    """Visit what a category still lacks, and tell of all visits since the crawl began."""
    had = [key for key, entry in manifest.entries.items() if key in targets and _is_well(entry, store)]
    lacking = [key for key in targets if key not in had]
    if lacking:
        _visit(place, targets, manifest, store, progress, only=lacking)
    delisted = [
        key for key, entry in manifest.entries.items() if entry.outcome == "delisted" and entry.checked_at >= since
    ]
    return summarize_crawl(manifest.entries, [*had, *lacking], delisted, had)


def _is_well(entry: FetchEntry, store: FetchedObjects) -> bool:
    return entry.outcome in GOOD_OUTCOMES and (entry.sha256 is None or store.find(entry.sha256) is not None)


def _delist_all(place: FetchPlace, manifest: FetchManifest) -> CrawlResult:
    """Nothing of a category is on the list any more (or ever was): nothing is to remain of it downstream."""
    now = utc_now()
    manifest.begin(place.location, now)
    gone = delist_others(manifest, (), now)
    manifest.finish(now)
    return CrawlResult(delisted=tuple(gone))


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
    store = FetchedObjects(folder)
    entries = read_manifest(_manifest_path(folder, category))
    articles: list[Article] = []
    fingerprints: dict[str, str] = {}
    failed: dict[str, str] = {}
    findings_by_label: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in earlier_findings:
        findings_by_label[finding.place].append(finding)
    reused = 0
    for number, entry in sorted(entries.items(), key=lambda item: [int(part) for part in re.findall(r"\d+", item[0])]):
        if entry.sha256 is None:
            continue
        record_id = f"{SOURCE.name}/{number}"
        fingerprints[record_id] = _fingerprint(entry.sha256, document, link_base, _path_of(entry))
        before, record = earlier.get(record_id, ("", None))
        article = Article(record=record, findings=tuple(findings_by_label[record.label])) if record else None
        if article and before == fingerprints[record_id]:
            reused += 1
        else:
            try:
                article = _read_entry(entry, store.get(entry.sha256), category, document, link_base)
            except (PageLayoutError, UndecodableError, ObjectError) as error:
                failed[number] = f"{entry.url}: {error}"
                fingerprints[record_id] = before
        if article:
            articles.append(article)
        else:
            del fingerprints[record_id]
    return CategoryRecords(
        records=tuple(article.record for article in articles),
        fingerprints=fingerprints,
        reused=reused,
        failed=failed,
        withdrawn=tuple(number for number, entry in entries.items() if entry.outcome in ("withdrawn", "delisted")),
        findings=tuple(finding for article in articles for finding in article.findings),
    )


def _read_entry(entry: FetchEntry, data: bytes, category: str, document: str, link_base: str | None) -> Article:
    return read_article(
        data,
        number=entry.key,
        category=category,
        url=f"{link_base.rstrip('/')}{_path_of(entry)}" if link_base else None,
        content_type=entry.content_type,
        document=document,
    )


def _manifest_path(folder: Path, category: str) -> Path:
    return folder / "manifest" / f"{category}.jsonl"


def _under_way_path(folder: Path) -> Path:
    return folder / "crawl_under_way.json"


def _list_failure_path(folder: Path) -> Path:
    return folder / "list_failure.json"


def _progress_of(
    category: str, on_progress: CategoryProgress | None
) -> Callable[[int, int, str, Outcome], None] | None:
    if on_progress is None:
        return None
    return lambda done, total, number, outcome: on_progress(category, done, total, number, outcome)


def _path_of(entry: FetchEntry) -> str:
    """The page's path on the site, from its address at whatever place."""
    start = entry.url.rfind("/taxes/")
    return entry.url[start:] if start >= 0 else entry.url


def _fingerprint(sha256: str, document: str, link_base: str | None, path: str) -> str:
    said = "\n".join((code_fingerprint(*READING_CODE), sha256, document, link_base or "", path))
    return hashlib.sha256(said.encode()).hexdigest()[:16]
