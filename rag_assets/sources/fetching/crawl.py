"""Fetch the pages of a source and keep what came: resumable, page by page, whatever the place.

Which pages a source has, and what is on them, is each source's own business.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import Field

from rag_assets.clock import Clock
from rag_assets.model import Model
from rag_assets.sources.fetching.addresses import is_url
from rag_assets.sources.fetching.manifest import GOOD_OUTCOMES, FetchEntry, FetchManifest, Outcome
from rag_assets.sources.fetching.objects import FetchedObjects
from rag_assets.sources.fetching.places import FetchError, FetchPlace, FolderPlace, Reply, Validators
from rag_assets.sources.fetching.web import WebOptions, WebPlace

Progress = Callable[[int, int, str, Outcome], None]
"""Called after every visit: visits done so far, visits in all, key, what it brought."""


class CrawlResult(Model):
    """What a crawl brought, by key. Every target visited is in exactly one of the first four.

    A crawl that was broken off and resumed tells of all its visits, also those before the break.

    Attributes:
        fetched: New or changed bytes.
        unchanged: The bytes we had.
        withdrawn: The site says that the page is no more; nothing of it is to remain downstream.
        failed: Address and reason where no answer could be had, or robots.txt refuses. Good bytes of an
            earlier visit still count.
        delisted: Keys that this crawl no longer found among its targets; nothing of them is to remain.
        resumed: Keys that were not asked for again, since this crawl had them before it was broken off.
    """

    fetched: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    failed: dict[str, str] = Field(default_factory=dict)
    delisted: tuple[str, ...] = ()
    resumed: tuple[str, ...] = ()


def place_at(location: str | Path, options: WebOptions | None = None, clock: Clock | None = None) -> FetchPlace:
    """The place that a setting names: a base URL, or a folder that holds a copy of the site.

    Raises:
        ValueError: It is neither; the message says what is wrong with it.
    """
    text = str(location)
    return WebPlace(text, options, clock) if is_url(text) else FolderPlace(Path(text))


def fetch(place: FetchPlace, path: str) -> Reply:
    """Read one page that has to be there, such as a list of articles, and keep nothing.

    Raises:
        FetchError: Anything but a page; the reason names its address.
    """
    try:
        reply = place.get(path)
    except FetchError as error:
        raise FetchError(f"{_address(place, path)}: {error.reason}", refused=error.refused) from error
    if reply.status != 200:
        raise FetchError(f"{reply.final_url}: {_no_page(reply)}")
    return reply


def crawl(
    place: FetchPlace,
    targets: Sequence[tuple[str, str]],
    manifest: FetchManifest,
    store: FetchedObjects,
    *,
    is_withdrawn: Callable[[Reply], bool] = lambda _: False,
    refuse: Callable[[Reply], str] = lambda _: "",
    only: Collection[str] | None = None,
    resume_within: timedelta = timedelta(hours=24),
    on_progress: Progress | None = None,
    clock: Clock | None = None,
) -> CrawlResult:
    """Visit every target; keep the bytes in the store, and every outcome in the manifest once it is known.

    The same crawl: its start and its end are lines in the manifest. A start without an end, for the same
    place and younger than `resume_within`, is a crawl that was broken off: it goes on, and asks again only
    for what it has not got well. Otherwise a new crawl begins and asks for every target, conditionally where
    the manifest holds validators and the store still holds the bytes, intact. A crawl that visited every
    target has ended, however many of them failed.

    A page that fails loses no other: it is told in the result, and whether to raise is the caller's business.

    Args:
        place: Where the pages are. A manifest speaks for one place: another place starts it afresh.
        targets: Key and URL path of every page. Repeats of the same pair are one target. If there are none,
            nothing happens.
        manifest: Open manifest of these targets and no others: entries of other keys are marked delisted.
        store: Where the bytes go.
        is_withdrawn: Whether a reply (status 200, 404 or 410, and for an unchanged page the bytes we hold) is
            how this site says that a page is no more. A 404 or 410 that it does not claim is a failure.
        refuse: Why a page that came is not what was asked for; empty where it is. It counts as a failure.
        only: Visit these keys and no others, unconditionally; nothing is delisted, no crawl begins or ends.
            Keys that are no targets are passed over.
        resume_within: Age up to which a crawl that was broken off goes on; zero never resumes.
        on_progress: Called after every visit.
        clock: For the times in the manifest.

    Raises:
        ValueError: Two targets of one key with different paths.
        OSError: The disk does not take what was fetched.
    """
    clock = clock or Clock()
    paths = _path_by_key(targets)
    if not paths:
        return CrawlResult()
    now = clock.now()
    chosen = [key for key in paths if only is None or key in only]
    resumed: list[str] = []
    if only is None and _is_broken_off(manifest, place, now, resume_within):
        resumed = [key for key, path in paths.items() if _has(manifest, key, _address(place, path), store)]
    elif only is None or manifest.started is None or manifest.started.place != place.location:
        manifest.begin(place.location, now)
    had = frozenset(resumed)
    for done, key in enumerate((key for key in chosen if key not in had), start=len(had) + 1):
        earlier = manifest.entries.get(key)
        entry = _visit(place, key, paths[key], earlier, store, is_withdrawn, refuse, only is not None, clock)
        manifest.record(entry)
        if on_progress is not None:
            on_progress(done, len(chosen), key, entry.outcome)
    delisted: list[str] = []
    if only is None:
        delisted = delist_others(manifest, paths, clock.now())
        manifest.finish(clock.now())
    return summarize_crawl(manifest.entries, chosen, delisted, resumed)


def _path_by_key(targets: Sequence[tuple[str, str]]) -> dict[str, str]:
    paths: dict[str, str] = {}
    for key, path in targets:
        if paths.setdefault(key, path) != path:
            raise ValueError(f"{key} is listed at two addresses: {paths[key]} and {path}")
    return paths


def _is_broken_off(manifest: FetchManifest, place: FetchPlace, now: datetime, resume_within: timedelta) -> bool:
    started = manifest.started
    return (
        started is not None
        and manifest.finished is None
        and started.place == place.location
        and now - started.at < resume_within
    )


def _has(manifest: FetchManifest, key: str, url: str, store: FetchedObjects) -> bool:
    """Whether the crawl under way has got this page well, and its bytes are still there."""
    entry = manifest.entries.get(key)
    if entry is None or key not in manifest.recorded or entry.outcome not in GOOD_OUTCOMES or entry.url != url:
        return False
    return entry.sha256 is None or store.find(entry.sha256) is not None


def _visit(
    place: FetchPlace,
    key: str,
    path: str,
    earlier: FetchEntry | None,
    store: FetchedObjects,
    is_withdrawn: Callable[[Reply], bool],
    refuse: Callable[[Reply], str],
    force: bool,
    clock: Clock,
) -> FetchEntry:
    held = store.find(earlier.sha256) if earlier is not None and earlier.sha256 is not None else None
    earlier = earlier if held is not None else None
    url = _address(place, path)
    validators = None
    if earlier is not None and earlier.final_url and not force:
        validators = Validators(earlier.final_url, earlier.etag, earlier.last_modified)
    try:
        reply = place.get(path, validators)
        if reply.status == 304:
            assert held is not None
            assert earlier is not None
            reply = _fill_unchanged(reply, held, earlier)
        if is_withdrawn(reply):
            return FetchEntry(key=key, url=url, final_url=reply.final_url, checked_at=clock.now(), outcome="withdrawn")
        if reply.status != 200:
            raise FetchError(_no_page(reply))
        if why := refuse(reply):
            raise FetchError(why)
    except FetchError as error:
        return failed_entry(key, url, earlier, error, clock.now())
    now = clock.now()
    known = earlier if reply.body == held else None
    return FetchEntry(
        key=key,
        url=url,
        final_url=reply.final_url,
        etag=reply.etag,
        last_modified=reply.last_modified,
        content_type=reply.content_type,
        sha256=known.sha256 if known else store.put(reply.body),
        fetched_at=known.fetched_at if known else now,
        checked_at=now,
        outcome="unchanged" if known else "fetched",
    )


def _fill_unchanged(reply: Reply, held: bytes, earlier: FetchEntry) -> Reply:
    """Turn an "unchanged" reply into the page itself, so that it is judged like any other."""
    return replace(
        reply,
        status=200,
        body=held,
        # A 304 need not repeat what has not changed, and some servers send another type with it.
        content_type=earlier.content_type,
        etag=reply.etag or earlier.etag,
        last_modified=reply.last_modified or earlier.last_modified,
    )


def failed_entry(key: str, url: str, earlier: FetchEntry | None, error: FetchError, now: datetime) -> FetchEntry:
    """The entry of a failed visit: bytes of an earlier one, and their validators, still count."""
    outcome: Outcome = "refused" if error.refused else "failed"
    failed = FetchEntry(key=key, url=url, checked_at=now, outcome=outcome, error=error.reason)
    return earlier.model_copy(update=failed.model_dump(exclude_unset=True)) if earlier else failed


def delist_others(manifest: FetchManifest, paths: Collection[str], now: datetime) -> list[str]:
    """Mark every key that is not among `paths` as delisted; which ones became so in this crawl."""
    gone = [key for key in manifest.entries if key not in paths]
    for key in gone:
        entry = manifest.entries[key]
        if entry.outcome != "delisted":
            manifest.record(
                FetchEntry(key=key, url=entry.url, final_url=entry.final_url, checked_at=now, outcome="delisted")
            )
    return [key for key in gone if key in manifest.recorded]


def summarize_crawl(
    entries: Mapping[str, FetchEntry], chosen: Collection[str], delisted: Collection[str], resumed: Collection[str]
) -> CrawlResult:
    """What the last visits of the chosen keys brought, by their entries."""

    def keys(outcome: Outcome) -> tuple[str, ...]:
        return tuple(key for key in chosen if entries[key].outcome == outcome)

    return CrawlResult(
        fetched=keys("fetched"),
        unchanged=keys("unchanged"),
        withdrawn=keys("withdrawn"),
        failed={
            key: f"{entries[key].url}: {entries[key].error}"
            for key in chosen
            if entries[key].outcome in ("failed", "refused")
        },
        delisted=tuple(delisted),
        resumed=tuple(resumed),
    )


def _no_page(reply: Reply) -> str:
    return f"there is no such page (HTTP {reply.status})"


def _address(place: FetchPlace, path: str) -> str:
    """The address of a path for the record, also where the path is refused."""
    try:
        return place.url_of(path)
    except FetchError:
        return path.partition("?")[0]
