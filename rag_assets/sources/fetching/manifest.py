"""What is known of every page: a journal of one JSON line an outcome, the last line of a page counts.

Reading, writing and compacting the journal belong here. The bytes lie in the object store (`objects.py`);
what is asked of a site, and when, is decided in `crawl.py`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from io import FileIO
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from rag_assets.model import Model
from rag_assets.store.locks import held

Outcome = Literal["fetched", "unchanged", "withdrawn", "refused", "failed", "delisted"]
"""What the last visit of a page brought.

`fetched`: new or changed bytes. `unchanged`: the bytes we had. `withdrawn`: the site says that the page is no
more. `refused`: robots.txt asks not to read it. `failed`: no usable answer. `delisted`: the site's list no
longer has it.
"""

GOOD_OUTCOMES: frozenset[Outcome] = frozenset({"fetched", "unchanged", "withdrawn"})


class FetchEntry(Model):
    """What is known of one page.

    Attributes:
        key: The page's name within the manifest, such as an article number.
        url: The address asked for at the last visit, as it may be kept and shown (`addresses.py`).
        final_url: Identity of the address that answered, after redirects; None if none ever did.
        etag: Validator of the bytes held.
        last_modified: Likewise.
        content_type: `Content-Type` of the bytes held, for its charset.
        sha256: The bytes that count for the page; None exactly where nothing must remain of it downstream.
            A visit that failed keeps the good bytes of an earlier one.
        fetched_at: When those bytes were read.
        checked_at: When the place was last asked.
        error: Why the last visit failed or was refused, for a person.
    """

    kind: Literal["page"] = "page"
    key: str = Field(min_length=1)
    url: str
    final_url: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    content_type: str | None = None
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    fetched_at: AwareDatetime | None = None
    checked_at: AwareDatetime
    outcome: Outcome
    error: str | None = None


class CrawlStarted(Model):
    """A crawl of all targets began. Entries of another place are void from here on."""

    kind: Literal["started"] = "started"
    place: str
    at: AwareDatetime


class CrawlFinished(Model):
    """The crawl visited every target, well or badly."""

    kind: Literal["finished"] = "finished"
    at: AwareDatetime


Line = Annotated[FetchEntry | CrawlStarted | CrawlFinished, Field(discriminator="kind")]


class ManifestError(Exception):
    """The journal cannot be read, or is being written by somebody else."""


@dataclass
class FetchManifest:
    """A journal replayed up to its last line; `open_manifest` opens it for writing. One process at a time writes it.

    Attributes:
        entries: The last entry of every key.
        started: The last crawl's start, None before the first.
        finished: The end of that crawl, None if it was broken off or is under way.
        recorded: Keys with a line since that start.
        lines: How many lines the journal has.
        file: The journal, where it is open for writing.
    """

    entries: dict[str, FetchEntry] = field(default_factory=dict)
    started: CrawlStarted | None = None
    finished: CrawlFinished | None = None
    recorded: set[str] = field(default_factory=set)
    lines: int = 0
    file: FileIO | None = None

    def begin(self, place: str, at: datetime) -> None:
        """Mark the start of a crawl. Entries of another place are dropped: one manifest, one place."""
        self._append(CrawlStarted(place=place, at=at))

    def record(self, entry: FetchEntry) -> None:
        """Write down an outcome; it outlives the process from here on."""
        self._append(entry)

    def finish(self, at: datetime) -> None:
        """Mark that every target of the crawl was visited."""
        self._append(CrawlFinished(at=at))

    def apply(self, line: FetchEntry | CrawlStarted | CrawlFinished) -> None:
        """Take in what a line of the journal says."""
        self.lines += 1
        match line:
            case FetchEntry():
                self.entries[line.key] = line
                self.recorded.add(line.key)
            case CrawlStarted():
                if self.started is None or self.started.place != line.place:
                    self.entries.clear()
                self.started, self.finished = line, None
                self.recorded.clear()
            case CrawlFinished():
                self.finished = line

    def essence(self) -> list[FetchEntry | CrawlStarted | CrawlFinished]:
        """The fewest lines that replay to this state."""
        older = [entry for key, entry in self.entries.items() if key not in self.recorded]
        # A first start of the same place lets the entries before the last start live through a replay.
        starts = [self.started] if self.started else []
        ends = [self.finished] if self.finished else []
        recent = [entry for key, entry in self.entries.items() if key in self.recorded]
        return [*(starts if older else []), *(older if starts else []), *starts, *recent, *ends]

    def _append(self, line: FetchEntry | CrawlStarted | CrawlFinished) -> None:
        assert self.file is not None, "open_manifest opens a manifest for writing"
        self.file.write(line.model_dump_json().encode() + b"\n")
        self.apply(line)


@contextmanager
def open_manifest(path: Path) -> Iterator[FetchManifest]:
    """Open a journal for writing, create it if need be, and compact it at the end.

    What a crash left half-written at its end is dropped; compaction replaces the file in one step.

    Raises:
        ManifestError: A line other than the last cannot be read, or another process has the journal open.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    in_use = ManifestError(f"{path} is being written by another run; wait until it has ended, then start again")
    with held(path.with_name(f".{path.name}.lock"), in_use):
        manifest, whole = _replay(path)
        if not whole:
            _rewrite(path, manifest)
        with path.open("ab", buffering=0) as manifest.file:
            try:
                yield manifest
            finally:
                if manifest.lines > len(manifest.essence()):
                    _rewrite(path, manifest)


def all_entries(fetched: Path) -> Iterator[FetchEntry]:
    """What is known of every page or document of a source, by its folder of fetched bytes and manifests.

    Raises:
        ManifestError: A journal cannot be read.
    """
    for path in sorted((fetched / "manifest").glob("*.jsonl")):
        yield from read_manifest(path).values()


def read_manifest(path: Path) -> dict[str, FetchEntry]:
    """The last entry of every key of a journal, without opening it for writing; empty if there is no journal.

    Raises:
        ManifestError: A line other than the last cannot be read.
    """
    return _replay(path)[0].entries


def referenced_objects(manifests: Iterable[Path]) -> set[str]:
    """SHA-256 of every object that the journals refer to: what `FetchedObjects.collect` has to keep."""
    return {entry.sha256 for path in manifests for entry in read_manifest(path).values() if entry.sha256 is not None}


@cache
def _adapter() -> TypeAdapter[FetchEntry | CrawlStarted | CrawlFinished]:
    return TypeAdapter(Line)


def _replay(path: Path) -> tuple[FetchManifest, bool]:
    """The manifest by its journal, and whether the journal's last line is whole."""
    manifest = FetchManifest()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return manifest, True
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            manifest.apply(_adapter().validate_json(line))
        except ValidationError as error:
            raise ManifestError(
                f"{path}, line {number}: not a line of a manifest ({error.errors()[0]['msg']}); "
                "remove the line, or the file to fetch everything again"
            ) from error
    return manifest, not rest


def _rewrite(path: Path, manifest: FetchManifest) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    lines = manifest.essence()
    temporary.write_bytes(b"".join(line.model_dump_json().encode() + b"\n" for line in lines))
    temporary.replace(path)
    manifest.lines = len(lines)
