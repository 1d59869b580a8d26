"""`python -m emulation`: S3 and the emulated Knowledge Base on this machine, until Ctrl+C.

Nothing is kept: what was uploaded and ingested is gone with the process.
"""

import argparse
import json
import shlex
import signal
import sys
import threading
from collections.abc import Mapping, Sequence

from emulation.chunking import Chunking, FixedSize
from emulation.clocks import TimePace
from emulation.faults import described
from emulation.local_aws import ACCESS_KEY, SECRET_KEY, LocalAws, local_aws, ticking
from emulation.retrieval import HYBRID_STORES
from emulation.server import CONTROL
from emulation.service import DataSourceIds
from emulation.state import Behaviour, Store
from rag_assets.corpus.variants import VARIANTS

HOME = "data/kb-local"
"""Output folder that is proposed: what `data` says of another Knowledge Base is left alone."""

STORES: Mapping[str, Store] = {
    "s3vectors": "S3_VECTORS",
    "opensearch": "OPENSEARCH_SERVERLESS",
    "aurora": "RDS",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until interrupted.

    Returns:
        The exit status.
    """
    given = _parser().parse_args(arguments)
    # The only limit that is off unless asked for: it would make a user wait ten seconds between jobs.
    behaviour = Behaviour(
        region=given.region, pace=TimePace(), starts_per_second=0.1 if given.throttle_starts else None
    )
    try:
        with local_aws(behaviour, port=given.port, s3_port=given.s3_port) as aws, ticking(aws.service):
            sources = set_up(aws, STORES[given.store], given.bucket, given.variants, together=given.one_knowledge_base)
            tell = as_json if given.json else as_text
            told = tell(aws, STORES[given.store], given.bucket, sources)
            sys.stdout.write(told + "\n")
            sys.stdout.flush()
            _wait_for_the_end()
    except OSError as error:
        sys.stderr.write(f"Cannot listen on 127.0.0.1: {error}. Choose other ports with --port and --s3-port.\n")
        return 2
    return 0


def _wait_for_the_end() -> None:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    stop.wait()


def set_up(
    aws: LocalAws, store: Store, bucket: str, variants: Sequence[str], *, together: bool = False
) -> dict[str, DataSourceIds]:
    """One bucket, and for each variant a data source that reads the prefix of its name.

    Args:
        aws: Where.
        store: The vector store.
        bucket: Its name.
        variants: Their names.
        together: In one Knowledge Base; otherwise each has its own, as the CloudFormation template makes them.
    """
    aws.create_bucket(bucket)
    names = {variant: "rag-assets" if together else f"rag-assets-{variant.replace('_', '-')}" for variant in variants}
    ids = {name: aws.service.add_knowledge_base(name, store) for name in dict.fromkeys(names.values())}
    return {
        variant: aws.service.add_data_source(
            ids[name], bucket, f"{variant}/", _chunking(variant), name=variant.replace("_", "-")
        )
        for variant, name in names.items()
    }


def _chunking(variant: str) -> Chunking:
    whole = {known.name for known in VARIANTS if known.chunking == "FIXED_SIZE"}
    return FixedSize() if variant in whole else None


def environment(aws: LocalAws) -> dict[str, str]:
    """The environment variables with which boto3 and the AWS CLI talk to the emulation."""
    return {
        "AWS_ENDPOINT_URL_S3": aws.s3_url,
        "AWS_ENDPOINT_URL_BEDROCK_AGENT": aws.url,
        "AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME": aws.url,
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": aws.url,
        "AWS_DEFAULT_REGION": aws.service.behaviour.region,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    }


def targets(bucket: str, sources: Mapping[str, DataSourceIds]) -> dict[str, dict[str, str]]:
    """Where each variant goes, as the output RagAssetsTargets of the CloudFormation stack says it."""
    return {
        variant: {
            "bucket": bucket,
            "prefix": f"{variant}/",
            "knowledge_base_id": ids.knowledge_base_id,
            "data_source_id": ids.data_source_id,
        }
        for variant, ids in sources.items()
    }


def settings(aws: LocalAws, store: Store, bucket: str, sources: Mapping[str, DataSourceIds]) -> dict[str, str]:
    """The environment variables with which rag_assets goes to the emulation, and with a key that it lets in."""
    whole = environment(aws)
    return {
        "RAG_ASSETS_TARGET": json.dumps(targets(bucket, sources)),
        "RAG_ASSETS_VARIANTS": ",".join(sources),
        "RAG_ASSETS_S3_ENDPOINT": aws.s3_url,
        "RAG_ASSETS_BEDROCK_ENDPOINT": aws.url,
        "RAG_ASSETS_AWS_REGION": aws.service.behaviour.region,
        "RAG_ASSETS_SEARCH_TYPE": "HYBRID" if store in HYBRID_STORES else "SEMANTIC",
        **{name: whole[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")},
    }


def as_json(aws: LocalAws, store: Store, bucket: str, sources: Mapping[str, DataSourceIds]) -> str:
    """For programs: one line."""
    told = {
        "emulation": True,
        "s3_url": aws.s3_url,
        "url": aws.url,
        "environment": environment(aws),
        "settings": settings(aws, store, bucket, sources),
        "data_sources": targets(bucket, sources),
    }
    return json.dumps(told)


def as_text(aws: LocalAws, store: Store, bucket: str, sources: Mapping[str, DataSourceIds]) -> str:
    """For people."""
    pasted = settings(aws, store, bucket, sources)
    lines = [
        "This is an EMULATION of Amazon S3 and of a Bedrock Knowledge Base on this machine. It keeps the rules of the",
        "service, so that a sync can be tried without an account. How well it finds says nothing about Bedrock,",
        "and everything in it is gone when it ends (Ctrl+C).",
        "",
        "In another terminal, paste this, and run the chain; run it again, and nothing is uploaded or ingested:",
        "",
        *_exports(pasted),
        f'make run HOME_DIR={HOME} ARGS="--search-in knowledge_base"',
        "",
        f"{HOME} is a folder of its own, to be removed with the emulation. For the AWS CLI and other programs:",
        "",
        *_exports({name: value for name, value in environment(aws).items() if name not in pasted}),
        "",
        f"Bucket {bucket}, vector store {store}:",
        *(
            f"  {variant:<20} Knowledge Base {ids.knowledge_base_id}   data source {ids.data_source_id}   "
            f"prefix {variant}/   chunking {'FIXED_SIZE 300 tokens, 20%' if _chunking(variant) else 'NONE'}"
            for variant, ids in sources.items()
        ),
        "",
        "To let something go wrong, for example the next three calls of Retrieve:",
        f'  curl -d \'{{"fault": "throttle", "operation": "Retrieve", "times": 3}}\' {aws.url}{CONTROL}/faults',
        f"To let nothing go wrong any more: curl -X DELETE {aws.url}{CONTROL}/faults",
        f"Every call so far: curl {aws.url}{CONTROL}",
        "",
        "What can go wrong, with its arguments:",
        *(f"  {fault}" for fault in described()),
    ]
    return "\n".join(lines)


def _exports(variables: Mapping[str, str]) -> list[str]:
    return [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m emulation",
        description="An emulation of S3 and a Bedrock Knowledge Base on 127.0.0.1, to try a sync without an account.",
    )
    parser.add_argument("--port", type=int, default=8125, help="of the Knowledge Base; 0 for a free one (8125)")
    parser.add_argument("--s3-port", type=int, default=8126, help="of S3; 0 for a free one (8126)")
    parser.add_argument("--bucket", default="rag-assets-local", help="name of the bucket (rag-assets-local)")
    parser.add_argument("--region", default="ap-northeast-1", help="the region it is in (ap-northeast-1)")
    parser.add_argument(
        "--store",
        choices=sorted(STORES),
        default="s3vectors",
        help="the vector store: s3vectors, as the template has it, has no HYBRID search; aurora answers SEMANTIC best "
        "last (s3vectors)",
    )
    parser.add_argument(
        "--one-knowledge-base",
        action="store_true",
        help="all variants side by side in one Knowledge Base; otherwise each has its own, as the template makes them",
    )
    parser.add_argument(
        "--variants",
        nargs="+",
        default=[variant.name for variant in VARIANTS],
        metavar="VARIANT",
        help="what to make data sources for (all of the project)",
    )
    parser.add_argument(
        "--throttle-starts", action="store_true", help="one StartIngestionJob in ten seconds, as on AWS"
    )
    parser.add_argument("--json", action="store_true", help="tell ports and IDs in one line of JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
