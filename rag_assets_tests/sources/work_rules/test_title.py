import pytest

from rag_assets.sources.work_rules.lines import RulePassage
from rag_assets.sources.work_rules.title import dating_lines, document_title, is_head_line


def head(*lines: tuple[str, float]) -> list[RulePassage]:
    return [RulePassage(1, text, 90.0, 90.0, size, 0) for text, size in lines]


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([("みほん大学備品規程", 12.5), ("制定　平成22年4月7日", 10.5)], "みほん大学備品規程"),
        ([("令和７年４月に開設するみほん分館の長等の", 12.5), ("選考に関する規程", 12.5), ("令和6年11月20日", 10.5)],
         "令和７年４月に開設するみほん分館の長等の選考に関する規程"),
        ([("備品の貸出し及び返却の手続並びに", 12), ("委員会の組織に関する", 12), ("規程", 12), ("みほん部", 12)],
         "備品の貸出し及び返却の手続並びに委員会の組織に関する規程"),
        ([("みほん株式会社", 14), ("就　業　規　則", 14)], "みほん株式会社　就業規則"),
        ([("みほん株式会社", 10), ("就　業　規　則", 18)], "就業規則"),
        ([("就業規則", 14), ("（パートタイマー用）", 14)], "就業規則（パートタイマー用）"),
        ([("みほん社就業規則（令和3年9月13日改正）", 14)], "みほん社就業規則"),
        ([("みほん社就業規則　　　2021年9月13日改定", 14)], "みほん社就業規則"),
        ([("令和3年9月13日改正", 12), ("○みほん市備品規則", 12), ("規則第３号", 12)], "みほん市備品規則"),
        ([("令和七年四月一日開設新分館", 14), ("運営規程", 14), ("令和3年9月13日", 10)],
         "令和七年四月一日開設新分館運営規程"),
        ([("国立大学法人みほん大学における", 14), ("備品規程", 14)], "国立大学法人みほん大学における備品規程"),
        ([("国立大学法人みほん大学", 14), ("備品管理規程", 14)], "国立大学法人みほん大学　備品管理規程"),
        ([("新たに開設するみほん大学", 14), ("附属図書館規程", 14)], "新たに開設するみほん大学附属図書館規程"),
        ([("社員の手びき", 20), ("みほん社", 10)], "社員の手びき"),
        ([("令和3年9月13日改正", 12)], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_titles(lines: list[tuple[str, float]], title: str) -> None:
    assert document_title(head(*lines)) == title


def test_the_lines_that_date_a_document_are_those_outside_its_title() -> None:
    lines = [
        ("令和七年四月一日開設新分館", 14.0),
        ("運営規程（令和2年4月1日制定）", 14.0),
        ("令和3年9月13日　理事会改正", 10.0),
    ]
    assert dating_lines(head(*lines)) == [(1, "（令和2年4月1日制定）"), (1, "令和3年9月13日　理事会改正")]


def test_a_date_broken_between_two_lines_is_whole() -> None:
    lines = [("備品規程", 14.0), ("改正　平成25年10月2日規程第8号、令和3年9", 10.0), ("月13日規程第7号", 10.0)]
    assert dating_lines(head(*lines)) == [(1, "改正　平成25年10月2日規程第8号、令和3年9月13日規程第7号")]


def test_the_date_of_something_else_dates_nothing() -> None:
    lines = [
        ("備品規程", 14.0),
        ("令和3年9月13日改正", 10.0),
        ("（印刷　令和4年1月5日）", 10.0),
        ("みほん大学　令和2年4月1日", 10.0),
    ]
    assert dating_lines(head(*lines)) == [(1, "令和3年9月13日改正"), (1, "令和2年4月1日")]


def test_a_sentence_dates_nothing() -> None:
    assert dating_lines(head(("令和6年4月1日以後に入った者のための手びき", 10.0), ("手びき", 20.0))) == []


def test_lines_of_the_head_wherever_they_stand() -> None:
    assert is_head_line("賃金規程　令和3年9月13日改定")
    assert is_head_line("令和3年9月13日改定")
    assert not is_head_line("この章では、令和3年9月13日から始めた休みを定める。")
    assert not is_head_line("賃金規程")
