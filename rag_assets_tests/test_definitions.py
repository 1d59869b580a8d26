"""What Dagster is told: every asset as a reader finds it, and nothing that Dagster has deprecated."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
import yaml

from rag_assets.definitions import build_defs
from rag_assets.orchestration.partitions import TAX_CATEGORIES
from rag_assets.orchestration.stages import (
    EVALUATE,
    PREPARE_CORPORA,
    READ_RECORDS,
    REFRESH_SOURCES,
    SYNC_KNOWLEDGE_BASE,
    SYNC_S3,
    TUNE,
)
from rag_assets.settings import Settings
from rag_assets.sources.registry import DOCUMENT_SOURCES
from rag_assets_tests.command_line import REPOSITORY, environment
from rag_assets_tests.small_site import Run, folder_site

FETCHING = {
    "tax_answer": "tax_answer_pages",
    **{source.name: source.fetching_asset for source in DOCUMENT_SOURCES},
}
RECORDS = [f"{source}_records" for source in FETCHING]
GROUPS = {
    **dict.fromkeys(FETCHING.values(), "sources"),
    **dict.fromkeys(RECORDS, "records"),
    "synonym_dictionary": "corpus",
    "chunks": "corpus",
    "corpus_files": "corpus",
    "corpus_quality": "corpus",
    "s3_objects": "sync",
    "knowledge_base_ingestion": "sync",
    "questions": "evaluation",
    "search_index": "evaluation",
    "retrieval_results": "evaluation",
    "retrieval_report": "evaluation",
    "tuning_grid": "evaluation",
}
VARIANTS = ["as_is", "raw", "prepared_900", "prepared_400", "prepared_400_dict"]


@pytest.fixture(scope="module")
def defs() -> dg.Definitions:
    return build_defs(Settings())


@pytest.fixture(scope="module")
def specs(defs: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}


def test_the_assets_and_their_groups(specs: dict[str, dg.AssetSpec]) -> None:
    assert {name: spec.group_name for name, spec in specs.items()} == GROUPS


@pytest.mark.parametrize("name", GROUPS)
def test_an_asset_can_be_read(specs: dict[str, dg.AssetSpec], name: str) -> None:
    spec = specs[name]
    assert spec.description
    assert len(spec.description) > 60
    assert spec.kinds
    assert spec.owners
    assert spec.code_version


def test_partitions(specs: dict[str, dg.AssetSpec]) -> None:
    keys = {
        name: spec.partitions_def.get_partition_keys()
        for name, spec in specs.items()
        if spec.partitions_def is not None
    }
    categories = TAX_CATEGORIES.get_partition_keys()
    assert len(categories) == 13
    assert keys == {
        **dict.fromkeys(["tax_answer_pages", "tax_answer_records"], categories),
        **dict.fromkeys(["chunks", "corpus_files", "corpus_quality"], VARIANTS),
        **dict.fromkeys(["s3_objects", "knowledge_base_ingestion"], VARIANTS),
        **dict.fromkeys(["search_index", "retrieval_results"], VARIANTS),
    }


def test_a_range_of_partitions_is_one_run(defs: dg.Definitions) -> None:
    for asset in defs.resolve_asset_graph().asset_nodes:
        if asset.is_partitioned:
            assert asset.backfill_policy == dg.BackfillPolicy.single_run(), asset.key


def test_pages_have_to_be_fresh(specs: dict[str, dg.AssetSpec]) -> None:
    for asset in FETCHING.values():
        assert specs[asset].freshness_policy is not None


def test_what_takes_long_to_import_is_left_out_where_nothing_goes_to_aws() -> None:
    slow = ("boto3", "botocore", "dagster_aws", "numpy", "pandas", "pdfplumber")
    program = (
        "import sys; from rag_assets.definitions import build_defs; from rag_assets.settings import Settings; "
        f"build_defs(Settings()); print([name for name in {slow} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_what_a_fault_stops(defs: dg.Definitions) -> None:
    checks = {
        (spec.asset_key.to_user_string(), spec.name): spec.blocking
        for asset in defs.assets or []
        if isinstance(asset, dg.AssetsDefinition)
        for spec in asset.check_specs
    }
    assert {key for key, blocks in checks.items() if blocks} == {
        *((asset, "titled_records") for asset in RECORDS),
        ("chunks", "no_lost_records"),
        ("chunks", "within_limit"),
        ("corpus_files", "valid_sidecars"),
    }


def parents_of(defs: dg.Definitions) -> dict[str, set[str]]:
    return {
        node.key.to_user_string(): {parent.to_user_string() for parent in node.parent_keys}
        for node in defs.resolve_asset_graph().asset_nodes
    }


def assets_of(defs: dg.Definitions, job: str) -> set[str]:
    return {key.to_user_string() for key in defs.resolve_job_def(job).asset_layer.executable_asset_keys}


def test_lineage(defs: dg.Definitions) -> None:
    parents = parents_of(defs)
    assert {source: parents[f"{source}_records"] for source in FETCHING} == {
        source: {asset} for source, asset in FETCHING.items()
    }
    assert parents["chunks"] == {*RECORDS, "synonym_dictionary"}
    assert parents["corpus_files"] == {"chunks"}
    assert parents["s3_objects"] == {"corpus_files"}
    assert parents["knowledge_base_ingestion"] == {"s3_objects"}
    assert parents["retrieval_results"] == {"search_index", "questions"}


def test_jobs(defs: dg.Definitions) -> None:
    names = (REFRESH_SOURCES, READ_RECORDS, PREPARE_CORPORA, SYNC_S3, SYNC_KNOWLEDGE_BASE, EVALUATE, TUNE)
    assert {name: assets_of(defs, name) for name in names} == {
        REFRESH_SOURCES: set(FETCHING.values()),
        READ_RECORDS: set(RECORDS),
        PREPARE_CORPORA: {"synonym_dictionary", "chunks", "corpus_files", "corpus_quality"},
        SYNC_S3: {"s3_objects"},
        SYNC_KNOWLEDGE_BASE: {"knowledge_base_ingestion"},
        EVALUATE: {"questions", "search_index", "retrieval_results", "retrieval_report"},
        TUNE: {"tuning_grid"},
    }


def test_results_of_a_knowledge_base_come_from_it_and_not_from_the_embedded_index() -> None:
    targets = {
        name: {
            "bucket": "a-bucket",
            "prefix": f"{name}/",
            "knowledge_base_id": "A" * 10,
            "data_source_id": f"DATASOURC{number}",
        }
        for number, name in enumerate(VARIANTS)
    }
    defs = build_defs(Settings.model_validate({"search_in": "knowledge_base", "target": targets}))
    assert parents_of(defs)["retrieval_results"] == {"knowledge_base_ingestion", "questions"}
    assert assets_of(defs, EVALUATE) == {"questions", "retrieval_results", "retrieval_report"}


def test_a_variant_of_the_settings_is_a_partition() -> None:
    settings = Settings.model_validate({"variant": {"own_600": {"limit": 600}}, "variants": "raw,own_600"})
    chunks = build_defs(settings).resolve_asset_graph().get(dg.AssetKey("chunks"))
    assert chunks.partitions_def is not None
    assert chunks.partitions_def.get_partition_keys() == ["raw", "own_600"]


def test_the_jobs_make_everything_that_does_not_search(tmp_path: Path) -> None:
    run = Run(str(folder_site(tmp_path / "site", "2502")), tmp_path / "home", variants="raw,prepared_400")
    assert run.job(REFRESH_SOURCES) == {}
    assert run.job(READ_RECORDS) == {}
    assert run.job(PREPARE_CORPORA) == {}
    assert sorted(run.files("raw")) == ["tax_answer/2502.txt", "tax_answer/2502.txt.metadata.json"]


def test_the_workspace_loads_without_a_warning() -> None:
    """In a process of its own: warnings told at import are told once."""
    (target,) = yaml.safe_load((REPOSITORY / "workspace.yaml").read_text())["load_from"]
    module = target["python_module"]["module_name"]
    program = (
        "import warnings; warnings.simplefilter('error', DeprecationWarning)\n"
        "import dagster as dg\n"
        "for kind in (dg.SupersessionWarning, dg.PreviewWarning, dg.BetaWarning):\n"
        "    warnings.simplefilter('error', kind)\n"
        "from dagster._core.workspace.load import location_origins_from_yaml_paths\n"
        "(origin,) = location_origins_from_yaml_paths(['workspace.yaml'])\n"
        "assert origin.location_name == 'rag_assets'\n"
        f"from {module} import defs\n"
        "loaded = defs()\n"
        "loaded.get_repository_def().load_all_definitions()\n"
        "print(len(loaded.resolve_all_asset_specs()))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, env=environment(), capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, str(len(GROUPS)), "")


def test_dagster_finds_nothing_wrong_with_the_definitions() -> None:
    dg_command = Path(sys.executable).with_name("dg")
    ended = subprocess.run(
        [dg_command, "check", "defs"], cwd=REPOSITORY, env=environment(), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "All definitions loaded successfully" in ended.stdout
    assert "Warning" not in ended.stderr
