"""S3 and Knowledge Base on 127.0.0.1, for a test or for a user: moto's S3 server and the emulation side by side.

moto keeps its buckets per process: only one of these at a time, and each begins with no bucket.
"""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import boto3
from botocore.config import Config
from moto.moto_api._internal.models import moto_api_backend
from moto.server import ThreadedMotoServer

from emulation.clocks import Clock
from emulation.server import serving
from emulation.service import KnowledgeBaseService
from emulation.state import Behaviour

ACCESS_KEY = "EMULATED"
SECRET_KEY = "emulated"
"""Any will do, but for access keys that begin with EXPIRED or DENIED."""


@dataclass(frozen=True)
class LocalAws:
    """Both servers as they run.

    Attributes:
        s3_url: Endpoint of S3.
        url: Endpoint of bedrock-agent, bedrock-agent-runtime and bedrock-runtime.
        service: The emulated account: set up Knowledge Bases, tell faults, read calls.
    """

    s3_url: str
    url: str
    service: KnowledgeBaseService

    def client(self, name: str, *, attempts: int = 1, timeout: float = 10, **overrides: Any) -> Any:
        """A boto3 client of a service, as a user would make one.

        Args:
            name: Of the service, such as `bedrock-agent`.
            attempts: How often boto3 itself tries.
            timeout: Seconds it waits for an answer.
            overrides: Other arguments of `boto3.client`, such as `region_name` or `aws_access_key_id`.
        """
        return make_client(
            name,
            self.s3_url if name == "s3" else self.url,
            region_name=overrides.pop("region_name", self.service.behaviour.region),
            config=Config(
                retries={"total_max_attempts": attempts, "mode": "standard"},
                connect_timeout=timeout,
                read_timeout=timeout,
            ),
            **overrides,
        )

    @cached_property
    def s3(self) -> Any:
        """An S3 client."""
        return self.client("s3", attempts=3, timeout=30)

    def create_bucket(self, name: str) -> str:
        """A bucket in the region of the Knowledge Base.

        Returns:
            Its name.
        """
        region = self.service.behaviour.region
        configuration = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        self.s3.create_bucket(Bucket=name, **configuration)
        return name


@lru_cache
def _session() -> Any:
    # One session: it reads the service models once.
    return boto3.session.Session(aws_access_key_id=ACCESS_KEY, aws_secret_access_key=SECRET_KEY)


def make_client(name: str, url: str, **arguments: Any) -> Any:
    """A boto3 client that talks to this machine, whatever AWS configuration the environment holds."""
    return _session().client(name, endpoint_url=url, **arguments)


@lru_cache
def _s3_server(port: int) -> str:
    """Moto's S3 server on a port, until the process ends: to stop it takes longer than most tests."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    with socket.socket() as probe:
        # moto waits for ever for a server that could not take its port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
    server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    return "http://{}:{}".format(*server.get_host_and_port())


@contextmanager
def local_aws(
    behaviour: Behaviour | None = None,
    clock: Clock | None = None,
    *,
    port: int = 0,
    s3_port: int = 0,
    s3_url: str | None = None,
) -> Iterator[LocalAws]:
    """Both servers, with no bucket and no Knowledge Base.

    Args:
        behaviour: How the account behaves.
        clock: What time it is there; the real time where it is left out.
        port: Of the emulation; 0 for a free one.
        s3_port: Of S3; 0 for a free one.
        s3_url: An S3 server that runs already, in a process of its own say; its buckets are left as they are.

    Raises:
        OSError: A port is taken.
    """
    if s3_url is None:
        s3_url = _s3_server(s3_port)
        moto_api_backend.reset()
    behaviour = behaviour or Behaviour()
    s3 = make_client("s3", s3_url, region_name=behaviour.region, config=Config(retries={"total_max_attempts": 3}))
    service = KnowledgeBaseService(s3, behaviour, clock)
    with serving(service, port) as url:
        yield LocalAws(s3_url, url, service)


@contextmanager
def ticking(service: KnowledgeBaseService, seconds: float = 0.2) -> Iterator[None]:
    """Let jobs go on by themselves, not only when a request comes in."""
    stop = threading.Event()

    def tick() -> None:
        while not stop.wait(seconds):
            service.settle()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
