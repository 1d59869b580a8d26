"""Checks that ride in the assets: how they are declared, and how a list of faults becomes a result."""

from collections.abc import Sequence

import dagster as dg

MOST_NAMED = 50
"""Faults named in a result; the count tells of the rest."""


def blocking(asset: str, name: str, description: str) -> dg.AssetCheckSpec:
    """A check that keeps everything downstream from running where it fails."""
    return dg.AssetCheckSpec(name, asset=asset, description=description, blocking=True)


def telling(asset: str, name: str, description: str) -> dg.AssetCheckSpec:
    """A check that only tells."""
    return dg.AssetCheckSpec(name, asset=asset, description=description)


def result(
    name: str,
    faults: Sequence[str],
    *,
    looked_at: int,
    count: int | None = None,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> dg.AssetCheckResult:
    """Passed where there is no fault; otherwise the faults by name.

    Args:
        name: Name of the check.
        faults: A line a fault, naming the thing.
        looked_at: How many things were looked at.
        count: How many faults there are, where `faults` are only some of them.
        severity: ERROR stops what is downstream of a blocking check, WARN does not.
    """
    count = len(faults) if count is None else count
    more = [f"… and {count - MOST_NAMED} more"] if count > MOST_NAMED else []
    return dg.AssetCheckResult(
        check_name=name,
        passed=not faults,
        severity=severity,
        metadata={
            "looked at": looked_at,
            "faults": count,
            **(
                {"named": dg.MetadataValue.md("\n".join(f"- {fault}" for fault in [*faults[:MOST_NAMED], *more]))}
                if faults
                else {}
            ),
        },
    )
