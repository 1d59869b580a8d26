"""Tax Answer as a site: which pages to fetch, kept by category, and the kept pages read as records.

How one page is understood is in `tax_answer.py`; how pages are asked for, politely and resumably, in `fetching.py`.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from rag_assets.japanese.encodings import UndecodableError
from rag_assets.model import Model, Record
from rag_assets.sources.fetching import CrawlResult, crawl, fetch
from rag_assets.sources.manifest import Entry, Outcome, open_manifest, read_manifest
from rag_assets.sources.places import Place, Reply
from rag_assets.sources.store import ObjectStore
from rag_assets.sources.tax_answer import (
    CATEGORIES,
    INDEX_PATH,
    ArticleLink,
    PageLayoutError,
    is_withdrawn,
    read_article,
    read_index,
)

READER_VERSION = "2"
"""Raise it when `read_article` reads the same bytes differently: every kept page is then read again."""

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


class CategoryRecords(Model):
    """The records of one category.

    Attributes:
        records: One a kept page, in the order of their numbers.
        fingerprints: What each record was read from and how, by record ID.
        reused: How many were taken over unread, since nothing they come from has changed.
        failed: By number, why a page could not be read; an earlier record of it is kept, where there is one.
        withdrawn: Numbers without a record because the site has withdrawn or delisted them.
    """

    records: tuple[Record, ...]
    fingerprints: dict[str, str]
    reused: int = 0
    failed: dict[str, str] = Field(default_factory=dict)
    withdrawn: tuple[str, ...] = ()


def crawl_site(
    place: Place,
    folder: Path,
    categories: Sequence[str],
    *,
    only: Collection[str] = (),
    on_progress: CategoryProgress | None = None,
) -> SiteCrawl:
    """Fetch the article list, then the articles of some categories; every good page is kept at once.

    Args:
        place: The site, wherever it is.
        folder: Where bytes and manifests are kept.
        categories: Folder names of the site, see `CATEGORIES`.
        only: Article numbers to fetch, and no others; they are asked for afresh.
        on_progress: Called after every page.

    Raises:
        FetchError: The list cannot be had.
        PageLayoutError: The list lists nothing.
        ValueError: A number in `only` is not on the list.
    """
    reply = fetch(place, INDEX_PATH)
    links = read_index(reply.body, reply.content_type)
    missing = sorted(set(only) - {link.number for link in links})
    if missing:
        raise ValueError(f"article_ids {', '.join(missing)}: not on the site's article list ({reply.final_url})")
    store = ObjectStore(folder / "objects")
    crawls: dict[str, CrawlResult] = {}
    for category in categories:
        with open_manifest(_manifest_path(folder, category)) as manifest:
            crawls[category] = crawl(
                place,
                [(link.number, link.path) for link in links if link.category == category],
                manifest,
                store,
                is_withdrawn=_says_withdrawn,
                only=only or None,
                on_progress=_named(category, on_progress),
            )
    return SiteCrawl(
        listed={category: sum(link.category == category for link in links) for category in CATEGORIES},
        crawls=crawls,
        unknown=tuple(link for link in links if link.category not in CATEGORIES),
    )


def read_category(
    folder: Path,
    category: str,
    *,
    document: str,
    link_base: str | None,
    earlier: Mapping[str, tuple[str, Record]],
) -> CategoryRecords:
    """The kept pages of one category as records.

    Args:
        folder: Where `crawl_site` keeps bytes and manifests.
        category: Folder name of the site.
        document: Name of the document in headers.
        link_base: Base URL under which readers see the site; None where there is no such site.
        earlier: Fingerprint and record of the last time, by record ID.
    """
    store = ObjectStore(folder / "objects")
    entries = read_manifest(_manifest_path(folder, category))
    records: list[Record] = []
    fingerprints: dict[str, str] = {}
    failed: dict[str, str] = {}
    reused = 0
    for number, entry in sorted(entries.items(), key=lambda item: _in_order(item[0])):
        if entry.sha256 is None:
            continue
        path = _path_of(entry)
        fingerprint = _fingerprint(entry.sha256, document, link_base, path)
        before = earlier.get(f"tax_answer/{number}")
        if before is not None and before[0] == fingerprint:
            record, reused = before[1], reused + 1
        else:
            try:
                record = read_article(
                    store.get(entry.sha256),
                    number=number,
                    category=category,
                    url=f"{link_base.rstrip('/')}{path}" if link_base else None,
                    content_type=entry.content_type,
                    document=document,
                )
            except (PageLayoutError, UndecodableError) as error:
                failed[number] = f"{entry.url}: {error}"
                if before is None:
                    continue
                fingerprint, record = before
        records.append(record)
        fingerprints[record.record_id] = fingerprint
    return CategoryRecords(
        records=tuple(records),
        fingerprints=fingerprints,
        reused=reused,
        failed=failed,
        withdrawn=tuple(number for number, entry in entries.items() if entry.outcome in ("withdrawn", "delisted")),
    )


def has_manifest(folder: Path, category: str) -> bool:
    """Whether the category has ever been crawled."""
    return _manifest_path(folder, category).is_file()


def _manifest_path(folder: Path, category: str) -> Path:
    return folder / "manifest" / f"{category}.jsonl"


def _says_withdrawn(reply: Reply) -> bool:
    return is_withdrawn(reply.body, reply.content_type)


def _named(category: str, on_progress: CategoryProgress | None) -> Callable[[int, int, str, Outcome], None] | None:
    if on_progress is None:
        return None
    return lambda done, total, number, outcome: on_progress(category, done, total, number, outcome)


def _path_of(entry: Entry) -> str:
    """The page's path on the site, from its address at whatever place."""
    start = entry.url.find("/taxes/")
    return entry.url[start:] if start >= 0 else entry.url


def _fingerprint(sha256: str, document: str, link_base: str | None, path: str) -> str:
    said = "\n".join((READER_VERSION, sha256, document, link_base or "", path))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _in_order(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split("-"))
