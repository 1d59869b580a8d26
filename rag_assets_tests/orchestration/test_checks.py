import dagster as dg

from rag_assets.orchestration.checks import MOST_NAMED, blocking, result, telling


def test_a_result_passes_without_faults_and_says_what_was_looked_at() -> None:
    passed = result("within_limit", [], looked_at=7)
    assert passed.passed
    assert passed.metadata == {"looked at": dg.IntMetadataValue(7), "faults": dg.IntMetadataValue(0)}


def test_a_result_names_every_fault() -> None:
    failed = result("within_limit", ["raw: a", "raw: b"], looked_at=7)
    assert not failed.passed
    assert failed.severity == dg.AssetCheckSeverity.ERROR
    assert failed.metadata["named"] == dg.MetadataValue.md("- raw: a\n- raw: b")


def test_many_faults_are_counted_and_the_first_named() -> None:
    failed = result("within_limit", [f"fault {number}" for number in range(MOST_NAMED + 3)], looked_at=99)
    assert failed.metadata["faults"] == dg.IntMetadataValue(MOST_NAMED + 3)
    named = str(failed.metadata["named"].value).splitlines()
    assert named[-1] == "- … and 3 more"
    assert len(named) == MOST_NAMED + 1


def test_only_a_blocking_check_blocks() -> None:
    assert blocking("chunks", "within_limit", "why").blocking
    assert not telling("chunks", "within_limit", "why").blocking
