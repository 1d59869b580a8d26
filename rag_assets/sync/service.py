"""Calls of the Knowledge Base's service: what passes is waited out, what does not is told with a remedy.

How long to wait, and for what, is decided here; what to call, and what the answers mean, is not.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from rag_assets.model import Model
from rag_assets.sources.clock import Clock
from rag_assets.sync.judgement import Statistics


class IngestionError(Exception):
    """The Knowledge Base does not hold what was uploaded; the message says what happened, where, and what to do."""


class NotThereError(IngestionError):
    """The service knows no such Knowledge Base, data source or job."""


class Pauses(Model):
    """How long to wait before the next try, in seconds: each time twice as long, up to the longest."""

    first: float = Field(gt=0)
    longest: float = Field(gt=0)

    def __iter__(self) -> Iterator[float]:  # type: ignore[override]
        pause = min(self.first, self.longest)
        while True:
            yield pause
            pause = min(2 * pause, self.longest)


class Patience(Model):
    """How long is waited for what, in seconds.

    Attributes:
        start: For other jobs, throttling and quotas to let a job start.
        job: For a job to end.
        answer: For the service to answer again after throttling, errors of its own, and time-outs.
        start_pauses: Between two tries to start. StartIngestionJob takes 0.1 requests a second (Bedrock quotas).
        poll_pauses: Between two looks at a job or at documents.
        answer_pauses: Between two tries of any other call.
    """

    start: float = Field(default=3600, ge=0)
    job: float = Field(default=6 * 3600, ge=0)
    answer: float = Field(default=300, ge=0)
    start_pauses: Pauses = Pauses(first=11, longest=60)
    poll_pauses: Pauses = Pauses(first=2, longest=30)
    answer_pauses: Pauses = Pauses(first=1, longest=30)


class Waited(Model):
    """How often, and for how many seconds, something was in the way."""

    conflicts: int = 0
    throttles: int = 0
    quotas: int = 0
    unanswered: int = 0
    seconds: float = 0


class Progress(Model):
    """A line for the log.

    Attributes:
        message: What happens, for people.
        seconds: Since the ingestion began.
        statistics: What the job has done so far, where there is one.
    """

    message: str
    seconds: float
    statistics: Statistics | None = None


OnProgress = Callable[[Progress], None]


def client_config() -> Any:
    """The botocore configuration for clients of the service: limited time-outs, and a retry of its own."""
    from botocore.config import Config

    return Config(connect_timeout=10, read_timeout=60, retries={"total_max_attempts": 2, "mode": "standard"})


@dataclass(frozen=True)
class Trouble:
    """An answer, or none, that may be another one later.

    Attributes:
        kind: The field of `Waited` that counts it.
        told: What happened.
    """

    kind: str
    told: str


_BUSY = {
    "ConflictException": "conflicts",
    "ServiceQuotaExceededException": "quotas",
    "ThrottlingException": "throttles",
    "TooManyRequestsException": "throttles",
}
_PASSING = {"ThrottlingException": "throttles", "TooManyRequestsException": "throttles"}
_CREDENTIALS = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "UnrecognizedClientException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "SignatureDoesNotMatch",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "IncompleteSignature",
    }
)
_DENIED = frozenset({"AccessDenied", "AccessDeniedException"})


@dataclass
class Service:
    """A bedrock-agent client, and the patience to use it with.

    Attributes:
        agent: The boto3 client.
        place: What is worked on, for messages.
        clock: Time and waiting.
        patience: How long is waited for what.
        on_progress: Takes the lines for the log.
        waited: What was in the way so far.
    """

    agent: Any
    place: str
    clock: Clock = field(default_factory=Clock)
    patience: Patience = field(default_factory=Patience)
    on_progress: OnProgress | None = None
    waited: Waited = field(default_factory=Waited)

    def __post_init__(self) -> None:
        self._began = self.clock.monotonic()

    @property
    def region(self) -> str:
        """Where the client asks."""
        return str(self.agent.meta.region_name)

    @property
    def seconds(self) -> float:
        """Since the ingestion began."""
        return self.clock.monotonic() - self._began

    def tell(self, message: str, statistics: Statistics | None = None) -> None:
        """A line for the log."""
        if self.on_progress:
            self.on_progress(Progress(message=message, seconds=self.seconds, statistics=statistics))

    def start(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """Call an operation that is refused while others are busy, and wait until it is not.

        The parameters hold a clientToken: a try whose answer was lost may have taken effect, and the next one with
        the same token then leads to that.

        Raises:
            IngestionError: It stays refused beyond the patience, or is refused for good.
        """
        return self._call(operation, _BUSY, parameters)

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """Call any other operation, which may be repeated without harm.

        Raises:
            IngestionError: It is not answered within the patience, or refused.
        """
        return self._call(operation, _PASSING, parameters)

    def _call(self, operation: str, passing: dict[str, str], parameters: dict[str, Any]) -> dict[str, Any]:
        method = self.agent.meta.method_to_api_mapping
        name = next(python for python, api in method.items() if api == operation)
        busy = _Waiting(self, operation, self.patience.start, self.patience.start_pauses)
        silent = _Waiting(self, operation, self.patience.answer, self.patience.answer_pauses)
        while True:
            answer = self._tried(operation, name, passing, parameters)
            if not isinstance(answer, Trouble):
                return answer
            starting = passing is _BUSY and answer.kind != "unanswered"
            (busy if starting else silent).wait(answer)

    def _tried(
        self, operation: str, name: str, passing: dict[str, str], parameters: dict[str, Any]
    ) -> dict[str, Any] | Trouble:
        from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError
        from botocore.parsers import ResponseParserError

        try:
            answer: dict[str, Any] = getattr(self.agent, name)(**parameters)
            return answer
        except ClientError as error:
            code = error.response["Error"]["Code"]
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            if code in passing:
                return Trouble(passing[code], f"{code}: {error.response['Error'].get('Message', '')}")
            if status >= 500 and code != "UnknownOperationException":
                return Trouble("unanswered", f"{code}: {error.response['Error'].get('Message', '')}")
            raise self._refused(operation, code, str(error)) from error
        except (ConnectionError, HTTPClientError, ResponseParserError) as error:
            return Trouble("unanswered", str(error))
        except BotoCoreError as error:
            raise self._not_sent(operation, error) from error

    def _refused(self, operation: str, code: str, told: str) -> IngestionError:
        if code in _CREDENTIALS:
            return IngestionError(
                f"{self.place}: the AWS credentials are expired or not valid ({code} at {operation}). Renew them (for "
                "example `aws sso login`, or new keys in the profile that is used), then run again: it goes on where "
                "it was"
            )
        if code in _DENIED:
            return IngestionError(
                f"{self.place}: the credentials in use may not do this. Allow the action bedrock:{operation} on the "
                f"Knowledge Base in the IAM policy of whoever runs this, then run again. The service says: {told}"
            )
        if code == "ResourceNotFoundException":
            return NotThereError(
                f"{self.place}: the service knows no such thing in region {self.region}. Compare the IDs and the "
                f"region in the settings with the Bedrock console. The service says: {told}"
            )
        return IngestionError(
            f"{self.place}: {operation} was refused, and would be again. Mend what the service says, then run again. "
            f"It says: {told}"
        )

    def _not_sent(self, operation: str, error: Exception) -> IngestionError:
        from botocore.exceptions import (
            CredentialRetrievalError,
            NoCredentialsError,
            PartialCredentialsError,
            SSOError,
            TokenRetrievalError,
        )

        credentials = (
            NoCredentialsError,
            PartialCredentialsError,
            CredentialRetrievalError,
            TokenRetrievalError,
            SSOError,
        )
        if isinstance(error, credentials):
            return IngestionError(
                f"{self.place}: there are no AWS credentials that can be used ({error}). Set them (environment, "
                "profile or `aws sso login`), then run again: it goes on where it was"
            )
        return IngestionError(
            f"{self.place}: {operation} could not be sent: {error}. Mend the settings, then run again"
        )


class _Waiting:
    """Waits before the next try of one call, until patience ends."""

    def __init__(self, service: Service, operation: str, limit: float, pauses: Pauses) -> None:
        self._service = service
        self._operation = operation
        self._limit = limit
        self._pauses = iter(pauses)
        self._began: float | None = None

    def wait(self, trouble: Trouble) -> None:
        service, clock = self._service, self._service.clock
        self._began = clock.monotonic() if self._began is None else self._began
        pause = next(self._pauses)
        waited = clock.monotonic() - self._began
        if waited + pause > self._limit:
            raise IngestionError(
                f"{service.place}: {self._operation} did not succeed within {self._limit:,.0f} seconds. "
                f"{_advice(trouble)} The last answer was: {trouble.told}"
            )
        service.tell(f"{self._operation}: {_word(trouble)}; next try in {pause:,.0f} s ({trouble.told})")
        clock.sleep(pause)
        counts = {trouble.kind: getattr(service.waited, trouble.kind) + 1, "seconds": service.waited.seconds + pause}
        service.waited = service.waited.model_copy(update=counts)


def _word(trouble: Trouble) -> str:
    return {
        "conflicts": "another ingestion job of this Knowledge Base is running",
        "quotas": "as many ingestion jobs as the account may have are running",
        "throttles": "throttled",
        "unanswered": "no answer",
    }[trouble.kind]


def _advice(trouble: Trouble) -> str:
    return {
        "conflicts": "One job runs at a time in a Knowledge Base, and another one (of any data source) still does. Let "
        "it end, or stop it in the console (Knowledge Base, data source, Stop), then run again.",
        "quotas": "The account has as many ingestion jobs as it may (5 unless raised in Service Quotas). Let one end, "
        "then run again.",
        "throttles": "The service throttles: something else in the account calls it as well. Run again later.",
        "unanswered": "The service, or the network, does not answer. Look at the AWS Health Dashboard, the network and "
        "the region in the settings, then run again.",
    }[trouble.kind]
