"""Where a source lives: what every place answers, and the place that is a folder.

The place that is a web site is in `web.py`. What is done with the answers (keeping, resuming, judging) is in
`crawl.py`.
"""

from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote


class FetchError(Exception):
    """One address could not be read; others may still be.

    Attributes:
        reason: What went wrong, for a person, without the address.
        refused: The site does not want the address read by programs (robots.txt).
    """

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.refused = refused


@dataclass(frozen=True)
class Validators:
    """What is known of bytes we still hold, so that the place can answer "unchanged" (RFC 9110 section 13).

    Attributes:
        final_url: Identity of the address the bytes came from, after redirects; validators are sent to no other.
        etag: `ETag` as it was sent, quotes and `W/` included.
        last_modified: `Last-Modified` as it was sent.
    """

    final_url: str
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Reply:
    """What a place answered.

    Attributes:
        url: The address that was asked for, as it may be kept and shown (`addresses.py`).
        final_url: The address that answered, after redirects: its identity, which may be kept as well.
        status: 200; 304 only if validators were given; 404 or 410 where there is no such page.
        body: The bytes, with transfer and content encodings undone; empty for 304.
        content_type: `Content-Type` as it was sent, for its charset.
        etag: Validator for the next time.
        last_modified: Likewise.
    """

    url: str
    final_url: str
    status: int
    body: bytes = b""
    content_type: str | None = None
    etag: str | None = None
    last_modified: str | None = None


class FetchPlace(Protocol):
    """A site, wherever it is kept. Paths are URL paths from its root, such as `/taxes/a.htm`."""

    @property
    def location(self) -> str:
        """Folder or base URL: the identity of the place, also shown to people."""

    def url_of(self, path: str) -> str:
        """The address of a path, as it may be kept and shown.

        Raises:
            FetchError: The path leads out of the place or is no path.
        """

    def get(self, path: str, validators: Validators | None = None) -> Reply:
        """Read one page.

        Raises:
            FetchError: No reply of the kind that `Reply` describes could be had.
        """


def check_path(path: str) -> str:
    """The path without its fragment, known to stay below the root it will be joined to.

    Links come from pages, which may be broken or hostile.

    Raises:
        FetchError: It does not begin with `/`, climbs with `..` (percent-encoded or not), or holds characters
            that file systems and servers read in different ways.
    """
    path = path.partition("#")[0]
    told = path.partition("?")[0]
    plain = unquote(told)
    if not path.startswith("/"):
        raise FetchError(f"not a path from the site's root: {told!r}")
    if ".." in plain.split("/") or "\\" in plain or any(ord(character) < 0x20 for character in plain):
        raise FetchError(f"path refused, it may lead out of the site: {told!r}")
    return path


class FolderPlace:
    """A folder that holds a copy of a site's tree: URL path `/taxes/a.htm` is the file `FOLDER/taxes/a.htm`.

    Files are always read, never judged by their date: reading is quick, and a copy can carry an old date.
    Symbolic links are followed, as web servers do: they are the folder owner's own doing.
    """

    def __init__(self, folder: Path) -> None:
        self._root = folder.expanduser().resolve()
        if not self._root.is_dir():
            raise ValueError(f"{folder}: no such folder; name a folder that holds a copy of the site, or a base URL")

    @property
    def location(self) -> str:
        """The folder, absolute."""
        return str(self._root)

    def url_of(self, path: str) -> str:
        """`file:` URL of the page's file."""
        return self._file(path).as_uri()

    def get(self, path: str, validators: Validators | None = None) -> Reply:  # noqa: ARG002
        """Read one file; a missing one answers 404, as a server would."""
        file = self._file(path)
        url = file.as_uri()
        try:
            body = file.read_bytes()
            modified = file.stat().st_mtime
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return Reply(url=url, final_url=url, status=404)
        except OSError as error:
            raise FetchError(f"cannot read {file}: {error.strerror}") from error
        if not body:
            raise FetchError(f"{file} is empty")
        return Reply(url=url, final_url=url, status=200, body=body, last_modified=formatdate(modified, usegmt=True))

    def _file(self, path: str) -> Path:
        return self._root / unquote(check_path(path).partition("?")[0]).lstrip("/")
