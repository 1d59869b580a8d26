"""S3 that fails, refuses or is not what it should be: the sync says so, and the next one reaches the right state."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from rag_assets.clock import Clock
from rag_assets.s3.errors import SyncError, s3_client_config
from rag_assets.s3.locations import S3Location
from rag_assets_tests.s3.conftest import BUCKET, Bench
from rag_assets_tests.s3.faulty_s3 import Fault, Operation

OPERATIONS: tuple[Operation, ...] = ("list", "put", "delete")

PASSING: dict[str, Callable[[Operation], Fault]] = {
    "500": lambda operation: Fault(operation, status=500, code="InternalError", times=1),
    "503": lambda operation: Fault(operation, status=503, code="SlowDown", times=1),
    "503 of a proxy": lambda operation: Fault(operation, status=503, body=b"<html>Bad day</html>", times=1),
    "time-out": lambda operation: Fault(operation, "silence", times=1),
    "dropped": lambda operation: Fault(operation, "drop", times=1),
    "dropped when done": lambda operation: Fault(operation, "drop_after", times=1),
    "cut": lambda operation: Fault(operation, "cut", times=1),
}


def disturbed(bench: Bench) -> None:
    """A bucket with something to upload and something to delete."""
    bench.sync()
    bench.write("law/36")
    bench.remove("law/3-2")
    bench.faulty.asked.clear()


def mended(bench: Bench) -> None:
    """With all well again, a plain rerun brings the right state, and then there is nothing to do."""
    bench.faulty.fail()
    bench.sync(may_delete_more=True)
    assert bench.there() == bench.here()
    assert bench.sync().unchanged == len(bench.here())


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_tried_again(bench: Bench, fault: str, operation: Operation) -> None:
    disturbed(bench)
    bench.faulty.fail(PASSING[fault](operation))

    report = bench.sync(may_delete_more=True)

    assert (report.new, report.deleted) == (2, 2)
    assert bench.there() == bench.here()
    # The answer to a PUT has no body that could be cut.
    expected = {"list": 1, "put": 2, "delete": 1}
    expected[operation] += 0 if (fault, operation) == ("cut", "put") else 1
    assert bench.faulty.counts() == expected


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fault", ["500", "503", "time-out", "dropped"])
def test_what_does_not_pass_is_told(bench: Bench, fault: str, operation: Operation) -> None:
    disturbed(bench)
    lasting = PASSING[fault](operation)
    lasting.times = None
    bench.faulty.fail(lasting)

    with pytest.raises(SyncError) as caught:
        bench.sync(may_delete_more=True)

    message = str(caught.value)
    assert message.startswith("s3://a-bucket/kb/raw/: ")
    assert {"list": "listed", "put": "uploaded", "delete": "deleted"}[operation] in message
    assert "several tries did not help" in message.lower()
    assert "Run again" in message
    mended(bench)


@pytest.mark.parametrize("operation", [*OPERATIONS, "head"])
def test_an_answer_that_comes_in_too_slowly_is_given_up(bench: Bench, operation: Operation) -> None:
    bench.faulty.opaque_etags = True
    disturbed(bench)
    if operation == "head":
        bench.manifest.unlink()
    # A byte every 0.2 s: no time-out of the connection, which is 1 s, sees that.
    bench.faulty.fail(Fault(operation, "drip"))
    told: list[str] = []
    began = time.monotonic()

    with pytest.raises(SyncError, match=r"in 2 s not one request.*Check the network.*Run again") as caught:
        bench.sync(may_delete_more=True, most_silence=2.0, on_note=told.append)

    assert time.monotonic() - began < 10
    assert str(caught.value).startswith("s3://a-bucket/kb/raw/: S3 was given up")
    assert len(told) >= 20
    assert told[-1] == "s3://a-bucket/kb/raw/: S3 has answered nothing for 2 s; it is given up after 2 s"
    mended(bench)


def test_a_refusal_ends_it_though_other_requests_hang_and_those_are_not_tried_again(bench: Bench) -> None:
    bench.faulty.fail(Fault("put", "silence", times=2), Fault("put", status=403, code="AccessDenied"))
    began = time.monotonic()

    with pytest.raises(SyncError, match="Allow s3:PutObject"):
        bench.sync(bench.client(config=s3_client_config().merge(_hasty(0.5))))

    # Five tries would have taken this long at least.
    assert time.monotonic() - began < 2.5
    # The time-out, and the longest that botocore waits before its second try.
    time.sleep(0.5 + 1.0 + 0.3)
    assert bench.faulty.counts()["put"] == 3
    mended(bench)


def _hasty(seconds: float) -> Any:
    from botocore.config import Config

    return Config(read_timeout=seconds)


def test_a_storm_of_slow_downs_is_sat_out(bench: Bench) -> None:
    for number in range(30):
        bench.write(f"law/{number}")
    bench.faulty.fail(Fault("put", status=503, code="SlowDown", times=12, after=10))

    bench.sync(bench.client(), workers=8)

    assert bench.there() == bench.here()


@pytest.mark.parametrize(
    ("operation", "action"),
    [
        ("list", "s3:ListBucket on arn:aws:s3:::a-bucket for"),
        ("put", "s3:PutObject on arn:aws:s3:::a-bucket/kb/raw/* for"),
        ("delete", "s3:DeleteObject on arn:aws:s3:::a-bucket/kb/raw/* for"),
    ],
)
def test_a_missing_permission_is_named(bench: Bench, operation: Operation, action: str) -> None:
    disturbed(bench)
    bench.faulty.fail(Fault(operation, status=403, code="AccessDenied"))

    with pytest.raises(SyncError) as caught:
        bench.sync(may_delete_more=True)

    assert f"Allow {action}" in str(caught.value)
    assert ("KMS" in str(caught.value)) == (operation == "put")
    mended(bench)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_credentials_that_expire_on_the_way_are_told(bench: Bench, operation: Operation) -> None:
    disturbed(bench)
    bench.faulty.fail(Fault(operation, status=400, code="ExpiredToken"))

    with pytest.raises(SyncError, match="AWS credentials are expired: renew"):
        bench.sync(may_delete_more=True)

    mended(bench)


def test_a_refusal_that_gives_no_reason_is_told_with_the_likely_one(bench: Bench) -> None:
    bench.faulty.opaque_etags = True
    bench.sync()
    # Without a manifest such objects are asked about one by one, and the answer to a HEAD has no body.
    bench.manifest.unlink()
    bench.faulty.fail(Fault("head", status=400))

    with pytest.raises(SyncError, match=r"looked at: 400 .*gives no reason.*credentials are expired: renew"):
        bench.sync()

    mended(bench)


@pytest.mark.parametrize(
    ("code", "status", "advice"),
    [
        ("InvalidAccessKeyId", 403, "does not know these credentials"),
        ("SignatureDoesNotMatch", 403, "does not know these credentials"),
        ("RequestTimeTooSkewed", 403, "clock of this machine is wrong"),
        ("XAmzContentChecksumMismatch", 400, "damaged on its way"),
        ("InvalidRequest", 400, "Mend what S3 says"),
    ],
)
def test_other_refusals_have_their_advice(bench: Bench, code: str, status: int, advice: str) -> None:
    bench.faulty.fail(Fault("put", status=status, code=code))
    with pytest.raises(SyncError, match=f"{code} \\(as told\\).*{advice}"):
        bench.sync()
    mended(bench)


def test_no_credentials_at_all(bench: Bench) -> None:
    import boto3
    import botocore.session
    from botocore.credentials import CredentialResolver

    bare = botocore.session.Session()
    bare.register_component("credential_provider", CredentialResolver(providers=[]))
    s3 = boto3.session.Session(botocore_session=bare).client(
        "s3", endpoint_url=bench.faulty.url, region_name="us-east-1", config=s3_client_config()
    )
    with pytest.raises(SyncError, match=r"No AWS credentials were found.*AWS_PROFILE"):
        bench.sync(s3)
    assert not bench.faulty.asked
    mended(bench)


def test_a_login_that_cannot_be_renewed(bench: Bench) -> None:
    import boto3
    import botocore.session
    from botocore.credentials import RefreshableCredentials
    from botocore.exceptions import UnauthorizedSSOTokenError

    def refresh() -> dict[str, str]:
        raise UnauthorizedSSOTokenError

    # The component that hands out credentials which have run out.
    class Provider:
        def load_credentials(self) -> Any:
            return RefreshableCredentials.create_from_metadata(
                {"access_key": "a", "secret_key": "b", "token": "c", "expiry_time": "2020-01-01T00:00:00Z"},
                refresh,
                "sso",
            )

    bare = botocore.session.Session()
    bare.register_component("credential_provider", Provider())
    s3 = boto3.session.Session(botocore_session=bare).client(
        "s3", endpoint_url=bench.faulty.url, region_name="us-east-1", config=s3_client_config()
    )
    with pytest.raises(SyncError, match="log in again"):
        bench.sync(s3)


def test_a_missing_bucket(bench: Bench) -> None:
    bench.place = S3Location(bucket="no-such-bucket", prefix="kb/raw/")
    with pytest.raises(SyncError, match="There is no bucket no-such-bucket: check its name"):
        bench.sync()
    bench.aws.create_bucket("no-such-bucket")
    assert bench.sync().new == 6


@pytest.mark.parametrize("operation", ["list", "put"])
@pytest.mark.parametrize(
    ("status", "code", "further", "headers"),
    [
        (301, "PermanentRedirect", "<Endpoint>elsewhere</Endpoint>", {"x-amz-bucket-region": "ap-northeast-1"}),
        (400, "AuthorizationHeaderMalformed", "<Region>ap-northeast-1</Region>", {}),
        (400, "IllegalLocationConstraintException", "", {"x-amz-bucket-region": "ap-northeast-1"}),
    ],
)
def test_a_wrong_region_is_named(
    bench: Bench, operation: Operation, status: int, code: str, further: str, headers: dict[str, str]
) -> None:
    bench.faulty.fail(Fault(operation, status=status, code=code, further=further, headers=headers))
    with pytest.raises(SyncError, match=r"a-bucket is in ap-northeast-1.*set the region"):
        bench.sync()
    mended(bench)


def test_nobody_listens(bench: Bench) -> None:
    from emulation.local_aws import make_client

    s3 = make_client("s3", "http://127.0.0.1:9", region_name="us-east-1", config=s3_client_config().merge(_one_try()))
    with pytest.raises(SyncError, match="check the network, a proxy, and the endpoint"):
        bench.sync(s3)


def _one_try() -> Any:
    from botocore.config import Config

    return Config(retries={"total_max_attempts": 1})


def test_an_answer_that_is_no_xml(bench: Bench) -> None:
    bench.faulty.fail(Fault("list", status=200, body=b"<html>Log in to the network"))
    with pytest.raises(SyncError, match="could not be listed"):
        bench.sync()
    mended(bench)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_answer_of_some_other_server_does_not_pass_for_success(bench: Bench, operation: Operation) -> None:
    disturbed(bench)
    bench.faulty.fail(Fault(operation, status=200, body=b"<html><body>Log in to the network</body></html>"))
    with pytest.raises(SyncError, match="Check the endpoint"):
        bench.sync(may_delete_more=True)
    mended(bench)


def test_a_key_outside_the_prefix_stops_all(bench: Bench) -> None:
    bench.sync()
    bench.put_there("other/a.txt")
    before = bench.there()
    bench.faulty.forgets_prefix = True

    with pytest.raises(SyncError, match=r"'other/a\.txt', which does not; nothing was touched"):
        bench.sync(may_delete_more=True)

    assert bench.there() == before
    bench.faulty.forgets_prefix = False
    assert bench.sync().unchanged == 6


def _unwell(code: str, *keys: str) -> bytes:
    errors = "".join(f"<Error><Key>{key}</Key><Code>{code}</Code><Message>as told</Message></Error>" for key in keys)
    return f'<?xml version="1.0"?><DeleteResult>{errors}</DeleteResult>'.encode()


def test_keys_that_s3_is_too_busy_to_delete_are_tried_again(bench: Bench) -> None:
    disturbed(bench)
    key = "kb/raw/law/3-2.txt"
    bench.faulty.fail(Fault("delete", status=200, body=_unwell("SlowDown", key), times=1))
    waits: list[float] = []

    bench.sync(may_delete_more=True, clock=Clock(sleep=waits.append))

    assert bench.faulty.counts()["delete"] == 2
    assert waits == [2.0]
    assert bench.there() == bench.here()


@pytest.mark.parametrize(
    ("code", "requests", "advice"), [("AccessDenied", 1, "Allow s3:DeleteObject"), ("InternalError", 4, "Run again")]
)
def test_errors_inside_a_good_answer_are_errors(bench: Bench, code: str, requests: int, advice: str) -> None:
    disturbed(bench)
    key = "kb/raw/law/3-2.txt"
    bench.faulty.fail(Fault("delete", status=200, body=_unwell(code, key)))

    with pytest.raises(SyncError, match=rf"{advice}.*1 of 2 keys, first of them {key}"):
        bench.sync(may_delete_more=True, clock=Clock(sleep=lambda _seconds: None))

    assert bench.faulty.counts()["delete"] == requests
    mended(bench)


def test_what_was_uploaded_before_a_fault_is_not_uploaded_again(bench: Bench) -> None:
    bench.faulty.fail(Fault("put", status=403, code="AccessDenied", after=4))
    with pytest.raises(SyncError):
        bench.sync(workers=1)
    bench.faulty.fail()
    bench.faulty.asked.clear()

    assert bench.sync().unchanged == 4
    assert bench.faulty.counts() == {"list": 1, "put": 2}


def test_a_server_that_stores_something_else_is_found_out(bench: Bench) -> None:
    headers = {"ETag": '"1"', "x-amz-checksum-sha256": "AAAA"}
    bench.faulty.fail(Fault("put", status=200, body=b"", headers=headers))
    with pytest.raises(SyncError, match=f"s3://{BUCKET}/kb/raw/.*something else was stored"):
        bench.sync()
    mended(bench)
