"""What the emulated services answer when they refuse: an error code and a message.

Status codes stand in the service models; only those of errors that every AWS service shares are here.
"""

from collections.abc import Sequence

COMMON_STATUS = {
    "AccessDeniedException": 403,
    "ExpiredTokenException": 403,
    "MissingAuthenticationTokenException": 403,
    "UnknownOperationException": 404,
    "UnrecognizedClientException": 403,
    "InternalServerException": 500,
    "ServiceUnavailableException": 503,
    "ThrottlingException": 429,
    "ValidationException": 400,
}


class ServiceError(Exception):
    """An answer that is a refusal.

    Attributes:
        code: As boto3 reports it in `error.response["Error"]["Code"]`.
        fields: Names of the members that were refused, with the reason of each; empty where it is not about members.
    """

    def __init__(self, code: str, message: str, fields: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.fields = tuple(fields)


def invalid(message: str, fields: Sequence[tuple[str, str]] = ()) -> ServiceError:
    """The request makes no sense to the service."""
    return ServiceError("ValidationException", message, fields)


def not_found(what: str, identifier: str) -> ServiceError:
    """There is no such resource in this account and region."""
    return ServiceError("ResourceNotFoundException", f"{what} with id {identifier} does not exist")
