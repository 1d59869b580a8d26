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

from emulation.__main__ import as_text, main, set_up
from emulation.local_aws import LocalAws
from emulation.state import Store
from rag_assets.corpus.variants import VARIANTS
from rag_assets.settings import load_settings

REPOSITORY = Path(__file__).resolve().parents[2]


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "emulation", "--port", "0", "--s3-port", "0", *arguments]
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
        stores = {
            agent.get_knowledge_base(knowledgeBaseId=ids["knowledge_base_id"])["knowledgeBase"]["storageConfiguration"][
                "type"
            ]
            for ids in told["data_sources"].values()
        }
        assert (stores, told["settings"]["RAG_ASSETS_SEARCH_TYPE"]) == ({"S3_VECTORS"}, "SEMANTIC")
    assert process.returncode == 0


def test_it_says_plainly_that_it_is_an_emulation(aws: LocalAws) -> None:
    told = as_text(aws, "S3_VECTORS", "a-bucket", set_up(aws, "S3_VECTORS", "a-bucket", ["raw", "prepared_400"]))
    assert "EMULATION" in told.splitlines()[0]
    assert f"export AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME={aws.url}" in told
    assert told.index("prefix raw/   chunking FIXED_SIZE 300 tokens, 20%") < told.index("chunking NONE")
    assert f"{aws.url}/_emulation/faults" in told
    assert f"Every call so far: curl {aws.url}/_emulation\n" in told
    for fault in (
        "throttle(operation, times=1)",
        "drop(operation, times=1, after=false)",
        "skip_file(pattern, times=always)",
    ):
        assert f"  {fault}: " in told


@pytest.mark.parametrize(("together", "bases"), [(False, 2), (True, 1)])
def test_variants_have_knowledge_bases_of_their_own_unless_they_are_to_be_side_by_side(
    aws: LocalAws, together: bool, bases: int
) -> None:
    sources = set_up(aws, "S3_VECTORS", "a-bucket", ["raw", "prepared_400"], together=together)
    assert len({ids.knowledge_base_id for ids in sources.values()}) == bases
    told = as_text(aws, "S3_VECTORS", "a-bucket", sources)
    assert all(ids.knowledge_base_id in told and ids.data_source_id in told for ids in sources.values())


EXPORTED = """
import json, os
print(json.dumps({name: value for name, value in os.environ.items() if name.startswith(("RAG_ASSETS_", "AWS_"))}))
"""


@pytest.mark.parametrize(
    ("store", "search_type"), [("S3_VECTORS", "SEMANTIC"), ("RDS", "HYBRID"), ("OPENSEARCH_SERVERLESS", "HYBRID")]
)
@pytest.mark.parametrize("variants", [["raw"], [variant.name for variant in VARIANTS]])
def test_what_it_prints_can_be_pasted_and_is_taken_for_settings(
    aws: LocalAws, monkeypatch: pytest.MonkeyPatch, store: Store, search_type: str, variants: list[str]
) -> None:
    sources = set_up(aws, store, "a-bucket", variants)
    lines = as_text(aws, store, "a-bucket", sources).splitlines()
    pasted = "\n".join(line for line in lines if line.startswith("export "))
    shell = ["sh", "-c", f'{pasted}\n"$0" -c "$1"', sys.executable, EXPORTED]
    done = subprocess.run(shell, capture_output=True, text=True, check=True, env={})
    for name, value in json.loads(done.stdout).items():
        monkeypatch.setenv(name, value)
    (command,) = (line for line in lines if line.startswith("make run "))
    assert "--search-in knowledge_base" in command
    settings = load_settings(search_in="knowledge_base")
    assert [variant.name for variant in settings.chosen_variants()] == variants
    assert {name: target.data_source_id for name, target in settings.target.items()} == {
        variant: ids.data_source_id for variant, ids in sources.items()
    }
    assert (settings.s3_endpoint, settings.bedrock_endpoint) == (aws.s3_url, aws.url)
    assert (settings.search_type, settings.aws_region) == (search_type, aws.service.behaviour.region)
    agent = boto3.session.Session().client("bedrock-agent", endpoint_url=settings.bedrock_endpoint)
    for target in settings.target.values():
        agent.get_data_source(knowledgeBaseId=target.knowledge_base_id, dataSourceId=target.data_source_id)


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["--port", port, "--s3-port", "0"]) == 2
        assert main(["--port", "0", "--s3-port", port]) == 2
    assert capsys.readouterr().err.count("Choose other ports with --port and --s3-port") == 2
