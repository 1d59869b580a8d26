from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.dates import date_number, first_date

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
    ],
)
def test_reads(text: str, expected: date) -> None:
    assert first_date(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "令和7年分", "令和7年4月", "令和7年2月30日", "令和7年13月1日", "令和0年4月1日", "令和00年4月1日"),
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
