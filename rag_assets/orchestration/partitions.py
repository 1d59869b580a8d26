"""How assets are partitioned: sources by what their publisher divides them by, everything later by variant.

Categories, not articles: a run per article took 15 minutes for 757 articles, a single run over all categories takes
seconds, and the manifest knows what to skip within one.
"""

from collections.abc import Sequence

import dagster as dg

from rag_assets.model import Variant
from rag_assets.sources.tax_answer.reader import CATEGORIES

TAX_CATEGORIES = dg.StaticPartitionsDefinition(list(CATEGORIES))

ONE_RUN = dg.BackfillPolicy.single_run()


def variant_partitions(variants: Sequence[Variant]) -> dg.StaticPartitionsDefinition:
    """One partition a way of preparing."""
    return dg.StaticPartitionsDefinition([variant.name for variant in variants])


def all_of(asset: str) -> dg.AssetDep:
    """A dependency on every partition of an asset: a corpus is made from all records, whatever they are divided by."""
    return dg.AssetDep(asset, partition_mapping=dg.AllPartitionMapping())


def same_variant(asset: str) -> dg.AssetDep:
    """A dependency on the same variant of an asset."""
    return dg.AssetDep(asset, partition_mapping=dg.IdentityPartitionMapping())
