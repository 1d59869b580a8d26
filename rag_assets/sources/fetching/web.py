"""The place that is a web site: one polite request at a time.

Politeness, patience and distrust of what comes over the wire belong here (robots.txt, intervals, retries,
redirects, truncation, size). What is kept of the answers is decided in `crawl.py`.
"""

import logging
import threading
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

from pydantic import Field, field_validator

from rag_assets import __version__
from rag_assets.clock import Clock
from rag_assets.model import Model
from rag_assets.sources.fetching.addresses import (
    LEFT_OUT,
    address_identity,
    has_user_info,
    shown_address,
    without_secrets,
)
from rag_assets.sources.fetching.places import FetchError, Reply, Validators, check_path

if TYPE_CHECKING:
    import requests
    from protego import Protego

ROBOT = "rag_assets"
"""Product token that robots.txt rules are matched against."""

RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
MAX_REDIRECTS = 5
"""RFC 9309 section 2.3.1.2 asks robots to follow at least five for robots.txt; pages get the same."""

ROBOTS_LIMIT_BYTES = 500 * 1024
"""RFC 9309 section 2.5: at least the first 500 KiB of robots.txt are to be read."""

UNREACHABLE_LIMIT = 3
"""Addresses in a row that could not be connected to before a site is taken to be down."""


class WebOptions(Model):
    """How a site is asked.

    Attributes:
        contact: Mail address or URL by which the site's owner reaches whoever runs this; goes into the
            User-Agent.
        interval_seconds: At most one request per so many seconds; a longer `Crawl-delay` of robots.txt wins.
        connect_timeout_seconds: To a connection.
        read_timeout_seconds: Longest silence while waiting for, or reading, an answer.
        total_timeout_seconds: For one body as a whole, so that a trickle ends too.
        attempts: Requests per address until one works.
        backoff_seconds: Wait before the second attempt; doubles with each further one, with jitter.
        max_wait_seconds: Longest wait that a site may ask for (`Retry-After`, `Crawl-delay`); beyond it, the
            address fails and says so.
        max_bytes: Largest body, after decompression.
        kept_query_parameters: Names of the query parameters that may be kept and shown, see `addresses.py`.
    """

    contact: str = ""
    interval_seconds: float = Field(default=1.0, ge=0)
    connect_timeout_seconds: float = Field(default=10.0, gt=0)
    read_timeout_seconds: float = Field(default=30.0, gt=0)
    total_timeout_seconds: float = Field(default=120.0, gt=0)
    attempts: int = Field(default=4, ge=1)
    backoff_seconds: float = Field(default=1.0, ge=0)
    max_wait_seconds: float = Field(default=300.0, ge=0)
    max_bytes: int = Field(default=50_000_000, ge=1)
    kept_query_parameters: tuple[str, ...] = ()

    @field_validator("contact")
    @classmethod
    def _fits_a_header(cls, contact: str) -> str:
        if not all(" " <= character <= "~" for character in contact):
            raise ValueError("contact goes into an HTTP header: ASCII letters, digits and signs only")
        return contact.strip()

    @property
    def user_agent(self) -> str:
        """`rag_assets/<version> (+contact)`."""
        product = f"{ROBOT}/{__version__}"
        return f"{product} (+{self.contact})" if self.contact else product


Origin = tuple[str, str | None, int]
"""Scheme, host and port."""


@dataclass(frozen=True)
class _Answer:
    """One HTTP response, read to its end where its status makes the body matter."""

    status: int
    reason: str
    headers: "requests.structures.CaseInsensitiveDict[str]"
    body: bytes


class _PassingError(Exception):
    """A fault that another attempt may not meet."""

    def __init__(self, reason: str, *, unreachable: bool = False) -> None:
        super().__init__(reason)
        self.unreachable = unreachable


class WebPlace:
    """A site under an `http` or `https` base URL.

    One place is one visitor: share it between all crawls of the site, so that the interval, the robots.txt
    once read, and the waits that the site asked for hold over all of them. It may be used from several
    threads and still sends one request at a time.

    Raises:
        ValueError: The base URL is none, or carries a query, a fragment or a password.
    """

    def __init__(self, base_url: str, options: WebOptions | None = None, clock: Clock | None = None) -> None:
        parts = urlsplit(base_url)
        shown = shown_address(base_url)
        if has_user_info(base_url) or parts.query or parts.fragment:
            raise ValueError(f"{shown}: a base URL has no query, fragment, user or password")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{shown}: not a base URL such as https://www.example.jp")
        if not _is_port(parts):
            raise ValueError(f"{base_url}: the port is no number up to 65535")
        self._base = base_url.rstrip("/")
        self._options = options or WebOptions()
        self._clock = clock or Clock()
        self._lock = threading.RLock()
        self._interval = self._options.interval_seconds
        self._free_at = self._clock.monotonic()
        self._unreachable = 0
        self._robots: Protego | FetchError | None = None
        self._sessions: dict[Origin, requests.Session] = {}

    @property
    def location(self) -> str:
        """The base URL."""
        return self._base

    def url_of(self, path: str) -> str:
        """Base URL and path, as they may be kept and shown."""
        return shown_address(self._whole(path), self._options.kept_query_parameters)

    def _whole(self, path: str) -> str:
        return self._base + check_path(path)

    def get(self, path: str, validators: Validators | None = None) -> Reply:
        """Read one page: ask robots.txt, keep the interval, try again where it may help, follow redirects.

        Raises:
            FetchError: Refused by robots.txt, redirected to another host, no usable answer after all
                attempts, a wait asked for that is too long, or a body that is empty or too large.
        """
        with self._lock:
            url = self._whole(path)
            for _ in range(MAX_REDIRECTS + 1):
                self._ask_robots(url)
                answer = self._request(url, _conditions(url, validators))
                if answer.status not in REDIRECT_STATUSES:
                    return self._reply(self.url_of(path), url, answer, validators)
                url = _redirect_target(url, answer)
            raise FetchError(f"more than {MAX_REDIRECTS} redirects, the last to {_show(url)}")

    def _reply(self, asked: str, url: str, answer: _Answer, validators: Validators | None) -> Reply:
        conditional = bool(_conditions(url, validators))
        if answer.status not in (200, 404, 410) and not (answer.status == 304 and conditional):
            raise FetchError(_status_line(answer.status, answer.reason))
        if answer.status == 200 and not answer.body:
            raise FetchError("HTTP 200 with an empty body")
        return Reply(
            url=asked,
            final_url=address_identity(url),
            status=answer.status,
            body=answer.body,
            content_type=answer.headers.get("Content-Type"),
            etag=answer.headers.get("ETag"),
            last_modified=answer.headers.get("Last-Modified"),
        )

    def _ask_robots(self, url: str) -> None:
        if self._robots is None:
            self._robots = self._read_robots()
        if isinstance(self._robots, FetchError):
            raise FetchError(self._robots.reason)
        if not self._robots.can_fetch(url, ROBOT):
            raise FetchError("refused by robots.txt", refused=True)

    def _read_robots(self) -> "Protego | FetchError":
        """The rules, or why the site must be left alone (RFC 9309 section 2.3.1; asked for once a place)."""
        from protego import Protego

        url = urljoin(self._base, "/robots.txt")
        try:
            answer = self._request(url, {})
            for _ in range(MAX_REDIRECTS):
                if answer.status not in REDIRECT_STATUSES or "Location" not in answer.headers:
                    break
                # Unlike pages, robots.txt may stand on another host.
                url = _join_location(url, answer.headers["Location"])
                answer = self._request(url, {})
        except FetchError as error:
            return FetchError(
                f"{_show(url)} could not be read ({error.reason}), and without it a site is to be left alone; "
                "run again when the site answers"
            )
        text = answer.body[:ROBOTS_LIMIT_BYTES].decode("utf-8", errors="replace") if answer.status == 200 else ""
        rules = Protego.parse(text)
        delay = float(rules.crawl_delay(ROBOT) or 0)
        if delay > self._options.max_wait_seconds:
            return FetchError(
                f"{_show(url)} asks for {delay:g} s between requests, "
                f"more than max_wait_seconds = {self._options.max_wait_seconds:g}"
            )
        self._interval = max(self._interval, delay)
        self._free_at = max(self._free_at, self._clock.monotonic() + delay)
        return rules

    def _request(self, url: str, headers: dict[str, str]) -> _Answer:
        """One address, tried until it answers or the attempts are used up."""
        from tenacity import (
            Retrying,
            retry_if_exception_type,
            stop_after_attempt,
            wait_exponential,
            wait_random,
        )

        if self._unreachable >= UNREACHABLE_LIMIT:
            raise FetchError(
                f"not tried: the last {UNREACHABLE_LIMIT} addresses could not be connected to; "
                "run again when the site answers"
            )
        backoff = self._options.backoff_seconds
        retrying = Retrying(
            stop=stop_after_attempt(self._options.attempts),
            wait=wait_exponential(multiplier=backoff, max=60) + wait_random(0, backoff),
            retry=retry_if_exception_type(_PassingError),
            sleep=self._clock.sleep,
            reraise=True,
        )
        try:
            answer = retrying(self._try_once, url, headers)
        except _PassingError as fault:
            self._unreachable = self._unreachable + 1 if fault.unreachable else 0
            attempts = self._options.attempts
            raise FetchError(f"{fault} (after {attempts} attempt{'s' if attempts > 1 else ''})") from None
        self._unreachable = 0
        return answer

    def _try_once(self, url: str, headers: dict[str, str]) -> _Answer:
        import requests

        self._wait_for_turn()
        options = self._options
        # Raised without a cause: the libraries' own messages hold the whole address, and Dagster keeps causes.
        try:
            response = self._session_for(url).get(
                url,
                headers=headers,
                timeout=(options.connect_timeout_seconds, options.read_timeout_seconds),
                allow_redirects=False,
                stream=True,
            )
        except requests.ConnectTimeout:
            raise _PassingError(
                f"no connection within {options.connect_timeout_seconds:g} s", unreachable=True
            ) from None
        except requests.Timeout:
            raise _PassingError(f"no answer within {options.read_timeout_seconds:g} s") from None
        except requests.exceptions.SSLError as error:
            raise FetchError(f"no secure connection: {without_secrets(str(error))}") from None
        except requests.ConnectionError as error:
            raise _connection_fault(error) from None
        except (requests.RequestException, ValueError) as error:
            raise FetchError(f"no usable answer: {without_secrets(str(error))}") from None
        with response:
            self._heed_retry_after(response)
            matters = response.status_code in (200, 404, 410)
            body = self._read_body(response) if matters else b""
            return _Answer(response.status_code, response.reason or "", response.headers, body)

    def _session_for(self, url: str) -> "requests.Session":
        """A session for each host: what one was told (cookies) is not told to another."""
        origin = _origin(url)
        if origin not in self._sessions:
            self._sessions[origin] = _new_session(self._options.user_agent)
        return self._sessions[origin]

    def _wait_for_turn(self) -> None:
        wait = self._free_at - self._clock.monotonic()
        if wait > self._options.max_wait_seconds:
            raise FetchError(f"not tried: the site asked to be left alone for another {wait:.0f} s; run again then")
        if wait > 0:
            self._clock.sleep(wait)
        self._free_at = self._clock.monotonic() + self._interval

    def _heed_retry_after(self, response: "requests.Response") -> None:
        """Raise for a status that may pass; a wait asked for holds for every address of the site."""
        if response.status_code not in RETRIED_STATUSES:
            return
        reason = _status_line(response.status_code, response.reason or "")
        asked = self._retry_after(response.headers.get("Retry-After", ""))
        self._free_at = max(self._free_at, self._clock.monotonic() + asked)
        if asked > self._options.max_wait_seconds:
            raise FetchError(
                f"{reason}: the site asks to be left alone for {asked:.0f} s, "
                f"more than max_wait_seconds = {self._options.max_wait_seconds:g}; run again then"
            )
        raise _PassingError(reason)

    def _retry_after(self, value: str) -> float:
        """Seconds of a `Retry-After` header, seconds or a date (RFC 9110 10.2.3); 0 if unreadable."""
        value = value.strip()
        if value.isascii() and value.isdigit():
            return float(value)
        try:
            at = parsedate_to_datetime(value)
        except ValueError:
            return 0.0
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (at - self._clock.now()).total_seconds())

    def _read_body(self, response: "requests.Response") -> bytes:
        """The whole body; a short one is a fault, since half a page would pass for a page."""
        # What `requests` is made of: only its `read1` returns what has arrived, so that a trickle ends.
        from urllib3.exceptions import HTTPError, ProtocolError, ReadTimeoutError

        options = self._options
        deadline = self._clock.monotonic() + options.total_timeout_seconds
        pieces: list[bytes] = []
        size = 0
        try:
            while piece := response.raw.read1(65536, decode_content=True):
                pieces.append(piece)
                size += len(piece)
                if size > options.max_bytes:
                    raise FetchError(f"body larger than max_bytes = {options.max_bytes}")
                if self._clock.monotonic() > deadline:
                    raise _PassingError(f"body not complete within {options.total_timeout_seconds:g} s")
        except ReadTimeoutError:
            raise _PassingError(f"body stalled for {options.read_timeout_seconds:g} s") from None
        except ProtocolError:
            raise _PassingError(f"body cut short after {size} bytes") from None
        except HTTPError as error:
            raise _PassingError(f"body unreadable: {without_secrets(str(error))}") from None
        return b"".join(pieces)


def _new_session(user_agent: str) -> "requests.Session":
    import requests

    class Session(requests.Session):
        def get_redirect_target(self, resp: requests.Response) -> None:
            """Hide redirects: told not to follow them, `requests` still reads their bodies to the end."""

    session = Session()
    session.headers["User-Agent"] = user_agent
    # Else `requests` would look for a password in ~/.netrc, for whatever host a redirect names.
    session.auth = lambda request: request
    for name in _LIBRARY_LOGS:
        logging.getLogger(name).addFilter(_hide_addresses)
    return session


_LIBRARY_LOGS = ("urllib3.connectionpool", "urllib3.util.retry")


def _hide_addresses(record: logging.LogRecord) -> bool:
    """What the libraries log of a request, should somebody keep it: without the query."""
    record.msg, record.args = without_secrets(_without_queries(record)), ()
    return True


def _without_queries(record: logging.LogRecord) -> str:
    if isinstance(record.args, tuple) and isinstance(record.msg, str):
        return record.msg % tuple(
            f"{each.partition('?')[0]}{LEFT_OUT}" if isinstance(each, str) and "?" in each else each
            for each in record.args
        )
    return record.getMessage()


def _status_line(status: int, reason: str) -> str:
    """What an answer says of itself. A server writes the reason as it likes, and may repeat the address in it."""
    return f"HTTP {status} {without_secrets(reason)}".rstrip()


def _is_port(parts: SplitResult) -> bool:
    try:
        return parts.port is None or parts.port >= 0
    except ValueError:
        return False


def _conditions(url: str, validators: Validators | None) -> dict[str, str]:
    if validators is None or validators.final_url != address_identity(url):
        return {}
    pairs = (("If-None-Match", validators.etag), ("If-Modified-Since", validators.last_modified))
    return {name: value for name, value in pairs if value}


def _join_location(url: str, location: str) -> str:
    try:
        target = urljoin(url, location).partition("#")[0]
        _origin(target)
    except ValueError:
        raise FetchError("redirected to no address") from None
    if has_user_info(target):
        raise FetchError(f"redirected to an address with a user or password, which is not followed: {_show(target)}")
    return target


def _redirect_target(url: str, answer: _Answer) -> str:
    location = answer.headers.get("Location")
    if not location:
        raise FetchError(f"HTTP {answer.status} without a Location")
    target = _join_location(url, location)
    if not _same_site(url, target):
        raise FetchError(f"redirected to another host, which is not followed: {_show(target)}")
    return target


def _same_site(url: str, target: str) -> bool:
    """Same scheme, host and port, or the same host's step from plain http to https."""
    here, there = _origin(url), _origin(target)
    return here == there or (here == ("http", here[1], 80) and there == ("https", here[1], 443))


def _origin(address: str) -> Origin:
    """Scheme, host and port.

    Raises:
        ValueError: It is no address, or its port is no number.
    """
    parts = urlsplit(address)
    default = 443 if parts.scheme == "https" else 80
    return parts.scheme, parts.hostname, parts.port or default


def _show(url: str) -> str:
    """An address in a message."""
    return shown_address(url, left_out=LEFT_OUT)


def _connection_fault(error: Exception) -> _PassingError:
    """Tell a site that cannot be reached at all from one that dropped the line."""
    from urllib3.exceptions import NewConnectionError

    reason = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(reason, NewConnectionError):
        return _PassingError(f"cannot connect: {str(reason).rpartition(': ')[2]}", unreachable=True)
    return _PassingError("connection lost before an answer")
