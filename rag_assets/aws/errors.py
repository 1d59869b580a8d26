"""What errors of AWS mean: which may pass, and what helps against the others.

The meaning of Bedrock's codes, and of errors with credentials, certificates and connections, is known only here; what
only S3 says is in `s3/errors.py`. Retries belong to `calls`.
Codes: botocore's models of the services, "Common Errors" of the API references
(https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html), and
https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from traceback import walk_tb
from typing import Any, Literal

FailureKind = Literal[
    "conflicts",
    "quotas",
    "throttles",
    "waking",
    "unanswered",
    "unreachable",
    "garbled",
    "foreign",
    "certificate",
    "expired",
    "unknown_keys",
    "no_credentials",
    "log_in",
    "clock",
    "denied",
    "missing",
    "settings",
    "refused",
]
"""What kind of failure it is:

- conflicts, quotas, throttles: others are; waking: a database that was paused resumes;
- unanswered: the service has an error of its own, or keeps silent; unreachable: there is no way to it;
- garbled: an answer that cannot be read, be it broken off or somebody else's; foreign: a refusal that is no service's;
- certificate: of whoever answers, not trusted;
- expired, unknown_keys, no_credentials, log_in, clock: the credentials, or the time that is signed with them;
- denied: a right; missing: what was asked about; settings: the request cannot even be sent; refused: anything else.
"""

TRANSIENT_KINDS: frozenset[FailureKind] = frozenset(
    {"conflicts", "quotas", "throttles", "waking", "unanswered", "unreachable", "garbled"}
)
"""Failures that may pass: the same call may go well later."""

CREDENTIALS: Mapping[FailureKind, str] = {
    "expired": "The AWS credentials are expired: renew them (`aws sso login`, or new temporary keys)",
    "unknown_keys": "AWS does not know these credentials: check the profile or access key in use (`aws sts "
    "get-caller-identity`)",
    "no_credentials": "No AWS credentials were found: name a profile in the settings (aws_profile), set AWS_PROFILE, "
    "or run `aws configure`",
    "log_in": "The credentials could not be got or renewed: log in again (`aws sso login` or `aws login`), and see "
    "that the profile may take its role",
    "clock": "The clock of this machine is wrong: set it",
}
"""What to do about credentials, in the same words for every service; each a sentence without its full stop."""


@dataclass(frozen=True)
class AwsFailure:
    """A failure of AWS to do what was asked.

    Attributes:
        kind: What is in the way.
        message: What the service says, or botocore.
        code: Of the service's refusal; empty where it is none.
    """

    kind: FailureKind
    message: str
    code: str = ""

    @property
    def is_transient(self) -> bool:
        """Whether the same call may go well later."""
        return self.kind in TRANSIENT_KINDS

    @property
    def told(self) -> str:
        """Code and message."""
        return ": ".join(part for part in (self.code, self.message) if part)


class UnreadableAnswerError(Exception):
    """An answer that cannot be read; the message says how it looks."""


_BY_CODE: Mapping[str, FailureKind] = {
    "ConflictException": "conflicts",
    "ServiceQuotaExceededException": "quotas",
    **dict.fromkeys(
        ("ThrottlingException", "Throttling", "TooManyRequestsException", "RequestLimitExceeded"), "throttles"
    ),
    **dict.fromkeys(("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"), "expired"),
    **dict.fromkeys(
        (
            "IncompleteSignature",
            "IncompleteSignatureException",
            "InvalidAccessKeyId",
            "InvalidClientTokenId",
            "InvalidSecurity",
            "InvalidSignatureException",
            "InvalidToken",
            "MissingAuthenticationToken",
            "MissingAuthenticationTokenException",
            "SignatureDoesNotMatch",
            "UnrecognizedClientException",
        ),
        "unknown_keys",
    ),
    **dict.fromkeys(("RequestTimeTooSkewed", "RequestInTheFuture"), "clock"),
    **dict.fromkeys(("AccessDenied", "AccessDeniedException", "AllAccessDisabled", "AccountProblem"), "denied"),
    "ResourceNotFoundException": "missing",
}
_BY_MESSAGE: Mapping[tuple[str, str], FailureKind] = {
    # Of every operation of a Knowledge Base whose Aurora database was paused: about 15 seconds, or 30 after a day
    # (Aurora user guide, automatic pause and resume).
    ("ValidationException", "auto-paused"): "waking",
    ("InvalidSignatureException", "Signature expired"): "clock",
    ("InvalidSignatureException", "Signature not yet current"): "clock",
}
_TRANSIENT_STATUS = frozenset({408, 409, 424, 429})
"""Time-out of a model, conflict, a model or a dependency that failed or is not ready (InvokeModel, Retrieve)."""
_LOG_INS = frozenset({"AssumeRole", "AssumeRoleWithSAML", "AssumeRoleWithWebIdentity", "GetRoleCredentials"})
"""Operations that botocore calls itself, to get credentials."""


# By name: not every botocore that the project works with has all of these classes.
_BY_CLASS: Mapping[str, FailureKind] = {
    **dict.fromkeys(("NoCredentialsError", "PartialCredentialsError"), "no_credentials"),
    **dict.fromkeys(
        (
            "CredentialRetrievalError",
            "LoginError",
            "RefreshWithMFAUnsupportedError",
            "SSOError",
            "TokenRetrievalError",
        ),
        "log_in",
    ),
    **dict.fromkeys(
        ("EndpointConnectionError", "ConnectTimeoutError", "ProxyConnectionError", "SSLError"), "unreachable"
    ),
    **dict.fromkeys(("ConnectionError", "HTTPClientError", "IncompleteReadError"), "unanswered"),
    "BotoCoreError": "settings",
}


def classify_exception(error: BaseException) -> AwsFailure | None:
    """What an exception from a call of AWS means; None if it has nothing to do with AWS."""
    from botocore.exceptions import ClientError
    from botocore.parsers import ResponseParserError

    if isinstance(error, ClientError):
        found = classify_response(error.response)
        if error.operation_name in _LOG_INS and not found.is_transient:
            return AwsFailure("log_in", f"{found.message} (at {error.operation_name})", found.code)
        return found
    if isinstance(error, (UnreadableAnswerError, ResponseParserError)):
        return AwsFailure("garbled", str(error).strip())
    if _is_in_parser(error):
        return AwsFailure("garbled", f"an answer of another shape ({error})")
    names = (kind.__name__ for kind in type(error).__mro__ if kind.__module__.startswith("botocore."))
    kinds = (_BY_CLASS[name] for name in names if name in _BY_CLASS)
    found_kind = next(kinds, None)
    if found_kind is None:
        return None
    told = str(error).strip() or type(error).__name__
    return AwsFailure("certificate" if "CERTIFICATE_VERIFY_FAILED" in told else found_kind, told)


def classify_response(response: Mapping[str, Any]) -> AwsFailure:
    """What a refusal means.

    Args:
        response: As botocore has parsed it, with `Error` and `ResponseMetadata`.
    """
    error = response.get("Error", {})
    code, message = str(error.get("Code", "")), str(error.get("Message", ""))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    return AwsFailure(_classify_code(code, message, status), message, code)


def _classify_code(code: str, message: str, status: int) -> FailureKind:
    for (known, sign), kind in _BY_MESSAGE.items():
        if code == known and sign in message:
            return kind
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status in _TRANSIENT_STATUS or status >= 500:
        return "unanswered"
    # botocore puts the status where a refusal names no error, as those of proxies and log-in pages do not.
    return "foreign" if not code or code.isdigit() else "refused"


def _is_in_parser(error: BaseException) -> bool:
    """Whether botocore's parser stumbled: over JSON of another shape it does so with any exception of Python."""
    return any(frame.f_globals.get("__name__") == "botocore.parsers" for frame, _ in walk_tb(error.__traceback__))
