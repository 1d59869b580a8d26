"""What a sync of the whole corpus into S3 and a Knowledge Base takes: first, again, and after small changes.

    python -m benchmarks.sync_corpus --site DIR [--variant prepared_400_dict]

The site's articles are prepared in a temporary home; then, each in a process of its own with Python's start and all
imports: a first sync, one with nothing changed, one after an article was changed, one after one was withdrawn. S3 is
moto, the Knowledge Base the emulation, both in this process on the same machine: uploads are as fast as
moto takes them, and the seconds of an ingestion job are those that the emulation is told to take; neither says
anything of AWS. Counts, and the memory of the syncing process, do.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulation.chunking import FixedSize
from emulation.clocks import TimePace
from emulation.local_aws import ACCESS_KEY, SECRET_KEY, LocalAws, local_aws, ticking
from emulation.state import Behaviour
from rag_assets.settings import load_settings
from rag_assets.settings.places import SAMPLE_SITE
from rag_assets.sources.tax_answer.reader import INDEX_PATH, read_index

BUCKET = "a-bucket"
PACE = TimePace(starting=0, in_progress=0, documents_per_second=100)
_ERROR_PAGE = (
    "<html><head><title>エラー</title></head><body><p>指定されたページを表示できませんでした。</p></body></html>"
)
"""What the site shows, with status 200, where a page is gone."""
_ADDED = "<p>この一文は計測のために加えたものです。</p>"


@dataclass(frozen=True)
class Bench:
    """What is measured: a copy of a site, a home, and where its variant goes."""

    site: Path
    home: Path
    variant: str
    aws: LocalAws
    target: Mapping[str, str]

    def prepare(self) -> None:
        """Fetch, read and prepare."""
        self._process("prepare")

    def sync(self, what: str) -> None:
        """Sync in a process of its own, and print what it took."""
        before = self._jobs()
        began = time.perf_counter()
        told, mebibytes = self._process("sync")
        seconds = time.perf_counter() - began
        print(
            f"{what}: {told['new']:,} new, {told['changed']:,} changed, {told['deleted']:,} deleted, "
            f"{told['unchanged']:,} unchanged objects in {told['seconds']:.1f} s "
            f"({told['objects a second']:,.0f} objects/s); {self._jobs() - before} job(s): {told['what was done']}; "
            f"the whole process {seconds:.1f} s, peak memory {mebibytes:.0f} MiB"
        )

    def found(self, number: str) -> int:
        """How many passages of an article Retrieve finds, at most 100."""
        answer = self.aws.client("bedrock-agent-runtime", timeout=60).retrieve(
            knowledgeBaseId=self.target["knowledge_base_id"],
            retrievalQuery={"text": "この記事の取扱い"},
            retrievalConfiguration={
                "vectorSearchConfiguration": {
                    "numberOfResults": 100,
                    "filter": {"equals": {"key": "number", "value": number}},
                }
            },
        )
        return len(answer["retrievalResults"])

    def _jobs(self) -> int:
        return self.aws.service.count("StartIngestionJob", refused=False)

    def _process(self, stage: str) -> tuple[dict[str, Any], float]:
        """What a stage told, and the peak of its memory in MiB."""
        variables = {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_EC2_METADATA_DISABLED": "true",
            "RAG_ASSETS_AWS_REGION": self.aws.service.behaviour.region,
            "RAG_ASSETS_S3_ENDPOINT": self.aws.s3_url,
            "RAG_ASSETS_BEDROCK_ENDPOINT": self.aws.url,
            "RAG_ASSETS_TARGET": json.dumps({self.variant: dict(self.target)}),
        }
        command = [sys.executable, "-m", "benchmarks.sync_corpus", "--site", str(self.site), "--variant", self.variant]
        with tempfile.TemporaryFile("w+") as errors:
            child = subprocess.Popen(
                [*command, "--stage", stage, str(self.home)],
                env=os.environ | variables,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
            assert child.stdout is not None
            out = child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
            if os.waitstatus_to_exitcode(status):
                errors.seek(0)
                sys.exit(f"{stage} failed:\n{errors.read()}")
        return json.loads(out), usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--site", type=Path, default=SAMPLE_SITE, help="a copy of the site's tree (default: the sample)"
    )
    parser.add_argument("--variant", default="prepared_400_dict", help="the variant that is synced")
    parser.add_argument("--stage", nargs=2, metavar=("STAGE", "HOME"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        run_stage_of(options.stage[0], Path(options.stage[1]), options.site, options.variant)
        return
    with standing(options.site, options.variant) as bench:
        measure(bench)


def measure(bench: Bench) -> None:
    """The four syncs."""
    bench.prepare()
    bench.sync("first sync")
    bench.sync("nothing changed")
    links = read_index((bench.site / INDEX_PATH.lstrip("/")).read_bytes())
    changed, withdrawn = links[len(links) // 3], links[2 * len(links) // 3]

    page = bench.site / changed.path.lstrip("/")
    page.write_bytes(_with_a_sentence_more(page.read_bytes()))
    bench.prepare()
    bench.sync(f"No.{changed.number} changed")

    before = bench.found(withdrawn.number)
    (bench.site / withdrawn.path.lstrip("/")).write_text(_ERROR_PAGE)
    bench.prepare()
    bench.sync(f"No.{withdrawn.number} withdrawn")
    print(f"No.{withdrawn.number}: {before} passages were found before, {bench.found(withdrawn.number)} now")


def _with_a_sentence_more(page: bytes) -> bytes:
    """A page whose first section has a sentence more."""
    head, heading, body = page.partition(b"</h2>\n" if b"</h2>\n" in page else b"</h2>")
    # The first heading is that of the tax items; the sentence goes behind the second.
    tax, second, text = body.partition(b"</h2>")
    assert second, "the page has no second heading"
    return head + heading + tax + second + _ADDED.encode() + text


@contextmanager
def standing(site: Path, variant: str) -> Iterator[Bench]:
    """A copy of the site, an empty home, an empty bucket and a Knowledge Base with nothing in it."""
    chunking = load_settings().known_variants()[variant].chunking
    with tempfile.TemporaryDirectory() as scratch, local_aws(Behaviour(pace=PACE)) as aws, ticking(aws.service):
        copy = Path(scratch, "site")
        shutil.copytree(site, copy)
        aws.create_bucket(BUCKET)
        ids = aws.service.add_data_source(
            aws.service.add_knowledge_base(),
            BUCKET,
            f"{variant}/",
            FixedSize() if chunking == "FIXED_SIZE" else None,
        )
        target = {
            "bucket": BUCKET,
            "prefix": f"{variant}/",
            "knowledge_base_id": ids.knowledge_base_id,
            "data_source_id": ids.data_source_id,
        }
        yield Bench(copy, Path(scratch, "home"), variant, aws, target)


def run_stage_of(name: str, home: Path, site: Path, variant: str) -> None:
    """What a measured process does; it prints what the assets of a sync told."""
    import dagster as dg

    from rag_assets.definitions import build_defs
    from rag_assets.orchestration.chain import open_instance, run_stage
    from rag_assets.orchestration.stages import plan_run

    syncing = ("s3_objects", "knowledge_base_ingestion")
    settings = load_settings(home=home, tax_answer=str(site), variants=variant)
    told: dict[str, Any] = {}
    with open_instance(home / "dagster") as instance:
        for stage in plan_run(settings)[:-2]:
            if (name == "sync") == (set(stage.assets) <= set(syncing)):
                result = run_stage(stage, build_defs(settings), instance)
                if result.failures:
                    sys.exit("\n".join(result.failures.values()))
        # The seconds that are shown are those of the objects, which come last.
        for asset in reversed(syncing) if name == "sync" else ():
            event = instance.get_latest_materialization_event(dg.AssetKey(asset))
            if event is not None and event.asset_materialization is not None:
                metadata = event.asset_materialization.metadata
                told |= {key: one.value for key, one in metadata.items() if isinstance(one.value, int | float | str)}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
