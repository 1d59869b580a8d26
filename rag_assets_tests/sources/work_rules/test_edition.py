from datetime import date

import pytest

from rag_assets.sources.work_rules.edition import Edition, Supplement, edition

TODAY = date(2026, 4, 1)


def found(*head: str, supplements: list[tuple[str, str]] | None = None, articles: tuple[str, ...] = ()) -> Edition:
    return edition(
        [(1, line) for line in head],
        [Supplement(of, 2, [(2, text) for text in texts.split("｜")]) for of, texts in supplements or []],
        [(1, text) for text in articles],
        TODAY,
    )


def holds(*head: str, supplements: list[tuple[str, str]] | None = None, articles: tuple[str, ...] = ()) -> str:
    event = found(*head, supplements=supplements, articles=articles).holds
    return event.label if event else ""


@pytest.mark.parametrize(
    ("head", "label"),
    [
        (["制定　平成22年4月7日", "改正　平成25年10月2日", "最終改正　令和3年9月13日"], "令和3年9月13日 改正"),
        (["最終改正　令和3年9月13日", "改正　平成25年10月2日", "制定　平成22年4月7日"], "令和3年9月13日 改正"),
        (["平成26年6月11日", "改正", "平成30年9月5日", "令和4年11月16日"], "令和4年11月16日 改正"),
        (["平成26年6月11日"], "平成26年6月11日"),
        (["平成8年3月29日規則第5号", "改正　平成9年4月1日第3号　同12年4月1日第9号"], "平成12年4月1日 改正"),
        (
            ["改正　昭和60年3月25日第4号　平成8年3月29日第5号", "　　　同　十二年四月一日第9号"],
            "平成十二年四月一日 改正",
        ),
        (["改正　令和2年9月13日・4年4月1日・6年4月1日"], "令和6年4月1日 改正"),
        (["平成22年4月7日　取締役会決議", "令和3年9月13日　取締役会決議"], "令和3年9月13日"),
        (["Ver.1.0　2010年4月7日", "Ver.3.2　2024年4月1日"], "2024年4月1日 Ver.3.2"),
        (["第1.0版 2010/4/7", "第3.1版 2024/4/1"], "2024/4/1 第3.1版"),
        (["平成22年4月7日制定", "平成22年5月1日施行"], "平成22年5月1日施行"),
        (["制定　平成22年4月7日", "改正　令和3年9月13日", "施行　令和3年10月1日"], "令和3年9月13日 改正"),
        (["令和4年11月版"], "令和4年11月版"),
        (["令和2年4月1日制定", "令和3年9月13日現在"], "令和3年9月13日現在"),
    ],
)
def test_the_head_tells_the_last_amendment(head: list[str], label: str) -> None:
    assert holds(*head) == label


@pytest.mark.parametrize(
    "head",
    [
        ["平成22年4月7日制定", "令和3年9月13日改正", "令和9年4月1日改正"],
        ["平成22年4月7日制定", "令和3年9月13日改正", "令和9年4月1日施行"],
        ["平成22年4月7日制定", "令和3年9月13日改正", "令和8年3月1日改正（令和8年4月2日施行）"],
        ["平成22年4月7日制定", "令和3年9月13日改正", "令和8年3月1日改正（同年4月2日施行）"],
        ["平成22年4月7日制定", "令和3年9月13日改正", "令和8年3月1日改正、翌年4月1日施行"],
        ["令和9年4月1日施行（令和8年3月1日改正）", "令和3年9月13日改正", "平成22年4月7日制定"],
    ],
)
def test_what_is_to_come_does_not_hold_yet(head: list[str]) -> None:
    told = found(*head)
    assert told.holds is not None
    assert told.holds.label == "令和3年9月13日 改正"
    (finding,) = told.findings
    assert finding.topic == "not yet in force"
    assert finding.review_on in (date(2027, 4, 1), date(2026, 4, 2))


def test_an_amendment_waits_for_the_day_that_its_supplement_names() -> None:
    head = ["平成22年4月7日制定", "令和3年9月13日改正", "令和8年3月1日改正"]
    later = ("令和8年3月1日規程第3号", "この規程は、令和8年10月1日から施行する。")
    assert holds(*head, supplements=[later]) == "令和3年9月13日 改正"
    partly = (
        "令和8年3月1日規程第3号",
        "この規程は、公布の日から施行する。ただし、第２条は、令和8年10月1日から施行する。",
    )
    assert holds(*head, supplements=[partly]) == "令和8年3月1日 改正"


@pytest.mark.parametrize(
    ("supplements", "label"),
    [
        ([("", "この規則は、令和6年4月1日から施行する。")], "令和6年4月1日施行"),
        ([("", "この規則は、承認の日（令和6年4月1日）から施行する。")], "令和6年4月1日施行"),
        (
            [
                ("", "この規則は、平成22年4月1日から施行する。"),
                ("", "この規則は、令和六年四月一日（以下「施行日」という。）から施行する。"),
                ("", "この規則は、令和10年4月1日から施行する。"),
            ],
            "令和六年四月一日施行",
        ),
        ([("", "この規則は、平成22年4月1日から実施する。｜令和3年9月13日　一部改定")], "令和3年9月13日 一部改定"),
        ([("", "この規則は、平成22年4月1日から実施し、令和3年9月13日に一部改正する。")], "令和3年9月13日 一部改正"),
        (
            [("", "この条例は、公布の日から施行する。"), ("令和3年9月13日条例第2号", "公布の日から施行する。")],
            "令和3年9月13日 改正",
        ),
        ([("令和3年9月13日規程第2号", "この規程は、令和3年10月1日から施行する。")], "令和3年10月1日施行"),
    ],
)
def test_where_only_supplements_tell_the_newest_holds(supplements: list[tuple[str, str]], label: str) -> None:
    assert holds(supplements=supplements) == label


def test_the_head_goes_before_the_supplement_of_its_own_edition() -> None:
    own = ("", "この規程は、令和6年12月1日から施行する。")
    assert holds("令和6年11月20日", supplements=[own]) == "令和6年11月20日"
    later = ("", "この規程は、令和7年4月1日から施行する。")
    assert holds("令和6年11月20日", supplements=[own, later]) == "令和7年4月1日施行"
    bracketed = ("令和7年3月1日規程第3号", "この規程は、令和7年4月1日から施行する。")
    assert holds("令和6年11月20日制定", supplements=[own, bracketed]) == "令和7年3月1日 改正"


def test_without_head_and_supplement_an_article_tells() -> None:
    articles = ("平成13年4月1日から施行する法律による。", "本規程は、令和3年9月13日より施行する。")
    assert holds(articles=articles) == "令和3年9月13日施行"
    assert holds(articles=articles[:1]) == holds() == ""


def test_what_is_repealed_is_told_and_dates_nothing() -> None:
    told = found("令和3年9月13日改正", "令和5年3月31日廃止")
    assert told.holds is not None
    assert told.holds.label == "令和3年9月13日 改正"
    assert [(finding.topic, finding.quote) for finding in told.findings] == [("repealed", "令和5年3月31日廃止")]


def test_what_will_be_repealed_is_told_with_the_day() -> None:
    (finding,) = found("令和3年9月13日改正", "令和9年1月1日廃止").findings
    assert (finding.topic, finding.review_on) == ("repealed", date(2027, 1, 1))
    assert "repealed on 2027-01-01" in finding.message


@pytest.mark.parametrize("wrong", ["令和3（2020）年9月13日改正", "令和3年2月30日改正"])
def test_an_earlier_date_does_not_stand_in_for_one_that_cannot_be_read(wrong: str) -> None:
    told = found("平成22年4月7日制定", wrong)
    assert told.holds is None
    (finding,) = told.findings
    assert finding.topic == "date that cannot be"
    assert finding.quote in wrong
