import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
import pytest

from rag_assets.corpus.variants import VARIANTS
from rag_assets_tests.knowledge_base.__main__ import as_text, main, set_up
from rag_assets_tests.knowledge_base.local_aws import LocalAws

REPOSITORY = Path(__file__).resolve().parents[2]


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "rag_assets_tests.knowledge_base", "--port", "0", "--s3-port", "0", *arguments]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)


def test_a_user_starts_it_and_finds_what_it_takes_to_talk_to_it() -> None:
    with running("--json") as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        assert told["emulation"] is True
        assert list(told["data_sources"]) == [variant.name for variant in VARIANTS]
        environment = told["environment"]
        session = boto3.session.Session(
            environment["AWS_ACCESS_KEY_ID"],
            environment["AWS_SECRET_ACCESS_KEY"],
            region_name=environment["AWS_DEFAULT_REGION"],
        )
        agent = session.client("bedrock-agent", endpoint_url=environment["AWS_ENDPOINT_URL_BEDROCK_AGENT"])
        chunking = {}
        for variant, ids in told["data_sources"].items():
            source = agent.get_data_source(
                knowledgeBaseId=ids["knowledge_base_id"], dataSourceId=ids["data_source_id"]
            )["dataSource"]
            chunking[variant] = source["vectorIngestionConfiguration"]["chunkingConfiguration"]["chunkingStrategy"]
            s3 = source["dataSourceConfiguration"]["s3Configuration"]
            assert s3 == {"bucketArn": f"arn:aws:s3:::{ids['bucket']}", "inclusionPrefixes": [ids["prefix"]]}
        assert chunking == {variant.name: variant.chunking for variant in VARIANTS}
        s3 = session.client("s3", endpoint_url=environment["AWS_ENDPOINT_URL_S3"])
        assert s3.list_objects_v2(Bucket=ids["bucket"])["KeyCount"] == 0
    assert process.returncode == 0


def test_it_says_plainly_that_it_is_an_emulation(aws: LocalAws) -> None:
    told = as_text(aws, "a-bucket", set_up(aws, "S3_VECTORS", "a-bucket", ["raw", "prepared_400"]))
    assert "EMULATION" in told.splitlines()[0]
    assert f"export AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME={aws.url}" in told
    assert told.index("prefix raw/   chunking FIXED_SIZE 300 tokens, 20%") < told.index("chunking NONE")
    assert f"{aws.url}/_emulation/faults" in told


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["--port", port, "--s3-port", "0"]) == 2
        assert main(["--port", "0", "--s3-port", port]) == 2
    assert capsys.readouterr().err.count("Choose other ports with --port and --s3-port") == 2
