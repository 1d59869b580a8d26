"""`python -m rag_assets_tests.ingestion.interrupted`: syncs and ingests in a process to be killed.

It tells a line before each step and waits for one: a test kills it where it likes, between any two.
"""

import sys
from pathlib import Path

import boto3

from rag_assets.aws.calls import Backoff
from rag_assets.ingestion.changes import record_changes
from rag_assets.ingestion.ingestion import ingest
from rag_assets.ingestion.job_verification import ExpectedObjects
from rag_assets.ingestion.service import IngestionProgress, WaitLimits, client_config
from rag_assets.s3.locations import IngestionTarget

REGION = "ap-northeast-1"
QUICK = Backoff(first=0.01, longest=0.02)


def step(what: str) -> None:
    """Tell, and wait to be let on."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()
    sys.stdin.readline()


def tell(progress: IngestionProgress) -> None:
    """A step for each line of the log."""
    step(progress.message)


def main(s3_url: str, url: str, target_json: str, expected_json: str, state: str, direct_up_to: str) -> None:
    """Upload one changed document, and ingest."""
    session = boto3.session.Session(aws_access_key_id="EMULATED", aws_secret_access_key="emulated")
    s3 = session.client("s3", endpoint_url=s3_url, region_name=REGION)
    agent = session.client("bedrock-agent", endpoint_url=url, region_name=REGION, config=client_config())
    target = IngestionTarget.model_validate_json(target_json)
    path = Path(state)
    with record_changes(path, target) as note:
        note("changed", f"{target.prefix}0.txt")
        step("marked")
        s3.put_object(Bucket=target.bucket, Key=f"{target.prefix}0.txt", Body="住宅借入金等特別控除".encode())
        step("uploaded")
    patience = WaitLimits(start_pauses=QUICK, poll_pauses=QUICK, answer_pauses=QUICK)
    expected = ExpectedObjects.model_validate_json(expected_json)
    report = ingest(agent, target, expected, path, direct_up_to=int(direct_up_to), patience=patience, on_progress=tell)
    step(f"done {report.how}")


if __name__ == "__main__":
    main(*sys.argv[1:])
