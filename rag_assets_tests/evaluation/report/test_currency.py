"""What readers of the report are told of how current the text is."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from rag_assets.evaluation.report.currency import SHOWN_NAMES, find_notices, make_as_of_tables
from rag_assets.sources.staleness import Staleness, Unrenewed

NOW = datetime(2026, 11, 30, 20, tzinfo=UTC)
EARLIER = datetime(2026, 4, 1, 20, tzinfo=UTC)


def stale(**found: object) -> Staleness:
    nothing: dict[str, object] = {"failed": (), "unread": (), "withdrawn": (), "undated": (), "as_of": {}}
    return Staleness.model_validate({"source": "tax_answer", "records": 3, **nothing, **found})


def unrenewed(key: str, *, served: bool, why: str = "HTTP 503") -> Unrenewed:
    return Unrenewed(
        key=key,
        address="https://example.jp/",
        why=why,
        checked_at=NOW,
        is_served=served,
        fetched_at=EARLIER if served else None,
    )


def name(record_id: str) -> str:
    return record_id.removeprefix("tax_answer/")


def test_nothing_is_told_where_all_is_well() -> None:
    assert find_notices([stale(as_of={(2026, 4): 3})], name) == []


def test_old_text_that_is_still_searched_comes_first_with_its_dates_in_japan() -> None:
    found = stale(
        withdrawn=("9",), undated=("tax_answer/8",), failed=(unrenewed("1", served=True), unrenewed("2", served=False))
    )
    old, missing, gone, undated = find_notices([found], name)
    assert [notice.kind for notice in (old, missing, gone, undated)] == ["old", "missing", "gone", "undated"]
    assert "以前の文章のまま検索されています（1 件）" in old.message
    assert old.names == ("1（2026年4月2日に取得した文章、2026年12月1日に確認：HTTP 503）",)
    assert missing.names == ("2（2026年12月1日に確認：HTTP 503）",)
    assert gone.names == ("9",)
    assert undated.names == ("8",)
    assert "3 件のうち 1 件" in undated.message


def test_what_was_fetched_and_not_understood_is_old_as_well() -> None:
    [notice] = find_notices([stale(unread=(unrenewed("4", served=True, why=""),))], name)
    assert notice.kind == "old"
    assert "取得したが、読み取れる文章がない" in notice.names[0]


def test_a_source_without_any_date_is_told_in_one_line() -> None:
    rows = tuple(f"csv_rows/sample/{number}" for number in range(3))
    [notice] = find_notices([stale(source="csv_rows", undated=rows)], name)
    assert "3 件すべて" in notice.message
    assert notice.names == ()


@given(st.integers(1, 60))
def test_every_name_is_shown_or_folded(count: int) -> None:
    undated = tuple(f"tax_answer/{number}" for number in range(count))
    [notice] = find_notices([stale(records=100, undated=undated)], name)
    assert notice.shown + notice.folded == notice.names == tuple(map(str, range(count)))
    assert len(notice.shown) <= SHOWN_NAMES


def test_dates_are_counted_by_year_and_month_of_all_and_of_each() -> None:
    one = stale(records=4, as_of={(2025, 4): 1, (2026, 4): 2}, undated=("tax_answer/1",))
    other = stale(source="law", records=2, as_of={(2026, 12): 2})
    together, first, second = make_as_of_tables([one, other])
    assert [(row.year, row.total) for row in together.years] == [(2026, 4), (2025, 1)]
    assert (together.records, together.undated, together.source) == (6, 1, "all")
    assert together.years[0].months == (0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2)
    assert (first.source, second.source) == ("tax_answer", "law")
    assert make_as_of_tables([one]) == [first]
