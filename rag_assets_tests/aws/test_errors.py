"""What is wrong with credentials, certificates and settings is the same to S3 and to every service of Bedrock."""

import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from boto3.session import Session
from botocore.config import Config

from emulation.http_server import Handler, Server, running
from emulation.local_aws import local_aws
from rag_assets.aws.errors import CREDENTIALS, FailureKind, classify_exception
from rag_assets.ingestion.service import IngestionError
from rag_assets.retrieval.bedrock_calls import BedrockError
from rag_assets.retrieval.embedders import EmbeddingError
from rag_assets.s3.errors import SyncError
from rag_assets_tests.aws.callers import BEDROCK, REGION, S3, Caller, page, refusal
from rag_assets_tests.http_server import Answer, ScriptedServer, serving
from rag_assets_tests.sources.fetching.fake_clock import FakeClock

CALLERS = BEDROCK | {"S3": S3}
ONE_TRY = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=2)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with serving() as running:
        yield running


def message(ask: Callable[[Any, FakeClock], object], client: Any) -> str:
    """Of a failure that is told at once, or when patience ends."""
    with pytest.raises((IngestionError, BedrockError, EmbeddingError, SyncError)) as caught:
        ask(client, FakeClock())
    return str(caught.value)


def refused(caller: Caller, code: str, text: str) -> Answer:
    if caller is S3:
        body = f"<Error><Code>{code}</Code><Message>{text}</Message></Error>"
        return Answer(400, body.encode(), {"Content-Type": "application/xml"})
    return refusal(code, 403, text)


REFUSED: list[tuple[FailureKind, str, str]] = [
    ("expired", "ExpiredToken", "The provided token has expired."),
    ("expired", "ExpiredTokenException", "The security token included in the request is expired"),
    ("expired", "TokenRefreshRequired", "The provided token must be refreshed."),
    ("expired", "RequestExpired", "Request has expired."),
    ("unknown_keys", "InvalidAccessKeyId", "The key does not exist."),
    ("unknown_keys", "InvalidClientTokenId", "The security token included in the request is invalid."),
    ("unknown_keys", "UnrecognizedClientException", "The security token included in the request is invalid."),
    ("unknown_keys", "SignatureDoesNotMatch", "The signature does not match."),
    ("unknown_keys", "InvalidSignatureException", "The request signature does not match."),
    ("unknown_keys", "IncompleteSignature", "The signature does not conform."),
    ("unknown_keys", "MissingAuthenticationToken", "Missing Authentication Token"),
    ("unknown_keys", "MissingAuthenticationTokenException", "Missing Authentication Token"),
    ("unknown_keys", "InvalidSecurity", "The provided security credentials are not valid."),
    ("unknown_keys", "InvalidToken", "The provided token is malformed."),
    ("clock", "RequestTimeTooSkewed", "The difference is too large."),
    ("clock", "InvalidSignatureException", "Signature expired: 20260401T000000Z is now earlier than 20260401T001000Z"),
    ("clock", "InvalidSignatureException", "Signature not yet current: 20260401T001000Z is still later"),
]


@pytest.mark.parametrize(("kind", "code", "text"), REFUSED)
@pytest.mark.parametrize("name", CALLERS)
def test_credentials_that_are_refused(
    server: ScriptedServer, name: str, kind: FailureKind, code: str, text: str
) -> None:
    caller = CALLERS[name]
    server.otherwise(refused(caller, code, text))
    server.forget()
    told = message(caller.ask, caller.client(server.url))
    assert CREDENTIALS[kind] in told
    assert code in told
    assert text.rstrip(".") in told
    assert len(server.requests) == 1


def client_of(caller: Caller, url: str, configuration: str, folder: Path) -> Any:
    """A client that finds its credentials in a configuration of the AWS CLI, and nowhere else."""
    (folder / "config").write_text(configuration)
    (folder / "credentials").write_text("")
    session = botocore.session.Session(profile="here")
    session.set_config_variable("config_file", str(folder / "config"))
    session.set_config_variable("credentials_file", str(folder / "credentials"))
    session.get_component("credential_provider").remove("iam-role")
    made: Any = Session(botocore_session=session)
    return made.client(caller.service, endpoint_url=url, region_name=REGION, config=ONE_TRY)


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)


CONFIGURATIONS: list[tuple[FailureKind, str]] = [
    ("no_credentials", "[profile here]\n"),
    (
        "log_in",
        "[profile here]\nsso_session = s\nsso_account_id = 123456789012\nsso_role_name = r\n"
        "[sso-session s]\nsso_region = ap-northeast-1\nsso_start_url = http://127.0.0.1:9/start\n",
    ),
    (
        "log_in",
        "[profile here]\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = keys\nregion = ap-northeast-1\n"
        "endpoint_url = {url}\n[profile keys]\naws_access_key_id = a\naws_secret_access_key = b\n",
    ),
]


@pytest.mark.usefixtures("no_environment")
@pytest.mark.parametrize(("kind", "configuration"), CONFIGURATIONS)
@pytest.mark.parametrize("name", ["start", "Retrieve", "Titan", "S3"])
def test_credentials_that_cannot_be_got(
    server: ScriptedServer, tmp_path: Path, name: str, kind: FailureKind, configuration: str
) -> None:
    caller = CALLERS[name]
    denied = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not that role</Message></Error></ErrorResponse>"
    server.otherwise(Answer(403, denied.encode(), {"Content-Type": "text/xml"}))
    told = message(caller.ask, client_of(caller, server.url, configuration.format(url=server.url), tmp_path))
    assert CREDENTIALS[kind] in told
    # A role that may not be taken is no right that lacks for what was asked.
    assert ("AccessDenied" in told) == ("role_arn" in configuration)
    assert "Allow" not in told


@pytest.fixture(scope="module")
def untrusted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a certificate of its own making, as a proxy that looks into everything has it."""
    server = Server(Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path_factory.mktemp("tls") / "pem"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with running(server):
        yield server.url.replace("http:", "https:")


def self_signed(path: Path) -> Path:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "proxy.example")])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    valid = made.not_valid_before(now).not_valid_after(now + timedelta(days=1)).sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + valid.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize("name", ["start", "Retrieve", "Titan", "S3"])
def test_a_certificate_that_is_not_trusted_is_told_at_once(untrusted: str, name: str) -> None:
    told = message(CALLERS[name].ask, CALLERS[name].client(untrusted))
    assert "did not succeed" not in told
    assert "in AWS_CA_BUNDLE" in told


@pytest.mark.parametrize("name", ["start", "Retrieve", "Titan", "S3"])
def test_settings_that_lead_nowhere_are_named_at_once(server: ScriptedServer, name: str) -> None:
    caller = CALLERS[name]
    unsigned = Config(signature_version="v9", retries={"total_max_attempts": 1})
    told = message(caller.ask, caller.client(server.url, config=unsigned))
    assert "did not succeed" not in told
    assert "Mend what it names" in told
    assert "aws_region" in told


@pytest.mark.parametrize("status", [400, 403, 404, 407])
def test_an_answer_that_is_none_of_s3_is_told_with_the_setting_to_look_at(server: ScriptedServer, status: int) -> None:
    server.otherwise(page("<html>Please log in</html>", status))
    told = message(S3.ask, S3.client(server.url))
    assert (
        "What answered seems to be something else than S3: look at the endpoint in the settings (s3_endpoint)" in told
    )
    assert "There is no bucket" not in told
    assert "Allow" not in told


def test_endpoints_that_were_taken_for_each_other_are_told_by_their_setting() -> None:
    # Servers in this process answer late on a busy machine.
    config = Config(retries={"total_max_attempts": 1}, read_timeout=30)
    with local_aws() as aws:
        told = message(S3.ask, S3.client(aws.url, config=config))
        assert "something else than S3: look at the endpoint in the settings (s3_endpoint)" in told
        told = message(BEDROCK["Retrieve"].ask, BEDROCK["Retrieve"].client(aws.s3_url, config=config))
        assert f"What answers at {aws.s3_url} seems to be something else than Amazon Bedrock" in told
        told = message(S3.ask, S3.client(aws.s3_url, config=config))
        assert "There is no bucket a-bucket: check its name in the settings, and the endpoint" in told
        assert "(s3_endpoint)" in told


def test_what_is_no_matter_of_aws_is_none() -> None:
    assert classify_exception(ValueError("x")) is None
    assert classify_exception(KeyboardInterrupt()) is None
