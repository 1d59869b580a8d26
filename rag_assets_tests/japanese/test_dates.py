from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.dates import (
    ERAS,
    date_number,
    era_year,
    first_date,
    first_date_or_month,
    in_era,
    written_date,
    written_date_or_month,
)

_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("令和8年4月1日現在法令等", date(2026, 4, 1)),
        ("令和元年５月１日", date(2019, 5, 1)),
        ("令和　７　年　４　月　１　日", date(2025, 4, 1)),
        ("平成元年1月8日", date(1989, 1, 8)),
        ("平28.4.1以後", date(2016, 4, 1)),
        ("平元.1.8", date(1989, 1, 8)),
        ("昭和64年1月7日", date(1989, 1, 7)),
        ("大正12年9月1日", date(1923, 9, 1)),
        ("明治45年7月30日", date(1912, 7, 30)),
        ("㋿7年4月1日", date(2025, 4, 1)),
        ("2026年4月1日", date(2026, 4, 1)),
        ("２０２６／４／１", date(2026, 4, 1)),
        ("令和7年2月30日ではなく令和7年3月1日", date(2025, 3, 1)),
        ("平成31年5月1日以後", date(2019, 5, 1)),
        ("R8.4.7", date(2026, 4, 7)),
        ("改訂 Ｈ３１．４．３０", date(2019, 4, 30)),
        ("S63/12/1", date(1988, 12, 1)),
        ("R元年5月1日", date(2019, 5, 1)),
        ("令8.4.7", date(2026, 4, 7)),
    ],
)
def test_reads(text: str, expected: date) -> None:
    assert first_date(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "令和7年分", "令和7年4月", "令和7年2月30日", "令和7年13月1日", "令和0年4月1日", "令和00年4月1日"),
        *("R8", "R8.13.1", "XR8.4.7", "8R8.4.7", "r8.4.7", "A8.4.7", "46113"),
        *("2025年2月29日", "2026.4.123", "12026.4.1", "4月1日", "所法36、昭59直法6-5", "大和10.4.1", "平均8.4.1"),
    ],
)
def test_tells_no_date(text: str) -> None:
    assert first_date(text) is None


@given(st.dates(date(1989, 1, 8), date(2100, 12, 31)), st.booleans(), st.booleans())
def test_round_trip_of_an_era_date(day: date, full_width: bool, short: bool) -> None:
    era, first_year = ("令和", 2019) if day >= date(2019, 5, 1) else ("平成", 1989)
    year = day.year - first_year + 1
    written_year = "元" if year == 1 else str(year)
    words = (
        f"{era[0]}{written_year}.{day.month}.{day.day}" if short else f"{era}{written_year}年{day.month}月{day.day}日"
    )
    assert first_date(f"［{words.translate(_FULL_WIDTH) if full_width else words}現在］") == day


@given(st.dates(date(1000, 1, 1), date(2100, 12, 31)), st.sampled_from(["年月日", "///", "..."]))
def test_round_trip_of_a_western_date(day: date, marks: str) -> None:
    assert first_date(f"{day.year}{marks[0]}{day.month}{marks[1]}{day.day}{marks[2]}") == day


@given(st.text(max_size=60))
def test_any_text_is_borne(text: str) -> None:
    assert first_date(text) is None or isinstance(first_date(text), date)


@given(st.lists(st.dates(), min_size=2))
def test_numbers_sort_as_dates_do(days: list[date]) -> None:
    assert [date_number(day) for day in sorted(days)] == sorted(map(date_number, days))


def test_number_is_written_year_first() -> None:
    assert date_number(date(2026, 4, 1)) == 20260401


@given(st.dates(date(1868, 1, 25), date(2100, 12, 31)))
def test_a_date_in_its_era_is_read_back(day: date) -> None:
    assert first_date(in_era(day)) == day
    era = in_era(day)[:2]
    assert era in ERAS
    assert era_year(era, 1) <= day.year


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2019, 5, 1), "令和元年5月1日"),
        (date(2019, 4, 30), "平成31年4月30日"),
        (date(1989, 1, 7), "昭和64年1月7日"),
        (date(1867, 1, 1), "1867年1月1日"),
    ],
)
def test_a_date_is_written_in_its_era(day: date, words: str) -> None:
    assert in_era(day) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("令和8年4月", date(2026, 4, 1)),
        ("【令和８年　５　月改訂】", date(2026, 5, 1)),
        ("2026年4月版", date(2026, 4, 1)),
        ("R8年4月", date(2026, 4, 1)),
        ("令和8年4月7日", date(2026, 4, 7)),
        ("令和7年2月30日", None),
        ("令和8年13月", None),
        ("令和8年度", None),
        ("4月", None),
        ("毎年4月", None),
    ],
)
def test_a_month_without_a_day_is_its_first(text: str, expected: date | None) -> None:
    assert first_date_or_month(text) == written_date_or_month(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-04-01", date(2026, 4, 1)),
        (" ２０２６-4-1 10:20", date(2026, 4, 1)),
        ("20260401", date(2026, 4, 1)),
        ("R8.4.1", date(2026, 4, 1)),
        ("令和8年4月1日現在", date(2026, 4, 1)),
        ("2026-13-45", None),
        ("2026/13/45", None),
        ("20261345", None),
        ("46113", None),
        ("未定", None),
        ("令和8年4月", None),
    ],
)
def test_a_value_of_its_own_may_be_written_as_machines_do(text: str, expected: date | None) -> None:
    assert written_date(text) == expected
