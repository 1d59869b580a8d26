"""Addresses as they may be kept and shown: without anything that opens a door.

The whole address of a document is used for one thing, to ask for it. Whatever is written down or shown (manifests,
records, sidecars, Dagster's storage, logs, messages, reports) takes the form that `shown_address` gives.
"""

import hashlib
import re
from collections.abc import Collection
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

LEFT_OUT = "?…"
"""Stands, where people read it, for what is left out of an address."""

_UNREADABLE = "(an address that cannot be read)"

_CREDENTIAL = re.compile(
    r"x-(amz|goog|oss|cos|obs|bce|tos|ms)-.*|sig|sign|sas|auth|authorization|awsaccesskeyid|googleaccessid"
    r"|.*(token|secret|passw|passphrase|pwd|signature|credential|api[-_]?key|access[-_]?key|session|sessid|jwt).*",
    re.I,
)
"""Names of query parameters that are there to let one in: they change with every signing and log-in."""
_BESIDE_A_SIGNATURE = frozenset(
    {
        *("expires", "policy", "key-pair-id", "ossaccesskeyid", "hash-algorithm"),  # CloudFront, S3 version 2, OSS
        *("sv", "ss", "srt", "sp", "st", "se", "spr", "sip", "sr", "si"),  # Azure, and below for delegated keys
        *("skoid", "sktid", "skt", "ske", "sks", "skv"),
    }
)
"""Names that belong to a signature where one stands beside them, and may be anything where none does."""
_SIGNATURE = frozenset({"sig", "signature"})

_USER_INFO = re.compile(
    r"[a-z][a-z0-9+.\-]*:[\\/]+(?:"
    r"[^\\/?#]*[@＠﹫]"
    # A password with a slash in it: what looks like a port is no number, and the @ stands behind the slash.
    r"|[^\\/?#:\[\]]*:(?!\d{0,5}(?:[\\/?#]|$)).*[@＠﹫])",
    re.I | re.S,
)
_BARE_USER_INFO = re.compile(r"(?:[\\/]{2})?[^\\/:@＠﹫]+:(?![\\/])[^@＠﹫]*[@＠﹫]")
_ADDRESS_IN_TEXT = re.compile(r"[a-z][a-z0-9+.\-]*://[^\s\"'<>]+", re.I)
_QUERY_IN_TEXT = re.compile(r"\?[^\s\"'<>()]*=[^\s\"'<>()]*|(?P<path>/[^\s?\"'<>]*)\?[^\s\"'<>()]+")
_NAMED_IN_PATH = re.compile(r"(?:[?？&＆;；]|%3f|%26|%3b)(?P<name>[^=/?？&＆;；%]+)(?:=|%3d)", re.I)
"""Where a parameter begins in a path: `;token=…`, or behind a question mark that is encoded or of full width."""
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\\"<>]")


def is_url(address: str) -> bool:
    """Whether an address is read over HTTP rather than from a file."""
    return "://" in address


def shown_address(address: str, kept: Collection[str] = (), *, left_out: str = "") -> str:
    """An address as it may be kept and shown: no user, no password, no fragment, no query beyond what is allowed.

    A path of a file is shown as it is. Parameters of the path (`;jsessionid=…`) go as well, and so does what stands
    behind a question mark that is none (`%3F`, `？`) where a credential is in it.

    Args:
        address: URL or path.
        kept: Names of the query parameters that may be shown (setting `kept_query_parameters`).
        left_out: What stands in place of the rest of the query, where there is any: `LEFT_OUT` where people read it,
            nothing where the address is to be followed.
    """
    if not is_url(address):
        return address
    parts = _parts(address)
    if parts is None:
        return _UNREADABLE
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    allowed = [(name, value) for name, value in pairs if name in kept]
    path = _without_credentials(re.sub(r";[^/]*", "", parts.path))
    query = urlencode(allowed)
    shown = urlunsplit((parts.scheme, _host(parts), path, query, ""))
    if not parts.query or (pairs and len(allowed) == len(pairs)):
        return shown
    return shown + (left_out.replace("?", "&", 1) if query else left_out)


def address_identity(address: str) -> str:
    """What tells the address of one document from that of another, with nothing in it that opens a door.

    It is the address as shown, and for a query that is more than credentials a fingerprint in place of the fragment:
    `?id=3` and `?id=4` are two documents, while an address signed anew every day stays the same one, so that it is
    still asked for conditionally and keeps its earlier edition where it fails.

    Parameters known to be credentials (signatures, tokens, their dates) are in it in no form: a fingerprint would
    change with them. Of the others nobody knows: `?k=…` may be a number or a password. A plain hash of a short one is
    guessed in no time, and a key kept in the same folder would be lost together with it; so the fingerprint is made by
    scrypt (16 MiB and about 50 ms a guess), salted with the address so that no guess serves for two.
    """
    shown = shown_address(address)
    parts = _parts(address) if is_url(address) else None
    if parts is None:
        return shown
    telling = _telling_parameters(parts.query)
    matrix = re.findall(r";[^/]*", parts.path)
    telling += [(";", each) for each in matrix if not _CREDENTIAL.fullmatch(each[1:].partition("=")[0])]
    if not telling:
        return shown
    digest = hashlib.scrypt(
        urlencode(telling).encode(), salt=shown.encode(), n=2**14, r=8, p=1, maxmem=2**26, dklen=8
    ).hex()
    return f"{shown}#query-{digest}"


def host_of(address: str) -> str | None:
    """The host of a web address; None where it is none, or cannot be read."""
    parts = _parts(address)
    return parts.hostname if parts is not None and parts.scheme in ("http", "https") else None


def has_user_info(text: str) -> bool:
    """Whether an address in a text has a user or a password before its host."""
    return _USER_INFO.search(text) is not None


def is_bare_user_info(location: str) -> bool:
    """Whether a location begins with a user and a password, the scheme being forgotten: `bob:secret@host/a.csv`."""
    return _BARE_USER_INFO.match(location) is not None


def without_secrets(text: str) -> str:
    """A text for people, such as a library's message, with every address and query in it as it may be shown."""
    shortened = _ADDRESS_IN_TEXT.sub(lambda found: shown_address(found[0], left_out=LEFT_OUT), text)
    return _QUERY_IN_TEXT.sub(lambda found: f"{found['path'] or ''}{LEFT_OUT}", shortened)


def link_fault(link: str) -> str:
    """Why an address cannot be one that readers click; empty where it can. The address itself is not told."""
    parts = _parts(link)
    if parts is None or not host_of(link) or _UNSAFE.search(link):
        return "readers click it: it has to be a web address that begins with http:// or https://"
    if has_user_info(link):
        return "a user or password may not stand in it, since every reader would see it"
    named = [name for each in (parts.query, parts.fragment) for name, _ in parse_qsl(each, keep_blank_values=True)]
    named += [unquote(found["name"]) for found in _NAMED_IN_PATH.finditer(parts.path)]
    credentials = sorted({name for name in named if _CREDENTIAL.fullmatch(name)})
    if credentials:
        return f"every reader would see the {', '.join(credentials)} in it: leave that out"
    return ""


def readers_address(url: str | None) -> str | None:
    """The address if a reader can follow it, all of it and without running anything; None otherwise."""
    return url if url is not None and LEFT_OUT[1:] not in url and not link_fault(url) else None


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return None if has_user_info(address) and not parts.hostname else parts


def _without_credentials(path: str) -> str:
    """A path up to the first named parameter in it, where one of them is a credential: nobody knows where that ends."""
    named = list(_NAMED_IN_PATH.finditer(path))
    has_credential = any(_CREDENTIAL.fullmatch(unquote(found["name"])) for found in named)
    return path[: named[0].start()] if has_credential else path


def _host(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _telling_parameters(query: str) -> list[tuple[str, str]]:
    """The parameters that are no credentials, in an order of their own: signers do not keep theirs."""
    pairs = parse_qsl(query, keep_blank_values=True)
    signed = any(name.lower() in _SIGNATURE for name, _ in pairs)
    return sorted(
        (name, value)
        for name, value in pairs
        if not _CREDENTIAL.fullmatch(name) and not (signed and name.lower() in _BESIDE_A_SIGNATURE)
    )
