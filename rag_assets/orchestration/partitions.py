"""How assets are partitioned: sources by what their publisher divides them by, everything later by variant.

Categories, not articles: a run per article took 15 minutes for 757 articles, a single run over all categories takes
seconds, and the manifest knows what to skip within one.
"""

import warnings
from collections.abc import Sequence

import dagster as dg

from rag_assets.model import Variant
from rag_assets.sources.tax_answer.reader import CATEGORIES

TAX_CATEGORIES = dg.StaticPartitionsDefinition(list(CATEGORIES))

ONE_RUN = dg.BackfillPolicy.single_run()
# Used knowingly: without single-run backfills a range of partitions takes a run each.
warnings.filterwarnings("ignore", message=".*`backfill_policy`.*", category=dg.BetaWarning)

_RANGE_START = "dagster/asset_partition_range_start"
_RANGE_END = "dagster/asset_partition_range_end"


def variant_partitions(variants: Sequence[Variant]) -> dg.StaticPartitionsDefinition:
    """One partition a way of preparing."""
    return dg.StaticPartitionsDefinition([variant.name for variant in variants])


def tag_range(partitions: Sequence[str]) -> dict[str, str]:
    """The tags of one run over all partitions; none where there are none."""
    if not partitions:
        return {}
    return {_RANGE_START: partitions[0], _RANGE_END: partitions[-1]}


def all_of(asset: str) -> dg.AssetDep:
    """A dependency on every partition of an asset: a corpus is made from all records, whatever they are divided by."""
    return dg.AssetDep(asset, partition_mapping=dg.AllPartitionMapping())


def same_variant(asset: str) -> dg.AssetDep:
    """A dependency on the same variant of an asset."""
    return dg.AssetDep(asset, partition_mapping=dg.IdentityPartitionMapping())
