"""Fetch one document, from a URL or a path, and keep its bytes: the manifest tells whether they have changed.

What kinds of documents there are, and how they are read, is each source's own business.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from rag_assets.clock import Clock
from rag_assets.model import Model
from rag_assets.sources.fetching.addresses import address_identity, is_url
from rag_assets.sources.fetching.crawl import crawl, failed_entry, place_at
from rag_assets.sources.fetching.manifest import FetchEntry, Outcome, open_manifest, read_manifest, referenced_objects
from rag_assets.sources.fetching.objects import FetchedObjects, ObjectError
from rag_assets.sources.fetching.places import FetchError, FetchPlace, Reply, Validators
from rag_assets.sources.fetching.web import WebOptions

_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)

_KEPT_UNREFERENCED = timedelta(days=1)
"""A run under way elsewhere may be about to name what nothing names yet."""


class FetchedDocument(Model):
    """How fetching a document went.

    Attributes:
        key: Name of the document within its source.
        outcome: What the visit brought.
        size: Bytes held, of this visit or an earlier one; 0 where there are none.
        error: Why it failed, with the address as it may be shown; empty where it did not.
    """

    key: str
    outcome: Outcome
    size: int = 0
    error: str = ""


def fetch_document(
    address: str,
    key: str,
    folder: Path,
    options: WebOptions | None = None,
    clock: Clock | None = None,
    *,
    takes_web_pages: bool = False,
) -> FetchedDocument:
    """Read a document where it lies, politely where that is a web site, and keep its bytes unless they are the same.

    A document that fails keeps the good bytes of an earlier visit. `address` is a path or URL, `folder` that of the
    source's fetched bytes and manifests. With `takes_web_pages` the document may be a web page: of others, sites answer
    with one where they are gone.

    Raises:
        OSError: The disk does not take what was fetched.
    """
    clock = clock or Clock()
    store = FetchedObjects(folder)
    if is_url(address):
        entry = _fetch_url(
            address, key, folder, store, options, clock, _accept if takes_web_pages else _explain_web_page
        )
    else:
        entry = _fetch_file(Path(address), key, folder, store, clock)
    size = store.path_of(entry.sha256).stat().st_size if entry.sha256 else 0
    error = f"{entry.url}: {entry.error}" if entry.error else ""
    return FetchedDocument(key=key, outcome=entry.outcome, size=size, error=error)


def document_entry(key: str, folder: Path) -> FetchEntry | None:
    """What is known of a document; None where it was never asked for."""
    return read_manifest(_manifest(key, folder)).get(key)


def forget_others(keys: set[str], folder: Path, clock: Clock | None = None) -> list[str]:
    """Drop what is known of documents that are not among `keys`, since the settings no longer name them; which.

    Bytes that no document refers to any more, earlier editions too, go after a day.
    """
    gone = sorted(path for path in (folder / "manifest").glob("*.jsonl") if path.stem not in keys)
    for path in gone:
        path.unlink()
    referenced = referenced_objects((folder / "manifest").glob("*.jsonl"))
    FetchedObjects(folder).collect(referenced, (clock or Clock()).now() - _KEPT_UNREFERENCED)
    return [path.stem for path in gone]


def _manifest(key: str, folder: Path) -> Path:
    return folder / "manifest" / f"{key}.jsonl"


def _fetch_url(
    url: str,
    key: str,
    folder: Path,
    store: FetchedObjects,
    options: WebOptions | None,
    clock: Clock,
    refuse: Callable[[Reply], str],
) -> FetchEntry:
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    place = _OneAddress(place_at(f"{parts.scheme}://{parts.netloc}", options, clock), address_identity(url))
    with open_manifest(_manifest(key, folder)) as manifest:
        crawl(place, [(key, path)], manifest, store, refuse=refuse, clock=clock)
        return manifest.entries[key]


class _OneAddress:
    """A document's own place: another address, on the same site too, is another document with no earlier edition.

    One that differs in its credentials only is the same.
    """

    def __init__(self, site: FetchPlace, identity: str) -> None:
        self._site = site
        self.location = identity

    def url_of(self, path: str) -> str:
        return self._site.url_of(path)

    def get(self, path: str, validators: Validators | None = None) -> Reply:
        return self._site.get(path, validators)


def _accept(reply: Reply) -> str:  # noqa: ARG001
    """Why a page is refused where any is a document: never."""
    return ""


def _explain_web_page(reply: Reply) -> str:
    """Why a web page is refused: sites answer with one, and with status 200, where a document is gone or hidden."""
    if _HTML.match(reply.body):
        return "it answered with a web page (HTML), not with the document: open the address in a browser"
    return ""


def _fetch_file(path: Path, key: str, folder: Path, store: FetchedObjects, clock: Clock) -> FetchEntry:
    """A file of any size: copied piece by piece, never held in memory."""
    path = path.expanduser().absolute()
    with open_manifest(_manifest(key, folder)) as manifest:
        manifest.begin(str(path), clock.now())
        earlier = manifest.entries.get(key)
        try:
            sha256 = _keep_file(path, store)
        except FetchError as error:
            entry = failed_entry(key, path.as_uri(), earlier, error, clock.now())
        else:
            is_known = earlier is not None and earlier.sha256 == sha256
            entry = FetchEntry(
                key=key,
                url=path.as_uri(),
                final_url=path.as_uri(),
                sha256=sha256,
                fetched_at=earlier.fetched_at if earlier and is_known else clock.now(),
                checked_at=clock.now(),
                outcome="unchanged" if is_known else "fetched",
            )
        manifest.record(entry)
        manifest.finish(clock.now())
        return entry


def _keep_file(path: Path, store: FetchedObjects) -> str:
    try:
        with path.open("rb") as file:
            if not file.peek(1):
                raise FetchError("the file is empty")
            return store.put_file(file)
    except FileNotFoundError as error:
        raise FetchError("there is no such file") from error
    except ObjectError as error:
        raise FetchError(str(error)) from error
    except OSError as error:
        if error.filename is not None and Path(str(error.filename)) != path:
            raise
        raise FetchError(f"it cannot be read: {error.strerror}") from error
