"""Faults on demand: what a test, or a user over HTTP, tells the emulation to do wrong."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from emulation.errors import ServiceError

FOREVER = 10**9


@dataclass
class OperationFault:
    """What happens to the next calls of an operation.

    Attributes:
        operation: Its name; `*` for any.
        left: How many calls are still to be met.
        error: The refusal; None where it is answered after all.
        delay: Seconds of silence before anything else.
        drop: Close the connection with no answer, before or after the operation took effect.
    """

    operation: str
    left: int
    error: ServiceError | None = None
    delay: float = 0.0
    drop: Literal["before", "after"] | None = None


@dataclass
class FileFault:
    """What happens to files whose key matches a pattern (`*` and `?`), in jobs and in direct ingestion."""

    pattern: str
    left: int
    fate: Literal["failed", "skipped", "overlooked", "refused"]
    reason: str = ""
    """Why it fails, or is refused."""


@dataclass
class JobFault:
    """What happens to the next jobs."""

    left: int
    dies_after: int | None = None
    reason: str = ""
    scanned_off_by: int = 0


class Faults:
    """The faults that are waiting to happen. Those of one operation happen one after another, in the order given."""

    def __init__(self) -> None:
        self._operations: list[OperationFault] = []
        self._files: list[FileFault] = []
        self._jobs: list[JobFault] = []
        self._expired = False
        self._bare_results = 0

    # -- what is told to happen

    def refuse(self, operation: str, code: str, message: str = "", times: int = 1) -> None:
        """Answer with an error of this code, any that the service knows."""
        error = ServiceError(code, message or f"{code} on demand")
        self._operations.append(OperationFault(operation, times, error=error))

    def throttle(self, operation: str, times: int = 1) -> None:
        """Answer 429 ThrottlingException."""
        self.refuse(
            operation, "ThrottlingException", "Your request rate is too high. Reduce the frequency of requests.", times
        )

    def conflict(self, times: int = 1) -> None:
        """Refuse to start a job as if another were running."""
        self.refuse(
            "StartIngestionJob", "ConflictException", "There is an ongoing ingestion job for this resource", times
        )

    def quota(self, times: int = 1) -> None:
        """Refuse to start a job as if too many were running in the account."""
        self.refuse(
            "StartIngestionJob",
            "ServiceQuotaExceededException",
            "The maximum number of concurrent ingestion jobs for this account has been reached",
            times,
        )

    def server_error(self, operation: str, times: int = 1) -> None:
        """Answer 500 InternalServerException."""
        self.refuse(operation, "InternalServerException", "The system encountered an unexpected error.", times)

    def deny(self, operation: str, times: int = FOREVER) -> None:
        """Answer 403 AccessDeniedException, as if the role had no right to the operation."""
        message = f"User is not authorized to perform: bedrock:{operation} because no identity-based policy allows it"
        self.refuse(operation, "AccessDeniedException", message, times)

    def slow(self, operation: str, seconds: float, times: int = 1) -> None:
        """Keep silent so long, then answer: longer than the client waits, and it times out."""
        self._operations.append(OperationFault(operation, times, delay=seconds))

    def drop(self, operation: str, times: int = 1, *, after: bool = False) -> None:
        """Close the connection with no answer.

        Args:
            operation: Whose calls are met.
            times: How many.
            after: Do what was asked first: the caller cannot know that it took effect.
        """
        self._operations.append(OperationFault(operation, times, drop="after" if after else "before"))

    def fail_file(self, pattern: str, reason: str = "their text could not be read", times: int = FOREVER) -> None:
        """Fail the files whose key matches, with this reason."""
        self._files.append(FileFault(pattern, times, "failed", reason))

    def skip_file(self, pattern: str, times: int = FOREVER) -> None:
        """Skip the files whose key matches, silently."""
        self._files.append(FileFault(pattern, times, "skipped"))

    def overlook_file(self, pattern: str, times: int = FOREVER) -> None:
        """Leave the files whose key matches as they were, and tell nothing of it: old content stays INDEXED."""
        self._files.append(FileFault(pattern, times, "overlooked"))

    def refuse_file(self, pattern: str, reason: str = "a newer version is known", times: int = FOREVER) -> None:
        """Answer a direct ingestion of the files whose key matches with IGNORED, and leave them as they were."""
        self._files.append(FileFault(pattern, times, "refused", reason))

    def die_in_job(
        self,
        after: int = 0,
        reason: str = "The vector store could not be reached. Call to the store failed.",
        times: int = 1,
    ) -> None:
        """Let the next jobs end FAILED when they have worked on so many documents."""
        self._jobs.append(JobFault(times, dies_after=after, reason=reason))

    def scanned_off_by(self, number: int, times: int = 1) -> None:
        """Let the next jobs tell that they scanned so many documents more, or less."""
        self._jobs.append(JobFault(times, scanned_off_by=number))

    def bare_results(self, times: int = 1) -> None:
        """Answer Retrieve with results that have no metadata and no score."""
        self._bare_results += times

    def expire_credentials(self) -> None:
        """Take every credential for expired, until `renew_credentials`."""
        self._expired = True

    def renew_credentials(self) -> None:
        """Take credentials again."""
        self._expired = False

    def clear(self) -> None:
        """Let nothing go wrong any more."""
        self._operations.clear()
        self._files.clear()
        self._jobs.clear()
        self._expired = False
        self._bare_results = 0

    def told(self, fault: str, arguments: Mapping[str, Any]) -> None:
        """A fault by its name, as it comes over HTTP.

        Raises:
            ValueError: There is none of that name, or it takes other arguments.
        """
        if fault not in ON_DEMAND:
            raise ValueError(f"there is no fault {fault!r}; there are {', '.join(sorted(ON_DEMAND))}")
        method: Callable[..., None] = getattr(self, fault)
        try:
            inspect.signature(method).bind(**arguments)
        except TypeError as error:
            raise ValueError(f"{fault}: {error}; it is {fault}{inspect.signature(method)}") from error
        method(**arguments)

    # -- what happens

    @property
    def credentials_expired(self) -> bool:
        """Whether every credential is taken for expired."""
        return self._expired

    def take_operation(self, operation: str) -> OperationFault | None:
        """What happens to this call."""
        for fault in self._operations:
            if fault.left and fault.operation in (operation, "*"):
                fault.left -= 1
                return fault
        return None

    def take_file(self, key: str, *fates: Literal["failed", "skipped", "overlooked", "refused"]) -> FileFault | None:
        """Which of these happens to this file."""
        for fault in self._files:
            if fault.left and fault.fate in fates and fnmatchcase(key, fault.pattern):
                fault.left -= 1
                return fault
        return None

    def take_job_scan(self) -> int:
        """By how much the number of scanned documents of this job is off."""
        for fault in self._jobs:
            if fault.left and fault.dies_after is None:
                fault.left -= 1
                return fault.scanned_off_by
        return 0

    def take_job_death(self, done: int) -> str | None:
        """Why a job that has done so many documents dies now; None where it lives."""
        for fault in self._jobs:
            if fault.left and fault.dies_after is not None and fault.dies_after <= done:
                fault.left -= 1
                return fault.reason
        return None

    def take_bare_result(self) -> bool:
        """Whether these results come without metadata."""
        if self._bare_results:
            self._bare_results -= 1
            return True
        return False


def described() -> list[str]:
    """Every fault that can be told over HTTP, with its arguments, and what it does."""
    return [f"{name}({_arguments(name)}): {_first_line(name)}" for name in sorted(ON_DEMAND)]


def _arguments(fault: str) -> str:
    _, *given = inspect.signature(getattr(Faults, fault)).parameters.values()
    return ", ".join(one.name if one.default is one.empty else f"{one.name}={_usual(one.default)}" for one in given)


def _usual(value: object) -> str:
    return "always" if value == FOREVER else json.dumps(value)


def _first_line(fault: str) -> str:
    return str(inspect.getdoc(getattr(Faults, fault))).partition("\n")[0]


ON_DEMAND = frozenset(
    {
        "refuse",
        "throttle",
        "conflict",
        "quota",
        "server_error",
        "deny",
        "slow",
        "drop",
        "fail_file",
        "skip_file",
        "overlook_file",
        "refuse_file",
        "die_in_job",
        "scanned_off_by",
        "bare_results",
        "expire_credentials",
        "renew_credentials",
        "clear",
    }
)
