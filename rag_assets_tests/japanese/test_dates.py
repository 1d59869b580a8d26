import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.dates import (
    ERAS,
    PrintedDate,
    contradiction,
    date_number,
    era_year,
    find_dates,
    first_date,
    in_era,
    written_date,
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
    assert first_date(text, or_month=True) == written_date(text, or_month=True) == expected


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


_KANJI = dict(enumerate("〇一二三四五六七八九"))


def _by_units(number: int) -> str:
    """23 as 二十三."""
    tens, ones = divmod(number, 10)
    return ("" if tens < 2 else _KANJI[tens]) + ("十" if tens else "") + (_KANJI[ones] if ones else "")


def _by_places(number: int) -> str:
    return "".join(_KANJI[int(digit)] for digit in str(number))


def _spaced(words: str) -> str:
    return "\u3000".join(words)


def _of_era(day: date) -> tuple[str, int]:
    era = next(era for era in ERAS if day >= {"令和": date(2019, 5, 1), "平成": date(1989, 1, 8)}.get(era, date.min))
    return era, day.year - era_year(era, 1) + 1


def _notations(day: date) -> list[str]:
    era, year = _of_era(day)
    letter = {"令和": "R", "平成": "H", "昭和": "S"}[era]
    of_era, west = ("元" if year == 1 else str(year)), day.year
    month, dom = day.month, day.day
    kanji_year = "元" if year == 1 else _by_units(year)
    marks = [f"{name}{of_era}{mark}{month}{mark}{dom}" for name in (letter, era[0], era) for mark in "./・-"]
    return [
        *marks,
        f"{letter}{year:02}.{month:02}.{dom:02}",
        f"{letter}{year:02}-{month:02}-{dom:02}",
        f"{era}{of_era}年{month}月{dom}日",
        f"{letter}{of_era}年{month}月{dom}日",
        f"{era}{of_era}（{west}）年{month}月{dom}日",
        f"{era}{of_era}年（{west}年）{month}月{dom}日",
        f"{era}{of_era}年（西暦{west}年）{month}月{dom}日",
        f"{west}年（{era}{of_era}年）{month}月{dom}日",
        f"{west}（{era}{of_era}）年{month}月{dom}日",
        f"{west}年〔{letter}{of_era}〕{month}月{dom}日",
        f"{west}({letter}{of_era}).{month}.{dom}",
        f"{era}{of_era}年{month}月{dom}日（{west}年{month}月{dom}日）",
        f"{west}年{month}月{dom}日（{era}{of_era}年{month}月{dom}日）",
        f"{era}{kanji_year}年{_by_units(month)}月{_by_units(dom)}日",
        f"{era}{_by_places(year)}年{_by_places(month)}月{_by_places(dom)}日",
        f"{_by_places(west)}年{_by_units(month)}月{_by_units(dom)}日",
        f"{west}年{month}月{dom}日",
        f"西暦{west}年{month}月{dom}日",
        f"{west}-{month:02}-{dom:02}",
        f"{west}/{month}/{dom}",
        f"{west}. {month}. {dom}",
        _spaced(f"{era}{of_era}年{month}月{dom}日"),
        _spaced(f"{era}{kanji_year}年{_by_units(month)}月{_by_units(dom)}日"),
    ]


@given(st.dates(date(1927, 1, 1), date(2100, 12, 31)), st.integers(0, 33), st.booleans())
def test_every_notation_reads_back(day: date, which: int, full_width: bool) -> None:
    notations = _notations(day)
    words = notations[which % len(notations)].translate(_FULL_WIDTH if full_width else {})
    assert written_date(words) == first_date(f"［{words}現在］") == day, words
    (printed,) = find_dates(f"改正　{words}　規程")
    assert (printed.words, printed.day, printed.is_month, printed.contradicts) == (words, day, False, False)


@given(
    st.dates(date(1927, 1, 1), date(2100, 12, 31)),
    st.dates(date(1927, 1, 1), date(2100, 12, 31)),
    st.integers(0, 33),
    st.sampled_from(["～", "から", "〜", " - ", "、", "　至　"]),
)
def test_a_range_is_two_dates(first: date, last: date, which: int, between: str) -> None:
    notations = _notations(first), _notations(last)
    begins, ends = (words[which % len(words)] for words in notations)
    found = list(find_dates(f"{begins}{between}{ends}"))
    assert [printed.day for printed in found] == [first, last]


@given(st.dates(date(1990, 1, 1), date(2100, 12, 31)), st.integers(-30, 30).filter(bool))
def test_calendars_that_contradict_each_other_give_no_date(day: date, off: int) -> None:
    era, year = _of_era(day)
    rest = f"{day.month}月{day.day}日"
    for words in (
        f"{era}{year}（{day.year + off}）年{rest}",
        f"{era}{year}年（{day.year + off}年）{rest}",
        f"{day.year + off}年（{era}{year}年）{rest}",
        f"{era}{year}年{rest}（{day.year + off}年{rest}）",
    ):
        assert first_date(f"{words}現在、2001年1月1日作成") is None
        assert written_date(words, or_month=True) is None
        assert contradiction(f"［{words}現在］") == words


def test_what_agrees_is_no_contradiction() -> None:
    assert contradiction("令和8（2026）年4月1日、平成31年（令和元年）5月1日、令和7年2月30日") == ""


@pytest.mark.parametrize(
    "text",
    [
        *(
            "型番XR8-4-1",
            "型番S60-1-2",
            "型番：S60-1-2",
            "部品 H8/4/1",
            "S60-1-2-3",
            "S60-1-2A",
            "A-S60-1-2",
            "No.R8-4-1",
        ),
        *("R8-4-1号", "第R8-4-1号", "R8.4.1.2", "ver2026.4.1.3", "192.168.4.1", "第2026条", "第2026-4-1"),
        *("03-1234-5678", "0120-12-12", "0120-12-1234", "090-2026-4-1", "2026-04-01-03", "丸の内2-4-1"),
        *("令和８年４月朔日", "令和8年4月末日", "令和○年○月○日", "令和〇年〇月〇日", "八年四月一日", "平均一・二・三"),
        *("令和八年四月三十一日", "令和八年十三月一日", "令和8年4月一部改正", "令和七年四月に開設する規程"),
    ],
)
def test_codes_numbers_and_blanks_are_no_dates(text: str) -> None:
    assert first_date(text) is None
    assert written_date(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-04-01T10:20:00+09:00", date(2026, 4, 1)),
        ("2026/4/1-2026/5/1", date(2026, 4, 1)),
        ("㋿八年四月一日", date(2026, 4, 1)),
        ("平成2 8年4月1 1日", date(2016, 4, 11)),
        ("平成31年（令和元年）5月1日", date(2019, 5, 1)),
        ("令和8年4月1", date(2026, 4, 1)),
        ("広報　令和8年4月1日号", date(2026, 4, 1)),
    ],
)
def test_further_notations(text: str, expected: date) -> None:
    assert first_date(text) == expected


@pytest.mark.parametrize(
    "text", ["令和八年五月改訂", "令和八年五月一部改訂", "令和8（2026）年5月", "2026年（令和8年）5月"]
)
def test_a_month_in_other_notations(text: str) -> None:
    assert first_date(text, or_month=True) == date(2026, 5, 1)
    assert first_date(text) is None


def test_where_dates_are_printed() -> None:
    text = "㈱みほん　制定　平成22年4月、改正　令和３年９月13日"
    month, day = find_dates(text)
    assert month == PrintedDate(8, 15, "平成22年4月", date(2010, 4, 1), is_month=True, contradicts=False)
    assert text[day.start : day.end] == day.words == "令和３年９月13日"


@pytest.mark.parametrize(
    "text",
    [
        "2026ー04ー01",
        "R8ー4ー1",
        "令和8ー4ー1",
        "２０２６ー４ー１",
        "2026—4—1",
        "令和〇八年〇四月〇一日",
        "平成〇三八年四月一日",
    ],
)
def test_long_vowel_marks_as_dashes_and_leading_noughts(text: str) -> None:
    assert first_date(text) == date(2026, 4, 1)


@pytest.mark.parametrize("text", ["データー2026", "サーバー8ー4", "番号5ー10"])
def test_long_vowel_marks_elsewhere_make_no_date(text: str) -> None:
    assert list(find_dates(text)) == []


def test_a_small_letter_names_the_era_in_a_value_of_its_own_only() -> None:
    assert written_date("r8.4.1") == written_date("ｒ8/4/1") == written_date("h38-4-1") == date(2026, 4, 1)
    assert first_date("型r8.4.1") is None


@pytest.mark.parametrize("text", ["R8.4.1に、", "2026-04-01、", "令和8年4月1日、2026年4月1日。"])
def test_a_long_text_full_of_dates_takes_time_in_proportion(text: str) -> None:
    started = time.process_time()
    assert len(list(find_dates(text * 12_000))) >= 12_000
    assert time.process_time() - started < 10
