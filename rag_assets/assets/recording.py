"""What a step has made of its partitions, put on record."""

from collections.abc import Mapping

import dagster as dg

from rag_assets.assets.reading import Metadatum


def record_partitions(
    context: dg.AssetExecutionContext, complete: Mapping[str, Mapping[str, Metadatum]], *, step_fails: bool
) -> None:
    """Record the partitions that are complete, also where the step as a whole is about to fail.

    Args:
        context: Of the asset.
        complete: Metadata by partition.
        step_fails: Dagster records nothing by itself of a step that raises: what was made would look as if it were not.
    """
    for partition, metadata in complete.items():
        if step_fails:
            context.log_event(dg.AssetMaterialization(context.asset_key, partition=partition, metadata=metadata))
        else:
            context.add_asset_metadata(metadata, partition_key=partition)
