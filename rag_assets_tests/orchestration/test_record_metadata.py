import dagster as dg

from rag_assets.orchestration.record_metadata import MOST_UNDATED, describe_failed, describe_undated, undated_metadata


def test_records_without_a_date_are_counted_and_named() -> None:
    assert describe_undated(["law/a/1", "law/a/2"], 2, 40) == "2 of 40 records without as-of date: law/a/1, law/a/2"
    assert describe_undated(["law/a/1", "law/a/2"], 2, 2) == "none of its 2 records has an as-of date"
    many = [f"law/a/{number}" for number in range(MOST_UNDATED + 3)]
    assert describe_undated(many, len(many), 40).endswith(f"law/a/{MOST_UNDATED - 1} … and 3 more")
    metadata = undated_metadata(many, len(many))
    assert metadata["without as-of date"] == len(many)
    listed = metadata["without as-of date, which"]
    assert isinstance(listed, dg.TableMetadataValue)
    assert [record.data["record"] for record in listed.records] == many
    assert undated_metadata([], 0)["without as-of date"] == 0


def test_what_has_failed_is_counted_and_named_with_its_reason() -> None:
    told = describe_failed("document(s)", "could not be read. Mend them", {"a": "no text", "b": "a scan"})
    assert told == "2 document(s) could not be read. Mend them.\n  a: no text\n  b: a scan"
