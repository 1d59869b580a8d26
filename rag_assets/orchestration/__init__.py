"""All that imports Dagster: assets, checks, jobs, automation, partitions and resources."""
