from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.dates import in_era
from rag_assets.sources.work_rules.history import events, is_history, split_history, unreadable_dates


def told(*lines: str) -> list[str]:
    return [event.label for event in events([(1, line) for line in lines])]


@pytest.mark.parametrize(
    "line",
    [
        *(
            "制定　平成22年4月7日規程第11号",
            "平成26年6月11日",
            "改正",
            "最　終　改　正",
            "施行",
            "改定日：2024年4月1日",
        ),
        *("令和6年4月1日一部改正（令和6年5月1日施行）", "（平成22年規程第12号）", "規程第12号", "平成十九年条例第三号"),
        *("平成22年4月7日　理事会承認", "2024年7月１日　制定", "第3版 2024年4月1日", "令和４年11月版", "R3.9.13 改正"),
        *("同　十二年四月一日規則第九号", "同年10月1日施行", "Ver.3.2　2024年4月1日", "2024年4月1日　取締役会決議"),
        *("平成22年4月7日から施行", "令和３年９月13日現在", "改正　平成25年10月2日、令和3年9月13日規程"),
    ],
)
def test_lines_that_only_tell_of_the_history(line: str) -> None:
    assert is_history(line)


@pytest.mark.parametrize(
    "line",
    [
        *("就業規則", "（目的）", "（施行期日）", "（改正）", "（変更）", "変更", "第１条", "１０", "学長裁定"),
        *("１年６月", "1年6月 2年6月", "Server 3.2"),
        "令和７年４月に開設するみほん分館の長の選考に関する規程",
        "令和７年４月１日に開設する分館の規程",
        "この規程は、令和6年4月1日から施行する。",
        "令和6年4月1日以後に採用された者に適用する",
    ],
)
def test_other_lines(line: str) -> None:
    assert not is_history(line)


@pytest.mark.parametrize(
    ("line", "name", "history"),
    [
        ("就業規則　2024年7月１日　制定", "就業規則", "2024年7月１日　制定"),
        ("みほん社就業規則（令和3年9月13日改正）", "みほん社就業規則", "（令和3年9月13日改正）"),
        (
            "みほん規程（令和6年4月1日一部改正（令和6年5月1日施行））",
            "みほん規程",
            "（令和6年4月1日一部改正（令和6年5月1日施行））",
        ),
        ("令和6年4月1日改正　みほん社就業規則", "みほん社就業規則", "令和6年4月1日改正"),
        ("総　則　　　　2024年 7月 1日", "総　則", "2024年 7月 1日"),
        ("令和７年４月１日に開設する分館の規程", "令和７年４月１日に開設する分館の規程", ""),
        ("就業規則（パートタイマー用）", "就業規則（パートタイマー用）", ""),
        ("令和6年4月1日", "令和6年4月1日", ""),
        ("（令和3年9月13日改正）", "（令和3年9月13日改正）", ""),
        ("（令和3年9月13日改正）みほん規程", "みほん規程", "（令和3年9月13日改正）"),
    ],
)
def test_history_beside_a_name(line: str, name: str, history: str) -> None:
    assert split_history(line) == (name, history)


@pytest.mark.parametrize(
    ("lines", "labels"),
    [
        (
            ["制定　平成22年4月7日規程第11号", "改正　平成25年10月2日規程第38号", "最終改正　令和3年9月13日規程第27号"],
            ["平成22年4月7日 制定", "平成25年10月2日 改正", "令和3年9月13日 改正"],
        ),
        (["平成22年4月7日 制定", "令和3年9月13日 全部改正"], ["平成22年4月7日 制定", "令和3年9月13日 全部改正"]),
        (["制定", "平成22年4月7日", "改正", "令和3年9月13日"], ["平成22年4月7日 制定", "令和3年9月13日 改正"]),
        (["平成22年4月7日", "制定", "令和3年9月13日", "改正"], ["平成22年4月7日 制定", "令和3年9月13日 改正"]),
        (
            ["平成26年6月11日", "改正", "平成30年 9月 5日", "令和4年11月16日"],
            ["平成26年6月11日", "平成30年9月5日 改正", "令和4年11月16日 改正"],
        ),
        (
            ["制定　改正　施行", "平成22年4月7日　令和3年9月13日　令和3年10月1日"],
            ["平成22年4月7日 制定", "令和3年9月13日 改正", "令和3年10月1日施行"],
        ),
        (
            ["制定 平成22年4月7日 改正 平成25年10月2日 最終改正 令和3年9月13日"],
            ["平成22年4月7日 制定", "平成25年10月2日 改正", "令和3年9月13日 改正"],
        ),
        (
            ["改正　平成25年10月2日", "　　　平成31年3月20日", "　　　令和3年9月13日"],
            ["平成25年10月2日 改正", "平成31年3月20日 改正", "令和3年9月13日 改正"],
        ),
        (["制定　平成22年4月7日", "平成25年10月2日"], ["平成22年4月7日 制定", "平成25年10月2日"]),
        (["第1版 2020年4月1日", "第2版 2022年4月1日"], ["2020年4月1日 第1版", "2022年4月1日 第2版"]),
        (["改定日：2021/9/13"], ["2021/9/13 改定"]),
        (["令和４年11月版"], ["令和４年11月版"]),
        (["（令和3年9月13日改正規程第12号）"], ["令和3年9月13日 改正"]),
    ],
)
def test_which_word_is_about_which_date(lines: list[str], labels: list[str]) -> None:
    assert told(*lines) == labels


def test_brackets_may_say_from_when_an_amendment_is_in_force() -> None:
    (event,) = events([(3, "令和6年4月1日一部改正（令和6年5月1日施行）")])
    assert (event.kind, event.day, event.in_force, event.page) == ("amended", date(2024, 4, 1), date(2024, 5, 1), 3)
    assert not event.holds_on(date(2024, 4, 30))
    assert event.holds_on(date(2024, 5, 1))


def test_dates_that_cannot_be() -> None:
    found = list(unreadable_dates([(2, "制定　令和3（2020）年9月13日"), (3, "改正　令和7年2月30日、令和7年3月1日")]))
    assert [(page, printed.words) for page, printed in found] == [(2, "令和3（2020）年9月13日"), (3, "令和7年2月30日")]


_WAYS: dict[str, Callable[[str, str], list[str]]] = {
    "left": lambda word, day: [f"{word}　{day}"],
    "right": lambda word, day: [f"{day}　{word}"],
    "close": lambda word, day: [f"{day}{word}"],
    "above": lambda word, day: [word, day],
    "below": lambda word, day: [day, word],
    "brackets": lambda word, day: [f"（{day}{word}）"],
    "numbered": lambda word, day: [f"{word}　{day}規程第３号"],
}


@given(
    st.lists(st.dates(date(1990, 1, 1), date(2060, 12, 31)), min_size=1, max_size=6),
    st.sampled_from(sorted(_WAYS)),
    st.sampled_from(["改正", "一部改正", "全部改正", "改定", "改訂"]),
)
def test_every_list_is_read_in_every_way_it_is_set(days: list[date], way: str, word: str) -> None:
    words = ["制定", *[word] * (len(days) - 1)]
    lines = [line for word, day in zip(words, days, strict=True) for line in _WAYS[way](word, in_era(day))]
    assert told(*lines) == [f"{in_era(day)} {word}" for word, day in zip(words, days, strict=True)]
    assert all(map(is_history, lines))
