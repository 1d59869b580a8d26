"""The whole way of the real Tax Answer site, again and again as it changes: what is sent, and what is found then."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from emulation.local_aws import make_client
from rag_assets.corpus.dictionary import read_dictionary
from rag_assets.corpus.variants import VARIANTS, prepare
from rag_assets.corpus.writing import corpus_files, write_files
from rag_assets.ingestion.attempt import IngestionReport
from rag_assets.ingestion.changes import expected_after, record_changes
from rag_assets.model import Record, TextBlock
from rag_assets.s3.errors import s3_client_config
from rag_assets.s3.objects import SyncReport, sync_folder
from rag_assets.settings.places import SAMPLE_DICTIONARIES
from rag_assets_tests.corpus.test_every_sidecar import records_of_site
from rag_assets_tests.ingestion.bench import Bench, standing

PREPARED_AS = {"raw": "raw", "prepared": "prepared_900"}
"""How the variant of each data source is prepared."""
MENDED = "みほん市では、自転車で通う人の駐輪代を月に三千円まで会社が持つことができます。"


class Site:
    """The site as it is at a time, synced and ingested as both variants."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self.bench = bench
        self.folder = folder
        self.s3 = make_client("s3", bench.aws.s3_url, region_name="ap-northeast-1", config=s3_client_config())
        self.dictionary_of = cache(lambda source: read_dictionary(SAMPLE_DICTIONARIES, source))

    def run(self, records: Iterable[Record]) -> Mapping[str, tuple[SyncReport, IngestionReport]]:
        """Reports by data source."""
        return {name: self._run(name, list(records)) for name in PREPARED_AS}

    def _run(self, name: str, records: list[Record]) -> tuple[SyncReport, IngestionReport]:
        variant = next(one for one in VARIANTS if one.name == PREPARED_AS[name])
        chunks, target = prepare(records, variant, self.dictionary_of), self.bench.targets[name]
        write_files(self.folder / name, corpus_files(chunks))
        self.bench.time.go_by(1)
        with record_changes(self.bench.state_file(name), target) as note:
            synced = sync_folder(self.s3, self.folder / name, target, self.folder / f"{name}.objects", on_change=note)
        return synced, self.bench.ingest(expected_after(synced), name)

    def etags(self) -> dict[str, str]:
        """Of everything in the bucket, by key."""
        return self.bench.etags("raw") | self.bench.etags("prepared")

    def retrieved(self, question: str, name: str) -> list[str]:
        """Keys of what a variant answers."""
        target = self.bench.targets[name]
        equals = {"key": "x-amz-bedrock-kb-data-source-id", "value": target.data_source_id}
        results = self.bench.aws.client("bedrock-agent-runtime", timeout=60).retrieve(
            knowledgeBaseId=target.knowledge_base_id,
            retrievalQuery={"text": question},
            retrievalConfiguration={
                "vectorSearchConfiguration": {"numberOfResults": 100, "filter": {"equals": equals}}
            },
        )["retrievalResults"]
        return [result["location"]["s3Location"]["uri"].removeprefix(f"s3://{target.bucket}/") for result in results]


def changed(record: Record) -> Record:
    """The record with another first paragraph."""
    sections = list(record.sections)
    place = next(n for n, one in enumerate(sections) if any(isinstance(block, TextBlock) for block in one.blocks))
    blocks = list(sections[place].blocks)
    blocks[next(n for n, one in enumerate(blocks) if isinstance(one, TextBlock))] = TextBlock(text=MENDED)
    sections[place] = sections[place].model_copy(update={"blocks": tuple(blocks)})
    return record.model_copy(update={"sections": tuple(sections)})


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> set[str]:
    """Keys of objects that are not the same in both."""
    return {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


@pytest.mark.realdata
def test_only_what_has_changed_is_sent_and_what_is_withdrawn_is_found_no_more(tmp_path: Path, realdata: Path) -> None:
    # A quarter: to upload and embed all takes a minute or two.
    records = list(records_of_site(realdata / "taxanswer_site"))[::4]
    with standing(tmp_path) as bench:
        site = Site(bench, tmp_path)

        first = site.run(records)
        for name, (synced, ingested) in first.items():
            assert (synced.changed, synced.unchanged, synced.deleted) == (0, 0, 0)
            assert synced.new == synced.documents + synced.sidecars == len(bench.etags(name))
            assert ingested.statistics.new == synced.documents >= len(records)
        assert bench.starts() == 2

        before = site.etags()
        for synced, ingested in site.run(records).values():
            assert (synced.new, synced.changed, synced.deleted, ingested.how) == (0, 0, 0, "nothing")
        assert (bench.starts(), site.etags()) == (2, before)

        article = records[len(records) // 2]
        records[len(records) // 2] = changed(article)
        for name, (synced, ingested) in site.run(records).items():
            assert 0 < synced.new + synced.changed < first[name][0].documents // 50
            assert ingested.how == "job"
            assert ingested.statistics.new + ingested.statistics.modified > 0
        assert bench.starts() == 4
        after = site.etags()
        of_article = {name: f"{bench.targets[name].prefix}{article.record_id}" for name in PREPARED_AS}
        sent = differing(before, after)
        assert sent
        assert all(
            key.startswith(tuple(f"{begin}{end}" for begin in of_article.values() for end in "/.")) for key in sent
        )
        for name in PREPARED_AS:
            found = site.retrieved(MENDED, name)
            assert found[0].startswith(of_article[name])
            assert {key.partition("/")[0] for key in found} == {name}

        records.pop(len(records) // 2)
        for name, (synced, ingested) in site.run(records).items():
            assert (synced.new, synced.changed, ingested.how) == (0, 0, "job")
            assert synced.deleted == 2 * ingested.statistics.deleted > 0
            assert not any(key.startswith(of_article[name]) for key in site.retrieved(MENDED, name))
        assert differing(after, site.etags()) == {key for key in after if key.startswith(tuple(of_article.values()))}
        assert bench.starts() == 6
